/* SPDX-License-Identifier: MIT */
/*
 * Rounds that guess: every node colours its vertices as if it were alone, sends the colours that are known elsewhere, a word
 * a vertex, and takes back those that clash. Of two neighbours with one colour the one that chooses later chooses again, so a
 * round settles the first of all that are left, at least, and most others.
 *
 * A node alone does not guess: its lists of vertices that wait make a round cheaper.
 *
 * Path: color.c -> this -> color.cl -> gravel/mirror.h -> copies at every node -> this
 * Owner: see color.h.
 * Threads: main's.
 * Source: Gebremedhin, Manne, Scalable Parallel Graph Coloring Algorithms, 2000; Bozdag et al., A Framework for Scalable
 * Greedy Coloring on Distributed-Memory Parallel Computers, 2008.
 */
#include "color.h"

#include <stdlib.h>

static uint64_t n_own(const struct color *color)
{
    return color->part.rows.n_vertices;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static cl_mem upload(struct color *color, uint64_t n, uint32_t *list)
{
    cl_mem array = node_array(&color->node, n * sizeof *list, list);
    free(list);
    return array;
}

static void upload_rows(struct color *color)
{
    uint32_t *slots = color_list_slots(color), *neighbours;
    uint32_t *rows = color_list_rows(color, slots, &neighbours);
    color->neighbours = upload(color, rows[COLOR_ROW * n_own(color)], neighbours);
    color->rows = upload(color, COLOR_ROW * (n_own(color) + 1), rows);
    color->slots = upload(color, n_own(color), slots);
}

/* Ghosts are in the order of their owners, and so are copies of their colours. */
static void open_mirror(struct color *color)
{
    const struct ghosts *ghosts = &color->ghosts;
    uint64_t *n_words = app_array(color->node.n_nodes, sizeof *n_words, "a plan");
    uint32_t *indices = app_array(ghosts->n, sizeof *indices, "a plan");
    for (uint64_t i = 0; i < ghosts->n; i++) {
        n_words[ghosts_owner(ghosts, n_own(color) + i)]++;
        indices[i] = ghosts_index(ghosts, n_own(color) + i);
    }
    const struct gravel_words words = GRAVEL_WORDS(color->colors, GRAVEL_UINT, n_words, indices);
    TRY(gravel_mirror_create(&color->mirror, color->node.gravel, &words));
    free(n_words);
    free(indices);
}

/* ---- open and close -------------------------------------------------------------------------- */

/* Behind the arena and the first item: what all these kernels have. */
static void set_arguments(struct color *color, cl_kernel kernel)
{
    NODE_SET(kernel, 5, cl_ulong, color->colors);
    NODE_SET(kernel, 6, cl_mem, color->slots);
    NODE_SET(kernel, 7, cl_mem, color->rows);
    NODE_SET(kernel, 8, cl_mem, color->neighbours);
    NODE_SET(kernel, 9, cl_mem, color->waited);
    NODE_SET(kernel, 10, cl_mem, color->ends);
    NODE_SET(kernel, 11, cl_mem, color->cursors);
    NODE_SET(kernel, 12, cl_mem, color->taken);
    NODE_SET(kernel, 13, cl_mem, color->bases);
    NODE_SET(kernel, 14, cl_mem, color->rounds);
    NODE_SET(kernel, 15, cl_mem, color->counts);
    NODE_SET(kernel, 16, cl_mem, color->high);
}

void color_guess_open(struct color *color)
{
    struct node *node = &color->node;
    TRY(gravel_alloc(node->gravel, color->part.partition.block * sizeof(cl_uint), &color->colors));
    if (node_sum(node, color->ghosts.n) > 0)
        open_mirror(color);
    upload_rows(color);
    color->waited = node_array(node, color->part.rows.n_edges * sizeof(cl_uint), NULL);
    color->ends = node_array(node, n_own(color) * sizeof(cl_uint), NULL);
    color->cursors = node_array(node, n_own(color) * sizeof(cl_uint), NULL);
    color->taken = node_array(node, n_own(color) * sizeof(cl_ulong4), NULL);
    color->bases = node_array(node, n_own(color) * sizeof(cl_uint), NULL);
    color->rounds = node_array(node, n_own(color) * sizeof(cl_uint), NULL);
    color->counts = node_array(node, sizeof(cl_uint), NULL);
}

void color_guess_kernels(struct color *color)
{
    color->survey = node_kernel(&color->node, "survey");
    color->guess = node_kernel(&color->node, "guess");
    color->mend = node_kernel(&color->node, "mend");
    set_arguments(color, color->survey);
    set_arguments(color, color->guess);
    set_arguments(color, color->mend);
}

void color_guess_close(struct color *color)
{
    TRY(gravel_mirror_destroy(color->mirror));
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* @param round  0: no vertex has a colour when it ends. */
static void run(struct color *color, cl_kernel kernel, uint64_t round)
{
    NODE_SET(kernel, 3, cl_uint, (cl_uint)round);
    NODE_SET(kernel, 4, cl_ulong, color->mirror ? gravel_mirror_offset(color->mirror) : 0);
    node_run_full(&color->node, kernel, n_own(color));
}

static uint64_t mend(struct color *color)
{
    cl_uint n_left = 0;
    node_clear(&color->node, color->counts, sizeof n_left);
    run(color, color->mend, color->n_rounds);
    node_read(&color->node, color->counts, sizeof n_left, &n_left);
    return n_left;
}

void color_guess_reset(struct color *color)
{
    run(color, color->mend, 0);
    node_finish(&color->node);
}

void color_guess_run(struct color *color)
{
    uint64_t n_vertices = color->part.survey.n_vertices, n_left = n_vertices;
    for (color->n_rounds = 0; n_left;) {
        if (++color->n_rounds > 1)
            run(color, color->survey, color->n_rounds);
        run(color, color->guess, color->n_rounds);
        if (color->mirror)
            TRY(gravel_mirror_share(color->mirror));
        n_left = node_sum(&color->node, mend(color));
        progress_at(&color->progress, n_vertices - n_left);
    }
}
