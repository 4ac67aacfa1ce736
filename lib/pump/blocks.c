/* SPDX-License-Identifier: MIT */
/*
 * Has the device bin runs of packages, and copies the blocks to the node buffers that they travel in.
 *
 * A run is packages of one command and base whose messages may be reordered, or are puts. It ends where another
 * begins, and flights land in the order of their tickets whichever way they take, so what must keep
 * its order does. Blocks use the rooms of their queue in turn, each until the aggregator has
 * released its last ticket. The pump waits for no buffer: a block stays in its room until some are returned. A part for
 * a node of this process never leaves the device: what travels are its headers, and the resolver applies it in their
 * turn from the room, which is free when the headers are returned.
 *
 * Path:    move.c -> blocks.c -> lib/pump/device_aggregator.c; aggregator.c reads the
 *          blocks.
 * Memory:  U1 hands a block and its buffers to the aggregator, C2 and U3 hand its room back; the buffers
 *          come back through the pool (M3).
 */
#include "base/counter.h"
#include "base/error.h"
#include "base/rounding.h"
#include "opencl/objects.h"
#include "pump/parts.h"

#define MESSAGES_EACH 32u /* fewest, on average, of a package of a run that is worth binning */
#define BLOCK_MESSAGES_EACH \
    512u /* of a block: for each package of the shortest poll, as many as a GPU's group increments */

/* Returns how many messages a buffer takes of a part; even, if it takes several, as gravel_piece_messages. */
static uint32_t buffer_messages(const struct gravel_pump *pump, uint32_t command)
{
    uint32_t n = gravel_buffer_fits(pump->shape.buffer_bytes, command);
    n = n < GRAVEL_FRAME_MAX_MESSAGES ? n : GRAVEL_FRAME_MAX_MESSAGES;
    return n > 1 ? n & ~1u : n;
}

/* Returns the most messages of a run, 0 of one that is not binned: a block must get along with the room, and with all
 * buffers of its queue. */
static uint32_t most_messages(const struct gravel_pump *pump, uint32_t command)
{
    uint32_t n_nodes = pump->arena->n_nodes, n_buffers = pump->shape.n_buffers;
    uint32_t fits = gravel_pump_block_fits(pump, command);
    if (fits == 0)
        return 0; /* a malformed one has no size */
    uint64_t most = n_buffers > n_nodes
                        ? (uint64_t)(n_buffers - n_nodes) * buffer_messages(pump, command)
                        : n_buffers / 2; /* each may need one, and start another */
    return most < fits ? (uint32_t)most : fits;
}

/* Returns the longest run that n packages begin with. 0 < n. */
static struct gravel_package_run find_run(const struct gravel_pump *pump,
                                          const struct gravelp_package *headers, uint32_t n)
{
    struct gravel_package_run run = {.command = headers[0].command, .base = headers[0].base};
    uint32_t fits = most_messages(pump, run.command);
    while (run.n_packages < n && headers[run.n_packages].command == run.command &&
           headers[run.n_packages].base == run.base &&
           headers[run.n_packages].n_messages <= fits - run.n_messages) {
        uint32_t messages = headers[run.n_packages++].n_messages;
        run.n_messages += messages;
        run.most_messages = messages > run.most_messages ? messages : run.most_messages;
    }
    if (run.n_packages == 0)
        run.n_packages = 1; /* not to be binned, or larger than a room, and so no run */
    return run;
}

uint32_t gravel_pump_n_to_copy(const struct gravel_pump *pump,
                               const struct gravelp_package *headers, uint32_t n,
                               struct gravel_package_run *run)
{
    const uint32_t least = pump->bin_messages;
    const uint32_t each = least < MESSAGES_EACH ? least : MESSAGES_EACH;
    uint32_t at = pump->bin_messages ? 0 : n;
    for (; at < n; at += run->n_packages) {
        *run = find_run(pump, headers + at, n - at);
        if (run->n_messages >= least && run->n_messages / run->n_packages >= each)
            break; /* it is worth two kernels; what cannot be binned has no messages here */
    }
    return at;
}

/* A round of the pump costs the host and the bus as much for a small block as for a large one. */
uint32_t gravel_pump_poll_ahead(const struct gravel_pump *pump,
                                const struct gravelp_package *headers, uint32_t n)
{
    uint64_t n_messages = 0, block = (uint64_t)pump->poll_ahead * BLOCK_MESSAGES_EACH;
    if (n == 0 || !pump->bin_messages || !gravel_pump_block_fits(pump, headers[0].command))
        return pump->poll_ahead;
    for (uint32_t i = 0; i < n; i++)
        n_messages += headers[i].n_messages;
    uint64_t fits = most_messages(pump, headers[0].command);
    fits -= fits / 16; /* the next packages may hold more */
    uint64_t wanted = n_messages ? (fits < block ? fits : block) * n / n_messages : 0;
    return wanted < pump->poll_ahead  ? pump->poll_ahead
           : wanted < pump->poll_most ? (uint32_t)wanted
                                      : pump->poll_most;
}

void gravel_pump_free_rooms(struct mirror *mirror)
{
    uint32_t consumed =
        gravel_word_load(&mirror->words->consumed, memory_order_acquire); /* U3, pairs with C2 */
    for (; mirror->n_rooms; mirror->n_rooms--) {
        const struct gravel_package_run *run = &mirror->blocks[mirror->first_room].run;
        if ((int32_t)(consumed - run->ticket - run->n_packages) < 0 ||
            !gravel_pool_is_whole(&mirror->pools[mirror->first_room]))
            break;
        mirror->first_room = (mirror->first_room + 1) % GRAVEL_BLOCK_ROOMS;
    }
}

int gravel_pump_bin(struct gravel_pump *pump, uint32_t queue, const struct gravel_package_run *run,
                    uint32_t *n_binned)
{
    struct mirror *mirror = &pump->mirrors[queue];
    struct flight *flight = gravel_pump_next_flight(mirror);
    *n_binned = 0;
    if (mirror->n_rooms == GRAVEL_BLOCK_ROOMS)
        return 0;
    flight->room = (mirror->first_room + mirror->n_rooms) % GRAVEL_BLOCK_ROOMS;
    flight->run = *run;
    flight->run.queue = queue;
    flight->run.ticket = mirror->taken;
    struct gravel_block *block = &mirror->blocks[flight->room];
    GRAVEL_TRY(gravel_pump_bin_run(pump, flight));
    *block = (struct gravel_block){.run = flight->run};
    flight->stage = FLIGHT_COUNTED;
    flight->node = flight->n_begun = flight->first = 0;
    flight->buffer = &block->first;
    *n_binned = run->n_packages;
    gravel_pump_begin_flight(mirror, run->n_packages);
    mirror->n_rooms++;
    return 0;
}

/* Begins the next piece of a flight's part, of which `left` messages are left. If its node's heap is in this process,
 * the part is applied from the room as a whole; else as many messages as a buffer takes are copied.
 * @param n_begun  [out] messages; 0 without a buffer */
static int begin_piece(struct gravel_pump *pump, struct mirror *mirror, struct flight *flight,
                       uint32_t left, uint32_t *n_begun)
{
    const struct gravel_package_run *run = &flight->run;
    const struct gravel_run_key key = {.command = run->command, .base = run->base};
    const struct gravel_rows rows =
        gravel_pump_block_rows(pump, flight, flight->first + flight->n_begun);
    const bool stays = pump->shape.is_loopback || flight->node == pump->arena->node;
    const uint32_t n =
        stays ? left : gravel_piece_messages(left, buffer_messages(pump, run->command));
    struct gravel_buffer *buffer =
        gravel_pool_take(stays ? &mirror->pools[flight->room] : &mirror->pool);
    if (!buffer && !mirror->has_no_buffer)
        gravel_counter_add(&pump->waits, 1);
    mirror->has_no_buffer = !buffer;
    *n_begun = buffer ? n : 0;
    if (!buffer)
        return 0;
    gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, pump->arena->node, flight->node);
    *flight->buffer = buffer; /* behind those that the block has */
    flight->buffer = &buffer->next;
    gravel_buffer_lay_out(buffer, &key, n, stays ? &rows : NULL);
    if (stays)
        return 0;
    return gravel_check_cl("copying a block from the device",
                           gravel_rows_copy(pump->moves, &rows, buffer, &flight->copied));
}

/* Begins the copies of a flight's block, as far as there are buffers. */
static int copy_parts(struct gravel_pump *pump, struct mirror *mirror, struct flight *flight)
{
    const uint32_t *counts = gravel_pump_block_counts(pump, flight);
    while (flight->node < pump->arena->n_nodes) {
        uint32_t n = counts[flight->node], n_begun = 0;
        if (flight->n_begun == n) {
            flight->first += GRAVELP_BLOCK_PART(n);
            flight->node++;
            flight->n_begun = 0;
            continue;
        }
        GRAVEL_TRY(begin_piece(pump, mirror, flight, n - flight->n_begun, &n_begun));
        if (n_begun == 0)
            return 0;
        flight->n_begun += n_begun;
    }
    flight->stage = FLIGHT_COPIED;
    return 0;
}

int gravel_pump_copy_blocks(struct gravel_pump *pump, struct mirror *mirror, uint32_t *moved)
{
    int code = 0;
    bool has_begun = false;
    for (uint32_t i = 0; i < mirror->n_flights && !code; i++) {
        struct flight *flight = gravel_pump_flight(mirror, i);
        if (flight->stage == FLIGHT_COUNTED) {
            if (gravel_cl_event_status(flight->copied) != CL_COMPLETE)
                break; /* nor have those behind it ended */
            flight->stage =
                gravel_pump_block_is_right(pump, flight) ? FLIGHT_BEGUN : FLIGHT_REFUSED;
            *moved += 1;
        }
        has_begun |= flight->stage == FLIGHT_BEGUN;
        if (flight->stage == FLIGHT_BEGUN)
            code = copy_parts(pump, mirror, flight);
        if (flight->stage == FLIGHT_BEGUN)
            break; /* those behind it would take its buffers */
    }
    if (has_begun)
        code = gravel_pump_flush(pump, code);
    return code;
}

void gravel_pump_land_block(struct gravel_pump *pump, struct mirror *mirror,
                            const struct flight *flight)
{
    struct gravelp_package *package = gravel_pump_slot(pump, mirror, flight->run.ticket);
    package->command = GRAVEL_BINNED;
    package->n_messages = flight->room;
    package->stride = flight->run.n_packages;
    gravel_word_store(&package->published, flight->run.ticket + 1,
                      memory_order_relaxed); /* the release, U1, is to follow */
}

void gravel_pump_drop_blocks(struct mirror *mirror)
{
    for (uint32_t room = 0; room < GRAVEL_BLOCK_ROOMS; room++) {
        struct gravel_buffer *buffer, *next = mirror->blocks[room].first;
        while ((buffer = next)) {
            next = buffer->next;
            gravel_buffer_destroy(buffer);
        }
    }
}

struct gravel_block *gravel_pump_blocks(const struct gravel_pump *pump, uint32_t queue)
{
    return pump->bin_messages ? pump->mirrors[queue].blocks : NULL;
}

uint64_t gravel_pump_buffer_waits(const struct gravel_pump *pump)
{
    return gravel_counter_load(&pump->waits);
}
