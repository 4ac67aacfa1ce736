/* SPDX-License-Identifier: MIT */
/*
 * Rounds of --ordered: colour what can be coloured here, count, publish, wait.
 *
 * The count over all nodes also keeps nodes apart: none publishes before all have chosen. A colour depends on neighbours
 * that choose before and on nothing else, so colours are those of one vertex after the other, on any number of nodes. A
 * round ends where vertices wait for those of other nodes: a node alone has one round.
 *
 * Path:    color.c -> this -> ordered.cl
 * Owner:   see ordered.h.
 * Threads: main's.
 * Source:  Jones and Plassmann, A Parallel Graph Coloring Heuristic, 1993; Orr 2016, section 5.4.2.
 */
#include "color.h"

/* All nodes have room for the most that any needs. */
static void list(struct color *color)
{
    struct node *node = &color->node;
    struct ordered *ordered = &color->ordered;
    const uint64_t n = color_n_own(color);
    uint64_t n_slots = node_most(node, ghosts_n_slots(&color->ghosts));
    color_upload_higher(color);
    color_upload_copies(color);
    TRY(gravel_alloc(node->gravel, n_slots * sizeof(cl_uint), &color->colors));
    color->cursors = color_array(color, n, sizeof(cl_uint));
    color->taken = color_array(color, n, sizeof(cl_ulong4));
    ordered->lists[0] = color_array(color, n, sizeof(cl_uint));
    ordered->lists[1] = color_array(color, n, sizeof(cl_uint));
    ordered->ready = color_array(color, n, sizeof(cl_uint2));
    color->counts = color_array(color, 2, sizeof(cl_uint));
}

static void prepare(struct color *color)
{
    struct ordered *ordered = &color->ordered;
    ordered->reset = node_kernel(&color->node, "reset");
    NODE_SET(ordered->reset, 2, cl_ulong, color->colors);
    NODE_SET(ordered->reset, 3, cl_uint, (cl_uint)color_n_own(color));
    NODE_SET_ARRAYS(ordered->reset, 4, color->starts, color->cursors, color->taken,
                    ordered->lists[0], color->high);
    ordered->choose = node_kernel(&color->node, "choose");
    NODE_SET(ordered->choose, 3, cl_ulong, color->colors);
    NODE_SET(ordered->choose, 4, cl_uint, (cl_uint)color_n_own(color));
    NODE_SET_ARRAYS(ordered->choose, 7, color->slots, color->starts, color->higher, color->cursors,
                    color->taken, ordered->ready);
    NODE_SET_ARRAYS(ordered->choose, 14, color->counts, color->high);
    ordered->publish = node_kernel(&color->node, "publish");
    NODE_SET(ordered->publish, 3, cl_ulong, color->colors);
    NODE_SET_ARRAYS(ordered->publish, 4, ordered->ready, ordered->copy_starts, ordered->copies);
}

static void reset(struct color *color)
{
    color->ordered.n_waiting = color_n_own(color);
    node_launch(&color->node, color->ordered.reset, 0, ghosts_n_slots(&color->ghosts));
    TRY(gravel_barrier(color->node.gravel));
}

/* Colour what can be coloured of the vertices that wait. @return  how many were. */
static uint64_t choose(struct color *color)
{
    struct ordered *ordered = &color->ordered;
    const unsigned turn = color->n_rounds % 2;
    cl_uint counts[2]; /* coloured, keep waiting */
    node_clear(&color->node, color->counts, sizeof counts);
    NODE_SET(ordered->choose, 5, cl_uint, (cl_uint)color->n_rounds);
    NODE_SET(ordered->choose, 6, cl_mem, ordered->lists[!turn]);
    NODE_SET(ordered->choose, 13, cl_mem, ordered->lists[turn]);
    node_run_full(&color->node, ordered->choose, ordered->n_waiting);
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
    node_send_full(&color->node, color->ordered.publish, n_ready, bound);
    TRY(gravel_barrier(color->node.gravel));
    return n_left;
}

extern const char ordered_cl[]; /* ordered.cl */
const struct way color_ordered = {
    .file = "ordered.cl",
    .source = ordered_cl,
    .heap_words = 1,
    .passes = COLOR_PASSES,
    .passes_alone = COLOR_PASSES,
    .list = list,
    .prepare = prepare,
    .reset = reset,
    .round = choose_and_publish,
};
