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
#include "base/power.h"
#include "layout/package.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "opencl/wait.h"

#include <stdlib.h>
#include <string.h>

#define VALUE_BYTES 8u     /* values begin at a multiple of it */
#define GROUP 256u         /* [work-items] wanted; kernels may bear fewer */
#define GROUPS_PER_UNIT 4u /* that count, at most */
#define FEW_GROUPS 8u
#define TILING_GROUPS_PER_UNIT \
    2u               /* that take tiles, at most: senders and the resolver need room beside them */
#define COUNTS 2048u /* [words] of local memory for replicated counts */
#define MOST_REPLICAS 32u
#define SORT_COUNTERS 64u /* that a tile is ranked by: a lane adds up those of a node */
#define SORT_NODES \
    256u /* at most: a tile has few messages for each of more, and 32 kB are not enough */
#define ORDER_COUNTERS \
    1024u /* of a tile whose messages keep their order: of a package for a node */

extern const char gravel_aggregate_cl[];

/* The rooms of all blocks, in one buffer: GRAVEL_BLOCK_ROOMS for each queue. */
struct gravel_rooms {
    uint64_t n_rooms;
    uint32_t n_nodes;
    uint32_t counts_bytes; /* what a block begins with */
    uint32_t body_bytes;   /* of messages */
    uint32_t room_bytes;   /* a whole block, and gaps between its parts */
};

/* Offsets in the buffer [bytes]. */
struct gravel_room {
    uint64_t number; /* among all rooms */
    uint64_t block;
    uint64_t indices, values; /* rows of the block */
};

enum { COUNT_MESSAGES, ORDER_TILES, GROUP_BY_NODE, N_KERNELS };

struct gravel_device_aggregator {
    const struct gravel_memory *memory;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernels[N_KERNELS];
    cl_mem state;                /* see aggregate.cl */
    cl_mem tiles;                /* of a run of puts, see aggregate.cl */
    cl_mem rooms;                /* [n_queues][GRAVEL_BLOCK_ROOMS] on the device */
    struct gravel_pinned counts; /* [n_queues][GRAVEL_BLOCK_ROOMS] on the host */
    struct gravel_rooms layout;
    uint32_t group;       /* work-items, a power of two */
    uint32_t most_groups; /* that count */
    uint32_t n_replicas;
    uint32_t turn; /* of the next run, see aggregate.cl */
};

/* ---- rooms ----------------------------------------------------------------------------------- */

static uint32_t round_to_line(uint32_t bytes)
{
    return (bytes + GRAVELP_CACHELINE - 1) & ~(uint32_t)(GRAVELP_CACHELINE - 1);
}

static struct gravel_rooms rooms_of(const struct gravelp_arena *arena)
{
    uint32_t counts_bytes = round_to_line((arena->n_nodes + 1) * (uint32_t)sizeof(uint32_t));
    uint32_t body_bytes =
        gravel_block_bytes(arena->n_queues, (uint64_t)arena->n_slots * arena->slot_bytes);
    uint32_t gaps = round_to_line(arena->n_nodes * GRAVEL_BLOCK_MESSAGE_MOST_BYTES);
    return (struct gravel_rooms){
        .n_rooms = (uint64_t)arena->n_queues * GRAVEL_BLOCK_ROOMS,
        .n_nodes = arena->n_nodes,
        .counts_bytes = counts_bytes,
        .body_bytes = body_bytes,
        .room_bytes = counts_bytes + body_bytes + gaps, /* all multiples of a line */
    };
}

static struct gravel_room room_of(const struct gravel_rooms *rooms,
                                  const struct gravel_package_run *run, uint32_t room)
{
    uint64_t number = (uint64_t)run->queue * GRAVEL_BLOCK_ROOMS + room;
    uint64_t block = number * rooms->room_bytes, n = run->n_messages + rooms->n_nodes;
    uint64_t indices = block + rooms->counts_bytes;
    uint64_t indices_bytes = n * GRAVELP_INDEX_BYTES(run->command);
    uint64_t values = indices + ((indices_bytes + VALUE_BYTES - 1) & ~(uint64_t)(VALUE_BYTES - 1));
    return (struct gravel_room){number, block, indices, values};
}

/* ---- create and destroy ---------------------------------------------------------------------- */

static uint32_t clamp(uint64_t value, uint32_t least, uint32_t most)
{
    return value < least ? least : value > most ? most : (uint32_t)value;
}

static int make_parts(struct gravel_device_aggregator *aggregator)
{
    static const char user[] = "binning on the device";
    static const char *const names[] = {"count_messages", "order_tiles", "group_by_node"};
    const struct gravel_program_request request = {
        .name = "aggregate.cl", .source = gravel_aggregate_cl, .options = "-DGRAVELP_INTERNAL"};
    const struct gravel_device *device = aggregator->memory->device;
    const struct gravel_rooms *layout = &aggregator->layout;
    const uint64_t n_nodes = layout->n_nodes, n_slots = aggregator->memory->arena->n_slots;
    const struct {
        cl_mem *buffer;
        uint64_t bytes;
    } buffers[] = {
        {&aggregator->state, 3 * sizeof(uint32_t) * (n_nodes + 1)},
        /* every package of a queue may be a tile */
        {&aggregator->tiles, sizeof(uint32_t) * (n_nodes <= SORT_NODES ? n_nodes * n_slots : 1)},
        {&aggregator->rooms, layout->n_rooms * layout->room_bytes},
    };
    size_t group = GROUP;
    int code = gravel_cl_queue_create(device, user, &aggregator->queue);
    if (!code)
        code = gravel_device_build(device, &request, &aggregator->program);
    if (!code)
        code = gravel_cl_kernels_create(device, aggregator->program, names, N_KERNELS, &group,
                                        aggregator->kernels);
    aggregator->group = gravel_power_to(group);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers && !code; i++) {
        code = gravel_cl_buffer_create(device, user, buffers[i].bytes, buffers[i].buffer);
        if (!code)
            code = gravel_cl_buffer_zero(aggregator->queue, *buffers[i].buffer, 0, buffers[i].bytes,
                                         "device aggregator: clEnqueueFillBuffer");
    }
    return code ? code
                : gravel_pinned_create(&aggregator->counts, device, aggregator->queue,
                                       "pinned memory for binning on the device", NULL,
                                       layout->n_rooms * layout->counts_bytes);
}

/* Does what a driver puts off to a kernel's first use: later, a kernel of the user's may wait. */
static int warm_up(struct gravel_device_aggregator *aggregator)
{
    static const uint32_t ops[] = {GRAVEL_INC, GRAVEL_PUT};
    int code = 0;
    for (size_t i = 0; i < sizeof ops / sizeof *ops && !code; i++) {
        const struct gravel_package_run nothing = {.command = GRAVELP_COMMAND(ops[i], GRAVEL_UINT)};
        cl_event copied = NULL;
        if (gravel_device_aggregator_fits(aggregator, nothing.command))
            code = gravel_device_aggregator_bin(aggregator, &nothing, 0, &copied);
        gravel_cl_event_release(copied);
    }
    return code ? code
                : gravel_wait_queue(aggregator->memory->device, aggregator->queue,
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
    aggregator->layout = rooms_of(memory->arena);
    aggregator->most_groups = GROUPS_PER_UNIT * memory->device->units + FEW_GROUPS;
    aggregator->n_replicas =
        gravel_power_to(clamp(COUNTS / (memory->arena->n_nodes + 1), 1, MOST_REPLICAS));
    int code = make_parts(aggregator);
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
    gravel_cl_buffer_release(aggregator->tiles);
    gravel_cl_buffer_release(aggregator->rooms);
    gravel_cl_program_release(aggregator->program);
    gravel_cl_queue_release(aggregator->queue);
    free(aggregator);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

uint32_t gravel_device_aggregator_fits(const struct gravel_device_aggregator *aggregator,
                                       uint32_t command)
{
    /* Tiles of many nodes are not sorted, and have no counters for each package. */
    const bool can_bin =
        gravel_command_commutes(command) ||
        (gravel_command_is_put(command) && aggregator->layout.n_nodes <= SORT_NODES);
    return can_bin ? (aggregator->layout.body_bytes - VALUE_BYTES) / GRAVELP_MESSAGE_BYTES(command)
                   : 0;
}

/* Enqueues a kernel. @param run  what its first arguments tell of, with `packages_each`; or NULL. @param more  [n]
 * arguments that follow. */
static cl_int enqueue(const struct gravel_device_aggregator *aggregator, uint32_t number,
                      const struct gravel_package_run *run, uint32_t packages_each,
                      const struct gravel_argument *more, size_t n, size_t n_groups)
{
    const struct gravelp_arena *arena = aggregator->memory->arena;
    const struct gravel_device *device = aggregator->memory->device;
    cl_kernel kernel = aggregator->kernels[number];
    cl_uint n_set = 0;
    cl_int error = CL_SUCCESS;
    if (run) {
        uint32_t slot = run->ticket & (arena->n_slots - 1);
        uint32_t in_order = gravel_command_is_put(run->command) != 0;
        uint64_t slots_at = arena->slots_offset +
                            ((uint64_t)run->queue * arena->n_slots + slot) * arena->slot_bytes;
        const struct gravel_argument arguments[] = {
            GRAVEL_ARGUMENT(aggregator->memory->region.buffer),
            GRAVEL_ARGUMENT(slots_at),
            GRAVEL_ARGUMENT(arena->slot_bytes),
            GRAVEL_ARGUMENT(run->ticket),
            GRAVEL_ARGUMENT(run->n_packages),
            GRAVEL_ARGUMENT(packages_each),
            GRAVEL_ARGUMENT(run->most_messages),
            GRAVEL_ARGUMENT(run->command),
            GRAVEL_ARGUMENT(run->base),
            GRAVEL_ARGUMENT(aggregator->layout.n_nodes),
            GRAVEL_ARGUMENT(aggregator->state),
            GRAVEL_ARGUMENT(aggregator->turn),
            GRAVEL_ARGUMENT(aggregator->tiles),
            GRAVEL_ARGUMENT(in_order),
        };
        n_set = sizeof arguments / sizeof *arguments;
        error = GRAVEL_CL_KERNEL_SET(device, kernel, 0, arguments);
    }
    if (error == CL_SUCCESS)
        error = gravel_cl_kernel_set(device, kernel, n_set, more, n);
    return error == CL_SUCCESS
               ? gravel_cl_kernel_enqueue(aggregator->queue, kernel, n_groups * aggregator->group,
                                          aggregator->group, NULL)
               : error;
}
#define ENQUEUE(aggregator, number, run, packages_each, more, n_groups) \
    enqueue(aggregator, number, run, packages_each, more, sizeof(more) / sizeof *(more), n_groups)

static cl_int enqueue_count(const struct gravel_device_aggregator *aggregator,
                            const struct gravel_package_run *run,
                            const struct gravel_tiling *tiling)
{
    const size_t n_counts = (size_t)(aggregator->layout.n_nodes + 1) * aggregator->n_replicas;
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(tiling->team), GRAVEL_ARGUMENT(aggregator->n_replicas),
        GRAVEL_ARGUMENT_LOCAL(n_counts), GRAVEL_ARGUMENT_LOCAL((size_t)tiling->packages_each)};
    return ENQUEUE(aggregator, COUNT_MESSAGES, run, tiling->packages_each, arguments,
                   tiling->n_groups);
}

static cl_int enqueue_order(const struct gravel_device_aggregator *aggregator,
                            const struct gravel_tiling *tiling)
{
    const uint32_t n_nodes = aggregator->layout.n_nodes;
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(aggregator->tiles), GRAVEL_ARGUMENT(tiling->n_tiles),
        GRAVEL_ARGUMENT(n_nodes), GRAVEL_ARGUMENT_LOCAL(2 * (size_t)aggregator->group)};
    return ENQUEUE(aggregator, ORDER_TILES, NULL, 0, arguments, n_nodes);
}

/* How the messages of a tile for a node are counted. */
struct counters {
    uint32_t n_replicas;   /* counters */
    uint32_t package_each; /* of them, of each package; 0: of all packages */
};

static struct counters find_counters(const struct gravel_device_aggregator *aggregator,
                                     const struct gravel_package_run *run,
                                     const struct gravel_tiling *tiling)
{
    uint32_t n_nodes = aggregator->layout.n_nodes, n_packages = 1;
    if (n_nodes == 1 || n_nodes > SORT_NODES)
        return (struct counters){1, 0};
    bool in_order = gravel_command_is_put(run->command);
    while (in_order && n_packages < tiling->tile_packages)
        n_packages *= 2;
    uint32_t each =
        gravel_power_to(clamp(SORT_COUNTERS / (n_nodes * n_packages), 1, MOST_REPLICAS));
    return (struct counters){n_packages * each, in_order ? each : 0};
}

static cl_int enqueue_group(const struct gravel_device_aggregator *aggregator,
                            const struct gravel_package_run *run, const struct gravel_room *room,
                            const struct gravel_tiling *tiling)
{
    uint32_t most = TILING_GROUPS_PER_UNIT * aggregator->memory->device->units;
    uint32_t n_groups = tiling->n_tiles < most ? tiling->n_tiles : most;
    uint32_t n_nodes = aggregator->layout.n_nodes;
    uint32_t is_sorted = n_nodes > 1 && n_nodes <= SORT_NODES;
    size_t tile =
        (size_t)tiling->each * aggregator->group; /* messages, and as many words or more */
    const struct counters counters = find_counters(aggregator, run, tiling);
    size_t n_counters = (size_t)n_nodes * counters.n_replicas;
    size_t n_starts = n_counters > tiling->tile_packages ? n_counters : tiling->tile_packages;
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(tiling->columns),
        GRAVEL_ARGUMENT(tiling->each),
        GRAVEL_ARGUMENT(tiling->n_rounds),
        GRAVEL_ARGUMENT(is_sorted),
        GRAVEL_ARGUMENT(counters.n_replicas),
        GRAVEL_ARGUMENT(counters.package_each),
        GRAVEL_ARGUMENT(aggregator->rooms),
        GRAVEL_ARGUMENT(room->block),
        GRAVEL_ARGUMENT(run->n_messages),
        GRAVEL_ARGUMENT(room->indices),
        GRAVEL_ARGUMENT(room->values),
        GRAVEL_ARGUMENT_LOCAL(n_counters),
        GRAVEL_ARGUMENT_LOCAL(is_sorted || n_nodes == 1 ? n_starts : 1),
        GRAVEL_ARGUMENT_LOCAL(2 * (size_t)aggregator->group),
        GRAVEL_ARGUMENT_LOCAL(2 * (size_t)tiling->tile_packages),
        GRAVEL_ARGUMENT_LOCAL(is_sorted ? (tile + 1) / 2 : 1),
        GRAVEL_ARGUMENT_LOCAL(is_sorted ? tile * gravel_row_bytes(run->command) / 4 : 2)};
    return ENQUEUE(aggregator, GROUP_BY_NODE, run, tiling->tile_packages, arguments, n_groups);
}

/* The counts of a room on the host. */
static uint32_t *counts_of(const struct gravel_device_aggregator *aggregator,
                           const struct gravel_room *room)
{
    void *at = aggregator->counts.begin + room->number * aggregator->layout.counts_bytes;
    return at;
}

int gravel_device_aggregator_bin(struct gravel_device_aggregator *aggregator,
                                 const struct gravel_package_run *run, uint32_t room,
                                 cl_event *counted)
{
    const struct gravel_room at = room_of(&aggregator->layout, run, room);
    const bool is_put = gravel_command_is_put(run->command);
    const uint32_t in_order =
        is_put ? gravel_power_to(ORDER_COUNTERS / aggregator->layout.n_nodes) : 0;
    const struct gravel_tiling tiling =
        gravel_tiling_of(run, aggregator->memory->arena->slot_bytes, aggregator->group,
                         aggregator->most_groups, in_order);
    cl_int error = enqueue_count(aggregator, run, &tiling);
    if (error == CL_SUCCESS && is_put)
        error = enqueue_order(aggregator, &tiling);
    if (error == CL_SUCCESS)
        error = enqueue_group(aggregator, run, &at, &tiling);
    GRAVEL_TRY(gravel_check_cl("binning packages on the device", error));
    aggregator->turn = 1 - aggregator->turn;
    /* On the same queue: a wait for another queue may not get past a kernel that waits (NVIDIA's does not). */
    error = clEnqueueReadBuffer(aggregator->queue, aggregator->rooms, CL_FALSE, at.block,
                                sizeof(uint32_t) * (aggregator->layout.n_nodes + (size_t)1),
                                counts_of(aggregator, &at), 0, NULL, counted);
    return gravel_check_cl("copying a block's counts from the device",
                           gravel_cl_flush(aggregator->queue, error));
}

const uint32_t *gravel_device_aggregator_counts(const struct gravel_device_aggregator *aggregator,
                                                const struct gravel_package_run *run, uint32_t room)
{
    const struct gravel_room at = room_of(&aggregator->layout, run, room);
    return counts_of(aggregator, &at);
}

bool gravel_device_aggregator_is_right(const struct gravel_device_aggregator *aggregator,
                                       const struct gravel_package_run *run, uint32_t room)
{
    const uint32_t *counts = gravel_device_aggregator_counts(aggregator, run, room);
    uint64_t sum = 0;
    for (uint32_t node = 0; node < aggregator->layout.n_nodes; node++)
        sum += counts[node];
    return sum == run->n_messages && counts[aggregator->layout.n_nodes] == 0;
}

struct gravel_rows gravel_device_aggregator_rows(const struct gravel_device_aggregator *aggregator,
                                                 const struct gravel_package_run *run,
                                                 uint32_t room, uint32_t first)
{
    const struct gravel_room at = room_of(&aggregator->layout, run, room);
    return (struct gravel_rows){
        .memory = aggregator->rooms,
        .indices = at.indices + (uint64_t)first * GRAVELP_INDEX_BYTES(run->command),
        .values = at.values + (uint64_t)first * GRAVELP_VALUE_BYTES(run->command),
    };
}

cl_int gravel_rows_copy(cl_command_queue queue, const struct gravel_rows *rows,
                        const struct gravel_buffer *buffer, cl_event *copied)
{
    const uint32_t command = buffer->run.command, n = buffer->run_capacity;
    const struct {
        uint64_t at;
        size_t bytes;
        void *to;
    } copies[] = {
        {rows->indices, (size_t)n * GRAVELP_INDEX_BYTES(command), gravel_buffer_index(buffer)},
        {rows->values, (size_t)n * GRAVELP_VALUE_BYTES(command), gravel_buffer_value(buffer, 0)},
    };
    cl_int error = CL_SUCCESS;
    for (uint32_t i = 0; i < 1 + GRAVELP_N_VALUES(command) && error == CL_SUCCESS; i++) {
        cl_event event = NULL;
        error = clEnqueueReadBuffer(queue, rows->memory, CL_FALSE, copies[i].at, copies[i].bytes,
                                    copies[i].to, 0, NULL, &event);
        if (error == CL_SUCCESS) {
            gravel_cl_event_release(*copied);
            *copied = event;
        }
    }
    return error;
}
