/* SPDX-License-Identifier: MIT */
/*
 * Strassen's product: seven of half the size, of sums of the operands' quarters, and the result's quarters are sums of
 * the seven. Sums are tasks too, each of some elements, so that a large product's are many work-groups'.
 *
 * Each product of a level has two matrices in the array: sums of a, where the product goes too once it has used them,
 * and sums of b. An operand that is a quarter alone is used where it is.
 *
 * Path: strassen.c -> this -> tile.cl.h
 * Source: V. Strassen, Gaussian Elimination is not Optimal, 1969; Orr 2016, table 4-3.
 */
#include "gravel.cl.h"
#include "strassen.h"
#include "tile.cl.h"

GRAVEL_RECORD(product)
GRAVEL_RECORD(leaf)
GRAVEL_RECORD(multiply)
GRAVEL_RECORD(combine)
GRAVEL_RECORD(range)
GRAVEL_RECORD(part)

/* ---- where the sums are ---------------------------------------------------------------------- */

/* Matrices of a level's products begin behind a, b, c and those of the levels above. */
struct sums {
    uint n;    /* elements of a matrix of sums */
    uint a, b; /* of the first of the seven */
};

/* Returns the sums of one of the seven products that a product of a level is divided into. */
static inline struct sums sums_of(uint level, uint number)
{
    uint at = 3 * SIZE * SIZE, n_products = 7, n = SIZE / 2 * (SIZE / 2);
    for (uint i = 0; i < level; i++) {
        at += 2 * n_products * n;
        n_products *= 7;
        n /= 4;
    }
    return (struct sums){n, at + number * 7 * n, at + (n_products + number * 7) * n};
}

/* ---- sums ------------------------------------------------------------------------------------ */

static inline void add_operands(struct range task, struct sums sums, global float *all, uint i)
{
    uint half_n = SIZE >> (task.level + 1), row = i / half_n, column = i % half_n;
    const global float *a = all + task.of.a + row * task.of.a_row + column;
    const global float *b = all + task.of.b + row * task.of.b_row + column;
    uint a_down = half_n * task.of.a_row, b_down = half_n * task.of.b_row;
    float a11 = a[0], a12 = a[half_n], a21 = a[a_down], a22 = a[a_down + half_n];
    float b11 = b[0], b12 = b[half_n], b21 = b[b_down], b22 = b[b_down + half_n];
    global float *to_a = all + sums.a + i, *to_b = all + sums.b + i;
    to_a[0] = a11 + a22;
    to_b[0] = b11 + b22;
    to_a[sums.n] = a21 + a22;
    to_b[2 * sums.n] = b12 - b22;
    to_b[3 * sums.n] = b21 - b11;
    to_a[4 * sums.n] = a11 + a12;
    to_a[5 * sums.n] = a21 - a11;
    to_b[5 * sums.n] = b11 + b12;
    to_a[6 * sums.n] = a12 - a22;
    to_b[6 * sums.n] = b21 + b22;
}

static inline void add_products(struct range task, struct sums sums, global float *all, uint i)
{
    uint half_n = SIZE >> (task.level + 1), row = i / half_n, column = i % half_n;
    uint down = half_n * task.of.c_row;
    const global float *m = all + sums.a + i;
    global float *c = all + task.of.c + row * task.of.c_row + column;
    float m1 = m[0], m2 = m[sums.n], m3 = m[2 * sums.n], m4 = m[3 * sums.n];
    float m5 = m[4 * sums.n], m6 = m[5 * sums.n], m7 = m[6 * sums.n];
    c[0] = m1 + m4 - m5 + m7;
    c[half_n] = m3 + m5;
    c[down] = m2 + m4;
    c[down + half_n] = m1 - m2 + m3 + m6;
}

static inline void part_task(uint active, struct range task, global float *all)
{
    /* without an element the level is any number, and the loop may be long */
    struct sums sums = sums_of(active ? task.level : 0, task.of.number);
    uint end = active ? task.first + task.n : 0;
    for (uint i = task.first + get_local_id(0); i < end; i += get_local_size(0)) {
        if (task.is_result)
            add_products(task, sums, all, i);
        else
            add_operands(task, sums, all, i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline void range_task(struct gravel_flow_group f, uint active, struct range task)
{
    uint n = active ? min(task.n / PART, MOST_PARTS) : 0, each = n ? task.n / n : 0;
    uint is_last = each <= PART, into = is_last ? GRAVEL_CHANNEL(part) : GRAVEL_CHANNEL(range);
    gravel_ce ranges = gravel_talloc_wg_if(f, !is_last, GRAVEL_CHANNEL(range), n);
    gravel_ce parts = gravel_talloc_wg_if(f, is_last, GRAVEL_CHANNEL(part), n);
    for (uint i = 0; i < MOST_PARTS; i++) {
        struct range some = task;
        some.first += i * each;
        some.n = each;
        gravel_write_range_wg_if(f, i < n, into, (is_last ? parts : ranges) + i, some);
    }
    gravel_enq_wg(f, GRAVEL_CHANNEL(range));
    gravel_enq_wg(f, GRAVEL_CHANNEL(part));
}

/* Sums for all elements of a quarter. */
static inline void spawn_sums(struct gravel_flow_group f, uint active, struct product of,
                              uint is_result)
{
    uint half_n = SIZE >> (f.level + 1), n = half_n * half_n, is_last = n <= PART;
    struct range range = {of, f.level, is_result, 0, n};
    gravel_spawn_range_wg_if(f, active && !is_last, range);
    gravel_spawn_part_wg_if(f, active && is_last, (struct part){range});
}

/* ---- products -------------------------------------------------------------------------------- */

static inline void product_task(struct gravel_flow_group f, uint active, struct product task)
{
    gravel_sync_multiply_wg_if(f, active, (struct multiply){task});
    spawn_sums(f, active, task, 0);
}

/* The i-th of the seven: sums of both, or a quarter of one. */
static inline struct product one_of_seven(struct product task, uint level, uint i)
{
    uint half_n = SIZE >> (level + 1), diagonal_a = half_n * task.a_row + half_n;
    uint diagonal_b = half_n * task.b_row + half_n;
    struct sums sums = sums_of(level, task.number);
    uint a = sums.a + i * sums.n, b = sums.b + i * sums.n;
    struct product one = {a, half_n, b, half_n, a, half_n, task.number * 7 + i};
    if (i == 2 || i == 3) {
        one.a = task.a + (i == 3 ? diagonal_a : 0);
        one.a_row = task.a_row;
    }
    if (i == 1 || i == 4) {
        one.b = task.b + (i == 4 ? diagonal_b : 0);
        one.b_row = task.b_row;
    }
    return one;
}

static inline void multiply_task(struct gravel_flow_group f, uint active, struct product task)
{
    uint into = f.level + 1 == LEVELS ? GRAVEL_CHANNEL(leaf) : GRAVEL_CHANNEL(product);
    struct gravel_fork fork = gravel_fork_wg_if(f, active, GRAVEL_CHANNEL(combine), into, 7);
    struct combine combine = {task};
    gravel_write_combine_wg_if(f, active, GRAVEL_CHANNEL(combine), fork.after, combine);
    for (uint i = 0; i < 7; i++)
        gravel_write_product_wg_if(f, active, into, fork.first + i, one_of_seven(task, f.level, i));
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
            leaf_task(f.active, task.of, 0, all, a, b);
        }
        GRAVEL_NODE (f, multiply)
            multiply_task(f, f.active, gravel_read_multiply_wi(f).of);
        GRAVEL_NODE (f, combine)
            spawn_sums(f, f.active, gravel_read_combine_wi(f).of, 1);
        GRAVEL_NODE (f, range)
            range_task(f, f.active, gravel_read_range_wi(f));
        GRAVEL_NODE (f, part)
            part_task(f.active, gravel_read_part_wi(f).of, all);
    }
}
