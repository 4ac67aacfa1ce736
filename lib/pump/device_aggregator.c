/* SPDX-License-Identifier: MIT */
/*
 * Enqueues the binning of runs. See device_aggregator.h.
 *
 * Kernels go to one in-order queue and share one matrix; copies go to the caller's queue, so that
 * one run is binned while the block before it is copied.
 */
#include "pump/device_aggregator.h"

#include "base/error.h"
#include "layout/package.h"
#include "opencl/program.h"
#include "opencl/wait.h"

#include <stdlib.h>
#include <string.h>

#define GROUP 256u         /* [work-items] wanted; kernels may bear fewer */
#define GROUPS_PER_UNIT 4u /* at most */
#define MATRIX_WORDS 8192u /* at most, as long as there are FEW_GROUPS: one group sums them up */
#define FEW_GROUPS 8u
#define TEAM 32u     /* lanes that share a package, if there are packages for all teams */
#define COUNTS 2048u /* [words] of local memory for replicated counts */
#define MOST_REPLICAS 32u
#define ROOMS_BYTES (64u << 20) /* of all queues */
#define ROOM_MOST_BYTES (8u << 20)
#define ROOM_LEAST_BYTES (64u << 10)

extern const char gravel_aggregate_cl[];

struct gravel_device_aggregator {
    const struct gravel_memory *memory;
    cl_command_queue queue;
    cl_program program;
    cl_kernel count_messages, find_places, group_by_node;
    cl_mem matrix;
    cl_mem rooms;          /* [n_queues][GRAVEL_BLOCK_ROOMS] on the device */
    cl_mem pinned;         /* the same on the host */
    unsigned char *mapped; /* where it is */
    uint32_t n_nodes;
    uint32_t counts_bytes; /* what a block begins with */
    uint32_t room_bytes;   /* a whole block */
    uint32_t group;        /* work-items, a power of two */
    uint32_t most_groups;
    uint32_t n_replicas;
};

/* A kernel's argument; local memory has no value. */
struct argument {
    size_t bytes;
    const void *value;
};
#define ARGUMENT(variable)            \
    {                                 \
        sizeof(variable), &(variable) \
    }
#define LOCAL(n_words)                     \
    {                                      \
        (n_words) * sizeof(uint32_t), NULL \
    }
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static cl_int set_arguments(cl_kernel kernel, cl_uint first, const struct argument *arguments,
                            size_t n)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; error == CL_SUCCESS && i < n; i++)
        error = clSetKernelArg(kernel, first + i, arguments[i].bytes, arguments[i].value);
    return error;
}

/* ---- create and destroy ---------------------------------------------------------------------- */

static uint32_t floor_power_of_two(uint32_t value)
{
    uint32_t power = 1;
    while (power <= value / 2)
        power *= 2;
    return power;
}

static uint32_t clamp(uint64_t value, uint32_t least, uint32_t most)
{
    return value < least ? least : value > most ? most : (uint32_t)value;
}

/* Sizes that follow from the arena's. */
static void lay_out(struct gravel_device_aggregator *aggregator)
{
    const struct gravelp_arena *arena = aggregator->memory->arena;
    uint32_t n_bins = arena->n_nodes + 1;
    uint64_t queue_bytes = (uint64_t)arena->n_slots * arena->slot_bytes;
    uint64_t share = ROOMS_BYTES / GRAVEL_BLOCK_ROOMS / arena->n_queues;
    uint32_t body = clamp(share, ROOM_LEAST_BYTES, ROOM_MOST_BYTES);
    body = queue_bytes < body ? (uint32_t)queue_bytes : body;
    aggregator->n_nodes = arena->n_nodes;
    aggregator->counts_bytes =
        (n_bins * 4u + GRAVELP_CACHELINE - 1) & ~(uint32_t)(GRAVELP_CACHELINE - 1);
    aggregator->room_bytes = aggregator->counts_bytes + body; /* both multiples of a line */
    aggregator->most_groups =
        clamp(MATRIX_WORDS / n_bins, FEW_GROUPS,
              GROUPS_PER_UNIT * aggregator->memory->device->units + FEW_GROUPS);
    aggregator->n_replicas = floor_power_of_two(clamp(COUNTS / n_bins, 1, MOST_REPLICAS));
    aggregator->group = GROUP;
}

static int make_buffer(const struct gravel_device_aggregator *aggregator, cl_mem_flags flags,
                       uint64_t bytes, cl_mem *buffer)
{
    cl_int error;
    *buffer = clCreateBuffer(aggregator->memory->device->context, flags, bytes, NULL, &error);
    if (error == CL_SUCCESS)
        return 0;
    *buffer = NULL;
    return gravel_fail(GRAVEL_ENOMEM, "%llu bytes for binning on the device: %s",
                       (unsigned long long)bytes, gravel_cl_error(error));
}

static uint64_t rooms_bytes(const struct gravel_device_aggregator *aggregator)
{
    return (uint64_t)aggregator->memory->arena->n_queues * GRAVEL_BLOCK_ROOMS *
           aggregator->room_bytes;
}

static int make_memory(struct gravel_device_aggregator *aggregator)
{
    uint64_t matrix_words = (aggregator->n_nodes + 1ull) * aggregator->most_groups + 1;
    uint64_t bytes = rooms_bytes(aggregator);
    cl_int error = CL_SUCCESS;
    int code = make_buffer(aggregator, CL_MEM_READ_WRITE, matrix_words * 4, &aggregator->matrix);
    if (!code)
        code = make_buffer(aggregator, CL_MEM_READ_WRITE, bytes, &aggregator->rooms);
    if (!code)
        code = make_buffer(aggregator, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes,
                           &aggregator->pinned);
    if (code)
        return code;
    aggregator->mapped =
        clEnqueueMapBuffer(aggregator->queue, aggregator->pinned, CL_TRUE,
                           CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &error);
    return gravel_check_cl("mapping blocks of the device's aggregator", error);
}

static int make_kernel(struct gravel_device_aggregator *aggregator, const char *name,
                       cl_kernel *kernel)
{
    cl_int error;
    size_t group = 0;
    *kernel = clCreateKernel(aggregator->program, name, &error);
    if (error != CL_SUCCESS) {
        *kernel = NULL;
        return gravel_fail_cl("device aggregator: clCreateKernel", error);
    }
    error = clGetKernelWorkGroupInfo(*kernel, aggregator->memory->device->id,
                                     CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    if (error == CL_SUCCESS && group && group < aggregator->group)
        aggregator->group = floor_power_of_two((uint32_t)group);
    return gravel_check_cl("device aggregator: clGetKernelWorkGroupInfo", error);
}

static int build(struct gravel_device_aggregator *aggregator)
{
    const struct gravel_device *device = aggregator->memory->device;
    const struct gravel_program_request request = {.name = "aggregate.cl",
                                                   .source = gravel_aggregate_cl};
    cl_int error;
    aggregator->queue =
        clCreateCommandQueueWithProperties(device->context, device->id, NULL, &error);
    if (error != CL_SUCCESS) {
        aggregator->queue = NULL;
        return gravel_fail_cl("a command queue for the device's aggregator", error);
    }
    int code = gravel_device_build(device, &request, &aggregator->program);
    if (!code)
        code = make_kernel(aggregator, "count_messages", &aggregator->count_messages);
    if (!code)
        code = make_kernel(aggregator, "find_places", &aggregator->find_places);
    return code ? code : make_kernel(aggregator, "group_by_node", &aggregator->group_by_node);
}

/* What a driver puts off to a kernel's or a buffer's first use must be done before a kernel of the
 * user's waits. */
static int warm_up(struct gravel_device_aggregator *aggregator)
{
    const struct gravel_package_run nothing = {.command = GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT)};
    const cl_uint zero = 0;
    cl_event copied;
    cl_int error = clEnqueueFillBuffer(aggregator->queue, aggregator->rooms, &zero, sizeof zero, 0,
                                       rooms_bytes(aggregator), 0, NULL, NULL);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("device aggregator: clEnqueueFillBuffer", error);
    int code = gravel_device_aggregator_bin(aggregator, &nothing, 0, &copied);
    if (code)
        return code;
    clReleaseEvent(copied);
    return gravel_patience_finish(aggregator->memory->device, aggregator->queue,
                                  "device aggregator: first use");
}

int gravel_device_aggregator_create(struct gravel_device_aggregator **out,
                                    const struct gravel_memory *memory)
{
    struct gravel_device_aggregator *aggregator = calloc(1, sizeof *aggregator);
    *out = NULL;
    if (!aggregator)
        return gravel_fail(GRAVEL_ENOMEM, "device aggregator");
    aggregator->memory = memory;
    lay_out(aggregator);
    int code = build(aggregator);
    if (!code)
        code = make_memory(aggregator);
    if (!code)
        code = warm_up(aggregator);
    if (code) {
        gravel_device_aggregator_destroy(aggregator);
        return code;
    }
    *out = aggregator;
    return 0;
}

void gravel_device_aggregator_destroy(struct gravel_device_aggregator *aggregator)
{
    if (!aggregator)
        return;
    cl_kernel kernels[] = {aggregator->count_messages, aggregator->find_places,
                           aggregator->group_by_node};
    cl_mem buffers[] = {aggregator->matrix, aggregator->rooms, aggregator->pinned};
    if (aggregator->mapped)
        clEnqueueUnmapMemObject(aggregator->queue, aggregator->pinned, aggregator->mapped, 0, NULL,
                                NULL);
    if (aggregator->queue &&
        gravel_patience_gave_up(gravel_patience_finish(
            aggregator->memory->device, aggregator->queue, "the device's aggregator")))
        return; /* the device still uses all of it */
    for (size_t i = 0; i < LENGTH(kernels); i++)
        if (kernels[i])
            clReleaseKernel(kernels[i]);
    for (size_t i = 0; i < LENGTH(buffers); i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    if (aggregator->program)
        clReleaseProgram(aggregator->program);
    if (aggregator->queue)
        clReleaseCommandQueue(aggregator->queue);
    free(aggregator);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

uint32_t gravel_device_aggregator_fits(const struct gravel_device_aggregator *aggregator,
                                       uint32_t command)
{
    uint32_t bytes = aggregator->room_bytes - aggregator->counts_bytes;
    return (bytes - 8u) / GRAVELP_MESSAGE_BYTES(command); /* 8: values are aligned */
}

/* Where a block is among all rooms, and its parts in it [bytes]. */
struct place {
    uint64_t block;
    uint32_t indices, values, end;
};

static struct place find_place(const struct gravel_device_aggregator *aggregator,
                               const struct gravel_package_run *run, uint32_t room)
{
    uint64_t number = (uint64_t)run->queue * GRAVEL_BLOCK_ROOMS + room;
    uint32_t indices = aggregator->counts_bytes, n = run->n_messages;
    uint32_t values = indices + ((n * GRAVELP_INDEX_BYTES(run->command) + 7u) & ~7u);
    uint32_t values_bytes = n * GRAVELP_N_VALUES(run->command) * GRAVELP_VALUE_BYTES(run->command);
    return (struct place){number * aggregator->room_bytes, indices, values, values + values_bytes};
}

/* How a run is shared out. */
struct share {
    uint32_t packages_each, team, n_groups;
};

static struct share find_share(const struct gravel_device_aggregator *aggregator,
                               const struct gravel_package_run *run)
{
    uint32_t most = aggregator->most_groups, n = run->n_packages;
    struct share share = {.packages_each = n > most ? (n + most - 1) / most : 1};
    bool has_many = share.packages_each >= aggregator->group / TEAM && aggregator->group > TEAM;
    share.team = has_many ? TEAM : aggregator->group;
    share.n_groups = n ? (n + share.packages_each - 1) / share.packages_each : 1;
    return share;
}

/* The arguments that count_messages and group_by_node begin with. */
static cl_int set_run(const struct gravel_device_aggregator *aggregator, cl_kernel kernel,
                      const struct gravel_package_run *run, const struct share *share)
{
    const struct gravelp_arena *arena = aggregator->memory->arena;
    uint32_t slot = run->ticket & (arena->n_slots - 1);
    uint64_t slots_at =
        arena->slots_offset + ((uint64_t)run->queue * arena->n_slots + slot) * arena->slot_bytes;
    const struct argument arguments[] = {
        ARGUMENT(aggregator->memory->buffer),
        ARGUMENT(slots_at),
        ARGUMENT(arena->slot_bytes),
        ARGUMENT(run->ticket),
        ARGUMENT(run->n_packages),
        ARGUMENT(share->packages_each),
        ARGUMENT(share->team),
        ARGUMENT(run->command),
        ARGUMENT(run->base),
        ARGUMENT(aggregator->n_nodes),
        ARGUMENT(aggregator->matrix),
    };
    return set_arguments(kernel, 0, arguments, LENGTH(arguments));
}
#define AFTER_RUN 11u

static cl_int set_all(const struct gravel_device_aggregator *aggregator,
                      const struct gravel_package_run *run, const struct place *place,
                      const struct share *share)
{
    uint32_t n_bins = aggregator->n_nodes + 1;
    uint64_t indices_at = place->block + place->indices, values_at = place->block + place->values;
    const struct argument count[] = {ARGUMENT(aggregator->n_replicas),
                                     LOCAL((size_t)n_bins * aggregator->n_replicas),
                                     LOCAL((size_t)share->packages_each)};
    const struct argument find[] = {
        ARGUMENT(aggregator->matrix), ARGUMENT(share->n_groups), ARGUMENT(aggregator->n_nodes),
        ARGUMENT(aggregator->rooms),  ARGUMENT(place->block),    LOCAL((size_t)aggregator->group)};
    const struct argument group[] = {ARGUMENT(aggregator->rooms),
                                     ARGUMENT(run->n_messages),
                                     ARGUMENT(indices_at),
                                     ARGUMENT(values_at),
                                     LOCAL((size_t)n_bins),
                                     LOCAL((size_t)share->packages_each),
                                     LOCAL((size_t)share->packages_each)};
    cl_int error = set_run(aggregator, aggregator->count_messages, run, share);
    if (error == CL_SUCCESS)
        error = set_run(aggregator, aggregator->group_by_node, run, share);
    if (error == CL_SUCCESS)
        error = set_arguments(aggregator->count_messages, AFTER_RUN, count, LENGTH(count));
    if (error == CL_SUCCESS)
        error = set_arguments(aggregator->find_places, 0, find, LENGTH(find));
    return error == CL_SUCCESS
               ? set_arguments(aggregator->group_by_node, AFTER_RUN, group, LENGTH(group))
               : error;
}

static cl_int enqueue(const struct gravel_device_aggregator *aggregator, cl_kernel kernel,
                      uint32_t n_groups)
{
    size_t local_size = aggregator->group, global_size = n_groups * local_size;
    return clEnqueueNDRangeKernel(aggregator->queue, kernel, 1, NULL, &global_size, &local_size, 0,
                                  NULL, NULL);
}

int gravel_device_aggregator_bin(struct gravel_device_aggregator *aggregator,
                                 const struct gravel_package_run *run, uint32_t room,
                                 cl_event *copied)
{
    struct place place = find_place(aggregator, run, room);
    struct share share = find_share(aggregator, run);
    cl_int error = set_all(aggregator, run, &place, &share);
    if (error == CL_SUCCESS)
        error = enqueue(aggregator, aggregator->count_messages, share.n_groups);
    if (error == CL_SUCCESS)
        error = enqueue(aggregator, aggregator->find_places, 1);
    if (error == CL_SUCCESS)
        error = enqueue(aggregator, aggregator->group_by_node, share.n_groups);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("binning packages on the device", error);
    /* On the same queue: a wait for another queue may not get past a kernel that waits (NVIDIA's does not). */
    error = clEnqueueReadBuffer(aggregator->queue, aggregator->rooms, CL_FALSE, place.block,
                                place.end, aggregator->mapped + place.block, 0, NULL, copied);
    clFlush(aggregator->queue);
    return gravel_check_cl("copying a block from the device", error);
}

bool gravel_device_aggregator_take(const struct gravel_device_aggregator *aggregator,
                                   const struct gravel_package_run *run, uint32_t room,
                                   struct gravel_block *block)
{
    struct place place = find_place(aggregator, run, room);
    unsigned char *start = aggregator->mapped + place.block;
    uint64_t sum = 0;
    *block = (struct gravel_block){.run = *run,
                                   .counts = (const uint32_t *)(void *)start,
                                   .index = start + place.indices,
                                   .values = start + place.values};
    for (uint32_t node = 0; node < aggregator->n_nodes; node++)
        sum += block->counts[node];
    return sum == run->n_messages && block->counts[aggregator->n_nodes] == 0;
}
