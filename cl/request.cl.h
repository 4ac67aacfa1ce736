/* SPDX-License-Identifier: MIT */
/*
 * Messages that answer or signal, and the waits for them.
 *
 *     kernel void look_up(GRAVEL_ARENA, ulong table, ulong answers, ulong signals, global const uint *keys)
 *     {
 *         GRAVEL_OPEN(g);
 *         uint i = get_global_id(0), lane = get_local_id(0), group = i / get_local_size(0);
 *         struct gravel_reply reply = {answers + 4 * (i - lane), signals + 4 * group};
 *         uint n = gravel_get_uint(g, table, keys[i] / gravel_n_nodes(g), keys[i] % gravel_n_nodes(g), reply, lane);
 *         if (gravel_wait_until_uint(g, reply.signal, GRAVEL_CMP_GE, n))
 *             use(((global uint *)gravel_local(g, reply.result))[lane]);
 *     }
 *
 * Requests are split-phase: the call returns at once, and the answer, the word's old value, is put to this node's own
 * heap some time later: to element `place` after reply.result. Then the uint at reply.signal has grown by one for
 * every answer. `reply` is the same for the whole group, `place` is each work-item's own. Forms as in message.cl.h:
 *     gravel_get_TYPE(g, base, index, node, reply, place)                 also _if(g, active, ...), _wi
 *     gravel_swap_TYPE(g, base, index, value, node, reply, place)         stores value
 *     gravel_fetch_OP_TYPE(g, base, index, value, node, reply, place)     OP is add, min, max, and, or, xor
 *     gravel_cas_TYPE(g, base, index, expected, value, node, reply, place) stores value if the word is as expected
 *     gravel_put_signal_TYPE(g, base, index, value, node, signal)         put; then the destination's uint at heap
 *                                                                         offset `signal` grows by one a message
 * They return how many messages the group (_wi: the work-item) sent. get, swap and put_signal take all six types, fetch_add
 * too, the other fetch_OP and cas the four integer types. The offsets of requests and signals are checked at the owner
 * before anything is done there.
 *
 * Waits are for words of the own heap that answers, signals or other nodes' messages change:
 *     gravel_wait_until_TYPE(g, offset, compare, value)   TYPE is int, uint, long or ulong, compare GRAVEL_CMP_...;
 *                                                         every work-item of the group; also _wi
 * Those for long and ulong are there where GRAVEL_HAS_LONG_WAITS is defined: devices with 64-bit atomics. On others a
 * program that calls them does not build, and the compiler's message says why.
 * They return true once the word compares so with value, and everything applied before it is visible then. False means that
 * the node has failed, or that the word did not change for GRAVEL_TIMEOUT, which fails the node and is told by the
 * host's next quiet. Wait only for what needs no other work-group of the same launch (answers, or nodes that run
 * already): groups need not run at the same time. On step drain no kernel waits: read the answers in the next launch.
 * gravel_quiet on the host waits for the answers too.
 *
 * Path:    message.cl.h -> request.cl.h -> lib/resolve (the old values) -> lib/network/reply.c -> the own heap.
 * Memory:  Q2 acquires what the resolver released with the signal (Q1), and with it the answers.
 * Source:  OpenSHMEM 1.5, sections 9.7 (atomics), 9.8 (signaling) and 9.9 (point-to-point synchronization).
 */
#ifndef GRAVEL_REQUEST_CL_H
#define GRAVEL_REQUEST_CL_H

#include "message.cl.h"

/* ---- waits ----------------------------------------------------------------------------------- */

#define GRAVEL_CMP_EQ 0u
#define GRAVEL_CMP_NE 1u
#define GRAVEL_CMP_GT 2u
#define GRAVEL_CMP_LE 3u
#define GRAVEL_CMP_LT 4u
#define GRAVEL_CMP_GE 5u

GRAVEL_INLINE bool gravel_compares(ulong word, uint compare, ulong value)
{
    bool holds = compare < GRAVEL_CMP_GT   ? word == value
                 : compare < GRAVEL_CMP_LT ? word > value
                                           : word < value;
    return holds != (compare & 1u);
}

#define GRAVEL_WORD_YIELDS \
    128u /* as many polls more than for room before a wait sleeps: answers come within microseconds */

/* A wait for a word of the own heap. */
struct gravel_awaited {
    ulong offset; /* [bytes] */
    ulong flip;   /* what makes the type's order that of ulong */
    ulong value;
    uint compare;
    bool is_long;
};

GRAVEL_INLINE ulong gravel_look(struct gravel_group g, struct gravel_awaited awaited)
{
#ifdef GRAVEL_HAS_LONG_WAITS
    if (awaited.is_long)
        return gravel_long_load_acquire(
            (global ulong *)gravel_local(g, awaited.offset)); /* Q2, pairs with R1 */
#endif
    return gravel_load_acquire(
        (global uint *)gravel_local(g, awaited.offset)); /* Q2, pairs with Q1 */
}

/* Any work-item: wait, by the host's clock in queue 0. */
GRAVEL_OUT_OF_LINE bool gravel_await(struct gravel_group g, struct gravel_origin origin,
                                     struct gravel_awaited awaited)
{
    global struct gravel_queue_words *words = gravel_queue_words(g.arena, 0);
    struct gravel_patience patience = {0, 0, 0, 0, 0};
    for (uint polls = 0;; polls++) {
        ulong now = gravel_look(g, awaited);
        if (gravel_compares(now ^ awaited.flip, awaited.compare, awaited.value ^ awaited.flip))
            return true;
        uint verdict = gravel_wait_ask(g.arena, words, now, g.arena->wait_ms, &patience);
        if (verdict & GRAVEL_WAIT_IS_LATE)
            gravel_fault_at(g.arena, origin, GRAVEL_FAULT_WAIT | (verdict & GRAVEL_FAULT_CUT_OFF),
                            awaited.compare, awaited.value, now, awaited.offset);
        if (verdict != GRAVEL_WAITS_ON)
            return false;
        patience.least_ns += gravel_pause(polls / GRAVEL_WORD_YIELDS, true);
    }
}

/* Every work-item of the group: the leader waits. */
GRAVEL_INLINE bool gravel_await_group(struct gravel_group g, struct gravel_awaited awaited)
{
    /* G3: no work-item is in a _wi call, whose answer the leader might wait for */
    gravel_group_meet_apart(g.arena);
    if (gravel_is_leader())
        g.scratch->n_active = gravel_await(g, gravel_origin(), awaited);
    gravel_group_meet(g.arena); /* G4: what the leader has acquired is the whole group's */
    return g.scratch->n_active;
}

/* bits: the unsigned type of the same width. */
#define GRAVEL_DEFINE_WAIT(type, bits, flip)                                                       \
    GRAVEL_INLINE bool gravel_wait_until_##type(struct gravel_group g, ulong offset, uint compare, \
                                                type value)                                        \
    {                                                                                              \
        return gravel_await_group(                                                                 \
            g, (struct gravel_awaited){offset, flip, (bits)value, compare, sizeof(type) == 8});    \
    }                                                                                              \
    GRAVEL_INLINE bool gravel_wait_until_##type##_wi(struct gravel_group g, ulong offset,          \
                                                     uint compare, type value)                     \
    {                                                                                              \
        return gravel_await(                                                                       \
            g, gravel_origin(),                                                                    \
            (struct gravel_awaited){offset, flip, (bits)value, compare, sizeof(type) == 8});       \
    }
GRAVEL_DEFINE_WAIT(uint, uint, 0)
GRAVEL_DEFINE_WAIT(int, uint, 0x80000000u)
#ifdef GRAVEL_HAS_LONG_WAITS
GRAVEL_DEFINE_WAIT(ulong, ulong, 0)
GRAVEL_DEFINE_WAIT(long, ulong, (ulong)1 << 63)
#else
#define gravel_wait_until_ulong(...) \
    gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_a_uint
#define gravel_wait_until_ulong_wi(...) \
    gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_a_uint
#define gravel_wait_until_long(...) \
    gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_an_int
#define gravel_wait_until_long_wi(...) \
    gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_an_int
#endif

/* ---- messages -------------------------------------------------------------------------------- */

/* The three forms of one message: name, command, parameters with their commas, index, values, reply. */
#define GRAVEL_DEFINE_ANSWERED(name, command, VALUE_PARAMETERS, REPLY_PARAMETERS, index_bits,    \
                               values, reply)                                                    \
    GRAVEL_INLINE uint name(struct gravel_group g, ulong base, uint index VALUE_PARAMETERS,      \
                            uint node REPLY_PARAMETERS)                                          \
    {                                                                                            \
        gravel_send(g, command, base, reply, index_bits, values, node);                          \
        return gravel_n_lanes();                                                                 \
    }                                                                                            \
    GRAVEL_INLINE uint name##_if(struct gravel_group g, uint active, ulong base,                 \
                                 uint index VALUE_PARAMETERS, uint node REPLY_PARAMETERS)        \
    {                                                                                            \
        gravel_send_if(g, active, command, base, reply, index_bits, values, node);               \
        return g.scratch->n_active;                                                              \
    }                                                                                            \
    GRAVEL_INLINE uint name##_wi(struct gravel_group g, ulong base, uint index VALUE_PARAMETERS, \
                                 uint node REPLY_PARAMETERS)                                     \
    {                                                                                            \
        gravel_send_wi(g, command, base, reply, index_bits, values, node);                       \
        return 1;                                                                                \
    }

#define GRAVEL_TWO_VALUES(first, second) ((struct gravel_values){{(first), (second), 0, 0}})
#define GRAVEL_REPLY_PARAMETERS GRAVEL_COMMA struct gravel_reply reply GRAVEL_COMMA uint place
#define GRAVEL_SIGNAL_PARAMETERS GRAVEL_COMMA ulong signal

#define GRAVEL_PARAMETER_get(type)
#define GRAVEL_PARAMETER_swap(type) GRAVEL_COMMA type value
#define GRAVEL_PARAMETER_fetch_add(type) GRAVEL_COMMA type value
#define GRAVEL_PARAMETER_fetch_min(type) GRAVEL_COMMA type value
#define GRAVEL_PARAMETER_fetch_max(type) GRAVEL_COMMA type value
#define GRAVEL_PARAMETER_fetch_and(type) GRAVEL_COMMA type value
#define GRAVEL_PARAMETER_fetch_or(type) GRAVEL_COMMA type value
#define GRAVEL_PARAMETER_fetch_xor(type) GRAVEL_COMMA type value
/* A get has nothing to say, but sends room for the answer. */
#define GRAVEL_ASKED_get(TYPE) GRAVEL_NO_VALUES
#define GRAVEL_ASKED_swap(TYPE) GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value))
#define GRAVEL_ASKED_fetch_add(TYPE) GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value))
#define GRAVEL_ASKED_fetch_min(TYPE) GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value))
#define GRAVEL_ASKED_fetch_max(TYPE) GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value))
#define GRAVEL_ASKED_fetch_and(TYPE) GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value))
#define GRAVEL_ASKED_fetch_or(TYPE) GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value))
#define GRAVEL_ASKED_fetch_xor(TYPE) GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value))

#define GRAVEL_DEFINE_REQUEST(OP, op, TYPE, type)                                            \
    GRAVEL_DEFINE_ANSWERED(gravel_##op##_##type, GRAVEL_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE), \
                           GRAVEL_PARAMETER_##op(type), GRAVEL_REPLY_PARAMETERS,             \
                           GRAVEL_REQUEST(index, place), GRAVEL_ASKED_##op(TYPE), reply)
#define GRAVEL_DEFINE_CAS(TYPE, type)                                                \
    GRAVEL_DEFINE_ANSWERED(                                                          \
        gravel_cas_##type, GRAVEL_COMMAND(GRAVEL_CAS, GRAVEL_##TYPE),                \
        GRAVEL_COMMA type expected GRAVEL_COMMA type value, GRAVEL_REPLY_PARAMETERS, \
        GRAVEL_REQUEST(index, place),                                                \
        GRAVEL_TWO_VALUES(GRAVEL_BITS_##TYPE(value), GRAVEL_BITS_##TYPE(expected)), reply)
#define GRAVEL_DEFINE_PUT_SIGNAL(TYPE, type)                                        \
    GRAVEL_DEFINE_ANSWERED(                                                         \
        gravel_put_signal_##type, GRAVEL_COMMAND(GRAVEL_PUT_SIGNAL, GRAVEL_##TYPE), \
        GRAVEL_COMMA type value, GRAVEL_SIGNAL_PARAMETERS, index,                   \
        GRAVEL_ONE_VALUE(GRAVEL_BITS_##TYPE(value)), ((struct gravel_reply){0, signal}))

GRAVEL_REQUESTS(GRAVEL_DEFINE_REQUEST)
GRAVEL_INC_TYPES(GRAVEL_DEFINE_CAS)
GRAVEL_SIGNAL_TYPES(GRAVEL_DEFINE_PUT_SIGNAL)
#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_REQUESTS(GRAVEL_DEFINE_REQUEST)
GRAVEL_DEFINE_PUT_SIGNAL(DOUBLE, double)
#endif

/*
 * Where a launch is cut into slices these would be the slice's. A program that needs them gets them as arguments;
 * one that uses them does not build, rather than count items twice.
 */
#if defined(GRAVEL_SLICED) && !defined(GRAVEL_INTERNAL)
#define get_global_size(d) \
    gravel_error_launches_are_sliced_here_so_pass_the_global_size_as_an_argument
#define get_num_groups(d) \
    gravel_error_launches_are_sliced_here_so_pass_the_number_of_groups_as_an_argument
#define get_group_id(d) gravel_error_launches_are_sliced_here_so_use_get_global_id
#define get_global_offset(d) gravel_error_launches_are_sliced_here_and_begin_at_offset_0
#define get_global_linear_id() gravel_error_launches_are_sliced_here_so_use_get_global_id
#endif

#endif
