/* SPDX-License-Identifier: MIT */
/*
 * A matrix product divided into eight of half the size: first the four that begin the result's quarters, and after them
 * the four that add to these. So one leaf at a time adds to a tile, without atomics, and the order of a sum is fixed.
 *
 * Path: strassen.c -> this -> tile.cl.h
 * Source: Orr 2016, table 4-3 (Strassen, 8-way).
 */
#include "gravel.cl.h"
#include "strassen.h"
#include "tile.cl.h"

GRAVEL_RECORD(product)
GRAVEL_RECORD(leaf)
GRAVEL_RECORD(second)

/* Returns the channel of what a product at this level is divided into. */
static inline uint next_channel(struct gravel_flow_group f)
{
    return f.level + 1 == LEVELS ? GRAVEL_CHANNEL(leaf) : GRAVEL_CHANNEL(product);
}

/* Writes the k-th term of each of the result's quarters, from `first` on. */
static inline void write_four(struct gravel_flow_group f, uint active, struct product task, uint k,
                              gravel_ce first)
{
    uint half_n = SIZE >> (f.level + 1), rows = half_n * SIZE;
    for (uint i = 0; i < 4; i++) {
        struct product part = task;
        part.a += i / 2 * rows + k * half_n;
        part.b += k * rows + i % 2 * half_n;
        part.c += i / 2 * rows + i % 2 * half_n;
        part.number = k ? 1 : task.number;
        gravel_write_product_wg_if(f, active, next_channel(f), first + i, part);
    }
}

static inline void product_task(struct gravel_flow_group f, uint active, struct product task)
{
    struct gravel_fork fork =
        gravel_fork_wg_if(f, active, GRAVEL_CHANNEL(second), next_channel(f), 4);
    struct second second = {task};
    gravel_write_second_wg_if(f, active, GRAVEL_CHANNEL(second), fork.after, second);
    write_four(f, active, task, 0, fork.first);
}

static inline void second_task(struct gravel_flow_group f, uint active, struct second task)
{
    gravel_ce first = gravel_talloc_wg_if(f, active, next_channel(f), 4);
    write_four(f, active, task.of, 1, first);
    gravel_enq_wg(f, next_channel(f));
}

kernel void strassen_flow(GRAVEL_ARENA, GRAVEL_FLOW, global float *all)
{
    local float a[TILE_ELEMENTS], b[TILE_ELEMENTS];
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, product)
            product_task(f, f.active, gravel_read_product_wi(f));
        GRAVEL_NODE (f, leaf) {
            struct leaf task = gravel_read_leaf_wi(f);
            leaf_task(f.active, task.of, task.of.number, all, a, b);
        }
        GRAVEL_NODE (f, second)
            second_task(f, f.active, gravel_read_second_wi(f));
    }
}
