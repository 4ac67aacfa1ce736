/* SPDX-License-Identifier: MIT */
/*
 * Products of tiles of TILE x TILE elements by a work-group of any size, in local memory; and the plain kernel, in which a
 * work-group makes a tile of the result along the tiles of its row and column.
 *
 * Path: seven.cl, eight.cl; strassen.c for form plain -> this
 */
/* ---- both forms -------------------------------------------------------------------------------- */

#define TILE_ELEMENTS (TILE * TILE)

/* Every work-item of the group. @param own  [TILE_ELEMENTS] */
static inline void load_tile(const global float *matrix, uint row, local float *own)
{
    for (uint i = get_local_id(0); i < TILE_ELEMENTS; i += get_local_size(0))
        own[i] = matrix[i / TILE * row + i % TILE];
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

/* Every work-item of the group: makes a leaf of either division, whose tiles may lie where the result goes. */
static inline void leaf_task(uint active, struct product task, uint adds, global float *all,
                             local float *a, local float *b)
{
    global float *c = all + task.c;
    if (active) {
        load_tile(all + task.a, task.a_row, a);
        load_tile(all + task.b, task.b_row, b);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint i = get_local_id(0); active && i < TILE_ELEMENTS; i += get_local_size(0)) {
        uint at = i / TILE * task.c_row + i % TILE;
        c[at] = element(a, b, i) + (adds ? c[at] : 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#else
/* ---- plain ------------------------------------------------------------------------------------- */

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
#endif
