/* SPDX-License-Identifier: MIT */
/*
 * Enqueues the binning of runs. See device_aggregator.h.
 *
 * Kernels and the copies of their counts go to one in-order queue; copies of messages go to the caller's, so that
 * one run is binned while the block before it is copied. No command queue waits for another: the host has seen the
 * counts before it enqueues the copies.
 */
#include "pump/device_aggregator.h"

#include "base/error.h"
#include "layout/package.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "opencl/wait.h"

#include <stdlib.h>
#include <string.h>

#define GROUP 256u         /* [work-items] wanted; kernels may bear fewer */
#define GROUPS_PER_UNIT 4u /* that count, at most */
#define FEW_GROUPS 8u
#define TEAM 32u     /* lanes that share a package, if there are packages for all teams */
#define COUNTS 2048u /* [words] of local memory for replicated counts */
#define MOST_REPLICAS 32u
#define MOST_EACH \
    16u /* messages of a tile that a lane takes; 8 if some row has elements of 8 bytes */
#define SORT_NODES \
    256u /* at most: a tile has few messages for each of more, and 32 kB are not enough */

extern const char gravel_aggregate_cl[];

enum { COUNT_MESSAGES, GROUP_BY_NODE, N_KERNELS };

struct gravel_device_aggregator {
    const struct gravel_memory *memory;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernels[N_KERNELS];
    cl_mem state;                /* see aggregate.cl */
    cl_mem rooms;                /* [n_queues][GRAVEL_BLOCK_ROOMS] on the device */
    struct gravel_pinned counts; /* [n_queues][GRAVEL_BLOCK_ROOMS] on the host */
    uint32_t n_nodes;
    uint32_t counts_bytes; /* what a block begins with */
    uint32_t body_bytes;   /* of messages */
    uint32_t room_bytes;   /* a whole block, and gaps between its parts */
    uint32_t group;        /* work-items, a power of two */
    uint32_t most_groups;  /* that count */
    uint32_t n_replicas;
    uint32_t turn; /* of the next run, see aggregate.cl */
};

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

static uint32_t round_to_line(uint32_t bytes)
{
    return (bytes + GRAVELP_CACHELINE - 1) & ~(uint32_t)(GRAVELP_CACHELINE - 1);
}

/* Sizes that follow from the arena's. */
static void lay_out(struct gravel_device_aggregator *aggregator)
{
    const struct gravelp_arena *arena = aggregator->memory->arena;
    uint32_t n_bins = arena->n_nodes + 1;
    uint32_t body =
        gravel_block_bytes(arena->n_queues, (uint64_t)arena->n_slots * arena->slot_bytes);
    uint32_t gaps = round_to_line(arena->n_nodes * GRAVEL_BLOCK_MESSAGE_MOST_BYTES);
    aggregator->n_nodes = arena->n_nodes;
    aggregator->counts_bytes = round_to_line(n_bins * 4u);
    aggregator->body_bytes = body;
    aggregator->room_bytes = aggregator->counts_bytes + body + gaps; /* all multiples of a line */
    aggregator->most_groups = GROUPS_PER_UNIT * aggregator->memory->device->units + FEW_GROUPS;
    aggregator->n_replicas = floor_power_of_two(clamp(COUNTS / n_bins, 1, MOST_REPLICAS));
}

static uint64_t n_rooms(const struct gravel_device_aggregator *aggregator)
{
    return (uint64_t)aggregator->memory->arena->n_queues * GRAVEL_BLOCK_ROOMS;
}

static uint64_t rooms_bytes(const struct gravel_device_aggregator *aggregator)
{
    return n_rooms(aggregator) * aggregator->room_bytes;
}

static uint64_t state_bytes(const struct gravel_device_aggregator *aggregator)
{
    return 3 * sizeof(uint32_t) * (aggregator->n_nodes + UINT64_C(1));
}

static int make_memory(struct gravel_device_aggregator *aggregator)
{
    static const char user[] = "binning on the device";
    const struct gravel_device *device = aggregator->memory->device;
    uint64_t bytes = rooms_bytes(aggregator);
    int code = gravel_cl_buffer_create(device, user, state_bytes(aggregator), &aggregator->state);
    if (!code)
        code = gravel_cl_buffer_create(device, user, bytes, &aggregator->rooms);
    return code ? code
                : gravel_pinned_create(&aggregator->counts, device, aggregator->queue,
                                       "pinned memory for binning on the device", NULL,
                                       n_rooms(aggregator) * aggregator->counts_bytes);
}

static int make_kernels(struct gravel_device_aggregator *aggregator)
{
    static const char *const names[] = {"count_messages", "group_by_node"};
    size_t group = GROUP;
    int code = gravel_cl_kernels_create(aggregator->memory->device, aggregator->program, names,
                                        N_KERNELS, &group, aggregator->kernels);
    aggregator->group = floor_power_of_two((uint32_t)group);
    return code;
}

static int build(struct gravel_device_aggregator *aggregator)
{
    const struct gravel_device *device = aggregator->memory->device;
    const struct gravel_program_request request = {.name = "aggregate.cl",
                                                   .source = gravel_aggregate_cl};
    int code = gravel_cl_queue_create(device, "binning on the device", &aggregator->queue);
    if (!code)
        code = gravel_device_build(device, &request, &aggregator->program);
    return code ? code : make_kernels(aggregator);
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
    if (error == CL_SUCCESS)
        error = clEnqueueFillBuffer(aggregator->queue, aggregator->state, &zero, sizeof zero, 0,
                                    state_bytes(aggregator), 0, NULL, NULL);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("device aggregator: clEnqueueFillBuffer", error);
    int code = gravel_device_aggregator_bin(aggregator, &nothing, 0, &copied);
    if (code)
        return code;
    clReleaseEvent(copied);
    return gravel_wait_queue(aggregator->memory->device, aggregator->queue,
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
    if (!gravel_wait_is_done(aggregator->memory->device, aggregator->queue,
                             "the device's aggregator"))
        return; /* the device still uses all of it */
    gravel_pinned_destroy(&aggregator->counts);
    gravel_cl_kernels_release(aggregator->kernels, N_KERNELS);
    gravel_cl_buffer_release(aggregator->state);
    gravel_cl_buffer_release(aggregator->rooms);
    gravel_cl_program_release(aggregator->program);
    gravel_cl_queue_release(aggregator->queue);
    free(aggregator);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

uint32_t gravel_device_aggregator_fits(const struct gravel_device_aggregator *aggregator,
                                       uint32_t command)
{
    return (aggregator->body_bytes - 8u) /
           GRAVELP_MESSAGE_BYTES(command); /* 8: values are aligned */
}

/* Where a block is among all rooms, and its rows in it [bytes]. */
struct place {
    uint64_t number, block;
    uint64_t indices, values;
};

static struct place find_place(const struct gravel_device_aggregator *aggregator,
                               const struct gravel_package_run *run, uint32_t room)
{
    uint64_t number = (uint64_t)run->queue * GRAVEL_BLOCK_ROOMS + room;
    uint64_t block = number * aggregator->room_bytes, n = run->n_messages + aggregator->n_nodes;
    uint64_t indices = block + aggregator->counts_bytes;
    uint64_t values = indices + ((n * GRAVELP_INDEX_BYTES(run->command) + 7u) & ~UINT64_C(7));
    return (struct place){number, block, indices, values};
}

/* How a run is shared out. */
struct share {
    uint32_t packages_each, n_groups; /* to count */
    uint32_t team;
    uint32_t tile_packages, n_tiles; /* a tile is a group's */
    uint32_t columns, each, n_rounds;
};

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Bytes of an element of the widest row. */
static uint32_t row_bytes(uint32_t command)
{
    uint32_t value = GRAVELP_N_VALUES(command) ? GRAVELP_VALUE_BYTES(command) : 0;
    return value == 8 ? 8 : GRAVELP_INDEX_BYTES(command);
}

static struct share find_share(const struct gravel_device_aggregator *aggregator,
                               const struct gravel_package_run *run)
{
    uint32_t most = aggregator->most_groups, n = run->n_packages ? run->n_packages : 1;
    struct share share = {.packages_each = divide_up(n, most)};
    bool has_many = share.packages_each >= aggregator->group / TEAM && aggregator->group > TEAM;
    share.team = has_many ? TEAM : aggregator->group;
    share.n_groups = divide_up(n, share.packages_each);
    share.each = row_bytes(run->command) == 8 ? MOST_EACH / 2 : MOST_EACH;
    uint32_t tile = share.each * aggregator->group;
    uint32_t fit = GRAVELP_SLOT_COLUMNS(aggregator->memory->arena->slot_bytes, run->command);
    uint32_t columns = run->most_messages && run->most_messages < fit
                           ? GRAVELP_PACKAGE_STRIDE(run->most_messages)
                           : fit;
    share.columns = columns < tile ? columns : tile;
    share.n_rounds = divide_up(columns, share.columns);
    share.tile_packages = tile / share.columns;
    share.n_tiles = divide_up(n, share.tile_packages);
    return share;
}

/* The arguments that both kernels begin with. */
static cl_int set_run(const struct gravel_device_aggregator *aggregator, cl_kernel kernel,
                      const struct gravel_package_run *run, uint32_t packages_each)
{
    const struct gravelp_arena *arena = aggregator->memory->arena;
    uint32_t slot = run->ticket & (arena->n_slots - 1);
    uint64_t slots_at =
        arena->slots_offset + ((uint64_t)run->queue * arena->n_slots + slot) * arena->slot_bytes;
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(aggregator->memory->buffer),
        GRAVEL_ARGUMENT(slots_at),
        GRAVEL_ARGUMENT(arena->slot_bytes),
        GRAVEL_ARGUMENT(run->ticket),
        GRAVEL_ARGUMENT(run->n_packages),
        GRAVEL_ARGUMENT(packages_each),
        GRAVEL_ARGUMENT(run->most_messages),
        GRAVEL_ARGUMENT(run->command),
        GRAVEL_ARGUMENT(run->base),
        GRAVEL_ARGUMENT(aggregator->n_nodes),
        GRAVEL_ARGUMENT(aggregator->state),
        GRAVEL_ARGUMENT(aggregator->turn),
    };
    return GRAVEL_CL_KERNEL_SET(aggregator->memory->device, kernel, 0, arguments);
}
#define AFTER_RUN 12u

static cl_int enqueue_count(const struct gravel_device_aggregator *aggregator,
                            const struct gravel_package_run *run, const struct share *share)
{
    cl_kernel kernel = aggregator->kernels[COUNT_MESSAGES];
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(share->team), GRAVEL_ARGUMENT(aggregator->n_replicas),
        GRAVEL_ARGUMENT_LOCAL((size_t)(aggregator->n_nodes + 1) * aggregator->n_replicas),
        GRAVEL_ARGUMENT_LOCAL((size_t)share->packages_each)};
    cl_int error = set_run(aggregator, kernel, run, share->packages_each);
    if (error == CL_SUCCESS)
        error = GRAVEL_CL_KERNEL_SET(aggregator->memory->device, kernel, AFTER_RUN, arguments);
    if (error == CL_SUCCESS)
        error = gravel_cl_kernel_enqueue(aggregator->queue, kernel,
                                         (size_t)share->n_groups * aggregator->group,
                                         aggregator->group, NULL);
    return error;
}

static cl_int enqueue_group(const struct gravel_device_aggregator *aggregator,
                            const struct gravel_package_run *run, const struct place *place,
                            const struct share *share)
{
    cl_kernel kernel = aggregator->kernels[GROUP_BY_NODE];
    uint32_t n_nodes = aggregator->n_nodes;
    uint32_t is_sorted = n_nodes > 1 && n_nodes <= SORT_NODES;
    size_t tile = (size_t)share->each * aggregator->group; /* messages, and as many words or more */
    size_t n_starts = n_nodes > share->tile_packages ? n_nodes : share->tile_packages;
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(share->columns),
        GRAVEL_ARGUMENT(share->each),
        GRAVEL_ARGUMENT(share->n_rounds),
        GRAVEL_ARGUMENT(is_sorted),
        GRAVEL_ARGUMENT(aggregator->rooms),
        GRAVEL_ARGUMENT(place->block),
        GRAVEL_ARGUMENT(run->n_messages),
        GRAVEL_ARGUMENT(place->indices),
        GRAVEL_ARGUMENT(place->values),
        GRAVEL_ARGUMENT_LOCAL((size_t)n_nodes + 1),
        GRAVEL_ARGUMENT_LOCAL(is_sorted || n_nodes == 1 ? n_starts : 1),
        GRAVEL_ARGUMENT_LOCAL(2 * (size_t)aggregator->group),
        GRAVEL_ARGUMENT_LOCAL(2 * (size_t)share->tile_packages),
        GRAVEL_ARGUMENT_LOCAL(is_sorted ? (tile + 1) / 2 : 1),
        GRAVEL_ARGUMENT_LOCAL(is_sorted ? tile * row_bytes(run->command) / 4 : 2)};
    cl_int error = set_run(aggregator, kernel, run, share->tile_packages);
    if (error == CL_SUCCESS)
        error = GRAVEL_CL_KERNEL_SET(aggregator->memory->device, kernel, AFTER_RUN, arguments);
    if (error == CL_SUCCESS)
        error = gravel_cl_kernel_enqueue(aggregator->queue, kernel,
                                         (size_t)share->n_tiles * aggregator->group,
                                         aggregator->group, NULL);
    return error;
}

/* The counts of a room on the host. */
static uint32_t *counts_of(const struct gravel_device_aggregator *aggregator,
                           const struct place *place)
{
    void *at = aggregator->counts.begin + place->number * aggregator->counts_bytes;
    return at;
}

int gravel_device_aggregator_bin(struct gravel_device_aggregator *aggregator,
                                 const struct gravel_package_run *run, uint32_t room,
                                 cl_event *counted)
{
    struct place place = find_place(aggregator, run, room);
    struct share share = find_share(aggregator, run);
    cl_int error = enqueue_count(aggregator, run, &share);
    if (error == CL_SUCCESS)
        error = enqueue_group(aggregator, run, &place, &share);
    if (error != CL_SUCCESS)
        return gravel_fail_cl("binning packages on the device", error);
    aggregator->turn = 1 - aggregator->turn;
    /* On the same queue: a wait for another queue may not get past a kernel that waits (NVIDIA's does not). */
    error = clEnqueueReadBuffer(aggregator->queue, aggregator->rooms, CL_FALSE, place.block,
                                sizeof(uint32_t) * (aggregator->n_nodes + (size_t)1),
                                counts_of(aggregator, &place), 0, NULL, counted);
    clFlush(aggregator->queue);
    return gravel_check_cl("copying a block's counts from the device", error);
}

const uint32_t *gravel_device_aggregator_counts(const struct gravel_device_aggregator *aggregator,
                                                const struct gravel_package_run *run, uint32_t room)
{
    struct place place = find_place(aggregator, run, room);
    return counts_of(aggregator, &place);
}

bool gravel_device_aggregator_is_right(const struct gravel_device_aggregator *aggregator,
                                       const struct gravel_package_run *run, uint32_t room)
{
    const uint32_t *counts = gravel_device_aggregator_counts(aggregator, run, room);
    uint64_t sum = 0;
    for (uint32_t node = 0; node < aggregator->n_nodes; node++)
        sum += counts[node];
    return sum == run->n_messages && counts[aggregator->n_nodes] == 0;
}

struct gravel_rows gravel_device_aggregator_rows(const struct gravel_device_aggregator *aggregator,
                                                 const struct gravel_package_run *run,
                                                 uint32_t room, uint32_t first)
{
    struct place place = find_place(aggregator, run, room);
    return (struct gravel_rows){
        .memory = aggregator->rooms,
        .indices = place.indices + (uint64_t)first * GRAVELP_INDEX_BYTES(run->command),
        .values = place.values + (uint64_t)first * GRAVELP_VALUE_BYTES(run->command),
    };
}

/* Copy n elements of a row. @param copied  [out] the copy's event, in place of what was there. */
static cl_int copy_row(const struct gravel_device_aggregator *aggregator, cl_command_queue queue,
                       uint64_t row, uint32_t first, uint32_t n, uint32_t element_bytes, void *to,
                       cl_event *copied)
{
    cl_event event = NULL;
    cl_int error = clEnqueueReadBuffer(queue, aggregator->rooms, CL_FALSE,
                                       row + (uint64_t)first * element_bytes,
                                       (size_t)n * element_bytes, to, 0, NULL, &event);
    if (error != CL_SUCCESS)
        return error;
    gravel_cl_event_release(*copied);
    *copied = event;
    return CL_SUCCESS;
}

int gravel_device_aggregator_copy(const struct gravel_device_aggregator *aggregator,
                                  cl_command_queue queue, const struct gravel_package_run *run,
                                  uint32_t room, uint32_t first, uint32_t n, void *index,
                                  void *values, cl_event *copied)
{
    struct place place = find_place(aggregator, run, room);
    cl_int error = copy_row(aggregator, queue, place.indices, first, n,
                            GRAVELP_INDEX_BYTES(run->command), index, copied);
    if (error == CL_SUCCESS && GRAVELP_N_VALUES(run->command))
        error = copy_row(aggregator, queue, place.values, first, n,
                         GRAVELP_VALUE_BYTES(run->command), values, copied);
    return gravel_check_cl("copying a block from the device", error);
}
