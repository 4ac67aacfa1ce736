# SPDX-License-Identifier: MIT
"""What calls take in Python and in C: both take turns on one node, with the same kernels and memory.

usage: bench_python.py MODULE [--runs N] [--calls N] [--mib N] [--json]
       MODULE   bench_python.c, built
exit:  0; 1 if a result is wrong

Rates are microseconds a call, the best 10th percentile of a run, since other work on the machine only adds. A line for
each of Python and C has the median over the runs; a line of their ratio and difference is of pairs of a run.

Path: tests/bindings/with_pyopencl.sh -> this -> the package, and bench_python.c.
"""
import argparse
import ctypes
import json
import statistics
import sys
import time

import numpy as np

import gravel
from gravel._library import address, code, error_of, u32, u64

KERNEL = """#include "gravel.cl.h"
kernel void count(GRAVEL_ARENA, ulong word, uint more)
{
    GRAVEL_OPEN(g);
    *(global uint *)gravel_local(g, word) += more;
}
"""
MORE = 3
LAUNCH, MAP, STATS, PUT, GET = range(5)


class Work(ctypes.Structure):
    """As in bench_python.c."""
    _fields_ = [("what", ctypes.c_int), ("number", u32), ("gravel", address), ("kernel", address), ("offset", u64), ("bytes", u64),
                ("data", address)]


class Rivals:
    """One call, in Python and in C."""

    def __init__(self, name, n_calls, in_python, in_c):
        self.name, self.n_calls = name, n_calls
        self.ways = {"python": lambda: timed(in_python, n_calls), "c": lambda: written(in_c, n_calls)}
        self.us = {way: [] for way in self.ways}


def timed(call, n):
    clock, us = time.perf_counter_ns, np.empty(n)
    for i in range(n):
        begin = clock()
        call()
        us[i] = clock() - begin
    return us / 1000


def written(call, n):
    us = np.empty(n)
    status = call(n, us.ctypes.data)
    if status:
        raise error_of(status)
    return us


def best(us):
    """@return the 10th percentile"""
    return float(np.sort(us)[len(us) // 10])


class Bench:
    def __init__(self, options, module, node):
        self.options, self.module, self.node = options, module, node
        self.n_launches = 0
        self.word, self.small = node.array(1, np.uint32), node.array(1024, np.uint32)
        self.large = node.array(options.mib << 20, np.uint8)
        self.data = np.random.default_rng(1).integers(0, 256, self.large.size, np.uint8)
        self.kernel = node.program(KERNEL).count

    def in_c(self, what, **fields):
        work = Work(what, gravel=self.node._handle, **fields)
        return lambda n, us: self.module.bench_calls(ctypes.byref(work), n, us)

    def us_of(self, rivals, way):
        """@return what a call takes"""
        self.n_launches += rivals.n_calls * (rivals.name == "launch-empty")
        return best(rivals.ways[way]())

    def rivals(self):
        node, word, kernel, calls, in_c = self.node, self.word, self.kernel, self.options.calls, self.in_c
        last, small, large, data, n_large = node.size - 1, self.small, self.large, self.data, max(calls // 50, 3)
        self.got = np.empty_like(data)

        def launch():
            kernel(1, 1, word, MORE)
            node.barrier()

        def mapped():
            with small.map():
                pass

        def put():
            large.put(data, last)
            node.quiet()
        whole = {"offset": large.offset, "bytes": data.nbytes, "number": last}
        return [
            Rivals("launch-empty", calls, launch, in_c(LAUNCH, kernel=kernel._handle, offset=word.offset, number=MORE)),
            Rivals("map", calls, mapped, in_c(MAP, offset=small.offset, bytes=small.nbytes)),
            Rivals("stats", calls, lambda: node.stats, in_c(STATS)),
            Rivals("put", n_large, put, in_c(PUT, data=data.ctypes.data, **whole)),
            Rivals("get", n_large, lambda: large.get(last), in_c(GET, data=self.got.ctypes.data, **whole)),
        ]

    def is_valid(self):
        """Whether every launch has counted, and what was put is there."""
        self.node.quiet()
        return (int(self.word.get()[0]) == MORE * self.n_launches % (1 << 32)
                and bool((self.large.get(self.node.size - 1) == self.data).all()))


def report(options, line, what, values):
    line.update({what: statistics.median(values), "min": min(values), "max": max(values)})
    print(json.dumps(line) if options.json else "%-24s %-6s %-5s %10.2f (%.2f to %.2f)" % (
        line["benchmark"], line["variant"], what, line[what], line["min"], line["max"]))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("module")
    for name, value in ("--runs", 5), ("--calls", 500), ("--mib", 64):
        parser.add_argument(name, type=int, default=value)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    module = ctypes.CDLL(options.module)
    module.bench_calls.argtypes, module.bench_calls.restype = [ctypes.POINTER(Work), u32, address], code
    with gravel.open(transport="self", heap_bytes="%dM" % (options.mib + 8)) as node:
        bench = Bench(options, module, node)
        all_rivals = bench.rivals()
        for i in range(options.runs):
            for rivals in all_rivals:
                for way in sorted(rivals.ways, reverse=bool(i % 2)):
                    rivals.us[way].append(bench.us_of(rivals, way))
        is_valid = bench.is_valid()
        for rivals in all_rivals:
            ahead = {"benchmark": "bench-python " + rivals.name, "step": node.step, "calls": rivals.n_calls,
                     "runs": options.runs, "valid": is_valid}
            for way, us in rivals.us.items():
                report(options, {**ahead, "variant": way, "unit": "us"}, "rate", us)
            pairs = list(zip(rivals.us["python"], rivals.us["c"]))
            ahead.update(variant="python", against="c")
            report(options, ahead, "ratio", [p / c for p, c in pairs])
            report(options, {**ahead, "unit": "us"}, "more", [p - c for p, c in pairs])
    if not is_valid:
        print("a launch has not counted, or what was put is not there", file=sys.stderr)
    return not is_valid


if __name__ == "__main__":
    sys.exit(main())
