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
#include "gravel/gravel.h"

#include <stdio.h>
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
    cl_program program;
    cl_kernel kernel;
    uint64_t table; /* [bytes] heap offset */
    void *mapped;   /* the table for the host, after a run */
    bool is_alone;  /* its kernel sends no messages */
};

/* gravel_launch cuts it into slices, for messages that this kernel does not send. */
static int launch_whole(struct gups_node *self, size_t global_size, size_t local_size)
{
    cl_command_queue queue = gravel_cl_queue(self->gravel);
    cl_int error = clEnqueueNDRangeKernel(queue, self->kernel, 1, NULL, &global_size, &local_size,
                                          0, NULL, NULL);
    return error == CL_SUCCESS && clFinish(queue) == CL_SUCCESS ? 0 : GRAVEL_ECL;
}

/* Make updates 0 to n - 1 of a table, and wait until all nodes' updates are applied. */
static int update(struct gups_node *self, uint64_t table, uint32_t mask, uint64_t n_updates)
{
    const cl_ulong table_argument = table;
    const cl_uint mask_argument = mask;
    size_t global_size = n_updates, local_size = n_updates < GROUP ? n_updates : GROUP;
    if (clSetKernelArg(self->kernel, 1, sizeof table_argument, &table_argument) != CL_SUCCESS ||
        clSetKernelArg(self->kernel, 2, sizeof mask_argument, &mask_argument) != CL_SUCCESS)
        return GRAVEL_ECL;
    int code = self->is_alone ? launch_whole(self, global_size, local_size)
                              : gravel_launch(self->gravel, self->kernel, 1, &global_size,
                                              &local_size, 0, NULL, NULL);
    return code ? code : gravel_barrier(self->gravel);
}

static void print_error(int code)
{
    fprintf(stderr, "gravel: %s: %s\n", gravel_strerror(code), gravel_last_error());
}

static void run_updates(struct gups *gups)
{
    struct gups_node *self = (struct gups_node *)gups;
    int code = update(self, self->table, gups->problem->mask, gups->problem->n_updates);
    if (code) /* the check will find the table wrong */
        print_error(code);
}

static void fetch_table(struct gups *gups)
{
    struct gups_node *self = (struct gups_node *)gups;
    uint64_t bytes = ((uint64_t)gups->problem->mask + 1) * sizeof(uint64_t);
    int code = gravel_map(self->gravel, self->table, bytes, CL_MAP_READ, gups->problem->rank,
                          &self->mapped);
    if (code)
        print_error(code);
    gups->table = self->mapped;
}

static void close_node(struct gups *gups)
{
    struct gups_node *self = (struct gups_node *)gups;
    gravel_unmap(self->gravel, self->mapped);
    if (self->kernel)
        clReleaseKernel(self->kernel);
    if (self->program)
        clReleaseProgram(self->program);
    int code = gravel_close(self->gravel);
    if (code)
        print_error(code);
    free(self);
}

/* A heap with room for the table, unless GRAVEL_HEAP makes it bigger still. */
static int open_node(struct gups_node *self, uint64_t table_bytes)
{
    struct gravel_config config;
    int code = gravel_config_load(&config, sizeof config);
    if (code)
        return code;
    if (config.heap_bytes < table_bytes + (1u << 20))
        config.heap_bytes = table_bytes + (1u << 20);
    return gravel_open(&self->gravel, &config, NULL);
}

static int build_kernel(struct gups_node *self)
{
    int code =
        gravel_program_build(self->gravel, "bench_gups.cl", bench_gups_cl, NULL, &self->program);
    if (code)
        return code;
    cl_int error;
    self->kernel = clCreateKernel(self->program, self->is_alone ? "gups_alone" : "gups", &error);
    return error == CL_SUCCESS ? gravel_kernel_set_arena(self->gravel, self->kernel, 0)
                               : GRAVEL_ECL;
}

/* Run the kernel once on a word of its own, so that it is compiled when the clock starts. */
static int warm_up(struct gups_node *self)
{
    uint64_t n_updates = self->gups.problem->n_updates;
    uint64_t word;
    int code = gravel_alloc(self->gravel, sizeof(uint64_t), &word);
    if (code)
        return code;
    code = update(self, word, 0, n_updates < WARM_UP_UPDATES ? n_updates : WARM_UP_UPDATES);
    int free_code = gravel_free(self->gravel, word);
    return code ? code : free_code;
}

static struct gups *open_table(const struct gups_problem *problem, bool is_alone)
{
    uint64_t bytes = ((uint64_t)problem->mask + 1) * sizeof(uint64_t);
    struct gups_node *self = calloc(1, sizeof *self);
    if (!self) {
        fprintf(stderr, "gravel: out of memory\n");
        return NULL;
    }
    self->gups = (struct gups){
        .problem = problem, .run = run_updates, .fetch = fetch_table, .close = close_node};
    self->is_alone = is_alone;
    int code = open_node(self, bytes);
    code = code ? code : gravel_alloc(self->gravel, bytes, &self->table);
    code = code ? code : build_kernel(self);
    code = code ? code : warm_up(self);
    if (code) {
        print_error(code);
        close_node(&self->gups);
        return NULL;
    }
    return &self->gups;
}

static struct gups *open_messages(const struct gups_problem *problem)
{
    return open_table(problem, false);
}

static struct gups *open_alone(const struct gups_problem *problem)
{
    return open_table(problem, true);
}

const struct gups_variant gups_gravel = {.name = "gravel", .open = open_messages};
const struct gups_variant gups_alone = {.name = "kernel", .is_alone = true, .open = open_alone};
