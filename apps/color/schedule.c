/* SPDX-License-Identifier: MIT */
/*
 * The rounds with --schedule: all vertices are tasks of groups' deques, in every round.
 *
 * A vertex depends on neighbours that choose before and on nothing else, so colours are the same by every policy.
 *
 * Path: rounds.c -> this -> color.cl
 * Owner: see color.h.
 * Threads: main's.
 * Source: Orr et al. 2015, section 5.3; Che et al., Pannotia, 2013.
 */
#include "color.h"

#include <stdlib.h>

static size_t colors_bytes(const struct color *color)
{
    return color->part.rows.n_vertices * sizeof(cl_uint);
}

void color_schedule_open(struct color *color)
{
    cl_kernel kernel = color->color_tasks;
    tasks_open_stretches(&color->tasks, &color->node, color->part.rows.n_vertices);
    color->own_colors[0] = node_array(&color->node, colors_bytes(color), NULL);
    color->own_colors[1] = node_array(&color->node, colors_bytes(color), NULL);
    NODE_SET(kernel, 1, cl_uint, (cl_uint)color->part.rows.n_vertices);
    NODE_SET(kernel, 2, cl_mem, color->slots);
    NODE_SET(kernel, 3, cl_mem, color->starts);
    NODE_SET(kernel, 4, cl_mem, color->higher);
    NODE_SET(kernel, 5, cl_mem, color->cursors);
    NODE_SET(kernel, 8, cl_mem, color->counts);
}

void color_schedule_reset(struct color *color)
{
    const cl_uint none = NO_COLOR;
    cl_command_queue queue = gravel_cl_queue(color->node.gravel);
    size_t bytes = colors_bytes(color);
    if (bytes) {
        node_check_cl(clEnqueueFillBuffer(queue, color->own_colors[0], &none, sizeof none, 0, bytes,
                                          0, NULL, NULL),
                      "clEnqueueFillBuffer");
        node_check_cl(
            clEnqueueCopyBuffer(queue, color->starts, color->cursors, 0, 0, bytes, 0, NULL, NULL),
            "clEnqueueCopyBuffer");
    }
    node_finish(&color->node);
    TRY(gravel_steal_stats_reset(color->tasks.steal));
}

void color_schedule_run(struct color *color)
{
    cl_uint n_left = (cl_uint)color->part.rows.n_vertices;
    for (color->n_rounds = 0; n_left; color->n_rounds++) {
        unsigned parity = color->n_rounds % 2;
        node_clear(&color->node, color->counts, sizeof n_left);
        NODE_SET(color->color_tasks, 6, cl_mem, color->own_colors[parity]);
        NODE_SET(color->color_tasks, 7, cl_mem, color->own_colors[!parity]);
        tasks_run_stretches(&color->tasks, color->color_tasks);
        node_read(&color->node, color->counts, sizeof n_left, &n_left);
        progress_at(&color->progress, color->part.rows.n_vertices - n_left);
    }
}

uint32_t *color_schedule_read(struct color *color)
{
    uint32_t *colors = app_array(color->part.rows.n_vertices, sizeof *colors, "the colours");
    node_read(&color->node, color->own_colors[color->n_rounds % 2], colors_bytes(color), colors);
    return colors;
}
