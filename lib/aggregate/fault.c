/* SPDX-License-Identifier: MIT */
/*
 * Texts of faults. See fault.h.
 */
#include "aggregate/fault.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whose fault it is, by its first work-item: "work-group at (128, 7)". */
static void name_origin(const struct gravelp_arena *arena, const char *what, char *text,
                        size_t bytes)
{
    const gravelp_u64 *item = arena->fault_item;
    if (arena->fault_dimensions <= 1)
        snprintf(text, bytes, "%s at (%llu)", what, (unsigned long long)item[0]);
    else if (arena->fault_dimensions == 2)
        snprintf(text, bytes, "%s at (%llu, %llu)", what, (unsigned long long)item[0],
                 (unsigned long long)item[1]);
    else
        snprintf(text, bytes, "%s at (%llu, %llu, %llu)", what, (unsigned long long)item[0],
                 (unsigned long long)item[1], (unsigned long long)item[2]);
}

static void tell_assertion(const struct gravelp_arena *arena, char *text, size_t bytes)
{
    const char *file = (const char *)arena->fault_file, *why = (const char *)arena->fault_text;
    const bool is_cut = !memchr(why, 0, sizeof arena->fault_text);
    char item[96];
    name_origin(arena, "work-item", item, sizeof item);
    snprintf(text, bytes, "%s of node %u: %.*s, line %u: %.*s%s", item, arena->node,
             (int)sizeof arena->fault_file, file, arena->fault_value, (int)sizeof arena->fault_text,
             why, is_cut ? "..." : "");
}

static void tell_pool(const struct gravelp_arena *arena, char *text, size_t bytes)
{
    char item[96];
    name_origin(arena, "work-item", item, sizeof item);
    snprintf(text, bytes, "%s of node %u frees heap offset %llu, which is %s of the pool at %llu",
             item, arena->node, (unsigned long long)arena->fault_offset,
             arena->fault_value ? "a free block" : "no block",
             (unsigned long long)arena->fault_high[0] << 32 | arena->fault_ticket);
}

static void tell_bounds(const struct gravelp_arena *arena, char *text, size_t bytes)
{
    char item[96], bound[64] = "which is in no allocation";
    unsigned long long most = (unsigned long long)arena->fault_high[1] << 32 | arena->fault_value;
    name_origin(arena, "work-item", item, sizeof item);
    if (most)
        snprintf(bound, sizeof bound, "of an allocation in which it must be below %llu", most);
    snprintf(
        text, bytes, "%s of node %u: %.*s, line %u: gravel_local_at of index %llu at base %llu, %s",
        item, arena->node, (int)sizeof arena->fault_file, (const char *)arena->fault_file,
        arena->fault_queue, (unsigned long long)arena->fault_high[0] << 32 | arena->fault_ticket,
        (unsigned long long)arena->fault_offset, bound);
}

static void tell_wait(const struct gravelp_arena *arena, const char *group, char *text,
                      size_t bytes)
{
    static const char *const signs[] = {"==", "!=", ">", "<=", "<", ">="};
    const char *sign = arena->fault_queue < 6 ? signs[arena->fault_queue] : "(no comparison)";
    unsigned long long bound = (unsigned long long)arena->fault_high[0] << 32 | arena->fault_ticket;
    unsigned long long word = (unsigned long long)arena->fault_high[1] << 32 | arena->fault_value;
    if (arena->wait_ms == 0)
        snprintf(
            text, bytes,
            "%s waits for the word at heap offset %llu (it is %llu) to be %s %llu, and no kernel "
            "waits on step drain: read it in the next launch",
            group, (unsigned long long)arena->fault_offset, word, sign, bound);
    else
        snprintf(
            text, bytes,
            "%s waited for the word at heap offset %llu to be %s %llu; it has been %llu for %.1f s",
            group, (unsigned long long)arena->fault_offset, sign, bound, word,
            arena->wait_ms * 1e-3);
}

static void tell_stalled(const struct gravelp_arena *arena, const char *group, char *text,
                         size_t bytes)
{
    if (arena->wait_ms == 0)
        snprintf(text, bytes,
                 "%s found queue %u full (%u slots, ticket %u), and no kernel waits on step "
                 "drain: raise GRAVEL_QUEUE, send fewer messages from each work-group "
                 "(GRAVEL_FOR_SHARED_WG "
                 "shares out uneven work), or lower GRAVEL_SLICE if it is above 1",
                 group, arena->fault_queue, arena->n_slots, arena->fault_ticket);
    else
        snprintf(
            text, bytes,
            "%s waited for room in queue %u (ticket %u), of which the host has taken no package "
            "from ticket %u on for %.1f s",
            group, arena->fault_queue, arena->fault_ticket, arena->fault_value,
            GRAVELP_ROOM_WAITS * arena->wait_ms * 1e-3);
}

/* The host's clock did not reach the kernel. */
static void tell_cut_off(char *text, size_t bytes)
{
    size_t end = strlen(text);
    snprintf(text + end, bytes - end,
             "; by the count of looks, for the host's clock stood in the kernel's memory");
}

void gravel_fault_tell(const struct gravelp_arena *arena, uint32_t fault, char *text, size_t bytes)
{
    char group[96];
    name_origin(arena, "work-group", group, sizeof group);
    switch (fault & ~GRAVELP_FAULT_CUT_OFF) {
    case GRAVELP_FAULT_STALLED:
        tell_stalled(arena, group, text, bytes);
        break;
    case GRAVELP_FAULT_GROUP:
        snprintf(text, bytes,
                 "%s has %u work-items, more than GRAVEL_MAX_GROUP: launch groups of 256, or build "
                 "the program with -DGRAVEL_MAX_GROUP=%u",
                 group, arena->fault_value, arena->fault_value);
        break;
    case GRAVELP_FAULT_QUEUE:
        snprintf(text, bytes,
                 "%s needs %u slots for one call and queue %u has %u; raise GRAVEL_QUEUE "
                 "or GRAVEL_SLOT",
                 group, arena->fault_value, arena->fault_queue, arena->n_slots);
        break;
    case GRAVELP_FAULT_WAIT:
        tell_wait(arena, group, text, bytes);
        break;
    case GRAVELP_FAULT_FBAR:
        snprintf(text, bytes,
                 "%s waited at a fine-grain barrier at which %u of %u sub-groups had arrived: does "
                 "this device run a group's sub-groups beside each other (gravel_fbar_rounds_wg)?",
                 group, arena->fault_queue, arena->fault_value);
        break;
    case GRAVELP_FAULT_INBOX:
        snprintf(text, bytes,
                 "%s sends to server %u, whose inbox of %u slots has no room: %u were needed. "
                 "Clients end when an inbox "
                 "is nearly full, and this one's work-items send several messages each; raise "
                 "GRAVEL_INBOX",
                 group, arena->fault_queue, arena->fault_ticket, arena->fault_value);
        break;
    case GRAVELP_FAULT_ALONE:
        snprintf(text, bytes,
                 "%s serves as number %u of %u, and for %.1f s none of %u groups of clients has "
                 "begun: does this device run work-groups beside each other? "
                 "GRAVEL_SERVER_MODE=phases does not need that",
                 group, arena->fault_queue, arena->fault_ticket,
                 GRAVELP_ROOM_WAITS * arena->wait_ms * 1e-3, arena->fault_value);
        break;
    case GRAVELP_FAULT_SILENT:
        snprintf(text, bytes,
                 "%s waited for room in the inbox of server %u (ticket %u), which has taken none "
                 "from ticket %u on for %.1f s: a handler that takes so long, or a server that has "
                 "stopped",
                 group, arena->fault_queue, arena->fault_ticket, arena->fault_value,
                 GRAVELP_ROOM_WAITS * arena->wait_ms * 1e-3);
        break;
    case GRAVELP_FAULT_SPILL:
        snprintf(text, bytes,
                 "%s has a handler that sends to server %u, where more messages wait than the %u "
                 "that its ring has room for: raise max_pending of the handlers that send",
                 group, arena->fault_queue, arena->fault_ticket);
        break;
    case GRAVELP_FAULT_SENDER:
        snprintf(text, bytes,
                 "%s has a handler that sends to handler %u and may not: it is registered with "
                 "max_pending 0",
                 group, arena->fault_queue);
        break;
    case GRAVELP_FAULT_RECORD:
        snprintf(
            text, bytes,
            "%s sends a record of %u bytes, text and header included, and a slot has %u: raise "
            "GRAVEL_SLOT",
            group, arena->fault_value, arena->fault_ticket);
        break;
    case GRAVELP_FAULT_ASSERT:
        tell_assertion(arena, text, bytes);
        break;
    case GRAVELP_FAULT_POOL:
        tell_pool(arena, text, bytes);
        break;
    case GRAVELP_FAULT_BOUNDS:
        tell_bounds(arena, text, bytes);
        break;
    case GRAVELP_FAULT_ROLE:
        snprintf(text, bytes,
                 "%s is of a kernel with GRAVEL_SERVE, and gravel_server_launch did not launch it",
                 group);
        break;
    default:
        snprintf(text, bytes,
                 "the program was built with another gravel.cl.h (arena version %u, here %u)",
                 arena->fault_value, arena->version);
    }
    if (fault & GRAVELP_FAULT_CUT_OFF && arena->wait_ms)
        tell_cut_off(text, bytes);
}
