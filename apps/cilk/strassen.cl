/* SPDX-License-Identifier: MIT */
/*
 * A matrix product divided into eight of half the size: first the four that begin the result's quarters, and after them
 * the four that add to these. So one leaf at a time adds to a tile, without atomics, and the order of a sum is fixed.
 * Tiles of TILE x TILE elements are multiplied by a work-group of any size, in local memory. With PLAIN a work-group makes
 * a tile of the result along the tiles of its row and column.
 *
 * Path: strassen.c -> this
 * Source: Orr 2016, table 4-3 (Strassen, 8-way).
 */
#include "gravel.cl.h"
#include "records.h"

/* ---- both forms -------------------------------------------------------------------------------- */

#define TILE_ELEMENTS (TILE * TILE)

/* Every work-item of the group. @param own  [TILE_ELEMENTS] */
static inline void load_tile(const global float *matrix, local float *own)
{
    for (uint i = get_local_id(0); i < TILE_ELEMENTS; i += get_local_size(0))
        own[i] = matrix[i / TILE * SIZE + i % TILE];
}

/* Element i of the product of two tiles. */
static inline float element(const local float *a, const local float *b, uint i)
{
    float sum = 0;
    for (uint k = 0; k < TILE; k++)
        sum += a[i / TILE * TILE + k] * b[k * TILE + i % TILE];
    return sum;
}

#ifndef PLAIN
/* ---- as a flow --------------------------------------------------------------------------------- */

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
        part.adds = k ? 1 : task.adds;
        gravel_write_product_wg_if(f, active, next_channel(f), first + i, part);
    }
}

static inline void product_task(struct gravel_flow_group f, uint active, struct product task)
{
    struct gravel_fork fork =
        gravel_fork_wg_if(f, active, GRAVEL_CHANNEL(second), next_channel(f), 4);
    gravel_write_second_wg_if(f, active, GRAVEL_CHANNEL(second), fork.after, (struct second){task});
    write_four(f, active, task, 0, fork.first);
}

static inline void second_task(struct gravel_flow_group f, uint active, struct product task)
{
    gravel_ce first = gravel_talloc_wg_if(f, active, next_channel(f), 4);
    write_four(f, active, task, 1, first);
    gravel_enq_wg(f, next_channel(f));
}

/* Every work-item of the group. */
static inline void leaf_task(uint active, struct product task, global float *all, local float *a,
                             local float *b)
{
    global float *c = all + task.c;
    if (active) {
        load_tile(all + task.a, a);
        load_tile(all + task.b, b);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); active && i < TILE_ELEMENTS; i += get_local_size(0)) {
        uint at = i / TILE * SIZE + i % TILE;
        c[at] = element(a, b, i) + (task.adds ? c[at] : 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void strassen_flow(GRAVEL_ARENA, GRAVEL_FLOW, global float *all)
{
    local float a[TILE_ELEMENTS], b[TILE_ELEMENTS];
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS (f) {
        GRAVEL_NODE (f, product)
            product_task(f, f.active, gravel_read_product_wi(f));
        GRAVEL_NODE (f, leaf)
            leaf_task(f.active, gravel_read_leaf_wi(f).of, all, a, b);
        GRAVEL_NODE (f, second)
            second_task(f, f.active, gravel_read_second_wi(f).of);
    }
}

#else
/* ---- plain ------------------------------------------------------------------------------------- */

kernel void multiply(global float *all)
{
    local float a[TILE_ELEMENTS], b[TILE_ELEMENTS], sums[TILE_ELEMENTS];
    uint tiles = SIZE / TILE, group = (uint)(get_global_id(0) / get_local_size(0));
    uint row = group / tiles * TILE, column = group % tiles * TILE;
    for (uint i = get_local_id(0); i < TILE_ELEMENTS; i += get_local_size(0))
        sums[i] = 0;
    for (uint k = 0; k < SIZE; k += TILE) {
        load_tile(all + row * SIZE + k, a);
        load_tile(all + SIZE * SIZE + k * SIZE + column, b);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = get_local_id(0); i < TILE_ELEMENTS; i += get_local_size(0))
            sums[i] += element(a, b, i);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    global float *c = all + 2 * SIZE * SIZE + row * SIZE + column;
    for (uint i = get_local_id(0); i < TILE_ELEMENTS; i += get_local_size(0))
        c[i / TILE * SIZE + i % TILE] = sums[i];
}
#endif
