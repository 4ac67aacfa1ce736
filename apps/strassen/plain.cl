/* SPDX-License-Identifier: MIT */
/*
 * A matrix product with a plain kernel: a work-group for each tile of the result, which goes along the tiles of its row
 * and column.
 *
 * Path: strassen.c -> this -> tile.cl.h
 */
#include "tile.cl.h"

kernel void multiply(global float *all)
{
    local float a[TILE_ELEMENTS], b[TILE_ELEMENTS], sums[TILE_ELEMENTS];
    uint tiles = SIZE / TILE, group = (uint)get_group_id(0);
    uint row = group / tiles * TILE, column = group % tiles * TILE;
    for (uint i = get_local_id(0); i < TILE_ELEMENTS; i += get_local_size(0))
        sums[i] = 0;
    for (uint k = 0; k < SIZE; k += TILE) {
        load_tile(all + row * SIZE + k, SIZE, a);
        load_tile(all + SIZE * SIZE + k * SIZE + column, SIZE, b);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = get_local_id(0); i < TILE_ELEMENTS; i += get_local_size(0))
            sums[i] += element(a, b, i);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    global float *c = all + 2 * SIZE * SIZE + row * SIZE + column;
    for (uint i = get_local_id(0); i < TILE_ELEMENTS; i += get_local_size(0))
        c[i / TILE * SIZE + i % TILE] = sums[i];
}
