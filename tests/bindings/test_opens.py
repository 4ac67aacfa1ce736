# SPDX-License-Identifier: MIT
"""Nodes that open and close one after the other leave nothing behind: no files, no threads, no memory.

Path: pytest -> this -> python/gravel
"""
import gc
import os

import numpy as np

import gravel

KERNEL = """#include "gravel.cl.h"
kernel void count(GRAVEL_ARENA, ulong words)
{
    GRAVEL_OPEN(g);
    gravel_inc_uint_wg(g, words, 0, 0);
}
"""
N, N_FIRST = 100, 20  # of the first ones drivers and caches keep memory
HEAP_MIB = 4
MOST_MIB = N  # of a heap each, four times as much would stay


def held():
    """Returns open files, threads and memory [MiB] of this process."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        n_pages = int(file.read().split()[1])
    return (len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")),
            n_pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20))


def use():
    with gravel.open(transport="self", heap_bytes="%dM" % HEAP_MIB) as node:
        words, rest = node.array(64, np.uint32), node.array(HEAP_MIB * (3 << 18), np.uint8)
        rest.set(1)
        with node.accumulator(words), node.mirror(words, [[0]] * node.size):
            node.program(KERNEL).count(64, 64, words)
            node.barrier()
        assert words.get()[0] == 64
        with rest.map() as part:
            assert part[-1] == 1


def test_nothing_is_left():
    for i in range(N):
        use()
        if i == N_FIRST:
            before = held()
    after = held()
    assert after[:2] == before[:2], "files and threads"
    assert after[2] < before[2] + MOST_MIB, "MiB"
