/* SPDX-License-Identifier: MIT */
/*
 * Rounds of --schedule: all vertices are tasks, in every round.
 *
 * A vertex depends on neighbours that choose before and on nothing else, so colours are the same by every policy.
 *
 * Path:    color.c -> this -> scheduled.cl
 * Owner:   this file's; node_close releases arrays.
 * Threads: main's.
 * Source:  Che, Beckmann, Reinhardt, Skadron, Pannotia, 2013; Orr et al. 2015, section 5.3.
 */
#include "color.h"

static void list(struct color *color)
{
    struct scheduled *scheduled = &color->scheduled;
    const uint64_t n = color_n_own(color);
    color_upload_higher(color);
    color->cursors = node_array(&color->node, n * sizeof(cl_uint), NULL);
    scheduled->own_colors[0] = node_array(&color->node, n * sizeof(cl_uint), NULL);
    scheduled->own_colors[1] = node_array(&color->node, n * sizeof(cl_uint), NULL);
    color->counts = node_array(&color->node, 1 * sizeof(cl_uint), NULL);
}

static void prepare(struct color *color)
{
    struct scheduled *scheduled = &color->scheduled;
    tasks_open_stretches(&scheduled->tasks, &color->node, color_n_own(color));
    scheduled->color_tasks = node_kernel(&color->node, "color_tasks");
    NODE_SET(scheduled->color_tasks, 1, UINT(color_n_own(color)), ARRAY(color->slots),
             ARRAY(color->starts), ARRAY(color->higher), ARRAY(color->cursors));
    NODE_SET(scheduled->color_tasks, 8, ARRAY(color->counts));
}

static void reset(struct color *color)
{
    const size_t bytes = color_n_own(color) * sizeof(cl_uint);
    node_fill(&color->node, color->scheduled.own_colors[0], NO_COLOR, bytes);
    TRY_CL(clEnqueueCopyBuffer(gravel_cl_queue(color->node.gravel), color->starts, color->cursors,
                               0, 0, bytes, 0, NULL, NULL));
    node_finish(&color->node);
    TRY(gravel_steal_stats_reset(color->scheduled.tasks.steal));
}

static uint64_t run_tasks(struct color *color)
{
    struct scheduled *scheduled = &color->scheduled;
    const unsigned turn = color->n_rounds % 2;
    cl_uint n_left;
    node_fill(&color->node, color->counts, 0, sizeof n_left);
    NODE_SET(scheduled->color_tasks, 6, ARRAY(scheduled->own_colors[!turn]),
             ARRAY(scheduled->own_colors[turn]));
    tasks_run(&scheduled->tasks, scheduled->color_tasks);
    node_read(&color->node, color->counts, sizeof n_left, &n_left);
    return n_left;
}

static void fetch(struct color *color, uint32_t *colors)
{
    node_read(&color->node, color->scheduled.own_colors[color->n_rounds % 2],
              color_n_own(color) * sizeof *colors, colors);
}

extern const char scheduled_cl[]; /* scheduled.cl */
const struct way color_scheduled = {
    .file = "scheduled.cl",
    .source = scheduled_cl,
    .heap_words = 1,
    .list = list,
    .prepare = prepare,
    .reset = reset,
    .round = run_tasks,
    .fetch = fetch,
};
