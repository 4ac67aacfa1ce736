/* SPDX-License-Identifier: MIT */
/*
 * Applies runs of requests, and raises signals. Follows resolve.cl in its program.
 *
 * A request's value row is where its answer goes: lib/resolve/on_device/device_resolver.c reads it back. Requests of
 * one run are of one call of a work-group, so they may be done in any order; runs are done one after the other.
 *
 * Path:    lib/resolve/on_device/runs.c enqueues these, in order with those of resolve.cl.
 * Memory:  Q1 releases, at the scope of the device, what earlier kernels of the queue applied.
 * Source:  OpenSHMEM 1.5, sections 9.7 and 9.8.
 */

/* As RUN; values_at is of the answers, expected_at of what CAS expects. */
#define REQUESTS                                                                        \
    global uchar *arena, global uchar *frame, uint kind, uint is_wide, uint n_messages, \
        ulong base, uint requests_at, uint values_at, uint expected_at
#define REQUEST(i) ((global const ulong *)(frame + requests_at))[i]
#define ASKED_WORD(type, i)                  \
    ((volatile global type *)(arena + base + \
                              (ulong)GRAVELP_REQUEST_INDEX(REQUEST(i)) * sizeof(type)))
#define ANSWER(type, i) ((global type *)(frame + values_at))[i]
#define EXPECTED(type, i) ((global const type *)(frame + expected_at))[i]

/* What `old` becomes, given the value and, of CAS, what is expected. */
#define NEXT_get(type, old, value, expected) (old)
#define NEXT_swap(type, old, value, expected) (value)
#define NEXT_fetch_add(type, old, value, expected) SUM_##type(old, value)
#define NEXT_fetch_min(type, old, value, expected) min((type)(old), value)
#define NEXT_fetch_max(type, old, value, expected) max((type)(old), value)
#define NEXT_fetch_and(type, old, value, expected) ((old) & (value))
#define NEXT_fetch_or(type, old, value, expected) ((old) | (value))
#define NEXT_fetch_xor(type, old, value, expected) ((old) ^ (value))
#define NEXT_fetch_add_bits(type, old, value, expected) sum_doubles(old, value)
#define NEXT_cas(type, old, value, expected) ((old) == (expected) ? (value) : (old))

#define ANSWER_SERIALLY(OP, op, TYPE, type)                                        \
    case GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE):                              \
        for (uint i = 0; i < n_messages; i++) {                                    \
            type old = *ASKED_WORD(type, i), value = ANSWER(type, i);              \
            *ASKED_WORD(type, i) = NEXT_##op(type, old, value, EXPECTED(type, i)); \
            ANSWER(type, i) = old;                                                 \
        }                                                                          \
        break;
#define CAS_SERIALLY(TYPE, type) ANSWER_SERIALLY(CAS, cas, TYPE, type)

/* Global and local size 1. Any request. */
kernel void answer_serially(REQUESTS)
{
    (void)is_wide;
    switch (kind) {
        GRAVEL_REQUESTS(ANSWER_SERIALLY)
        GRAVEL_INC_TYPES(CAS_SERIALLY)
#ifdef GRAVEL_HAS_DOUBLE
        GRAVEL_DOUBLE_REQUESTS(ANSWER_SERIALLY)
#else
        ANSWER_SERIALLY(GET, get, DOUBLE, ulong)
        ANSWER_SERIALLY(SWAP, swap, DOUBLE, ulong)
        ANSWER_SERIALLY(FETCH_ADD, fetch_add_bits, DOUBLE, ulong)
#endif
    }
}

/* The old value, and the word is what it becomes: by one atomic operation. */
#define FETCH_get(type, word, value, expected) (*(word))
#define FETCH_fetch_add(type, word, value, expected) add_##type(word, value)
#define FETCH_fetch_add_bits(type, word, value, expected) add_bits_ulong(word, value)
#define FETCH_swap(type, word, value, expected) ATOMIC_##type(xchg)(word, value)
#define FETCH_fetch_min(type, word, value, expected) ATOMIC_##type(min)(word, value)
#define FETCH_fetch_max(type, word, value, expected) ATOMIC_##type(max)(word, value)
#define FETCH_fetch_and(type, word, value, expected) ATOMIC_##type (and)(word, value)
#define FETCH_fetch_or(type, word, value, expected) ATOMIC_##type(or)(word, value)
#define FETCH_fetch_xor(type, word, value, expected) ATOMIC_##type (xor)(word, value)
#define FETCH_cas(type, word, value, expected) ATOMIC_##type(cmpxchg)(word, expected, value)

#define ANSWER_ONE(OP, op, TYPE, type)                                                 \
    case GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE):                                  \
        ANSWER(type, i) =                                                              \
            FETCH_##op(type, ASKED_WORD(type, i), ANSWER(type, i), EXPECTED(type, i)); \
        break;

/* Any local size, global size at least n_messages. Any request; those on 64-bit words need the device's 64-bit
 * atomics. */
kernel void answer_each(REQUESTS)
{
    (void)is_wide;
    uint i = (uint)get_global_id(0);
    if (i >= n_messages)
        return;
    switch (kind) {
        GRAVEL_INTEGER_REQUESTS(ANSWER_ONE, INT, int)
        GRAVEL_INTEGER_REQUESTS(ANSWER_ONE, UINT, uint)
        ANSWER_ONE(CAS, cas, INT, int)
        ANSWER_ONE(CAS, cas, UINT, uint)
        ANSWER_ONE(GET, get, FLOAT, uint)
        ANSWER_ONE(SWAP, swap, FLOAT, uint)
        ANSWER_ONE(FETCH_ADD, fetch_add, FLOAT, float)
#ifdef GRAVEL_INT64_ATOMICS
        GRAVEL_INTEGER_REQUESTS(ANSWER_ONE, LONG, long)
        GRAVEL_INTEGER_REQUESTS(ANSWER_ONE, ULONG, ulong)
        ANSWER_ONE(CAS, cas, LONG, long)
        ANSWER_ONE(CAS, cas, ULONG, ulong)
        ANSWER_ONE(GET, get, DOUBLE, ulong)
        ANSWER_ONE(SWAP, swap, DOUBLE, ulong)
#ifdef GRAVEL_HAS_DOUBLE
        ANSWER_ONE(FETCH_ADD, fetch_add, DOUBLE, double)
#else
        ANSWER_ONE(FETCH_ADD, fetch_add_bits, DOUBLE, ulong)
#endif
#endif
    }
}

/* Global and local size 1: the uint at `at` of the arena [bytes] grows by n. Only this queue's kernels write it. */
kernel void raise_signal(global uchar *arena, ulong at, uint n)
{
    global uint *signal = (global uint *)(arena + at);
    gravelp_store_release(signal, gravelp_load_relaxed(signal) + n); /* Q1, pairs with Q2 */
}
