/* SPDX-License-Identifier: MIT */
/*
 * Runs a launch of a history: each work-group makes the calls of its script, one after the other. One kernel makes every
 * call, so that a history is data, and nothing is compiled for it.
 *
 * Global size: groups of HISTORY_ITEMS; of rounds any. `words`, `answers` and `slots` are heap offsets, `answered` that of a uint
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
#define ALONE(OP, TYPE, name, ...)                                 \
    if (IS(OP, TYPE) && call.form == HISTORY_ALONE && item.active) \
        gravel_##name##_wi(g, __VA_ARGS__);
#define ALL(OP, TYPE, name, ...)                 \
    if (IS(OP, TYPE) && call.form == HISTORY_WG) \
        gravel_##name##_wg(g, __VA_ARGS__);

#ifdef HISTORY_RUNS_ROUNDS
#define HISTORY_ALONE HISTORY_PHASE
#else
#define HISTORY_ALONE HISTORY_WI
#endif

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

#define EACH(FORM)                                  \
    VALUE(FORM, PUT, put, UINT, uint)               \
    VALUE(FORM, ADD, add, UINT, uint)               \
    VALUE(FORM, MAX, max, UINT, uint)               \
    VALUE(FORM, OR, or, UINT, uint)                 \
    INC(FORM, UINT, uint)                           \
    GET(FORM, UINT, uint)                           \
    FETCH(FORM, FETCH_ADD, fetch_add, UINT, uint)   \
    FETCH(FORM, FETCH_MAX, fetch_max, UINT, uint)   \
    FETCH(FORM, FETCH_OR, fetch_or, UINT, uint)     \
    PUT_SIGNAL(FORM, UINT, uint)                    \
    VALUE(FORM, PUT, put, ULONG, ulong)             \
    VALUE(FORM, MIN, min, ULONG, ulong)             \
    VALUE(FORM, AND, and, ULONG, ulong)             \
    VALUE(FORM, XOR, xor, ULONG, ulong)             \
    GET(FORM, ULONG, ulong)                         \
    FETCH(FORM, SWAP, swap, ULONG, ulong)           \
    FETCH(FORM, FETCH_MIN, fetch_min, ULONG, ulong) \
    FETCH(FORM, FETCH_AND, fetch_and, ULONG, ulong) \
    FETCH(FORM, FETCH_XOR, fetch_xor, ULONG, ulong) \
    CAS(FORM, ULONG, ulong)                         \
    PUT_SIGNAL(FORM, ULONG, ulong)                  \
    NOTE(FORM)

#define LOAD(TYPE, type)                                                       \
    if (item.active && call.code == HISTORY_CODE(HISTORY_LOOK, GRAVEL_##TYPE)) \
        seen[i] = *(volatile global type *)gravel_local(g, item.poll_at);

#ifdef HISTORY_RUNS_ROUNDS

/* Any work-item: makes its calls of a step. Returns how many these are. */
uint play_step(struct gravel_round_group r, uint step, ulong words, ulong answers, ulong answered,
               global const struct history_call *calls, global const struct history_item *items,
               volatile global ulong *seen)
{
    const struct gravel_group g = r.group;
    uint n = 0;
    for (uint k = gravel_round_item(r); k < HISTORY_GROUPS * HISTORY_ITEMS;
         k += gravel_round_items(r)) {
        const uint at = k / HISTORY_ITEMS * HISTORY_STEPS + step,
                   i = at * HISTORY_ITEMS + k % HISTORY_ITEMS;
        const struct history_call call = calls[at];
        const struct history_item item = items[i];
        const struct gravel_reply reply = {answers, answered + 4 * (k / HISTORY_ITEMS)};
        const uint value = (uint)item.value;
        EACH(ALONE)
        if (item.active && IS(APPEND, UINT))
            gravel_append_wi(g, records, value, item.node);
        gravel_wait_until_uint_wi(g, call.flag, GRAVEL_CMP_GE, call.n_raised); /* it is */
        LOAD(UINT, uint)
        LOAD(ULONG, ulong)
        n += item.active;
    }
    return n;
}

kernel void play(GRAVEL_ARENA, GRAVEL_ROUND, ulong words, ulong answers,
                 global const struct history_call *calls, global const struct history_item *items,
                 volatile global ulong *seen, ulong answered)
{
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, first)
        {
            const uint number = (uint)gravel_round_number(r);
            if (number && gravel_round_item(r) == 0)
                seen[HISTORY_SUMS + number - 1] = gravel_round_sum(r);
            const uint step = HISTORY_PHASES * number;
            gravel_round_count_wg(r,
                                  play_step(r, step, words, answers, answered, calls, items, seen));
        }
        GRAVEL_PHASE(r, second)
        {
            const uint step = HISTORY_PHASES * (uint)gravel_round_number(r) + 1;
            gravel_round_count_wi(r,
                                  play_step(r, step, words, answers, answered, calls, items, seen));
        }
    }
}

#else

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
        EACH(IF)
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
        LOAD(UINT, uint)
        LOAD(ULONG, ulong)
        gravel_barrier_wg(g);
    }
}

#endif
