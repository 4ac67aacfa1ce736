/* SPDX-License-Identifier: MIT */
/*
 * Has the device bin runs of packages, instead of copying them.
 *
 * A run is packages of one command and base whose messages may change places. It ends where another
 * begins, and flights land in the order of their tickets whichever way they take, so what must keep
 * its order does. Blocks use the rooms of their queue in turn, each until the aggregator has
 * released its last ticket.
 *
 * Path:    move.c -> blocks.c -> lib/pump/device_aggregator.c; aggregator.c reads the
 *          blocks.
 * Memory:  U1 hands a block to the aggregator, C2 and U3 hand its room back.
 */
#include "pump/parts.h"

#define MESSAGES_EACH 32u /* fewest, on average, of a package of a run that is worth binning */

/* The longest run that n packages begin with. 0 < n. */
static struct gravel_package_run find_run(const struct gravel_pump *pump,
                                          const struct gravelp_package *headers, uint32_t n)
{
    struct gravel_package_run run = {.command = headers[0].command, .base = headers[0].base};
    if (!gravel_command_commutes(run.command)) {
        run.n_packages = 1;
        return run;
    }
    uint32_t fits = gravel_device_aggregator_fits(pump->binner, run.command);
    while (run.n_packages < n && headers[run.n_packages].command == run.command &&
           headers[run.n_packages].base == run.base &&
           headers[run.n_packages].n_messages <= fits - run.n_messages) {
        uint32_t messages = headers[run.n_packages++].n_messages;
        run.n_messages += messages;
        run.most_messages = messages > run.most_messages ? messages : run.most_messages;
    }
    if (run.n_packages == 0)
        run.n_packages = 1; /* larger than a room, and so no run */
    return run;
}

/* Whether it is worth two kernels; whatever does not commute has no messages here. */
static bool is_worth(const struct gravel_pump *pump, const struct gravel_package_run *run)
{
    uint32_t least = pump->bin_messages;
    uint32_t each = least < MESSAGES_EACH ? least : MESSAGES_EACH;
    return run->n_messages >= least && run->n_messages / run->n_packages >= each;
}

uint32_t gravel_pump_n_to_copy(const struct gravel_pump *pump,
                               const struct gravelp_package *headers, uint32_t n,
                               struct gravel_package_run *run)
{
    uint32_t at = pump->binner ? 0 : n;
    for (; at < n; at += run->n_packages) {
        *run = find_run(pump, headers + at, n - at);
        if (is_worth(pump, run))
            break;
    }
    return at;
}

void gravel_pump_free_rooms(struct mirror *mirror)
{
    struct rooms *rooms = &mirror->rooms;
    uint32_t consumed =
        gravel_word_load(&mirror->words->consumed, memory_order_acquire); /* U3, pairs with C2 */
    while (rooms->n && (int32_t)(consumed - rooms->ends[rooms->first]) >= 0) {
        rooms->first = (rooms->first + 1) % GRAVEL_BLOCK_ROOMS;
        rooms->n--;
    }
}

int gravel_pump_bin(struct gravel_pump *pump, uint32_t queue, const struct gravel_package_run *run,
                    uint32_t *n_binned)
{
    struct mirror *mirror = &pump->mirrors[queue];
    struct rooms *rooms = &mirror->rooms;
    struct flight *flight = gravel_pump_next_flight(mirror);
    *n_binned = 0;
    if (rooms->n == GRAVEL_BLOCK_ROOMS)
        return 0;
    flight->room = (rooms->first + rooms->n) % GRAVEL_BLOCK_ROOMS;
    flight->run = *run;
    flight->run.queue = queue;
    flight->run.ticket = mirror->taken;
    int code =
        gravel_device_aggregator_bin(pump->binner, &flight->run, flight->room, &flight->copied);
    if (code)
        return code;
    *n_binned = run->n_packages;
    gravel_pump_begin_flight(mirror, run->n_packages);
    rooms->ends[flight->room] = mirror->taken;
    rooms->n++;
    return 0;
}

bool gravel_pump_land_block(struct gravel_pump *pump, struct mirror *mirror,
                            const struct flight *flight)
{
    struct gravelp_package *package = gravel_pump_slot(pump, mirror, flight->run.ticket);
    struct gravel_block *block = &mirror->blocks[flight->room];
    if (!gravel_device_aggregator_take(pump->binner, &flight->run, flight->room, block))
        return false;
    package->command = GRAVEL_BINNED;
    package->n_messages = flight->room;
    package->stride = flight->run.n_packages;
    gravel_word_store(&package->published, flight->run.ticket + 1,
                      memory_order_relaxed); /* U1 is to follow */
    return true;
}

const struct gravel_block *gravel_pump_blocks(const struct gravel_pump *pump, uint32_t queue)
{
    return pump->binner ? pump->mirrors[queue].blocks : NULL;
}
