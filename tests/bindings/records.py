# SPDX-License-Identifier: MIT
"""Records that kernels append, and lines that they print, come to functions of Python: each once, while kernels run.
What a function raises is the cause of the node's next error, and what it may not call is refused.

usage: records.py    as one node, loop-back nodes or ranks
exit:  0, and "node N: all right" from each process; 1 with the line of what does not hold

Path: run.py -> this -> python/gravel/_stream.py.
"""
import time

import numpy as np

import gravel
from refused import refused

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
ALONE = {"transport": "self", "loopback_nodes": 1, "heap_bytes": "1M"}


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


def check_records(node, kept, program):
    last, n_processes = node.size - 1, node.size // len(node.local)
    kept.tally = node.array(1, np.uint32)
    program.hand_over(N, None, last)
    node.barrier()
    assert kept.tally.get(last)[0] == N * n_processes
    if last in node.local:
        assert kept.nodes == {node} and len(kept.came) == n_processes
        for arrays in kept.came.values():
            assert all(records.flags.owndata and records.dtype == PAIR for records in arrays)
            assert len(arrays) < N // 2, "%d calls for %d records" % (len(arrays), N)
            records = np.sort(np.concatenate(arrays), order="item")
            assert (records["item"] == np.arange(N)).all() and (records["share"] == np.arange(N) / 2).all()
    else:
        assert not kept.came
    node.barrier()


def check_while_python_runs(node, kept, program):
    """No call that waits has to help."""
    kept.tally, kept.came = None, {}
    node.barrier()
    program.hand_over(N, None, node.rank)
    ends = time.monotonic() + LIMIT_S
    while kept.n() < N and time.monotonic() < ends:
        pass
    assert kept.n() == N, "%d of %d records" % (kept.n(), N)
    node.barrier()


def check_lines(node, lines, program):
    program.say(N, None)
    node.barrier()
    said = sorted("".join(lines).splitlines(keepends=True))
    assert said == ["[%d:519] item 519 of many\n" % node.rank, "[%d:7] item 7 of many\n" % node.rank], said


def check_raised():
    """The node works on, but for lines."""
    raises, came, said = [LookupError("no place")], [], []

    def take(_, source, records):
        if raises:
            raise raises[0]
        came.append(records)

    def show(text):
        said.append(text)
        raise OSError("no paper")
    with gravel.open(streams={"pairs": gravel.Stream(PAIR, take)}, print_to=show, **ALONE) as node:
        program = node.program(KERNELS)
        program.hand_over(N, None, 0)
        try:
            node.barrier()
        except gravel.HandlerError as error:
            assert "pairs" in str(error) and error.__cause__ is raises[0], error
        else:
            raise AssertionError("what the function raised is lost")
        node.barrier()
        raises.clear()
        program.hand_over(N, None, 0)
        node.barrier()
        assert sum(map(len, came)) == N
        for n_lost in 2, 4:  # the function is called once
            program.say(N, None)
            try:
                node.quiet()
            except gravel.HandlerError as error:
                assert "%d lines are lost" % n_lost in str(error) and isinstance(error.__cause__, OSError), error
            else:
                raise AssertionError("lines are lost, and no call says so")


def check_calls_in_functions():
    """Those that wait are refused, and nothing of the node is gone."""
    came, closed = [], []

    def take(node, source, records):
        for call in node.quiet, node.barrier, node.close:
            with refused(gravel.ArgumentError, "gravel_" + call.__name__):
                call()
        closed.append(node.stats["lines"])
        came.append(records)
    with gravel.open(streams={"pairs": gravel.Stream(PAIR, take)}, **ALONE) as node:
        node.program(KERNELS).hand_over(N, None, 0)
        node.barrier()
        assert sum(map(len, came)) == N and set(closed) == {0}


def check_bad_streams():
    for dtype, function, error, texts in (
            (object, print, TypeError, ["pairs", "object"]),
            (PAIR, None, TypeError, ["pairs", "None is no function"]),
            ("u2", print, gravel.ArgumentError, ["pairs", "record_bytes is 2", "4 to 240"]),
            ("V244", print, gravel.ArgumentError, ["record_bytes is 244"])):
        with refused(error, *texts):
            gravel.open(streams={"pairs": gravel.Stream(dtype, function)}, **ALONE)
    with refused(TypeError, "print_to", "'own'"):
        gravel.open(print_to="own", **ALONE)
    with refused(gravel.ArgumentError, "\"the pairs\""):
        gravel.open(streams={"the pairs": gravel.Stream(PAIR, print)}, **ALONE)
    with gravel.open(streams={"pairs": gravel.Stream("u4", print)}, **ALONE) as node:
        with refused(gravel.BuildError, "pairs"):
            node.program(KERNELS)


def main():
    check_bad_streams()
    kept, lines = Kept(), []
    streams = {"pairs": gravel.Stream(PAIR, kept.take)}
    with gravel.open(heap_bytes="1M", streams=streams, print="own", print_to=lines.append) as node:
        program = node.program(KERNELS)
        check_records(node, kept, program)
        check_while_python_runs(node, kept, program)
        check_lines(node, lines, program)
    check_raised()
    check_calls_in_functions()
    print("node %d: all right" % node.rank, flush=True)


main()
