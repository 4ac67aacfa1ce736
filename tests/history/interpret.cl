/* SPDX-License-Identifier: MIT */
/*
 * Runs a launch of a history: each work-group makes the calls of its script, one after the other. One kernel makes every
 * call, so that a history is data, and nothing is compiled for it.
 *
 * Global size: groups of HISTORY_ITEMS. `words`, `answers` and `slots` are heap offsets, `answered` that of a uint
 * for each group.
 * calls [groups][HISTORY_STEPS]; items and seen [groups][HISTORY_STEPS][HISTORY_ITEMS].
 *
 * Path: table.c -> this -> the heap; seen (what looks have read) -> observe.c
 */
#include "gravel.cl.h"
#include "accumulator.cl.h"
#include "print.cl.h"

/*
 * Group calls stand in a row, each with a predicate, for a barrier under a condition takes PoCL very long: of each call
 * but one all predicates are 0. So each call more takes a quarter of a second to compile: there is one type for most, and
 * few without a predicate or of a work-item. has_form() of generate.c knows which.
 */
#define IS(OP, TYPE) (call.code == HISTORY_CODE(GRAVEL_##OP, GRAVEL_##TYPE))
#define IF(OP, TYPE, name, ...)                                                         \
    gravel_##name##_wg_if(g, IS(OP, TYPE) && call.form == HISTORY_WG_IF && item.active, \
                          __VA_ARGS__);
#define ALONE(OP, TYPE, name, ...)                              \
    if (IS(OP, TYPE) && call.form == HISTORY_WI && item.active) \
        gravel_##name##_wi(g, __VA_ARGS__);
#define ALL(OP, TYPE, name, ...)                 \
    if (IS(OP, TYPE) && call.form == HISTORY_WG) \
        gravel_##name##_wg(g, __VA_ARGS__);

/* What follows the name in a call. */
#define VALUE(FORM, OP, op, TYPE, type) \
    FORM(OP, TYPE, op##_##type, words, item.index, (type)item.value, item.node)
#define INC(FORM, TYPE, type) FORM(INC, TYPE, inc_##type, words, item.index, item.node)
#define GET(FORM, TYPE, type) \
    FORM(GET, TYPE, get_##type, words, item.index, reply, item.place, item.node)
#define FETCH(FORM, OP, op, TYPE, type) \
    FORM(OP, TYPE, op##_##type, words, item.index, (type)item.value, reply, item.place, item.node)
#define CAS(FORM, TYPE, type)                                                                    \
    FORM(CAS, TYPE, cas_##type, words, item.index, (type)item.expected, (type)item.value, reply, \
         item.place, item.node)
#define PUT_SIGNAL(FORM, TYPE, type)                                                          \
    FORM(PUT_SIGNAL, TYPE, put_signal_##type, words, item.index, (type)item.value, call.flag, \
         item.node)
#define NOTE(FORM) FORM(AM, ULONG, am2, GRAVEL_HANDLER(note), item.value, item.expected, item.node)

/* Handlers do what the operation says. */
#define BY_HANDLER(OP, TYPE, name, ...)                                                   \
    gravel_##name##_wg_if(g, IS(OP, TYPE) && call.form == HISTORY_HANDLER && item.active, \
                          __VA_ARGS__);
#define OR_WORD GRAVEL_HANDLER(or_word), words, item.index, item.value
#define SWAP_WORD GRAVEL_HANDLER(swap_word), item.index, words, item.value

kernel void interpret(GRAVEL_ARENA, ulong words, ulong answers, ulong answered,
                      global const struct history_call *calls,
                      global const struct history_item *items, volatile global ulong *seen,
                      GRAVEL_ACCUMULATOR(total), GRAVEL_ACCUMULATOR(most), ulong slots)
{
    GRAVEL_OPEN(g);
    const uint group = (uint)get_global_id(0) / HISTORY_ITEMS;
    const struct gravel_reply reply = {answers, answered + 4 * group};
    for (uint step = 0; step < HISTORY_STEPS; step++) {
        const uint at = group * HISTORY_STEPS + step,
                   i = at * HISTORY_ITEMS + (uint)get_local_id(0);
        const struct history_call call = calls[at];
        const struct history_item item = items[i];
        VALUE(IF, PUT, put, UINT, uint)
        VALUE(IF, ADD, add, UINT, uint)
        VALUE(IF, MAX, max, UINT, uint)
        VALUE(IF, OR, or, UINT, uint)
        INC(IF, UINT, uint)
        GET(IF, UINT, uint)
        FETCH(IF, FETCH_ADD, fetch_add, UINT, uint)
        FETCH(IF, FETCH_MAX, fetch_max, UINT, uint)
        FETCH(IF, FETCH_OR, fetch_or, UINT, uint)
        PUT_SIGNAL(IF, UINT, uint)
        VALUE(IF, PUT, put, ULONG, ulong)
        VALUE(IF, MIN, min, ULONG, ulong)
        VALUE(IF, AND, and, ULONG, ulong)
        VALUE(IF, XOR, xor, ULONG, ulong)
        GET(IF, ULONG, ulong)
        FETCH(IF, SWAP, swap, ULONG, ulong)
        FETCH(IF, FETCH_MIN, fetch_min, ULONG, ulong)
        FETCH(IF, FETCH_AND, fetch_and, ULONG, ulong)
        FETCH(IF, FETCH_XOR, fetch_xor, ULONG, ulong)
        CAS(IF, ULONG, ulong)
        PUT_SIGNAL(IF, ULONG, ulong)
        NOTE(IF)
        VALUE(ALONE, PUT, put, UINT, uint)
        INC(ALONE, UINT, uint)
        FETCH(ALONE, FETCH_ADD, fetch_add, UINT, uint)
        CAS(ALONE, ULONG, ulong)
        PUT_SIGNAL(ALONE, ULONG, ulong)
        NOTE(ALONE)
        VALUE(ALL, PUT, put, UINT, uint)
        FETCH(ALL, SWAP, swap, ULONG, ulong)
#ifdef HISTORY_ASKS
        BY_HANDLER(OR, UINT, am3, OR_WORD, item.node)
        BY_HANDLER(FETCH_OR, UINT, ask3, OR_WORD, reply, item.place, item.node)
        BY_HANDLER(PUT, ULONG, am3, SWAP_WORD, item.node)
        BY_HANDLER(SWAP, ULONG, ask3, SWAP_WORD, reply, item.place, item.node)
#endif
        const uint own = item.active ? call.code : 0, value = (uint)item.value;
        gravel_append_wg_if(g, own == HISTORY_CODE(GRAVEL_APPEND, GRAVEL_UINT), records, value,
                            item.node);
        if (own == HISTORY_CODE(HISTORY_ADDED, GRAVEL_UINT))
            gravel_accumulate_uint_wi(g, total, 0, value, item.node);
        if (own == HISTORY_CODE(HISTORY_MAXED, GRAVEL_UINT))
            gravel_accumulate_uint_wi(g, most, 0, value, item.node);
        if (own == HISTORY_CODE(HISTORY_SLOT, GRAVEL_UINT))
            gravel_slot_add_uint_wi(g, slots, item.node, value);
        gravel_wait_until_uint_wg(g, call.flag, GRAVEL_CMP_GE, call.n_raised);
        if (item.active && call.code == HISTORY_CODE(HISTORY_LOOK, GRAVEL_UINT))
            seen[i] = *(volatile global uint *)gravel_local(g, item.poll_at);
        if (item.active && call.code == HISTORY_CODE(HISTORY_LOOK, GRAVEL_ULONG))
            seen[i] = *(volatile global ulong *)gravel_local(g, item.poll_at);
        gravel_barrier_wg(g);
    }
}
