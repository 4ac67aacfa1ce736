# SPDX-License-Identifier: MIT
"""Flows run tasks and what they make, rounds phases until nothing counts, deques tasks that groups take from each other,
servers messages with keys; all end with their statements or their node, and what is wrong is an exception that names it.

Path: pytest -> this -> python/gravel/_flow.py, _rounds.py, _deques.py, _node.py, _part.py
"""
import threading
from pathlib import Path

import numpy as np
import pyopencl.array as cla
import pytest

import gravel
from conftest import IS_RANK, refuse

FIB = np.dtype([("n", np.uint32), ("to", np.uint32)])
SUM = np.dtype([("x", np.uint32), ("y", np.uint32), ("to", np.uint32)])
ITEM = np.dtype([("value", np.uint32)])
FIBONACCI = {"fib": gravel.Channel(FIB, "spawn", {"fib": 2, "sum": 1}), "sum": gravel.Channel(SUM, "after")}
ITEMS = {"item": gravel.Channel(ITEM, "stream", {"done": 1}, width=1024),
         "done": gravel.Channel(ITEM, "output", width=1024)}
ITEMS_SOURCE = """#include "gravel.cl.h"
struct item { uint value; };
struct done { uint value; };
GRAVEL_RECORD(item)
GRAVEL_RECORD(done)
kernel void items(GRAVEL_ARENA, GRAVEL_FLOW, uint factor, global const uint *more)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS(f) {
        GRAVEL_NODE(f, item) {
            struct item task = gravel_read_item_wi(f);
            gravel_push_done_wg_if(f, f.active, (struct done){task.value * factor + more[0]});
        }
    }
}
kernel void make(GRAVEL_ARENA, GRAVEL_FLOW, uint first)
{
    GRAVEL_FLOW_PRODUCE(f);
    gravel_push_item_wg_if(f, true, (struct item){first + (uint)get_global_id(0)});
}
"""
GROUPS_SOURCE = """#include "gravel.cl.h"
struct item { uint value; };
struct done { uint value; };
GRAVEL_RECORD(item)
GRAVEL_RECORD(done)
kernel void groups(GRAVEL_ARENA, GRAVEL_FLOW)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS(f) {
        GRAVEL_NODE(f, item) {
            struct item task = gravel_read_item_wi(f);
            uint is_its = task.value % 8 == get_local_id(0);
            gravel_push_done_wg_if(f, f.active && is_its, (struct done){task.value + (uint)get_local_size(0)});
        }
    }
}
"""
SETTINGS = {"heap_bytes": "4M"}


def text_of(name):
    return (Path(__file__).parent / "kernels" / (name + ".cl")).read_text(encoding="utf-8")


def test_recursion(node):
    with node.flow(FIBONACCI, depth=16) as flow:
        flow.build(text_of("fib"), "fibonacci", "fib.cl")
        assert flow.call("fib", (15, 0), "to") == 610 and isinstance(flow.call("fib", (1, 0), "to"), np.uint32)
        assert flow.stats["elements"] > 610 and flow.stats["runs"] == 2, flow.stats
        flow.reset_stats()
        assert flow.stats["elements"] == 0
        for error, text, use in (
                (KeyError, "'feb'.*fib, sum", lambda: flow.call("feb", (1, 0), "to")),
                (KeyError, "'too'.*n, to", lambda: flow.call("fib", (1, 0), "too")),
                (ValueError, "2 records", lambda: flow.call("fib", [(1, 0), (2, 0)], "to")),
                (TypeError, "records of channel fib.*'x'", lambda: flow.push("fib", np.zeros(1, SUM))),
                (TypeError, "int64", lambda: flow.push("fib", np.arange(3))),
                (gravel.KernelError, "fib", lambda: flow.call("fib", (40, 0), "to"))):  # deeper than the flow is
            refuse(error, text, use)
    refuse(ValueError, "destroyed", flow.run, flow.destroy, lambda: flow.stats, lambda: flow.channel_stats("fib"),
           lambda: flow.post("fib", [(1, 0)]))


def test_pipeline(node):
    more = cla.to_device(node.queue, np.full(1, 1, np.uint32))
    with node.flow(ITEMS) as flow, node.flow(ITEMS) as other:
        refuse(ValueError, "not built", lambda: flow.set(3, more))
        flow.build(ITEMS_SOURCE, "items")
        flow.set(3, more)
        for bad, error, text in ((3,), TypeError, "2 arguments"), ((-1, more), OverflowError, "uint factor"), \
                ((3, 3), TypeError, "more"):
            refuse(error, text, lambda: flow.set(*bad))
        flow.push("item", [5, 6])
        flow.run()
        flow.start()
        poster = threading.Thread(target=flow.post, args=("item", np.array([7], np.uint32).view(ITEM)))
        poster.start()
        poster.join()
        flow.wait()
        make = flow.kernel("make")
        assert make is flow.kernel("make")
        flow.produce(make, 256, {"item": 1}, 1000)
        flow.run()  # also what has come too late for the one before
        taken = np.concatenate([flow.take("done", 2), flow.take("done")])["value"]
        wanted = 3 * np.concatenate([[5, 6, 7], 1000 + np.arange(256)]) + 1
        assert (np.sort(taken) == np.sort(wanted)).all(), taken
        counts = flow.channel_stats("item")
        assert counts["width"] >= 1024 and counts["peak"] in (256, 257), counts  # a late post may be there
        assert flow.take("done").shape == (0,) and flow.take("done").dtype == ITEM
        for error, text, use in (
                (KeyError, "'items'.*item, done", lambda: flow.channel_stats("items")),
                (gravel.RangeError, "item", lambda: flow.produce(make, 4096, {"item": 1}, 0)),
                (TypeError, "make.* is launched by Flow.produce", lambda: make(256, 256, 0)),
                (TypeError, "make.*takes 1 arguments, not 0", lambda: flow.produce(make, 256, {"item": 1})),
                (ValueError, "is not of", lambda: other.produce(make, 256, {"item": 1}, 0))):
            refuse(error, text, use)
    refuse(ValueError, "destroyed", lambda: flow.produce(make, 256, {"item": 1}, 0))


def test_rounds(node):
    words = node.array(8, np.uint32)
    n_processes = node.size if IS_RANK else 1
    with node.rounds(text_of("rounds"), "steps", "rounds.cl", group_items=32, n_groups=2) as rounds:
        assert rounds.run(words, 5) == (6, 0) and rounds.run(words, 5, most=3, until_zero=False) == (3, n_processes)
        assert (words.get() == n_processes * np.array([2, 2, 2, 1, 1, 0, 0, 0])).all(), words.get()
        stats = rounds.stats
        assert stats["rounds"] == 9 and stats["stayed"] in (0, 9) and stats["launches"] > 0, stats
        refuse(TypeError, "steps.*takes 2 arguments, not 1", lambda: rounds.run(words))
        refuse(OverflowError, "uint n", lambda: rounds.run(words, -1))
        refuse(gravel.RangeError, "rounds at most: -1", lambda: rounds.run(words, 1, most=-1))
        refuse(TypeError, "steps.* is launched by Rounds.run", lambda: rounds._kernel(256, 256, words, 1))
    refuse(ValueError, "destroyed", lambda: rounds.run(words, 1), lambda: rounds.stats)
    refuse(gravel.OpenCLError, "no_such", lambda: node.rounds(text_of("rounds"), "no_such"))


def test_marks(node):
    """A group node's group has one element; a channel that may fill may be one of a cycle."""
    whole = {"item": gravel.Channel(ITEM, "stream", {"done": 1}, group_node=True), "done": ITEMS["done"]}
    with node.flow(whole, group_items=8) as flow:
        flow.build(GROUPS_SOURCE, "groups")
        flow.push("item", list(range(0, 60, 3)))
        flow.run()
        taken = np.sort(flow.take("done")["value"])
        assert np.array_equal(taken, np.arange(8, 68, 3)) and flow.stats["lanes"] == 20, taken
    cycle = [{"item": gravel.Channel(ITEM, "stream", {"done": 1}, may_fill=may_fill),
              "done": gravel.Channel(ITEM, "stream", {"item": 1})} for may_fill in (False, True)]
    refuse(gravel.ArgumentError, "GRAVEL_MAY_FILL", lambda: node.flow(cycle[0]))
    node.flow(cycle[1]).destroy()


def test_bad_graphs(node):
    for channel, error, text in (
            (gravel.Channel(ITEM, "flood"), ValueError, "channel item.*stream, output.*'flood'"),
            (gravel.Channel(ITEM, "stream", {"item": -1}), gravel.RangeError, "channel item at most: -1"),
            (gravel.Channel(object, "stream"), TypeError, "channel item.*object"),
            (gravel.Channel(ITEM, "stream", width=-1), gravel.RangeError, "width: -1")):
        refuse(error, text, lambda: node.flow({"item": channel}))
    with node.flow(ITEMS) as flow:
        refuse(gravel.BuildError, "items.cl", lambda: flow.build("#error", "items", "items.cl"))
    refuse(gravel.ArgumentError, "key", lambda: node.server_program("kernel void serve() {}"))


def test_deques(node):
    program, n_tasks = node.program(text_of("halve")), cla.to_device(node.queue, np.zeros(1, np.uint32))
    with node.deques(capacity=4096, group_size=64, n_groups=3) as deques:
        deques.fill([64])
        event = deques.launch(program.halve, n_tasks, 1)
        deques.wait()
        assert event.command_execution_status <= 0
        assert n_tasks.get()[0] == 127, n_tasks
        counts = deques.stats()
        assert (counts["done"], counts["left"]) == (127, 0), counts
        assert deques.n_groups == 3 and sum(deques.stats(i)["done"] for i in range(3)) == 127
        deques.reset_stats()
        deques.fill(np.ones(10, np.uint64), group=deques.n_groups - 1)
        assert deques.stats()["left"] == deques.stats(deques.n_groups - 1)["left"] == 10 and deques.stats()["done"] == 0
        for use, error, text in (
                (lambda: deques.fill(np.zeros(1, FIB)), TypeError, "tasks"),
                (lambda: deques.fill(np.zeros(4096 * deques.n_groups)), gravel.RangeError, "tasks for the deque"),
                (lambda: deques.launch(program.halve, n_tasks), TypeError, "takes 2 arguments, not 1"),
                (lambda: deques.launch(program.plain, n_tasks), TypeError, "plain.* is launched by a call of it"),
                (lambda: program.halve(64, 64, n_tasks, 1), TypeError, "halve.* is launched by Deques.launch"),
                (lambda: node.deques(object), TypeError, "a task"),
                (lambda: node.deques(capacity=-1), gravel.RangeError, "capacity: -1")):
            refuse(error, text, use)
    refuse(ValueError, "destroyed", deques.wait, deques.destroy, lambda: deques.n_groups,
           lambda: deques.launch(program.halve, n_tasks, 1))


def test_left(place):
    """An exception that leaves the statement ends what is this node's alone; the node ends what is left to it."""
    with gravel.open(**place, **SETTINGS) as node:
        with pytest.raises(LookupError):
            with node.flow(ITEMS) as flow, node.deques() as deques:
                raise LookupError
        assert "destroyed" in repr(flow) and "destroyed" in repr(deques)
        left = node.flow(ITEMS), node.deques()
        assert all("open" in repr(part) for part in left)
    refuse(ValueError, "closed|destroyed", *(part.destroy for part in left))


def test_server(place):
    handlers = {"insert": gravel.Handler(n_args=2, n_keys=1)}
    with gravel.open(**place, **SETTINGS, device_code=text_of("serve"), handlers=handlers) as node:
        sums = node.array(32, np.uint32)
        node.constant(0, sums)
        program = node.server_program(text_of("serve"), "server.cl")
        assert list(program) == ["serve"]
        node.launch_server(program.serve, 3200, 32, 2)
        node.am("insert", 31, 7, node=node.rank)
        node.barrier()
        assert (sums.get() == np.array([200] * 31 + [207])).all(), sums.get()
        for error, text, use in (
                (TypeError, "serve.* is launched by Node.launch_server", lambda: program.serve(64, 64, 32, 1)),
                (TypeError, "takes 2 arguments, not 1", lambda: node.launch_server(program.serve, 3200, 32)),
                (gravel.RangeError, "gravel_server_launch: argument 2: -1",
                 lambda: node.launch_server(program.serve, -1, 32, 1)),
                (gravel.BuildError, "server.cl|insert",
                 lambda: node.server_program("kernel void serve() { undeclared; }", "server.cl"))):
            refuse(error, text, use)
        node.barrier()
