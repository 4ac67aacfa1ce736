/* SPDX-License-Identifier: MIT */
/*
 * The messages that the C11 kernels send, each a function of its number, so that any receiver can
 * distinguish a right message from a wrong one by itself.
 *
 * Every work-item sends, round by round, at five sites: a group call, a predicated call, a
 * predicated call in a loop of uneven length, a group active message, and an active message from
 * divergent code.
 *
 * Path:    traffic.c -> cl/device/send.cl.h -> device_queue.c, which checks.
 */
#ifndef GRAVEL_TSAN_TRAFFIC_H
#define GRAVEL_TSAN_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

struct gravelp_arena;

enum traffic_site {
    TRAFFIC_INC,
    TRAFFIC_ADD,
    TRAFFIC_PUT,
    TRAFFIC_AM,
    TRAFFIC_AM_WI,
    TRAFFIC_SITES
};

#define TRAFFIC_MAX_DEGREE 3u /* iterations of the uneven loop */

struct traffic {
    uint32_t n_rounds, n_items, n_nodes;
    uint64_t inc_base, add_base, put_base; /* [bytes] uint [n], ulong [n], uint [n] by number */
    uint32_t am_handler, am_wi_handler;
};

/** Numbers of a site: n_rounds * n_items, times TRAFFIC_MAX_DEGREE for the loop. Not all are sent.
 */
uint32_t traffic_numbers(const struct traffic *traffic, enum traffic_site site);
/** Returns whether a number is sent at a site. */
bool traffic_is_sent(const struct traffic *traffic, enum traffic_site site, uint32_t number);
/** Destination of a message. */
uint32_t traffic_node(const struct traffic *traffic, enum traffic_site site, uint32_t number);
/** Returns what an add or put carries, and arguments 1 to 3 of an active message (argument 0 is the
 * number). */
uint64_t traffic_value(enum traffic_site site, uint32_t number, uint32_t row);

/** The kernel: a lanes_kernel whose arguments are a struct traffic. */
void traffic_kernel(struct gravelp_arena *gravel_arena_, const void *arguments);

#endif
