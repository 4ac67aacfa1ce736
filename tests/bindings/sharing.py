# SPDX-License-Identifier: MIT
"""Mirrors bring words of other nodes and take sums to them, accumulators send what kernels have added, pools have
blocks for kernels; all end with their statements or their node, and bad plans are exceptions that name them.

usage: sharing.py    as one node, loop-back nodes or ranks
exit:  0, and "node N: all right" from each process; 1 with the line of what does not hold

Path: run.py -> this -> python/gravel/_mirror.py, _accumulator.py, _block_pool.py,
      _part.py.
"""

import numpy as np
import pyopencl.array as cla

import gravel
from refused import refused

KERNELS = """#include "gravel.cl.h"
#include "accumulator.cl.h"
#include "block_pool.cl.h"
kernel void read(GRAVEL_ARENA, ulong copies, global uint *out)
{
    GRAVEL_OPEN(g);
    global const uint *copy = gravel_local(g, copies);
    out[get_global_id(0)] = copy[get_global_id(0)];
}
kernel void offer(GRAVEL_ARENA, ulong slots, uint n, uint value)
{
    GRAVEL_OPEN(g);
    gravel_slot_add_uint_wi(g, slots, get_global_id(0) % n, value);
}
kernel void count(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(counts), uint n, uint value)
{
    GRAVEL_OPEN(g);
    uint i = (uint)get_global_id(0);
    gravel_accumulate_uint_wi(g, counts, i % n, value, i / n % gravel_n_nodes(g));
}
kernel void publish(GRAVEL_ARENA, ulong pool, ulong blocks)
{
    GRAVEL_OPEN(g);
    uint i = (uint)get_global_id(0);
    ulong block = gravel_block_alloc_wg(g, pool);
    if (block != GRAVEL_NO_BLOCK)
        *(global uint *)gravel_local(g, block) = i;
    gravel_put_ulong_wg(g, blocks, i, block, gravel_node(g));
}
"""
EACH = 64  # work-items that add to one word


def n_processes(node):
    return node.size // len(node.local)


def fill(node, array, base):
    for m in node.local:
        array.set(np.arange(array.size).reshape(array.shape) + base + 100 * m, m)
    node.barrier()


def check_copies(node, program):
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
        with refused(gravel.ArgumentError, "gravel_mirror_begin"):
            copies.begin()
        copies.end()
        assert copies.offset != before
        out = cla.to_device(node.queue, np.zeros(wanted.size, np.uint32))
        program.read(wanted.size, None, copies, out)
        node.quiet()
        assert (out.get() == wanted + 1000).all(), out.get()
    assert "destroyed" in repr(copies)
    for use in copies.share, copies.get, copies.destroy, lambda: program.read(1, None, copies, out):
        with refused(ValueError, "destroyed"):
            use()
    with node.mirror(array, [[]] * node.size) as nothing:
        nothing.share()
        assert nothing.get().shape == (0,)


def check_slots(node, program):
    sums = node.array(8, np.uint32)
    with node.mirror(sums, [[2, 5]] * node.size, "add") as slots:
        for n_times in range(1, 3):
            program.offer(EACH * len(slots), None, slots, len(slots), 3)
            slots.share()
            node.barrier()
            for m in node.local:
                wanted = np.where(np.isin(np.arange(8), [2, 5]), 3 * EACH * n_processes(node) * n_times, 0)
                assert (sums.get(m) == wanted).all(), sums.get(m)
            node.barrier()


def check_accumulator(node, program):
    counts, n_items = node.array((2, 5), np.uint32), EACH * 10 * node.size

    def expect(n_each):
        node.barrier()
        for m in node.local:
            assert (counts.get(m) == n_each * EACH * n_processes(node)).all(), counts.get(m)
        node.barrier()
    with node.accumulator(counts) as accumulator:
        program.count(n_items, None, accumulator, 10, 1)
        accumulator.begin()
        program.count(n_items, None, accumulator, 10, 2)
        expect(3)
        program.count(n_items, None, accumulator, 10, 1)
        if node.size > 1:  # alone there is no shadow
            with refused(gravel.ArgumentError, "words wait"):
                accumulator.destroy()
        with refused(gravel.ArgumentError, "other accumulator|words of the accumulator"):
            node.accumulator(counts)
    expect(4)  # the statement flushes
    with refused(ValueError, "destroyed"):
        accumulator.flush()
    node.accumulator(counts).destroy()
    refusing = node.accumulator(counts)
    program.count(EACH * 11 * node.size, None, refusing, 11, 1)
    with refused(gravel.RangeError, "index 10"):
        refusing.destroy()
    refusing.flush()  # it is still there
    refusing.destroy()
    node.barrier()
    counts.free()
    check_most(node, program)


def check_most(node, program):
    most = node.array(10, np.uint32)
    with node.accumulator(most, "max") as accumulator:
        for _ in range(2):
            program.count(10 * node.size, None, accumulator, 10, 7)
            node.barrier()
            assert all((most.get(m) == 7).all() for m in node.local)
            node.barrier()
            for m in node.local:
                most.set(0, m)
            accumulator.reset()  # else what has been sent is not sent again
            node.barrier()


def check_bad(node, program):
    array, many = node.array(10, np.uint32), [[0]] * node.size
    for words, error, texts in (
            (many + [[0]], ValueError, ["%d nodes" % node.size, "of %d" % (node.size + 1)]),
            ([[[0]]] + many[1:], ValueError, ["node 0", r"\(1, 1\)"]),
            (many[1:] + [[0.5]], TypeError, ["node %d" % (node.size - 1), "float64"]),
            (many[1:] + [[3, 10]], IndexError, ["elements 3 to 10", r"\(10,\)"]),
            (many[1:] + [[-1]], IndexError, ["-1"])):
        with refused(error, *texts):
            node.mirror(array, words)
    with refused(ValueError, "'sub'"):
        node.mirror(array, many, "sub")
    with refused(ValueError, "'sub'"):
        node.accumulator(array, "sub")
    with refused(gravel.ArgumentError, "put"):
        node.mirror(array, many, "put")
    with refused(gravel.ArgumentError, "put"):
        node.accumulator(array, "put")
    short = node.array(10, np.int16)
    with refused(TypeError, "int16"):
        node.mirror(short, many)
    with refused(TypeError, "int16"):
        node.accumulator(short)
    with node.accumulator(array) as accumulator, node.mirror(array, many) as copies:
        with refused(TypeError, "read: ulong copies", "Accumulator"):
            program.read(1, None, accumulator, None)
        with refused(TypeError, "count: .* counts", "gravel.Accumulator", "Mirror"):
            program.count(1, None, copies, 1, 1)
        with refused(TypeError, "offer: uint n", "ulong"):
            program.offer(1, None, copies, copies, 1)


def check_left():
    """Parts that are left: to the node by an exception, and at its close."""
    alone = {"transport": "self", "loopback_nodes": 2, "heap_bytes": "1M"}
    with gravel.open(**alone) as node:
        array, program = node.array(10, np.uint32), node.program(KERNELS)
        try:
            with node.mirror(array, [[1], [2]]) as left, node.accumulator(array) as accumulator:
                raise LookupError
        except LookupError:
            left.share()
        program.count(EACH, None, accumulator, 10, 1)
    for use in left.share, left.destroy, accumulator.flush, lambda: node.mirror(array, [[1], [2]]):
        with refused(ValueError, "closed|destroyed"):
            use()
    with gravel.open(**alone) as other:
        with refused(ValueError, "another node"):
            other.mirror(array, [[1], [2]])
        with refused(ValueError, "another node"):
            other.program(KERNELS).count(1, None, accumulator, 1, 1)


def check_pool(node, program):
    blocks = node.array(EACH, np.uint64)
    with node.block_pool(64, 48) as pool:
        assert pool.stats == {"n_blocks": 48, "n_used": 0, "n_failed": 0} and "open" in repr(pool)
        program.publish(EACH, EACH, pool, blocks)
        node.barrier()
        assert pool.stats == {"n_blocks": 48, "n_used": 48, "n_failed": 16}, pool.stats
        given = [int(block) for block in blocks.get() if 0 < block < 1 << 63]
        assert len(given) == 48, given
    for use in pool.destroy, lambda: pool.stats, lambda: program.publish(1, None, pool, blocks):
        with refused(ValueError, "destroyed"):
            use()
    with refused(gravel.ArgumentError, "63"):
        node.block_pool(63, 48)
    with refused(gravel.RangeError, "-1"):
        node.block_pool(64, -1)
    blocks.free()


def main():
    with gravel.open(heap_bytes="4M") as node:
        program = node.program(KERNELS)
        for check in check_copies, check_slots, check_accumulator, check_pool, check_bad:
            check(node, program)
            node.barrier()
    check_left()
    print("node %d: all right" % node.rank, flush=True)


main()
