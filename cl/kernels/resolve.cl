/* SPDX-License-Identifier: MIT */
/*
 * Applies the runs of a checked frame to a heap that the host cannot address.
 *
 * Messages that combine commute, so each is a work-item with one atomic operation; of additions to few words, a group
 * adds up its own first. Puts do not commute: the last one to a word must win. A hash table finds it: find_last enters
 * every message, store_last stores those that are in the table. No barrier, no waiting, and no order of work-items.
 *
 * apply_serially is a plain loop: for CPU devices, where it is the fastest (no locked instruction), for
 * 64-bit words on devices without 64-bit atomics, and for a few messages.
 *
 * A request does what its operation does, and its value row is where its answer goes:
 * lib/resolve/on_device/copied.c reads it back. Requests of one run are of one call of a work-group, so they
 * may be done in any order.
 *
 * Path:    lib/resolve/on_device/runs.c chooses, enqueues these run by run, and says by GRAVELP_INT64_ATOMICS
 *          whether the device has them.
 * Memory:  one kernel at a time changes heap words; other kernels may read, and see no torn word. While rounds change
 *          words too (direct.cl.h), all but puts are atomic operations. Q1 releases, at the scope of the device,
 *          what earlier kernels of the queue applied.
 * Source:  Orr 2016, section 5.2; requests and signals: OpenSHMEM 1.5, sections 9.7 and 9.8.
 */
#define GRAVELP_APPLIES /* apply.cl.h */
#include "gravel.cl.h"

#include "double_sum.cl.h"
#include "layout/next.h"

/*
 * A run of wire.h. kind is its command without GRAVELP_COMMAND_FAR, which is_far has; base: of index 0 in the arena;
 * indices_at, values_at: in the frame [bytes].
 * (A switch over a masked command is one over 12-bit numbers to the compiler, and oclgrind takes the wrong case.)
 *
 * refused [.][2], of which the frame has number `record`: zeros, unless check_indices has found an index of the frame
 * that is refused; then UINT_MAX less the number of the first such message in the frame, and its index, and nothing of
 * the frame is applied. first: messages of the frame before this run.
 */
#define RUN                                                                                        \
    global uchar *arena, global uchar *frame, uint kind, uint is_far, uint n_messages, ulong base, \
        uint indices_at, uint values_at, global uint *refused, uint record, uint first
#define FOUND (refused + 2 * record)
#define IS_REFUSED(i) is_refused(FOUND, frame + indices_at, first, n_messages, i)
#define RUN_WORD_AT(i) word_at(frame + indices_at, kind, is_far, base, i)
#define WORD(type, i) ((volatile global type *)(arena + RUN_WORD_AT(i)))
#define VALUE(type, i) ((global type *)(frame + values_at))[i]
#define EXPECTED(type, i) VALUE(type, n_messages + (i)) /* of CAS: the second row of values */

/* Returns where in the arena the word of message i is [bytes]. */
GRAVELP_INLINE ulong word_at(global const uchar *indices, uint kind, uint is_far, ulong base,
                             uint i)
{
    const uint bytes = GRAVELP_VALUE_BYTES(kind);
    if (GRAVELP_IS_REQUEST(kind) && is_far)
        return base + ((global const struct gravelp_far_request *)indices)[i].index * bytes;
    if (GRAVELP_IS_REQUEST(kind))
        return base + GRAVELP_REQUEST_INDEX(((global const ulong *)indices)[i]) * bytes;
    if (is_far)
        return base + ((global const ulong *)indices)[i] * bytes;
    return base + (ulong)((global const uint *)indices)[i] * bytes;
}

/* ---- indices --------------------------------------------------------------------------------- */

#define AT_ONCE 4u

/* Any local size, global size at least n_items. Of a run with 4-byte indices: every one must be less than n_words. */
kernel void check_indices(RUN, ulong n_words, uint n_items)
{
    (void)arena, (void)kind, (void)is_far, (void)base, (void)values_at;
    global const uint *indices = (global const uint *)(frame + indices_at);
    for (uint i = (uint)get_global_id(0); i < n_messages; i += AT_ONCE * n_items) {
        uint seen[AT_ONCE]; /* loads first: an atomic operation keeps the next one waiting */
        for (uint k = 0; k < AT_ONCE; k++)
            seen[k] = n_messages - i > k * n_items ? indices[i + k * n_items] : 0;
        for (uint k = 0; k < AT_ONCE; k++)
            if (seen[k] >= n_words && n_messages - i > k * n_items)
                atomic_max(&FOUND[0], UINT_MAX - first - i - k * n_items);
    }
}

/* Returns whether the frame is refused; work-item 0 of the run that has the message reports its index. */
GRAVELP_INLINE bool is_refused(global uint *refused, global const uchar *indices, uint first,
                               uint n_messages, uint i)
{
    uint found = refused[0], message = UINT_MAX - found;
    if (found != 0 && i == 0 && message >= first && message - first < n_messages)
        refused[1] = ((global const uint *)indices)[message - first];
    return found != 0;
}

/* ---- one after the other --------------------------------------------------------------------- */

#define SERIALLY(command, type, change)                 \
    case command:                                       \
        for (uint i = 0; i < n_messages; i++) {         \
            volatile global type *word = WORD(type, i); \
            change;                                     \
        }                                               \
        break;
#define SERIAL_VALUE(OP, op, TYPE, type)                                                         \
    SERIALLY(GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE), type,                                  \
             *word = GRAVELP_NEXT_##op(type, *word, VALUE(type, i)))                             \
    SERIALLY(GRAVELP_COMMAND(GRAVEL_FETCH + GRAVEL_##OP, GRAVEL_##TYPE), type, type old = *word; \
             *word = GRAVELP_NEXT_##op(type, old, VALUE(type, i)); VALUE(type, i) = old)
#define SERIAL_OTHER(OP, TYPE, type) \
    SERIALLY(GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE), type, SERIAL_##OP(type))
#define SERIAL_INC(type) *word = GRAVELP_NEXT_inc(type, *word, 1)
#define SERIAL_GET(type) VALUE(type, i) = *word
#define SERIAL_CAS(type)          \
    type old = *word;             \
    if (old == EXPECTED(type, i)) \
        *word = VALUE(type, i);   \
    VALUE(type, i) = old

/* A double's sum where the device has none. */
#define GRAVELP_NEXT_add_bits(type, old, value) sum_doubles(old, value)

/* Global and local size 1. Any command but an active message. */
kernel void apply_serially(RUN)
{
    if (IS_REFUSED(0))
        return;
    switch (kind) {
        GRAVELP_COMMANDS_OF_4_BYTES(SERIAL_VALUE, SERIAL_OTHER)
        GRAVELP_COMMANDS_OF_8_BYTES(SERIAL_VALUE, SERIAL_OTHER)
#ifdef GRAVEL_HAS_DOUBLE
        SERIAL_VALUE(ADD, add, DOUBLE, double)
#else
        SERIAL_VALUE(ADD, add_bits, DOUBLE, ulong)
#endif
    }
}

/* ---- concurrent ------------------------------------------------------------------------------ */

#if defined(GRAVELP_HAS_LONG_UPDATES) && !defined(GRAVEL_HAS_DOUBLE)
#define ADDS_DOUBLES(kind) (((kind) & ~GRAVEL_FETCH) == GRAVELP_COMMAND(GRAVEL_ADD, GRAVEL_DOUBLE))
GRAVELP_INLINE ulong add_double_bits(volatile global ulong *word, ulong value)
{
    ulong old = *word, seen;
    while ((seen = atom_cmpxchg(word, old, sum_doubles(old, value))) != old)
        old = seen;
    return old;
}
#endif

/* The value of message i as bits; 0 of a command without. */
GRAVELP_INLINE ulong bits_of(global const uchar *values, uint kind, uint i)
{
    if (GRAVELP_N_VALUES(kind) == 0)
        return 0;
    return GRAVELP_VALUE_BYTES(kind) == 8 ? ((global const ulong *)values)[i]
                                          : ((global const uint *)values)[i];
}

/* Message i, whose word is at `at` of the arena [bytes], and whose value has these bits. */
GRAVELP_INLINE void apply_one(global uchar *arena, global uchar *frame, uint kind, uint n_messages,
                              uint values_at, uint i, ulong at, ulong value)
{
    global uchar *word = arena + at;
    const ulong expected = GRAVELP_COMMAND_OP(kind) == GRAVEL_CAS
                               ? bits_of(frame + values_at, kind, n_messages + i)
                               : 0;
#ifdef ADDS_DOUBLES
    const ulong old = ADDS_DOUBLES(kind) ? add_double_bits((volatile global ulong *)word, value)
                                         : gravelp_apply(kind, word, value, expected);
#else
    const ulong old = gravelp_apply(kind, word, value, expected);
#endif
    if (GRAVELP_IS_REQUEST(kind) && GRAVELP_VALUE_BYTES(kind) == 4)
        VALUE(uint, i) = (uint)old;
    else if (GRAVELP_IS_REQUEST(kind))
        VALUE(ulong, i) = old;
}

/* Any local size, global size at least n_items. Any command but put and active message; those on 64-bit words need the
 * device's 64-bit atomics. Few items leave room on the device for concurrent kernels. */
kernel void apply_each(RUN, uint n_items)
{
    uint item = (uint)get_global_id(0);
    if (item >= n_items || IS_REFUSED(item))
        return;
    for (uint i = item; i < n_messages; i += AT_ONCE * n_items) {
        ulong words[AT_ONCE], values[AT_ONCE]; /* loads first, as above */
        for (uint k = 0; k < AT_ONCE; k++) {
            uint message = n_messages - i > k * n_items ? i + k * n_items : i;
            words[k] = word_at(frame + indices_at, kind, is_far, base, message);
            values[k] = bits_of(frame + values_at, kind, message);
        }
        for (uint k = 0; k < AT_ONCE && n_messages - i > k * n_items; k++)
            apply_one(arena, frame, kind, n_messages, values_at, i + k * n_items, words[k],
                      values[k]);
    }
}

/* One work-group of any size. Any command of apply_each except a request, of a short frame of n_words that comes as an
 * argument: one command, where an upload and a kernel are two. The barrier hands its bytes to their readers. */
kernel void apply_given(RUN, struct gravelp_given given, uint n_words)
{
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    (void)refused, (void)record, (void)first;
    for (uint w = lane; w < n_words; w += n_lanes)
        ((global uint *)frame)[w] = given.words[w];
    gravelp_barrier_group();
    for (uint i = lane; i < n_messages; i += n_lanes)
        apply_one(arena, frame, kind, n_messages, values_at, i,
                  word_at(frame + indices_at, kind, is_far, base, i),
                  bits_of(frame + values_at, kind, i));
}

/* ---- additions to few words ------------------------------------------------------------------ */

/* A group adds up what its messages add to each word, then adds that to the word: atomic operations on one word follow
 * one another, and thousands of groups would wait for a histogram's few. */
#define ADD_FEW(type, ADD)                                                            \
    do {                                                                              \
        volatile global type *heap = (volatile global type *)(arena + base);          \
        volatile local type *sum = (volatile local type *)sums;                       \
        for (uint w = lane; w < n_words; w += n_lanes)                                \
            sum[w] = 0;                                                               \
        barrier(CLK_LOCAL_MEM_FENCE);                                                 \
        for (uint i = item < n_items ? item : n_messages; i < n_messages;             \
             i += AT_ONCE * n_items) {                                                \
            uint words[AT_ONCE];                                                      \
            type addends[AT_ONCE]; /* loads first, as above */                        \
            for (uint k = 0; k < AT_ONCE; k++) {                                      \
                uint message = n_messages - i > k * n_items ? i + k * n_items : i;    \
                words[k] = indices[message];                                          \
                addends[k] = GRAVELP_N_VALUES(kind) ? VALUE(type, message) : (type)1; \
            }                                                                         \
            for (uint k = 0; k < AT_ONCE && n_messages - i > k * n_items; k++)        \
                ADD(&sum[words[k]], addends[k]);                                      \
        }                                                                             \
        barrier(CLK_LOCAL_MEM_FENCE);                                                 \
        for (uint w = lane; w < n_words; w += n_lanes)                                \
            if (sum[w])                                                               \
                ADD(&heap[w], sum[w]);                                                \
    } while (0)

/* Any local size, global size at least n_items. GRAVEL_INC or GRAVEL_ADD of integers, with 4-byte indices, to the
 * n_words words from the base on; those of 64 bits need the device's 64-bit atomics. sums: a word of the kind for
 * each. */
kernel void add_few(RUN, uint n_items, uint n_words, local ulong *sums)
{
    global const uint *indices = (global const uint *)(frame + indices_at);
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    uint item = (uint)get_global_id(0);
    (void)is_far;
    if (IS_REFUSED(item))
        return; /* of all groups */
    if (GRAVELP_VALUE_BYTES(kind) == 4)
        ADD_FEW(uint, atomic_add);
#ifdef GRAVELP_HAS_LONG_UPDATES
    else
        ADD_FEW(ulong, atom_add);
#endif
}

/* ---- puts ------------------------------------------------------------------------------------ */

/* Any local size, global size at least n_messages; put only. last [mask + 1], a power of two of at least 2 n_messages,
 * zeros before; then every word of the run has one slot, 1 + the number of its last message. A slot changes from 0 to a
 * message of some word, then among messages of that word only, so that a reader learns the word. */
kernel void find_last(RUN, global uint *last, uint mask)
{
    (void)arena, (void)values_at;
    uint i = (uint)get_global_id(0);
    if (i >= n_messages || IS_REFUSED(i))
        return;
    ulong word = RUN_WORD_AT(i);
    for (uint slot = gravelp_key_hash(word) & mask;; slot = (slot + 1) & mask) {
        uint other =
            gravelp_load_relaxed(&last[slot]); /* spares most atomic operations; may be old */
        if (other == 0)
            other = atomic_cmpxchg(&last[slot], 0u, i + 1);
        if (other == 0)
            return;
        if (RUN_WORD_AT(other - 1) == word) {
            if (other < i + 1)
                atomic_max(&last[slot], i + 1);
            return;
        }
    }
}

/* Sizes and table of find_last, after it: stores the last value of every word. */
kernel void store_last(RUN, global const uint *last, uint mask)
{
    uint i = (uint)get_global_id(0);
    if (i >= n_messages || IS_REFUSED(i))
        return;
    ulong word = RUN_WORD_AT(i);
    uint slot = gravelp_key_hash(word) & mask;
    while (last[slot] != i + 1) {
        if (RUN_WORD_AT(last[slot] - 1) == word)
            return; /* a later message */
        slot = (slot + 1) & mask;
    }
    if (GRAVELP_VALUE_BYTES(kind) == 8)
        *WORD(ulong, i) = VALUE(ulong, i);
    else
        *WORD(uint, i) = VALUE(uint, i);
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Global and local size 1: the uint at `at` of the arena [bytes] grows by n. Only this queue's kernels write it. */
kernel void raise_signal(global uchar *arena, ulong at, uint n)
{
    global uint *signal = (global uint *)(arena + at);
    gravelp_store_release(signal, gravelp_load_relaxed(signal) + n); /* Q1, pairs with Q2 */
}

/* ---- where packages lie ---------------------------------------------------------------------- */

/*
 * apply_in_place takes a queue's packages from a ticket on, as long as every message of a package is an update that
 * commutes with its like, for this node, and inside the allocation of its base; the rest, and what is to be refused, it
 * leaves to the host. It takes none of more than a few, which are fetched together, or binned (aggregate.cl). Packages
 * of one work-item keep their order: a barrier is between any two.
 *
 * Memory:  K1 acquires what a leader released by P2. While this runs it is the queue's consumer instead of the host,
 *          which reads U11 by a copy behind it.
 * Source:  Orr 2016, section 5.2.3; there the host applies a node's messages to itself too.
 */
struct found {
    ulong base;                    /* [bytes] of index 0 in the arena */
    ulong words;                   /* elements from there to the end of the allocation */
    uint kind, n_messages, stride; /* n_messages: 0 if it is not to be taken */
    uint is_wrong;                 /* some message is not for here */
};

/* Returns whether apply_one does such updates on this device, and their messages may be reordered. */
GRAVELP_INLINE bool is_taken(uint command)
{
    uint op = GRAVELP_COMMAND_OP(command), type = GRAVELP_COMMAND_TYPE(command);
    bool is_real = type == GRAVEL_FLOAT || type == GRAVEL_DOUBLE;
#ifdef GRAVELP_HAS_LONG_UPDATES
    bool has_type = type <= GRAVEL_DOUBLE;
#else
    bool has_type = type <= GRAVEL_UINT || type == GRAVEL_FLOAT;
#endif
    return command == GRAVELP_COMMAND(op, type) && has_type &&
           (op == GRAVEL_ADD ||
            (!is_real && (op == GRAVEL_INC || (op >= GRAVEL_MIN && op <= GRAVEL_XOR))));
}

GRAVELP_INLINE void find_package(global struct gravelp_arena *head,
                                 global struct gravelp_package *package, uint ticket,
                                 global const struct gravelp_bounds_span *spans, uint n_spans,
                                 local struct found *found)
{
    found->n_messages = 0;
    found->is_wrong = 0;
    if (gravelp_device_load_acquire(&package->published) != ticket + 1) /* K1, pairs with P2 */
        return;
    uint command = package->command, n = package->n_messages, stride = package->stride;
    if (!is_taken(command) || n > stride || stride % 16 != 0 ||
        stride > GRAVELP_SLOT_COLUMNS(head->slot_bytes, command))
        return;
    ulong base = package->base;
    uint span = gravelp_span_find(spans, n_spans, base), bytes = GRAVELP_VALUE_BYTES(command);
    if (span == n_spans || base % bytes != 0)
        return;
    found->base = head->heap_offset + base;
    found->words = (spans[span].bytes - (base - spans[span].offset)) / bytes;
    found->kind = command;
    found->stride = stride;
    found->n_messages = n;
}

/* One work-group of any size. spans [n_spans]: all allocations, by rising offset. The queue's words count packages. */
kernel void apply_in_place(global uchar *arena, uint queue, uint ticket,
                           global const struct gravelp_bounds_span *spans, uint n_spans)
{
    local struct found found[GRAVELP_IN_PLACE_MOST];
    local uint n_reserved, n_taken;
    global struct gravelp_arena *head = (global struct gravelp_arena *)arena;
    const struct gravelp_ring ring = gravelp_ring(head, queue);
    uint lane = (uint)get_local_id(0), n_lanes = (uint)get_local_size(0);
    if (lane == 0) {
        /* Orders nothing: K1 shows which of them are published. */
        uint n = gravelp_device_load_relaxed(&ring.words->reserved) - ticket;
        n_reserved = n <= GRAVELP_IN_PLACE_MOST ? n : 0;
    }
    gravelp_barrier_group();
    for (uint p = lane; p < n_reserved; p += n_lanes)
        find_package(head, (global struct gravelp_package *)gravelp_ring_slot(ring, ticket + p),
                     ticket + p, spans, n_spans, &found[p]);
    gravelp_barrier_group();
    for (uint p = 0; p < n_reserved; p++) {
        global const uchar *slot = gravelp_ring_slot(ring, ticket + p);
        global const uint *nodes = (global const uint *)(slot + GRAVELP_NODE_ROW);
        global const uint *indices =
            (global const uint *)(slot + GRAVELP_INDEX_ROW(found[p].stride));
        for (uint i = lane; i < found[p].n_messages; i += n_lanes)
            if (nodes[i] != head->node || indices[i] >= found[p].words)
                atomic_or(&found[p].is_wrong, 1u); /* of the group; the barrier hands it on */
    }
    gravelp_barrier_group();
    if (lane == 0) {
        uint n = 0, n_messages = 0;
        for (; n < n_reserved && found[n].n_messages && !found[n].is_wrong; n++)
            n_messages += found[n].n_messages;
        n_taken = n;
        ring.words->applied_messages += n_messages;
        ring.words->applied = ticket + n; /* U11 */
    }
    gravelp_barrier_group();
    for (uint p = 0; p < n_taken; p++) {
        const uint kind = found[p].kind, stride = found[p].stride, n = found[p].n_messages;
        global uchar *slot = gravelp_ring_slot(ring, ticket + p);
        const uint values_at = GRAVELP_VALUE_ROW(kind, stride, 0);
        for (uint i = lane; i < n; i += n_lanes)
            apply_one(arena, slot, kind, n, values_at, i,
                      word_at(slot + GRAVELP_INDEX_ROW(stride), kind, 0, found[p].base, i),
                      bits_of(slot + values_at, kind, i));
        gravelp_barrier_group(); /* all of it is stored before the next package */
    }
}
