/* SPDX-License-Identifier: MIT */
/*
 * The leaf of both divisions: a product of two tiles, which may lie where the result goes.
 *
 * Path: eight.cl, seven.cl -> this -> tile.cl.h
 */

/* Every work-item of the group. */
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
