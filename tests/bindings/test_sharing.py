# SPDX-License-Identifier: MIT
"""Mirrors bring words of other nodes and take sums to them, accumulators send what kernels have added, pools have
blocks for kernels; all end with their statements or their node, and bad plans are exceptions that name them.

Path: pytest -> this -> python/gravel/_mirror.py, _accumulator.py, _block_pool.py, _part.py
"""
from pathlib import Path

import numpy as np
import pytest

import gravel
from conftest import ALONE, refuse

KERNELS = (Path(__file__).parent / "kernels" / "objects.cl").read_text(encoding="utf-8")
EACH = 64  # work-items that add to one word
SETTINGS = {"heap_bytes": "4M"}


@pytest.fixture(scope="module")
def program(node):
    return node.program(KERNELS)


def n_processes(node):
    return node.size // len(node.local)


def fill(node, array, base):
    for m in node.local:
        array.set(np.arange(array.size).reshape(array.shape) + base + 100 * m, m)
    node.barrier()


def expect(node, array, wanted):
    """All have added, and none adds more before all have looked."""
    node.barrier()
    for m in node.local:
        assert (array.get(m) == wanted).all(), array.get(m)
    node.barrier()


def test_copies(node, program):
    array = node.array((4, 8), np.uint32)
    words = [[m, 31, m] if m < max(node.size - 1, 1) else np.array([7], np.int8) for m in range(node.size)]
    wanted = np.concatenate([np.asarray(part) + 100 * m for m, part in enumerate(words)])
    with node.mirror(array, words) as copies:
        assert len(copies) == wanted.size and copies.get().dtype == np.uint32 and (copies.get() == 0).all()
        fill(node, array, 0)
        copies.share()
        assert (copies.get() == wanted).all(), copies.get()
        node.barrier()
        fill(node, array, 1000)
        before = copies.offset
        copies.begin()
        refuse(gravel.ArgumentError, "gravel_mirror_begin", copies.begin)
        copies.end()
        assert copies.offset != before
        seen = node.array(wanted.size, np.uint32)
        program.read(wanted.size, None, copies, seen)
        node.barrier()
        assert (seen.get() == wanted + 1000).all(), seen.get()
    assert "destroyed" in repr(copies)
    refuse(ValueError, "destroyed", copies.share, copies.get, copies.destroy, lambda: program.read(1, None, copies, seen))
    with node.mirror(array, [[]] * node.size) as nothing:
        nothing.share()
        assert nothing.get().shape == (0,)


def test_slots(node, program):
    sums = node.array(8, np.uint32)
    with node.mirror(sums, [[2, 5]] * node.size, "add") as slots:
        for n_times in range(1, 3):
            program.offer(EACH * len(slots), None, slots, len(slots), 3)
            slots.share()
            expect(node, sums, np.where(np.isin(np.arange(8), [2, 5]), 3 * EACH * n_processes(node) * n_times, 0))


def test_accumulator(node, program):
    counts, n_items, each = node.array((2, 5), np.uint32), EACH * 10 * node.size, EACH * n_processes(node)
    with node.accumulator(counts) as accumulator:
        program.count(n_items, None, accumulator, 10, 1)
        accumulator.begin()
        accumulator.reset()
        program.count(n_items, None, accumulator, 10, 2)
        expect(node, counts, 3 * each)
        program.count(n_items, None, accumulator, 10, 1)
        if node.size > 1:  # alone there is no shadow
            refuse(gravel.ArgumentError, "words wait", accumulator.destroy)
    expect(node, counts, 4 * each)  # the statement flushes
    refuse(ValueError, "destroyed", accumulator.flush)
    refusing = node.accumulator(counts)
    program.count(EACH * 11 * node.size, None, refusing, 11, 1)
    refuse(gravel.RangeError, "index 10", refusing.destroy)
    refusing.flush()  # it is still there
    refusing.destroy()


def test_fixed_point(node, program):
    sums, n = node.array(1, np.int64), EACH * n_processes(node)
    with node.accumulator(sums) as accumulator:
        program.weigh(EACH * node.size, None, accumulator, 0.1, 20)
        for value, bits in (4, 61), (-4, 61), (np.nan, 20), (0, 63):
            program.weigh(1, None, accumulator, value, bits)
            refuse(gravel.RangeError, "value out of range", accumulator.flush)
    expect(node, sums, n * round(0.1 * 2**20))
    assert np.isclose(np.ldexp(sums.get(), -20), n * 0.1)


def test_bad(node, program):
    array, short, many = node.array(10, np.uint32), node.array(10, np.int16), [[0]] * node.size
    for words, error, text in (
            (many + [[0]], ValueError, "%d nodes.*of %d" % (node.size, node.size + 1)),
            ([[[0]]] + many[1:], ValueError, r"node 0.*\(1, 1\)"),
            (many[1:] + [[0.5]], TypeError, "node %d.*float64" % (node.size - 1)),
            (many[1:] + [[3, 10]], IndexError, r"elements 3 to 10.*\(10,\)"),
            (many[1:] + [[-1]], IndexError, "-1")):
        refuse(error, text, lambda: node.mirror(array, words))
    for error, op in (ValueError, "sub"), (gravel.ArgumentError, "put"):
        refuse(error, op, lambda: node.mirror(array, many, op), lambda: node.accumulator(array, op))
    refuse(TypeError, "int16", lambda: node.mirror(short, many), lambda: node.accumulator(short))
    with node.accumulator(array) as accumulator, node.mirror(array, many) as copies:
        refuse(TypeError, "read: ulong copies.*Accumulator", lambda: program.read(1, None, accumulator, None))
        refuse(TypeError, "count: .* counts.*gravel.Accumulator.*Mirror", lambda: program.count(1, None, copies, 1, 1))
        refuse(TypeError, "offer: uint n.*ulong", lambda: program.offer(1, None, copies, copies, 1))


def test_pool(node, program):
    blocks = node.array(EACH, np.uint64)
    with node.block_pool(64, 48) as pool:
        assert pool.stats == {"n_blocks": 48, "n_used": 0, "n_failed": 0} and "open" in repr(pool)
        program.publish(EACH, EACH, pool, blocks)
        node.barrier()
        assert pool.stats == {"n_blocks": 48, "n_used": 48, "n_failed": 16}, pool.stats
        assert sum(0 < int(block) < 1 << 63 for block in blocks.get()) == 48
    refuse(ValueError, "destroyed", pool.destroy, lambda: pool.stats, lambda: program.publish(1, None, pool, blocks))
    refuse(gravel.ArgumentError, "63", lambda: node.block_pool(63, 48))
    refuse(gravel.RangeError, "-1", lambda: node.block_pool(64, -1))


def test_left():
    """Parts that are left: to the node by an exception, and at its close."""
    with gravel.open(loopback_nodes=2, **ALONE) as node:
        array, program = node.array(10, np.uint32), node.program(KERNELS)
        with pytest.raises(LookupError):
            with node.mirror(array, [[1], [2]]) as left, node.accumulator(array) as accumulator:
                raise LookupError
        left.share()
        program.count(EACH, None, accumulator, 10, 1)
    refuse(ValueError, "closed|destroyed", left.share, left.destroy, accumulator.flush,
           lambda: node.mirror(array, [[1], [2]]))
    with gravel.open(loopback_nodes=2, **ALONE) as other:
        refuse(ValueError, "another node", lambda: other.mirror(array, [[1], [2]]),
               lambda: other.program(KERNELS).count(1, None, accumulator, 1, 1))
