# SPDX-License-Identifier: MIT
"""Records that kernels append, and lines that they print, come to functions of Python: each once, while kernels run.
What a function raises is the cause of the node's next error.

Path: pytest -> this -> python/gravel/_stream.py
"""
import time

import numpy as np
import pytest

import gravel
from conftest import ALONE, refuse

KERNELS = """#include "gravel.cl.h"
#include "print.cl.h"
struct pair { uint item; float share; };
kernel void hand_over(GRAVEL_ARENA, uint node)
{
    GRAVEL_OPEN(g);
    struct pair pair = {(uint)get_global_id(0), (uint)get_global_id(0) / 2.0f};
    gravel_append_wg(g, pairs, pair, node);
}
kernel void say(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    if (get_global_id(0) % 512 == 7)
        gravel_printf_wi(g, "item %u of %s", (uint)get_global_id(0), "many");
}
"""
PAIR = np.dtype([("item", np.uint32), ("share", np.float32)])
N = 1024
LIMIT_S = 20.0


class Kept:
    """What came to a stream, by the node that sent it. `tally` gets a message for each call."""

    def __init__(self):
        self.came, self.nodes, self.tally = {}, set(), None

    def take(self, node, source, records):
        self.nodes.add(node)
        self.came.setdefault(source, []).append(records)
        if self.tally is not None:
            node.update("add", self.tally, 0, len(records), node=node.size - 1)

    def n(self):
        return sum(len(records) for arrays in list(self.came.values()) for records in list(arrays))


kept, lines = Kept(), []
SETTINGS = {"heap_bytes": "1M", "streams": {"pairs": gravel.Stream(PAIR, lambda *came: kept.take(*came))}, "print": "own",
            "print_to": lines.append}


def pairs_to(take, **settings):
    return gravel.open(streams={"pairs": gravel.Stream(PAIR, take)}, **settings, **ALONE)


def test_records(node):
    last, n_processes = node.size - 1, node.size // len(node.local)
    kept.__init__()
    kept.tally = node.array(1, np.uint32)
    node.barrier()
    node.program(KERNELS).hand_over(N, None, last)
    node.barrier()
    assert kept.tally.get(last)[0] == N * n_processes
    assert (kept.nodes, len(kept.came)) == (({node}, n_processes) if last in node.local else (set(), 0))
    for arrays in kept.came.values():
        assert all(records.flags.owndata and records.dtype == PAIR for records in arrays)
        assert len(arrays) < N // 2, "%d calls for %d records" % (len(arrays), N)
        records = np.sort(np.concatenate(arrays), order="item")
        assert (records["item"] == np.arange(N)).all() and (records["share"] == np.arange(N) / 2).all()


def test_records_while_python_runs(node):
    """No call that waits has to help."""
    kept.__init__()
    node.barrier()
    node.program(KERNELS).hand_over(N, None, node.rank)
    ends = time.monotonic() + LIMIT_S
    while kept.n() < N and time.monotonic() < ends:
        pass
    assert kept.n() == N


def test_lines(node):
    lines.clear()
    node.program(KERNELS).say(N, None)
    node.barrier()
    said = sorted("".join(lines).splitlines(keepends=True))
    assert said == ["[%d:519] item 519 of many\n" % node.rank, "[%d:7] item 7 of many\n" % node.rank], said


def test_raised():
    """The node works on, except for lines."""
    raises, came, said = [LookupError("no place")], [], []

    def take(_, source, records):
        if raises:
            raise raises[0]
        came.append(records)

    def show(text):
        said.append(text)
        raise OSError("no paper")
    with pairs_to(take, print_to=show) as node:
        program = node.program(KERNELS)
        program.hand_over(N, None, 0)
        with pytest.raises(gravel.HandlerError, match="pairs") as error:
            node.barrier()
        assert error.value.__cause__ is raises[0]
        node.barrier()
        raises.clear()
        program.hand_over(N, None, 0)
        node.barrier()
        assert sum(map(len, came)) == N
        for n_lost in 2, 4:  # the function is called once
            program.say(N, None)
            with pytest.raises(gravel.HandlerError, match="%d lines are lost" % n_lost) as error:
                node.quiet()
            assert isinstance(error.value.__cause__, OSError)


@pytest.mark.parametrize("settings, error, text", [
    ({"streams": {"pairs": gravel.Stream(object, print)}}, TypeError, "pairs.*object"),
    ({"streams": {"pairs": gravel.Stream(PAIR, None)}}, TypeError, "pairs.*None is no function"),
    ({"streams": {"pairs": gravel.Stream("u2", print)}}, gravel.ArgumentError, "pairs.*record_bytes is 2.*4 to 240"),
    ({"print_to": "own"}, TypeError, "print_to.*'own'"),
])
def test_bad_streams(settings, error, text):
    refuse(error, text, lambda: gravel.open(**settings, **ALONE))


def test_other_records():
    with gravel.open(streams={"pairs": gravel.Stream("u4", print)}, **ALONE) as node:
        refuse(gravel.BuildError, "pairs", lambda: node.program(KERNELS))
