/* SPDX-License-Identifier: MIT */
/*
 * What own vertices give vertices of other nodes, a word each: a target that many own edges reach gets their sum. The
 * sums are pulled, as those of own vertices are, into the slots of a mirror, and travel while own edges are pulled.
 *
 * The node adds up before it sends, instead of reading others' shares: then it needs the edges that leave its vertices
 * only, which are those that it has, and words are as few.
 *
 * Path: iterate.c -> this -> pull.c, pagerank.cl -> gravel/mirror.h -> sums at every node
 * Owner: see pagerank.h.
 * Threads: main's.
 * Source: Dathathri et al., Gluon, PLDI 2018 (reduce).
 */
#include "pagerank.h"

#include <stdlib.h>

/* Vertices of other nodes, and those of one owner stand together: a plan. */
static void open_slots(struct pagerank *pagerank)
{
    const struct ghosts *ghosts = &pagerank->ghosts;
    const uint64_t n_own = pagerank->part.rows.n_vertices;
    uint64_t *n_words = app_array(pagerank->node.n_nodes, sizeof *n_words, "a plan");
    uint32_t *indices = app_array(ghosts->n, sizeof *indices, "a plan");
    for (uint64_t i = 0; i < ghosts->n; i++) {
        n_words[ghosts_owner(ghosts, n_own + i)]++;
        indices[i] = ghosts_index(ghosts, n_own + i);
    }
    const struct gravel_words words = {.offset = pagerank->sums[0],
                                       .type = pagerank->is_fixed ? GRAVEL_ULONG : GRAVEL_FLOAT,
                                       .n_words = n_words,
                                       .indices = indices};
    node_check(
        gravel_mirror_create_slots(&pagerank->slots, pagerank->node.gravel, GRAVEL_ADD, &words));
    free(n_words);
    free(indices);
}

void pagerank_words_plan(struct pagerank *pagerank)
{
    ghosts_open(&pagerank->ghosts, &pagerank->part);
    pagerank->n_ghosts = pagerank->ghosts.n;
    if (node_sum(&pagerank->node, pagerank->n_ghosts) > 0)
        open_slots(pagerank);
}

void pagerank_words_open(struct pagerank *pagerank)
{
    if (!pagerank->slots)
        return;
    pagerank->store_sums = node_kernel(&pagerank->node, "store_sums");
    NODE_SET(pagerank->store_sums, 2, cl_ulong, gravel_mirror_offset(pagerank->slots));
    NODE_SET(pagerank->store_sums, 3, cl_uint, (cl_uint)pagerank->part.rows.n_vertices);
    NODE_SET(pagerank->store_sums, 4, cl_mem, pagerank->chunks);
    NODE_SET(pagerank->store_sums, 5, cl_mem, pagerank->partial);
}

void pagerank_words_begin(struct pagerank *pagerank)
{
    if (!pagerank->slots)
        return;
    pagerank_pull_for_others(pagerank);
    node_run(&pagerank->node, pagerank->store_sums, pagerank->n_ghosts);
    node_check(gravel_mirror_begin(pagerank->slots));
}

void pagerank_words_end(struct pagerank *pagerank)
{
    if (pagerank->slots)
        node_check(gravel_mirror_end(pagerank->slots));
}

void pagerank_words_close(struct pagerank *pagerank)
{
    node_check(gravel_mirror_destroy(pagerank->slots));
}
