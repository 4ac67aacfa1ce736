/* SPDX-License-Identifier: MIT */
/*
 * Kernels for device_half.c: each form of sending, and three that do wrong on purpose.
 *
 * Any number of dimensions and any group size. `item` is the work-item's linear number in the launch.
 *
 * Path:    device_half.c -> these -> gravel.cl.h; what is sent stands in messages.h.
 */
#include "gravel.cl.h"
#include "messages.h"

static uint item_number(void)
{
    return gravelp_group_number() * gravelp_n_lanes() + (uint)gravelp_lane_id();
}

/* Every work-item one increment. */
kernel void group_form(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint item = item_number();
    gravel_inc_uint_wg(g, MESSAGE_BASE, item, message_node(item));
}

/* Some work-items one addition. */
kernel void if_form(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint item = item_number();
    gravel_add_ulong_wg_if(g, message_is_sent(item), MESSAGE_BASE, item, message_value(item, 0),
                           message_node(item));
}

/* Some work-items one active message, from divergent code. */
kernel void wi_form(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint item = item_number();
    if (message_is_sent(item))
        gravel_am4_wi(g, MESSAGE_HANDLER, item, message_value(item, 1), message_value(item, 2),
                      message_value(item, 3), message_node(item));
}

/* Every work-item a number of puts of its own (software predication with uneven trip counts). */
kernel void for_form(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint item = item_number();
    GRAVEL_FOR_WG (g, turn, active, message_turns(item)) {
        uint number = item * MESSAGE_MAX_TURNS + turn;
        gravel_put_uint_wg_if(g, active, MESSAGE_BASE, number, message_value(number, 0),
                              message_node(number));
    }
}

/* The puts of for_form, but work-items take turns of any of their group. */
kernel void shared_form(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    GRAVEL_SHARES(shares);
    uint item = item_number(), first = item - (uint)gravelp_lane_id();
    GRAVEL_FOR_SHARED_WG (g, shares, turn, message_turns(item)) {
        uint number = (first + turn.lane) * MESSAGE_MAX_TURNS + turn.i;
        gravel_put_uint_wg_if(g, turn.active, MESSAGE_BASE, number, message_value(number, 0),
                              message_node(number));
    }
}

/* All forms, one after the other. */
kernel void all_forms(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint item = item_number();
    if (message_is_sent(item))
        gravel_am4_wi(g, MESSAGE_HANDLER, item, message_value(item, 1), message_value(item, 2),
                      message_value(item, 3), message_node(item));
    gravel_inc_uint_wg(g, MESSAGE_BASE, item, message_node(item));
    gravel_add_ulong_wg_if(g, message_is_sent(item), MESSAGE_BASE, item, message_value(item, 0),
                           message_node(item));
    GRAVEL_FOR_WG (g, turn, active, message_turns(item)) {
        uint number = item * MESSAGE_MAX_TURNS + turn;
        gravel_put_uint_wg_if(g, active, MESSAGE_BASE, number, message_value(number, 0),
                              message_node(number));
    }
}

/* A group's call under a condition that is the same for the whole group, in a loop that is, too. */
kernel void uniform_if(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint item = item_number();
    for (uint round = 0; round < 2; round++)
        if (round == 1)
            gravel_inc_uint_wg(g, MESSAGE_BASE, item, message_node(item));
}

/* Wrong: some work-items of a group do not make the group's call. */
kernel void wrong_divergent(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint item = item_number();
    if (gravelp_lane_id() % 2 == 0)
        gravel_inc_uint_wg(g, MESSAGE_BASE, item, message_node(item));
}

/* Wrong: one element past the end of the arena. */
kernel void wrong_range(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    global uchar *end = (global uchar *)g.arena + g.arena->heap_offset + g.arena->heap_bytes;
    if (get_global_id(0) == 0)
        *(global uint *)end = 1;
}

/* Wrong: looks at what the leader tells the group without a barrier in between. */
kernel void wrong_race(GRAVEL_ARENA, global uint *seen)
{
    GRAVEL_OPEN(g);
    if (gravelp_is_leader())
        g.scratch->n_active = gravel_n_nodes(g);
    seen[get_global_id(0)] = g.scratch->n_active;
}
