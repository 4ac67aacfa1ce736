/* SPDX-License-Identifier: MIT */
/*
 * Sort with plain kernels, launched by the host.
 *
 * Path: sort.c -> this -> plain.cl
 */
#include "parts.h"

extern const char plain_cl[];

static void set_up(void *self)
{
    struct app_sort *app = self;
    const struct sort_size size = sort_size_of(app);
    char options[SORT_OPTIONS_BYTES];
    sort_write_options(&size, options);
    node_build(&app->node, "plain.cl", plain_cl, options);
    app->sort_blocks = node_kernel_without_arena(&app->node, "sort_blocks");
    app->merge_runs = node_kernel_without_arena(&app->node, "merge_runs");
    NODE_SET(app->sort_blocks, 0, cl_mem, app->input);
    NODE_SET(app->sort_blocks, 2, cl_uint, app->n);
    NODE_SET(app->merge_runs, 2, cl_uint, app->n);
}

static void enqueue_groups(struct app_sort *app, cl_kernel kernel, uint64_t n_groups)
{
    size_t group = app->node.group_items;
    node_enqueue(&app->node, kernel, n_groups * group, group);
}

static void merge_all(struct app_sort *app, cl_mem from, cl_mem to, uint32_t run)
{
    const struct sort_size size = sort_size_of(app);
    uint64_t both = 2 * (uint64_t)run, block = sort_block_keys(&size);
    uint64_t n_pairs = (app->n + both - 1) / both, n_blocks = (both + block - 1) / block;
    NODE_SET_ARRAYS(app->merge_runs, 0, from, to);
    NODE_SET(app->merge_runs, 3, cl_uint, run);
    enqueue_groups(app, app->merge_runs, n_pairs * n_blocks);
}

/* The last pass ends in the array of keys. */
static void run(void *self)
{
    struct app_sort *app = self;
    uint32_t n_passes = 0;
    while ((uint64_t)app->base << n_passes < app->n)
        n_passes++;
    cl_mem arrays[2] = {app->keys, app->spare};
    NODE_SET(app->sort_blocks, 1, cl_mem, arrays[n_passes % 2]);
    enqueue_groups(app, app->sort_blocks, (app->n + app->base - 1) / app->base);
    for (uint32_t pass = 0; pass < n_passes; pass++)
        merge_all(app, arrays[(n_passes - pass) % 2], arrays[(n_passes - pass + 1) % 2],
                  app->base << pass);
    node_finish(&app->node);
}

const struct flow_form sort_plain = {.name = "plain", .open = set_up, .run = run};
