/* SPDX-License-Identifier: MIT */
/*
 * Rounds of --ordered: colour what can be coloured here, count, publish, wait.
 *
 * The count over all nodes also keeps nodes apart: none publishes before all have chosen. A colour depends on neighbours
 * that choose before and on nothing else, so colours are those of one vertex after the other, on any number of nodes. A
 * round ends where vertices wait for those of other nodes: a node alone has one round.
 *
 * Path:    color.c -> this -> ordered.cl
 * Owner:   the node's arrays, which node_close releases.
 * Threads: main's.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Orr 2016, section 5.4.2.
 */
#include "color.h"

#include <stdlib.h>

#define PASSES 1024

/* ---- copies --------------------------------------------------------------------------------------
 *
 * Colours of own vertices have copies at some slots of other nodes. A vertex is a ghost wherever one of its neighbours lives,
 * as both rows list an edge. A node's ghosts are in the order of owners and of their vertices, so an owner knows the
 * slots of its own vertices there once it knows where they begin.
 */

/* Tell every owner at which slot its vertices begin here. */
static void tell_begins(struct color *color, uint64_t begins)
{
    struct node *node = &color->node;
    const struct ghosts *ghosts = &color->ghosts;
    const uint64_t place = begins + node->number * sizeof(uint64_t);
    for (uint64_t i = 0, last = UINT64_MAX; i < ghosts->n; i++) {
        const uint32_t owner = partition_owner(&color->part.partition, ghosts->vertices[i]);
        const uint64_t slot = color_n_own(color) + i;
        if (owner != last)
            TRY(gravel_put(node->gravel, place, &slot, sizeof slot, owner));
        last = owner;
    }
}

/* At which slot this node's vertices begin at each node. @return [n_nodes], to be freed. */
static uint64_t *learn_begins(struct color *color)
{
    struct node *node = &color->node;
    size_t bytes = node->n_nodes * sizeof(uint64_t);
    uint64_t *begins = app_array(node->n_nodes, sizeof *begins, "a list of nodes");
    uint64_t offset;
    TRY(gravel_alloc(node->gravel, bytes, &offset));
    tell_begins(color, offset);
    TRY(gravel_barrier(node->gravel));
    TRY(gravel_get(node->gravel, offset, begins, bytes, node->number));
    TRY(gravel_free(node->gravel, offset));
    return begins;
}

/* The nodes other than this one where vertex u has neighbours. `marks` has node -> last u + 1. */
static uint32_t list_nodes(const struct color *color, uint64_t u, uint64_t *marks, uint32_t *nodes)
{
    const struct graph *rows = &color->part.rows;
    uint32_t n = 0;
    for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
        uint32_t owner = partition_owner(&color->part.partition, rows->neighbours[e]);
        if (owner != color->node.number && marks[owner] != u + 1)
            nodes[n++] = owner;
        marks[owner] = u + 1;
    }
    return n;
}

/* Fill `starts`, and `copies` too unless it is NULL: node and slot, twice the starts' numbers. */
static void list_copies(const struct color *color, uint64_t *begins, uint32_t *starts,
                        uint32_t *copies)
{
    uint32_t n_nodes = color->node.n_nodes, n_copies = 0;
    uint64_t *marks = app_array(n_nodes, sizeof *marks, "a list of nodes");
    uint32_t *nodes = app_array(n_nodes, sizeof *nodes, "a list of nodes");
    for (uint64_t u = 0; u < color_n_own(color); u++) {
        uint32_t n = list_nodes(color, u, marks, nodes);
        for (uint32_t i = 0; copies && i < n; i++) {
            copies[2 * (n_copies + i)] = nodes[i];
            copies[2 * (n_copies + i) + 1] = (uint32_t)begins[nodes[i]]++;
        }
        n_copies += n;
        starts[u + 1] = n_copies;
    }
    free(marks);
    free(nodes);
}

static void upload_copies(struct color *color)
{
    uint64_t *begins = learn_begins(color);
    uint32_t *starts = app_array(color_n_own(color) + 1, sizeof *starts, "a list of edges");
    list_copies(color, begins, starts, NULL);
    uint64_t n = 2 * (uint64_t)starts[color_n_own(color)];
    uint32_t *copies = app_array(n, sizeof *copies, "a list of edges");
    list_copies(color, begins, starts, copies);
    color->ordered.copy_starts =
        node_upload(&color->node, (color_n_own(color) + 1) * sizeof *starts, starts);
    color->ordered.copies = node_upload(&color->node, n * sizeof *copies, copies);
    free(begins);
}

/* ---- rounds -------------------------------------------------------------------------------------- */

/* All nodes have room for the most that any needs. */
static void list(struct color *color)
{
    struct node *node = &color->node;
    struct ordered *ordered = &color->ordered;
    const uint64_t n = color_n_own(color);
    uint64_t n_slots = node_most(node, ghosts_n_slots(&color->ghosts));
    color_upload_higher(color);
    upload_copies(color);
    TRY(gravel_alloc(node->gravel, n_slots * sizeof(cl_uint), &color->colors));
    color->cursors = node_array(&color->node, n * sizeof(cl_uint), NULL);
    color->taken = node_array(&color->node, n * sizeof(cl_ulong4), NULL);
    ordered->lists[0] = node_array(&color->node, n * sizeof(cl_uint), NULL);
    ordered->lists[1] = node_array(&color->node, n * sizeof(cl_uint), NULL);
    ordered->ready = node_array(&color->node, n * sizeof(cl_uint2), NULL);
    color->counts = node_array(&color->node, 2 * sizeof(cl_uint), NULL);
}

static void prepare(struct color *color)
{
    struct ordered *ordered = &color->ordered;
    ordered->reset = node_kernel(&color->node, "reset");
    NODE_SET(ordered->reset, 2, ULONG(color->colors), UINT(color_n_own(color)),
             ARRAY(color->starts), ARRAY(color->cursors), ARRAY(color->taken),
             ARRAY(ordered->lists[0]), ARRAY(color->high));
    ordered->choose = node_kernel(&color->node, "choose");
    NODE_SET(ordered->choose, 3, ULONG(color->colors), UINT(color_n_own(color)));
    NODE_SET(ordered->choose, 7, ARRAY(color->slots), ARRAY(color->starts), ARRAY(color->higher),
             ARRAY(color->cursors), ARRAY(color->taken), ARRAY(ordered->ready));
    NODE_SET(ordered->choose, 14, ARRAY(color->counts), ARRAY(color->high));
    ordered->publish = node_kernel(&color->node, "publish");
    NODE_SET(ordered->publish, 3, ULONG(color->colors), ARRAY(ordered->ready),
             ARRAY(ordered->copy_starts), ARRAY(ordered->copies));
}

static void reset(struct color *color)
{
    color->ordered.n_waiting = color_n_own(color);
    node_launch(&color->node, color->ordered.reset, ghosts_n_slots(&color->ghosts));
    TRY(gravel_barrier(color->node.gravel));
}

/* Colour what can be coloured of the vertices that wait. @return  how many were. */
static uint64_t choose(struct color *color)
{
    struct ordered *ordered = &color->ordered;
    const unsigned turn = color->n_rounds % 2;
    cl_uint counts[2]; /* coloured, keep waiting */
    node_fill(&color->node, color->counts, 0, sizeof counts);
    NODE_SET(ordered->choose, 5, UINT(color->n_rounds), ARRAY(ordered->lists[!turn]));
    NODE_SET(ordered->choose, 13, ARRAY(ordered->lists[turn]));
    node_run(&color->node, ordered->choose,
             node_full(&color->node, ordered->choose, ordered->n_waiting));
    node_read(&color->node, color->counts, sizeof counts, counts);
    ordered->n_waiting = counts[1];
    return counts[0];
}

static uint64_t choose_and_publish(struct color *color)
{
    /* One copy at each other node at most, a slot and a colour each. */
    const struct node_bound bound = {.n_messages = color->node.n_nodes, .message_bytes = 8};
    const uint64_t n_ready = choose(color),
                   n_left = node_sum(&color->node, color->ordered.n_waiting);
    node_send(&color->node, color->ordered.publish,
              node_full(&color->node, color->ordered.publish, n_ready), bound);
    TRY(gravel_barrier(color->node.gravel));
    return n_left;
}

extern const char ordered_cl[]; /* ordered.cl */
const struct way color_ordered = {
    .file = "ordered.cl",
    .source = ordered_cl,
    .heap_words = 1,
    .passes = PASSES,
    .passes_alone = PASSES,
    .list = list,
    .prepare = prepare,
    .reset = reset,
    .round = choose_and_publish,
};
