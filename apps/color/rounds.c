/* SPDX-License-Identifier: MIT */
/*
 * A trial; and the rounds of --ordered: colour what can be coloured here, count, publish, wait.
 *
 * The count over all nodes also keeps nodes apart: none publishes before all have chosen. A colour
 * depends on neighbours that choose before and on nothing else, so colours are those of one vertex
 * after the other, on any number of nodes. A round ends where vertices wait for those of other
 * nodes: a node alone has one round.
 *
 * Path: color.c -> this -> schedule.c, guess.c; color.cl -> copies at every node -> this
 * Owner: see color.h.
 * Threads: main's.
 */
#include "color.h"

#include <stdlib.h>

void color_reset(void *self)
{
    struct color *color = self;
    if (color->node.schedule) {
        color_schedule_reset(color);
    } else if (color->is_ordered) {
        node_launch(&color->node, color->reset, ghosts_n_slots(&color->ghosts));
        TRY(gravel_barrier(color->node.gravel));
    } else {
        color_guess_reset(color);
    }
}

/* Colour what can be coloured of `n` waiting vertices. counts: coloured, keep waiting. */
static void choose(struct color *color, uint64_t n, cl_uint counts[2])
{
    unsigned parity = color->n_rounds % 2;
    node_clear(&color->node, color->counts, 2 * sizeof *counts);
    NODE_SET(color->choose, 5, cl_uint, (cl_uint)color->n_rounds + 1);
    NODE_SET(color->choose, 6, cl_mem, color->lists[parity]);
    NODE_SET(color->choose, 13, cl_mem, color->lists[!parity]);
    node_run_full(&color->node, color->choose, n);
    node_read(&color->node, color->counts, 2 * sizeof *counts, counts);
}

/* One copy at each other node at most, a slot and a colour each. */
static struct node_bound bound_of(const struct color *color)
{
    return (struct node_bound){.n_messages = color->node.n_nodes, .message_bytes = 8};
}

uint64_t color_count(struct color *color)
{
    uint32_t *own = color_read(color, color->node.number);
    uint64_t most = 0;
    for (uint64_t i = 0; i < color->part.rows.n_vertices; i++)
        most = own[i] != NO_COLOR && own[i] >= most ? own[i] + (uint64_t)1 : most;
    free(own);
    return node_most(&color->node, most);
}

static void run_rounds(struct color *color)
{
    cl_uint counts[2] = {0, (cl_uint)color->part.rows.n_vertices};
    uint64_t n_vertices = color->part.survey.n_vertices, n_left = n_vertices;
    for (color->n_rounds = 0; n_left; color->n_rounds++) {
        choose(color, counts[1], counts);
        n_left = node_sum(&color->node, counts[1]);
        node_send_full(&color->node, color->publish, counts[0], bound_of(color));
        TRY(gravel_barrier(color->node.gravel));
        progress_at(&color->progress, n_vertices - n_left);
    }
}

void color_run(void *self)
{
    struct color *color = self;
    progress_begin(&color->progress, stderr, "color", color->part.survey.n_vertices,
                   color->options.quiet || color->node.number != 0);
    if (color->node.schedule)
        color_schedule_run(color);
    else if (color->is_ordered)
        run_rounds(color);
    else
        color_guess_run(color);
    progress_end(&color->progress);
}

uint32_t *color_read(struct color *color, uint32_t node)
{
    if (color->node.schedule)
        return color_schedule_read(color);
    uint64_t n = partition_count(&color->part.partition, node);
    uint32_t *colors = app_array(n, sizeof *colors, "the colours");
    if (n)
        TRY(gravel_get(color->node.gravel, color->colors, colors, n * sizeof *colors, node));
    return colors;
}
