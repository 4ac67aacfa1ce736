# SPDX-License-Identifier: MIT
"""Pairs of neighbouring words in a table of records on all nodes, and a sum a word that is the same bit by bit on any number of nodes.

mpirun -np 2 --oversubscribe --bind-to none python3 pairs.py
"""
import sys

import numpy as np
import pyopencl.array as cla

import gravel

N_WORDS, VOCABULARY, GROUP, BITS = 1 << 20, 500, 256, 32
PAIR = np.dtype([("count", "u4"), ("last", "u4")])  # pair p is record p // n_nodes of node p % n_nodes

SOURCE = """
#include "gravel.cl.h"
#include "accumulator.cl.h"

/* A record has two words of 4 bytes. `last` is from 1 on; 0: there is no such pair. */
kernel void count_pairs(GRAVEL_ARENA, ulong table, global const uint *words, uint first, uint n, uint vocabulary)
{
    GRAVEL_OPEN(g);
    uint i = first + (uint)get_global_id(0), active = i < first + n, n_nodes = gravel_n_nodes(g);
    uint pair = active ? words[i] * vocabulary + words[i + 1] : 0;
    gravel_barrier_wg(g);
    gravel_inc_uint_wg_if(g, active, table, 2 * (pair / n_nodes), pair % n_nodes);
    gravel_max_uint_wg_if(g, active, table, 2 * (pair / n_nodes) + 1, i + 1, pair % n_nodes);
}

/* Sums are whole numbers of 2^-32. */
kernel void sum_scores(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(sums), global const uint *words, global const float *scores,
                       uint first, uint n)
{
    GRAVEL_OPEN(g);
    uint i = first + (uint)get_global_id(0), n_nodes = gravel_n_nodes(g);
    if (i < first + n)
        gravel_accumulate_fixed_float_wi(g, sums, words[i] / n_nodes, scores[i], 32, words[i] % n_nodes);
}
"""

random = np.random.default_rng(1)
words = np.minimum(random.zipf(1.3, N_WORDS) - 1, VOCABULARY - 1).astype(np.uint32)  # the same at every node
scores = random.normal(size=N_WORDS).astype(np.float32)
pairs = words[:-1].astype(np.int64) * VOCABULARY + words[1:]

with gravel.open(heap_bytes="64M") as node:
    table = node.array(-(-VOCABULARY**2 // node.size), PAIR)
    sums = node.array(-(-VOCABULARY // node.size), np.int64)
    program = node.program(SOURCE, name="pairs.cl")
    on_device = cla.to_device(node.queue, words)
    part = node.share(N_WORDS - 1)
    items = (-(-len(part) // GROUP) * GROUP,)
    program.count_pairs(items, (GROUP,), table, on_device, np.uint32(part.start), np.uint32(len(part)), np.uint32(VOCABULARY))
    part = node.share(N_WORDS)
    items = (-(-len(part) // GROUP) * GROUP,)
    with node.accumulator(sums) as accumulator:
        program.sum_scores(items, (GROUP,), accumulator, on_device, cla.to_device(node.queue, scores), np.uint32(part.start),
                           np.uint32(len(part)))
        node.barrier()  # what is accumulated is sent, and all messages of all nodes are applied

    own = np.arange(node.rank, VOCABULARY**2, node.size)
    found, counts = table.get()[:len(own)], np.bincount(pairs, minlength=VOCABULARY**2)
    last = np.zeros(VOCABULARY**2, np.uint32)
    np.maximum.at(last, pairs, np.arange(1, N_WORDS, dtype=np.uint32))
    fixed = np.zeros(VOCABULARY, np.int64)
    np.add.at(fixed, words, np.rint(np.ldexp(scores.astype(np.float64), BITS)).astype(np.int64))
    own_sums = fixed[node.rank::node.size]
    right = np.array_equal(found["count"], counts[own]) and np.array_equal(found["last"], last[own]) and \
        np.array_equal(sums.get()[:len(own_sums)], own_sums)
    often = int(pairs[np.argmax(counts[pairs])])
    record = table.get(often % node.size, often // node.size)[0]  # one element, of any node
    print("pairs: node %d of %d, %d times words %d and %d, %s" % (
        node.rank, node.size, record["count"], *divmod(often, VOCABULARY), "all right" if right else "WRONG"))
    node.barrier()

sys.exit(not right)
