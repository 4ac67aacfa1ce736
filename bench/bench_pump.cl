/* SPDX-License-Identifier: MIT */
/*
 * The producers of bench-pump: every work-group publishes one package after the other.
 *
 * A message is WORDS 64-bit words (a build option), each in a row of its own; word `row` of column c of ticket t is
 * t << 32 | c << 8 | row. Rows start right after the header.
 *
 * Path:    bench_pump.c launches them -> queue.cl.h -> lib/pump/pump.c -> bench_pump.c checks.
 */
#include "gravel.cl.h"

/* Local size: up to GRAVEL_MAX_GROUP. Every group sends `rounds` packages. */
kernel void send_rounds(GRAVEL_ARENA, uint rounds, uint command)
{
    GRAVEL_OPEN(g);
    uint n = gravelp_n_lanes();
    for (uint round = 0; round < rounds; round++) {
        if (gravelp_is_leader()) {
            uint ticket;
            g.scratch->by_lane = gravelp_queue_reserve(g.arena, gravelp_own_ring(g), 1, &ticket);
            g.scratch->ticket = ticket;
        }
        gravelp_barrier_group(); /* G1: the slot is known */
        if (g.scratch->by_lane) {
            global ulong *restrict words =
                (global ulong *)(g.scratch->by_lane + sizeof(struct gravelp_package));
            size_t stride = GRAVELP_PACKAGE_STRIDE(n), column = gravelp_lane_id();
            ulong number = (ulong)g.scratch->ticket << 32 | (ulong)column << 8;
            for (uint row = 0; row < WORDS; row++)
                words[row * stride + column] = number | row;
        }
        gravelp_barrier_group(); /* G2: the package is written; with P2 it reaches the host */
        if (gravelp_is_leader() && g.scratch->by_lane)
            gravelp_queue_publish(g.scratch->by_lane, g.scratch->ticket, command, n,
                                  g.scratch->ticket);
    }
}
