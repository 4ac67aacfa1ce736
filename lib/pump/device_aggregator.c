/* SPDX-License-Identifier: MIT */
/*
 * Enqueues the binning of runs. See parts.h.
 *
 * Kernels and the copies of their counts go to one in-order queue; copies of messages go to the caller's, so that
 * one run is binned while the block before it is copied. No command queue waits for another: the host has seen the
 * counts before it enqueues the copies.
 */
#include "base/error.h"
#include "base/rounding.h"
#include "layout/package.h"
#include "opencl/objects.h"
#include "opencl/program.h"
#include "opencl/wait.h"
#include "pump/parts.h"

#include <string.h>

#define VALUE_BYTES 8u     /* values begin at a multiple of it */
#define GROUP 256u         /* [work-items] wanted; kernels may support fewer */
#define GROUPS_PER_UNIT 4u /* that count, at most */
#define FEW_GROUPS 8u
#define TILING_GROUPS_PER_UNIT \
    2u               /* that take tiles, at most: senders and the resolver need units too */
#define COUNTS 2048u /* [words] of local memory for replicated counts */
#define MOST_REPLICAS 32u
#define SORT_COUNTERS 64u /* that a tile is ranked by: a lane adds up those of a node */
#define SORT_NODES \
    256u /* at most: a tile has few messages for each of more, and 32 kB are not enough */
#define ORDER_COUNTERS \
    1024u /* of a tile whose messages keep their order: of a package for a node */

extern const char gravel_aggregate_cl[];

/* Offsets in the buffer [bytes]. */
struct gravel_room {
    uint64_t number; /* among all rooms */
    uint64_t block;
    uint64_t indices, values; /* rows of the block */
};

enum { COUNT_MESSAGES, ORDER_TILES, GROUP_BY_NODE, N_KERNELS };

/* ---- rooms ----------------------------------------------------------------------------------- */

static uint32_t round_to_line(uint32_t bytes)
{
    return (bytes + GRAVELP_CACHELINE - 1) & ~(uint32_t)(GRAVELP_CACHELINE - 1);
}

/* Returns where the block of a flight is. */
static struct gravel_room room_of(const struct gravel_pump *pump, const struct flight *flight)
{
    const struct gravel_package_run *run = &flight->run;
    uint64_t number = (uint64_t)run->queue * GRAVEL_BLOCK_ROOMS + flight->room;
    uint64_t block = number * pump->binner.room_bytes, n = run->n_messages + pump->arena->n_nodes;
    uint64_t indices = block + pump->binner.counts_bytes;
    uint64_t indices_bytes = n * GRAVELP_INDEX_BYTES(run->command);
    uint64_t values = indices + ((indices_bytes + VALUE_BYTES - 1) & ~(uint64_t)(VALUE_BYTES - 1));
    return (struct gravel_room){number, block, indices, values};
}

/* ---- create and destroy ---------------------------------------------------------------------- */

static uint32_t clamp(uint64_t value, uint32_t least, uint32_t most)
{
    return value < least ? least : value > most ? most : (uint32_t)value;
}

static int make_parts(struct gravel_pump *pump)
{
    static const char user[] = "binning on the device";
    static const char *const names[] = {"count_messages", "order_tiles", "group_by_node"};
    const struct gravel_program_request request = {
        .name = "aggregate.cl", .source = gravel_aggregate_cl, .options = "-DGRAVELP_INTERNAL"};
    const struct gravel_device *device = pump->shape.memory->device;
    const struct gravelp_arena *arena = pump->arena;
    const uint64_t n_nodes = arena->n_nodes, n_rooms = arena->n_queues * GRAVEL_BLOCK_ROOMS;
    const struct {
        cl_mem *buffer;
        uint64_t bytes;
    } buffers[] = {
        {&pump->binner.state, 3 * sizeof(uint32_t) * (n_nodes + 1)},
        /* every package of a queue may be a tile */
        {&pump->binner.tiles,
         sizeof(uint32_t) * (n_nodes <= SORT_NODES ? n_nodes * arena->n_slots : 1)},
        {&pump->binner.rooms, n_rooms * pump->binner.room_bytes},
    };
    size_t group = GROUP;
    GRAVEL_TRY(gravel_cl_queue_create(device, user, &pump->binner.queue));
    GRAVEL_TRY(gravel_device_build(device, &request, &pump->binner.program));
    GRAVEL_TRY(gravel_cl_kernels_create(device, pump->binner.program, names, N_KERNELS, &group,
                                        pump->binner.kernels));
    pump->binner.group = gravel_power_to(group);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        GRAVEL_TRY(gravel_cl_buffer_create(device, user, buffers[i].bytes, buffers[i].buffer));
        GRAVEL_TRY(gravel_cl_buffer_zero(pump->binner.queue, *buffers[i].buffer, 0,
                                         buffers[i].bytes,
                                         "device aggregator: clEnqueueFillBuffer"));
    }
    return gravel_pinned_create(&pump->binner.counts, device, pump->binner.queue,
                                "pinned memory for binning on the device", NULL,
                                n_rooms * pump->binner.counts_bytes);
}

/* Does what a driver puts off to a kernel's first use: later, a kernel of the user's may wait. */
static int warm_up(struct gravel_pump *pump)
{
    static const uint32_t ops[] = {GRAVEL_INC, GRAVEL_PUT};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct flight nothing = {.run.command = GRAVELP_COMMAND(ops[i], GRAVEL_UINT)};
        if (gravel_pump_block_fits(pump, nothing.run.command))
            GRAVEL_TRY(gravel_pump_bin_run(pump, &nothing));
        gravel_cl_event_release(nothing.copied);
    }
    return gravel_wait_queue(pump->shape.memory->device, pump->binner.queue,
                             "device aggregator: first use");
}

int gravel_pump_make_binner(struct gravel_pump *pump)
{
    struct binner *binner = &pump->binner;
    const struct gravelp_arena *arena = pump->arena;
    binner->counts_bytes = round_to_line((arena->n_nodes + 1) * (uint32_t)sizeof(uint32_t));
    binner->body_bytes =
        gravel_block_bytes(arena->n_queues, (uint64_t)arena->n_slots * arena->slot_bytes);
    binner->room_bytes = binner->counts_bytes + binner->body_bytes +
                         round_to_line(arena->n_nodes * GRAVEL_BLOCK_MESSAGE_MOST_BYTES);
    binner->most_groups = GROUPS_PER_UNIT * pump->shape.memory->device->units + FEW_GROUPS;
    binner->n_replicas =
        gravel_power_to(clamp(COUNTS / (pump->arena->n_nodes + 1), 1, MOST_REPLICAS));
    GRAVEL_TRY(make_parts(pump));
    return warm_up(pump);
}

void gravel_pump_release_binner(struct gravel_pump *pump)
{
    struct binner *binner = &pump->binner;
    if (!gravel_wait_is_done(pump->shape.memory->device, binner->queue, "the device's aggregator"))
        return; /* the device still uses all of it */
    gravel_pinned_destroy(&binner->counts);
    gravel_cl_kernels_release(binner->kernels, N_KERNELS);
    gravel_cl_buffer_release(binner->state);
    gravel_cl_buffer_release(binner->tiles);
    gravel_cl_buffer_release(binner->rooms);
    gravel_cl_program_release(binner->program);
    gravel_cl_queue_release(binner->queue);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

uint32_t gravel_pump_block_fits(const struct gravel_pump *pump, uint32_t command)
{
    /* Tiles of many nodes are not sorted, and have no counters for each package. */
    const bool can_bin = gravel_command_commutes(command) ||
                         (gravel_command_is_put(command) && pump->arena->n_nodes <= SORT_NODES);
    return can_bin ? (pump->binner.body_bytes - VALUE_BYTES) / GRAVELP_MESSAGE_BYTES(command) : 0;
}

/* Enqueues a kernel. @param run  what its first arguments are of, with `packages_each`; or NULL. @param more  [n]
 * arguments that follow. */
static cl_int enqueue(const struct gravel_pump *pump, uint32_t number,
                      const struct gravel_package_run *run, uint32_t packages_each,
                      const struct gravel_argument *more, size_t n, size_t n_groups)
{
    const struct gravelp_arena *arena = pump->arena;
    const struct gravel_device *device = pump->shape.memory->device;
    cl_kernel kernel = pump->binner.kernels[number];
    cl_uint n_set = 0;
    cl_int error = CL_SUCCESS;
    if (run) {
        uint32_t slot = run->ticket & (arena->n_slots - 1);
        uint32_t in_order = gravel_command_is_put(run->command) != 0;
        uint64_t slots_at = arena->slots_offset +
                            ((uint64_t)run->queue * arena->n_slots + slot) * arena->slot_bytes;
        const struct gravel_argument arguments[] = {
            GRAVEL_ARGUMENT(pump->device),       GRAVEL_ARGUMENT(slots_at),
            GRAVEL_ARGUMENT(arena->slot_bytes),  GRAVEL_ARGUMENT(run->ticket),
            GRAVEL_ARGUMENT(run->n_packages),    GRAVEL_ARGUMENT(packages_each),
            GRAVEL_ARGUMENT(run->most_messages), GRAVEL_ARGUMENT(run->command),
            GRAVEL_ARGUMENT(run->base),          GRAVEL_ARGUMENT(pump->arena->n_nodes),
            GRAVEL_ARGUMENT(pump->binner.state), GRAVEL_ARGUMENT(pump->binner.parity),
            GRAVEL_ARGUMENT(pump->binner.tiles), GRAVEL_ARGUMENT(in_order),
        };
        n_set = sizeof arguments / sizeof *arguments;
        error = GRAVEL_CL_KERNEL_SET(device, kernel, 0, arguments);
    }
    if (error == CL_SUCCESS)
        error = gravel_cl_kernel_set(device, kernel, n_set, more, n);
    return error == CL_SUCCESS
               ? gravel_cl_kernel_enqueue(pump->binner.queue, kernel, n_groups * pump->binner.group,
                                          pump->binner.group, NULL)
               : error;
}
#define ENQUEUE(pump, number, run, packages_each, more, n_groups) \
    enqueue(pump, number, run, packages_each, more, sizeof(more) / sizeof *(more), n_groups)

/* Finds how a tile's messages for a node are counted. @param package_each [out] counters of each package; 0: of all.
 * @return counters */
static uint32_t find_counters(const struct gravel_pump *pump, const struct gravel_package_run *run,
                              const struct gravel_tiling *tiling, uint32_t *package_each)
{
    uint32_t n_nodes = pump->arena->n_nodes, n_packages = 1;
    *package_each = 0;
    if (n_nodes == 1 || n_nodes > SORT_NODES)
        return 1;
    bool in_order = gravel_command_is_put(run->command);
    while (in_order && n_packages < tiling->tile_packages)
        n_packages *= 2;
    uint32_t each =
        gravel_power_to(clamp(SORT_COUNTERS / (n_nodes * n_packages), 1, MOST_REPLICAS));
    *package_each = in_order ? each : 0;
    return n_packages * each;
}

static cl_int enqueue_group(const struct gravel_pump *pump, const struct gravel_package_run *run,
                            const struct gravel_room *room, const struct gravel_tiling *tiling)
{
    uint32_t most = TILING_GROUPS_PER_UNIT * pump->shape.memory->device->units;
    uint32_t n_groups = tiling->n_tiles < most ? tiling->n_tiles : most;
    uint32_t n_nodes = pump->arena->n_nodes;
    uint32_t is_sorted = n_nodes > 1 && n_nodes <= SORT_NODES;
    size_t tile =
        (size_t)tiling->each * pump->binner.group; /* messages, and as many words or more */
    uint32_t package_each, n_replicas = find_counters(pump, run, tiling, &package_each);
    size_t n_counters = (size_t)n_nodes * n_replicas;
    size_t n_starts = n_counters > tiling->tile_packages ? n_counters : tiling->tile_packages;
    const struct gravel_argument arguments[] = {
        GRAVEL_ARGUMENT(tiling->columns),
        GRAVEL_ARGUMENT(tiling->each),
        GRAVEL_ARGUMENT(tiling->n_rounds),
        GRAVEL_ARGUMENT(is_sorted),
        GRAVEL_ARGUMENT(n_replicas),
        GRAVEL_ARGUMENT(package_each),
        GRAVEL_ARGUMENT(pump->binner.rooms),
        GRAVEL_ARGUMENT(room->block),
        GRAVEL_ARGUMENT(run->n_messages),
        GRAVEL_ARGUMENT(room->indices),
        GRAVEL_ARGUMENT(room->values),
        GRAVEL_ARGUMENT_LOCAL(n_counters),
        GRAVEL_ARGUMENT_LOCAL(is_sorted || n_nodes == 1 ? n_starts : 1),
        GRAVEL_ARGUMENT_LOCAL(2 * (size_t)pump->binner.group),
        GRAVEL_ARGUMENT_LOCAL(2 * (size_t)tiling->tile_packages),
        GRAVEL_ARGUMENT_LOCAL(is_sorted ? (tile + 1) / 2 : 1),
        GRAVEL_ARGUMENT_LOCAL(is_sorted ? tile * gravel_row_bytes(run->command) / 4 : 2)};
    return ENQUEUE(pump, GROUP_BY_NODE, run, tiling->tile_packages, arguments, n_groups);
}

int gravel_pump_bin_run(struct gravel_pump *pump, struct flight *flight)
{
    const struct gravel_package_run *run = &flight->run;
    const struct gravel_room at = room_of(pump, flight);
    const bool is_put = gravel_command_is_put(run->command);
    const uint32_t in_order = is_put ? gravel_power_to(ORDER_COUNTERS / pump->arena->n_nodes) : 0;
    const struct gravel_tiling tiling = gravel_tiling_of(
        run, pump->arena->slot_bytes, pump->binner.group, pump->binner.most_groups, in_order);
    const uint32_t n_nodes = pump->arena->n_nodes;
    const struct gravel_argument count[] = {
        GRAVEL_ARGUMENT(tiling.team), GRAVEL_ARGUMENT(pump->binner.n_replicas),
        GRAVEL_ARGUMENT_LOCAL((size_t)(n_nodes + 1) * pump->binner.n_replicas),
        GRAVEL_ARGUMENT_LOCAL((size_t)tiling.packages_each)};
    const struct gravel_argument order[] = {
        GRAVEL_ARGUMENT(pump->binner.tiles), GRAVEL_ARGUMENT(tiling.n_tiles),
        GRAVEL_ARGUMENT(n_nodes), GRAVEL_ARGUMENT_LOCAL(2 * (size_t)pump->binner.group)};
    cl_int error = ENQUEUE(pump, COUNT_MESSAGES, run, tiling.packages_each, count, tiling.n_groups);
    if (error == CL_SUCCESS && is_put)
        error = ENQUEUE(pump, ORDER_TILES, NULL, 0, order, n_nodes);
    if (error == CL_SUCCESS)
        error = enqueue_group(pump, run, &at, &tiling);
    GRAVEL_TRY(gravel_check_cl("binning packages on the device", error));
    pump->binner.parity = 1 - pump->binner.parity;
    /* On the same queue: a wait for another queue may not end before a kernel that waits (NVIDIA's does not). */
    error = clEnqueueReadBuffer(pump->binner.queue, pump->binner.rooms, CL_FALSE, at.block,
                                sizeof(uint32_t) * (pump->arena->n_nodes + (size_t)1),
                                gravel_pump_block_counts(pump, flight), 0, NULL, &flight->copied);
    return gravel_check_cl("copying a block's counts from the device",
                           gravel_cl_flush(pump->binner.queue, error));
}

uint32_t *gravel_pump_block_counts(const struct gravel_pump *pump, const struct flight *flight)
{
    void *at = pump->binner.counts.begin + room_of(pump, flight).number * pump->binner.counts_bytes;
    return at;
}

bool gravel_pump_block_is_right(const struct gravel_pump *pump, const struct flight *flight)
{
    const uint32_t *counts = gravel_pump_block_counts(pump, flight);
    uint64_t sum = 0;
    for (uint32_t node = 0; node < pump->arena->n_nodes; node++)
        sum += counts[node];
    return sum == flight->run.n_messages && counts[pump->arena->n_nodes] == 0;
}

struct gravel_rows gravel_pump_block_rows(const struct gravel_pump *pump,
                                          const struct flight *flight, uint32_t first)
{
    const struct gravel_room at = room_of(pump, flight);
    return (struct gravel_rows){
        .memory = pump->binner.rooms,
        .indices = at.indices + (uint64_t)first * GRAVELP_INDEX_BYTES(flight->run.command),
        .values = at.values + (uint64_t)first * GRAVELP_VALUE_BYTES(flight->run.command),
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
    for (uint32_t i = 0; i < 1 + GRAVELP_N_VALUES(command) && error == CL_SUCCESS; i++)
        error = gravel_cl_read(queue, rows->memory, copies[i].at, copies[i].bytes, copies[i].to,
                               copied);
    return error;
}
