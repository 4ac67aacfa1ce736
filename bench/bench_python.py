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
kernel void work(GRAVEL_ARENA, ulong words, uint n_steps)
{
    GRAVEL_OPEN(g);
    global uint *own = (global uint *)gravel_local(g, words);
    uint x = own[1];
    for (uint i = 0; i < n_steps; i++)
        x = x * 1664525u + 1013904223u;
    own[0]++;
    own[1] = x;
}
"""
LONG_US = 1500.0
SIGNATURES = {
    "bench_launch": [address, address, u64, u32, u32, address],
    "bench_map": [address, u64, u64, u32, address],
    "bench_stats": [address, u32, address],
    "bench_put": [address, u64, address, u64, u32, u32, address],
    "bench_get": [address, u64, address, u64, u32, u32, address],
}


class Rivals:
    """One call, in Python and in C."""

    def __init__(self, name, n_calls, in_python, in_c, n_steps=None):
        self.name, self.n_calls, self.n_steps = name, n_calls, n_steps
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


def stepped(n):
    """What the kernel's steps, n of them, make of 0: each bit of n doubles a pair (factor, addend)."""
    x, factor, addend = 0, 1664525, 1013904223
    while n:
        if n & 1:
            x = (x * factor + addend) % (1 << 32)
        factor, addend = factor * factor % (1 << 32), (factor * addend + addend) % (1 << 32)
        n >>= 1
    return x


class Bench:
    def __init__(self, options, module, node):
        self.options, self.module, self.node = options, module, node
        self.n_launches = self.n_steps = 0
        self.words, self.small = node.array(2, np.uint32), node.array(1024, np.uint32)
        self.large = node.array(options.mib << 20, np.uint8)
        self.data = np.random.default_rng(1).integers(0, 256, self.large.size, np.uint8)
        self.kernel = node.program(KERNEL).work

    def launch(self, name, n_calls, n_steps):
        """A launch of so many steps, and a barrier."""
        node, words, kernel = self.node, self.words, self.kernel

        def in_python():
            kernel(1, 1, words, n_steps)
            node.barrier()
        return Rivals(name, n_calls, in_python, lambda n, us: self.module.bench_launch(
            node._handle, kernel._handle, words.offset, n_steps, n, us), n_steps)

    def us_of(self, rivals, way):
        """@return what a call takes"""
        if rivals.n_steps is not None:
            self.n_launches += rivals.n_calls
            self.n_steps += rivals.n_calls * rivals.n_steps
        return best(rivals.ways[way]())

    def steps_of(self, us):
        """@return how many last so long"""
        n_steps, taken = 1 << 10, 0.0
        while taken < us / 2:
            n_steps *= 2
            taken = self.us_of(self.launch("", 10, n_steps), "c") - self.us_of(self.launch("", 10, 0), "c")
        return int(n_steps * us / taken)

    def rivals(self):
        node, module, calls = self.node, self.module, self.options.calls
        handle, last, small, large, data = node._handle, node.size - 1, self.small, self.large, self.data
        out, n_large = np.empty_like(data), max(calls // 50, 3)

        def mapped():
            with small.map():
                pass

        def put():
            large.put(data, last)
            node.quiet()
        return [
            self.launch("launch-empty", calls, 0),
            self.launch("launch-1.5ms", max(calls // 10, 10), self.steps_of(LONG_US)),
            Rivals("map", calls, mapped, lambda n, us: module.bench_map(handle, small.offset, small.nbytes, n, us)),
            Rivals("stats", calls, lambda: node.stats, lambda n, us: module.bench_stats(handle, n, us)),
            Rivals("put", n_large, put,
                   lambda n, us: module.bench_put(handle, large.offset, data.ctypes.data, data.nbytes, last, n, us)),
            Rivals("get", n_large, lambda: large.get(last),
                   lambda n, us: module.bench_get(handle, large.offset, out.ctypes.data, out.nbytes, last, n, us)),
        ]

    def is_valid(self):
        """Whether every launch has counted, every step was made, and what was put is there."""
        self.node.quiet()
        counted, x = (int(word) for word in self.words.get())
        return (counted == self.n_launches % (1 << 32) and x == stepped(self.n_steps)
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
    for name, arguments in SIGNATURES.items():
        getattr(module, name).argtypes, getattr(module, name).restype = arguments, code
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
