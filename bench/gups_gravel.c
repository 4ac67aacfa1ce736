/* SPDX-License-Identifier: MIT */
/*
 * Gravel: the updates are made by a kernel, one a work-item. Settings come from GRAVEL_* variables. And what the device's
 * memory takes: the updates straight from a kernel, on one rank.
 *
 * Path:    bench_gups.c -> gups_gravel.c -> bench_gups.cl -> the library.
 * Memory:  the table lies in the symmetric heap; the node lives as long as the variant is open.
 * Threads: the main thread, and the library's own.
 */
#include "gups.h"
#include "bench_gravel.h"

#include <stdlib.h>

/* Text of gups_stream.h and bench_gups.cl; made by the build. */
extern const char bench_gups_cl[];

#define GROUP 256u
/* Enough for the kernel that the rest needs to be ready: PoCL compiles another for grids below
 * 2^16. */
#define WARM_UP_UPDATES (UINT64_C(1) << 17)

struct gups_node {
    struct gups gups;
    struct gravel *gravel;
    cl_kernel kernel;
    uint64_t table; /* [bytes] heap offset */
    bool is_alone;  /* its kernel sends no messages */
};

/* Make updates 0 to n - 1 of a table, and wait until all nodes' updates are applied. */
static void update(struct gups_node *self, uint64_t table, uint32_t mask, uint64_t n_updates)
{
    size_t global_size = n_updates, local_size = n_updates < GROUP ? n_updates : GROUP;
    bench_set_ulongs(self->kernel, 1, &table, 1);
    bench_set_uints(self->kernel, 2, &mask, 1);
    if (self->is_alone) { /* gravel_launch cuts into slices, for messages that this kernel does not send */
        const cl_command_queue queue = gravel_cl_queue(self->gravel);
        clReleaseEvent(bench_enqueue(queue, self->kernel, global_size, local_size));
        must_cl(clFinish(queue), "clFinish");
        must(gravel_barrier(self->gravel), "gravel_barrier");
    } else {
        bench_launch(self->gravel, self->kernel, global_size, local_size);
    }
}

static void run_updates(struct gups *gups)
{
    struct gups_node *self = (struct gups_node *)gups;
    update(self, self->table, gups->problem->mask, gups->problem->n_updates);
}

static void fetch_table(struct gups *gups)
{
    struct gups_node *self = (struct gups_node *)gups;
    uint64_t bytes = ((uint64_t)gups->problem->mask + 1) * sizeof(uint64_t);
    gups->table = bench_map(self->gravel, self->table, bytes, CL_MAP_READ, gups->problem->rank);
}

static void close_node(struct gups *gups)
{
    struct gups_node *self = (struct gups_node *)gups;
    bench_unmap(self->gravel, gups->table);
    clReleaseKernel(self->kernel);
    must(gravel_close(self->gravel), "gravel_close");
    free(self);
}

/* Its heap has room for the table, unless GRAVEL_HEAP makes it bigger still. */
static struct gups *open_node(const struct gups_problem *problem, bool is_alone)
{
    uint64_t bytes = ((uint64_t)problem->mask + 1) * sizeof(uint64_t);
    uint64_t n_warm_up =
        problem->n_updates < WARM_UP_UPDATES ? problem->n_updates : WARM_UP_UPDATES;
    struct gups_node *self = calloc(1, sizeof *self);
    struct gravel_config config;
    must(self ? 0 : GRAVEL_ENOMEM, "a node");
    self->gups = (struct gups){
        .problem = problem, .run = run_updates, .fetch = fetch_table, .close = close_node};
    self->is_alone = is_alone;
    must(gravel_config_load(&config, sizeof config), "gravel_config_load");
    if (config.heap_bytes < bytes + (1u << 20))
        config.heap_bytes = bytes + (1u << 20);
    must(gravel_open(&self->gravel, &config, NULL), "gravel_open");
    self->table = bench_alloc(self->gravel, bytes);
    self->kernel =
        bench_one_kernel(self->gravel, bench_gups_cl, NULL, is_alone ? "gups_alone" : "gups");
    const uint64_t word = bench_alloc(self->gravel, sizeof word);
    update(self, word, 0, n_warm_up); /* the kernel is compiled when the clock starts */
    must(gravel_free(self->gravel, word), "gravel_free");
    return &self->gups;
}

const struct gups_variant gups_gravel = {.open = open_node};
const struct gups_variant gups_alone = {.is_alone = true, .open = open_node};
