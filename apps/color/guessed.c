/* SPDX-License-Identifier: MIT */
/*
 * Rounds that guess.
 *
 * Every node colours its vertices as if it were alone, sends the colours that are known elsewhere, a word a vertex, and
 * takes back those that clash. Of two neighbours with one colour the one that chooses later chooses again, so a round
 * settles the first of all that are left, at least, and most others.
 *
 * Path:    color.c -> this -> guessed.cl
 * Owner:   this file's; node_close releases arrays.
 * Threads: main's.
 * Source:  Gebremedhin, Manne, Scalable Parallel Graph Coloring Algorithms, 2000; Bozdag et al., A Framework for Scalable
 *          Greedy Coloring on Distributed-Memory Parallel Computers, 2008.
 */
#include "color.h"

/* A round begins by a survey, which finds what vertices wait for sooner than a group that keeps looking. Measured on one
 * and two H200s, kronecker-20 to -24. */
#define PASSES 128
#define PASSES_ALONE 4096 /* no other node's vertex clashes */

/* Own colours, those of ghosts twice, those sent. */
#define HEAP_WORDS 4

static void upload_rows(struct color *color)
{
    uint32_t *slots = color_list_slots(color), *neighbours;
    uint32_t *rows = color_list_rows(color, slots, &neighbours);
    color->guessed.neighbours = node_upload(
        &color->node, rows[COLOR_ROW * color_n_own(color)] * sizeof *neighbours, neighbours);
    color->guessed.rows =
        node_upload(&color->node, COLOR_ROW * (color_n_own(color) + 1) * sizeof *rows, rows);
    color->slots = node_upload(&color->node, color_n_own(color) * sizeof *slots, slots);
}

static void list(struct color *color)
{
    struct node *node = &color->node;
    struct guessed *guessed = &color->guessed;
    const uint64_t n = color_n_own(color);
    TRY(gravel_alloc(node->gravel, color->part.partition.block * sizeof(cl_uint), &color->colors));
    guessed->mirror = node_part_mirror(node, &color->ghosts, color->colors, GRAVEL_UINT, false);
    upload_rows(color);
    guessed->waited = node_array(&color->node, color->part.rows.n_edges * sizeof(cl_uint), NULL);
    guessed->ends = node_array(&color->node, n * sizeof(cl_uint), NULL);
    color->cursors = node_array(&color->node, n * sizeof(cl_uint), NULL);
    color->taken = node_array(&color->node, n * sizeof(cl_ulong4), NULL);
    guessed->bases = node_array(&color->node, n * sizeof(cl_uint), NULL);
    guessed->rounds = node_array(&color->node, n * sizeof(cl_uint), NULL);
    color->counts = node_array(&color->node, 1 * sizeof(cl_uint), NULL);
}

/* Behind the arena and the first item all these kernels have the same arguments. */
static cl_kernel make_guessing(struct color *color, const char *name)
{
    const struct guessed *guessed = &color->guessed;
    cl_kernel kernel = node_kernel(&color->node, name);
    NODE_SET(kernel, 5, ULONG(color->colors), ARRAY(color->slots), ARRAY(guessed->rows),
             ARRAY(guessed->neighbours), ARRAY(guessed->waited), ARRAY(guessed->ends),
             ARRAY(color->cursors), ARRAY(color->taken), ARRAY(guessed->bases),
             ARRAY(guessed->rounds), ARRAY(color->counts), ARRAY(color->high));
    return kernel;
}

static void prepare(struct color *color)
{
    color->guessed.survey = make_guessing(color, "survey");
    color->guessed.guess = make_guessing(color, "guess");
    color->guessed.mend = make_guessing(color, "mend");
}

/* @param round  0: no vertex has a colour when it ends. */
static void launch(struct color *color, cl_kernel kernel, uint64_t round)
{
    const struct gravel_mirror *mirror = color->guessed.mirror;
    NODE_SET(kernel, 3, UINT(round), ULONG(mirror ? gravel_mirror_offset(mirror) : 0));
    node_run(&color->node, kernel, node_full(&color->node, kernel, color_n_own(color)));
}

static uint64_t mend(struct color *color)
{
    cl_uint n_left = 0;
    node_fill(&color->node, color->counts, 0, sizeof n_left);
    launch(color, color->guessed.mend, color->n_rounds);
    node_read(&color->node, color->counts, sizeof n_left, &n_left);
    return n_left;
}

static void reset(struct color *color)
{
    launch(color, color->guessed.mend, 0);
    node_finish(&color->node);
}

static uint64_t guess(struct color *color)
{
    if (color->n_rounds > 1)
        launch(color, color->guessed.survey, color->n_rounds);
    launch(color, color->guessed.guess, color->n_rounds);
    if (color->guessed.mirror)
        TRY(gravel_mirror_share(color->guessed.mirror));
    return node_sum(&color->node, mend(color));
}

extern const char guessed_cl[]; /* guessed.cl */
const struct way color_guessed = {
    .file = "guessed.cl",
    .source = guessed_cl,
    .heap_words = HEAP_WORDS,
    .passes = PASSES,
    .passes_alone = PASSES_ALONE,
    .list = list,
    .prepare = prepare,
    .reset = reset,
    .round = guess,
};
