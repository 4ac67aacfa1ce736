/* SPDX-License-Identifier: MIT */
/*
 * Products of tiles of TILE x TILE elements by a work-group of any size, in local memory.
 *
 * Path: eight.cl, seven.cl, plain.cl -> this
 */
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
