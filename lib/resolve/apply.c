/* SPDX-License-Identifier: MIT */
/*
 * The resolver's loops: one for each operation, type and width of index, made from the tables in
 * operation.h.
 *
 * A loop loads, combines (layout/next.h) and stores; a request's loop replaces the value by the old one,
 * its answer. Lines are prefetched some messages ahead: 1.1 to 1.2 times the rate of a plain loop on a table of 2^24
 * words, 0.9 times on one that fits in the cache (Zen 3).
 *
 * Source:  Orr 2016, section 5.2; requests: OpenSHMEM 1.5, section 9.7.
 */
#include "resolve/apply.h"

#include "layout/next.h"

#include <stddef.h>
#include <string.h>

#define PREFETCH_AHEAD 32u /* [messages]; measured best of 8, 16, 32 and 64 */

/* ---- words ----------------------------------------------------------------------------------- */

/*
 * How each type of the table in operation.h is loaded and stored. No locked instruction, because a word has one
 * applying thread. The atomics keep words whole for threads that poll them, and an acquire load sees what was applied
 * before (R1). On x86 they are plain moves and cost nothing.
 */
#define DEFINE_WORD(type, BITS)                                                             \
    typedef GRAVELP_WORD_##type word_##type;                                                \
    static inline word_##type load_##type(const unsigned char *address)                     \
    {                                                                                       \
        BITS bits = __atomic_load_n((const BITS *)(const void *)address, __ATOMIC_RELAXED); \
        word_##type value;                                                                  \
        memcpy(&value, &bits, sizeof value);                                                \
        return value;                                                                       \
    }                                                                                       \
    static inline word_##type value_##type(const unsigned char *values, size_t i)           \
    {                                                                                       \
        word_##type value;                                                                  \
        memcpy(&value, values + i * sizeof value, sizeof value);                            \
        return value;                                                                       \
    }                                                                                       \
    static inline void store_##type(unsigned char *address, word_##type value)              \
    {                                                                                       \
        BITS bits;                                                                          \
        memcpy(&bits, &value, sizeof bits);                                                 \
        __atomic_store_n((BITS *)(void *)address, bits, __ATOMIC_RELEASE); /* R1 */         \
    }

DEFINE_WORD(int, uint32_t)
DEFINE_WORD(uint, uint32_t)
DEFINE_WORD(long, uint64_t)
DEFINE_WORD(ulong, uint64_t)
DEFINE_WORD(float, uint32_t)
DEFINE_WORD(double, uint64_t)

/* ---- loops ----------------------------------------------------------------------------------- */

/*
 * Apply n messages. indices: elements, or requests. values: of updates only read; answers
 * replace a request's. expected: of CAS. inc has no values.
 */
typedef void apply_loop(unsigned char *words, const void *indices, unsigned char *values,
                        const unsigned char *expected, uint32_t n);

/* Where message i's word is, after `words` [bytes]. */
#define NEAR_OFFSET(type, indices, i) \
    ((size_t)((const uint32_t *)(indices))[i] * sizeof(word_##type))
#define FAR_OFFSET(type, indices, i) \
    ((size_t)((const uint64_t *)(indices))[i] * sizeof(word_##type))
#define REQUEST_OFFSET(type, indices, i) \
    ((size_t)GRAVELP_REQUEST_INDEX(((const uint64_t *)(indices))[i]) * sizeof(word_##type))
#define FAR_REQUEST_OFFSET(type, indices, i) \
    ((size_t)((const struct gravelp_far_request *)(indices))[i].index * sizeof(word_##type))

#define DEFINE_LOOP(name, type, OFFSET, MESSAGE, op, stores)                           \
    static void name(unsigned char *words, const void *indices, unsigned char *values, \
                     const unsigned char *expected, uint32_t n)                        \
    {                                                                                  \
        (void)values, (void)expected;                                                  \
        size_t i = 0;                                                                  \
        for (; i + PREFETCH_AHEAD < n; i++) {                                          \
            __builtin_prefetch(words + OFFSET(type, indices, i + PREFETCH_AHEAD), 1);  \
            MESSAGE(op, type, words + OFFSET(type, indices, i), stores)                \
        }                                                                              \
        for (; i < n; i++)                                                             \
            MESSAGE(op, type, words + OFFSET(type, indices, i), stores)                \
    }

#define UPDATE(op, type, address, stores)                                                        \
    {                                                                                            \
        unsigned char *word = address;                                                           \
        store_##type(word, GRAVELP_NEXT_##op(type, load_##type(word), value_##type(values, i))); \
    }
#define ANSWER(op, type, address, stores)                                              \
    {                                                                                  \
        unsigned char *word = address;                                                 \
        word_##type old = load_##type(word);                                           \
        if (stores)                                                                    \
            store_##type(word, GRAVELP_NEXT_##op(type, old, value_##type(values, i))); \
        memcpy(values + i * sizeof old, &old, sizeof old);                             \
    }

#define DEFINE_UPDATES(OP, op, TYPE, type)                               \
    DEFINE_LOOP(op##_##type##_near, type, NEAR_OFFSET, UPDATE, op, true) \
    DEFINE_LOOP(op##_##type##_far, type, FAR_OFFSET, UPDATE, op, true)
#define DEFINE_REQUESTS(name, op, type, stores)                                 \
    DEFINE_LOOP(name##_##type##_near, type, REQUEST_OFFSET, ANSWER, op, stores) \
    DEFINE_LOOP(name##_##type##_far, type, FAR_REQUEST_OFFSET, ANSWER, op, stores)
#define DEFINE_INC(TYPE, type) DEFINE_UPDATES(INC, inc, TYPE, type)
#define DEFINE_FETCH(OP, op, TYPE, type) DEFINE_REQUESTS(fetch_##op, op, type, true)
#define DEFINE_GET(TYPE, type) DEFINE_REQUESTS(get, put, type, false)
#define DEFINE_CAS(TYPE, type) DEFINE_REQUESTS(cas, put, type, old == value_##type(expected, i))

GRAVEL_VALUE_OPERATIONS(DEFINE_UPDATES)
GRAVEL_DOUBLE_OPERATIONS(DEFINE_UPDATES)
GRAVEL_INC_TYPES(DEFINE_INC)
GRAVEL_VALUE_OPERATIONS(DEFINE_FETCH)
GRAVEL_DOUBLE_OPERATIONS(DEFINE_FETCH)
GRAVEL_SIGNAL_TYPES(DEFINE_GET)
DEFINE_GET(DOUBLE, double)
GRAVEL_INC_TYPES(DEFINE_CAS)

/* 0: near; 1: far. */
#define UPDATES(OP, op, TYPE, type) \
    [GRAVEL_##OP][GRAVEL_##TYPE] = {op##_##type##_near, op##_##type##_far},
#define REQUESTS(OP, name, TYPE, type) \
    [OP][GRAVEL_##TYPE] = {name##_##type##_near, name##_##type##_far},
#define INC(TYPE, type) UPDATES(INC, inc, TYPE, type)
#define FETCH(OP, op, TYPE, type) REQUESTS(GRAVEL_FETCH + GRAVEL_##OP, fetch_##op, TYPE, type)
#define GET(TYPE, type) REQUESTS(GRAVEL_GET, get, TYPE, type)
#define CAS(TYPE, type) REQUESTS(GRAVEL_CAS, cas, TYPE, type)
#define PUT_SIGNAL(TYPE, type) UPDATES(PUT_SIGNAL, put, TYPE, type)
static apply_loop *const loops[GRAVEL_N_OPERATIONS][8][2] = {
    GRAVEL_VALUE_OPERATIONS(UPDATES) GRAVEL_DOUBLE_OPERATIONS(UPDATES) GRAVEL_INC_TYPES(INC)
        GRAVEL_VALUE_OPERATIONS(FETCH) GRAVEL_DOUBLE_OPERATIONS(FETCH) GRAVEL_SIGNAL_TYPES(GET)
            GET(DOUBLE, double) GRAVEL_INC_TYPES(CAS) GRAVEL_SIGNAL_TYPES(PUT_SIGNAL)
                PUT_SIGNAL(DOUBLE, double)};

/* ---- runs ------------------------------------------------------------------------------------ */

/* Calls the handler of a run's messages. The answers' row is behind the arguments'. */
static void apply_calls(const struct gravel_apply *apply, const struct gravel_run *run,
                        uint32_t source, unsigned char *start, struct gravel_applied *applied)
{
    const uint32_t n = run->n_messages, handler = GRAVELP_COMMAND_HANDLER(run->command);
    const uint32_t n_args = GRAVELP_COMMAND_N_ARGS(run->command);
    const bool is_wide = GRAVELP_VALUE_BYTES(run->command) == 8;
    const bool asks = GRAVELP_IS_REQUEST(run->command);
    void *rows = start + GRAVEL_RUN_VALUES(run->command, (uint64_t)n, 0);
    uint64_t *wide = rows;
    uint32_t *narrow = rows;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t args[GRAVEL_AM_MAX_ARGS] = {0}, answer = 0;
        size_t at = i;
        for (uint32_t row = 0; row < n_args; row++, at += n)
            args[row] = is_wide ? wide[at] : narrow[at];
        int result = apply->call(apply->context, handler, source, args, &answer);
        if (asks && is_wide)
            wide[at] = answer;
        else if (asks)
            narrow[at] = (uint32_t)answer;
        if (result && !applied->n_failed++) {
            applied->result = result;
            applied->handler = handler;
        }
    }
}

void gravel_apply_runs(const struct gravel_apply *apply, void *frame, uint64_t from, uint64_t to,
                       struct gravel_applied *applied)
{
    const struct gravel_frame *header = frame;
    unsigned char *start = (unsigned char *)frame + from, *end = (unsigned char *)frame + to;
    while (start < end) {
        const struct gravel_run *run = (const void *)start;
        const uint32_t command = run->command, n = run->n_messages;
        const bool is_far = command & GRAVELP_COMMAND_FAR;
        applied->has_signals |= GRAVELP_HAS_SIGNAL(command);
        applied->n_messages += n;
        if (GRAVELP_IS_CALL(command))
            apply_calls(apply, run, header->source, start, applied);
        else
            loops[GRAVELP_COMMAND_OP(command)][GRAVELP_COMMAND_TYPE(command)][is_far](
                apply->heap + run->base, start + GRAVEL_RUN_INDICES(command),
                GRAVELP_N_VALUES(command) ? start + GRAVEL_RUN_VALUES(command, n, 0) : NULL,
                start + GRAVEL_RUN_VALUES(command, n, 1), n);
        start += GRAVEL_RUN_BYTES(command, (gravelp_u64)n);
    }
}

void gravel_requests_finish(const void *frame, unsigned char *heap, gravel_apply_reply *reply,
                            void *context)
{
    const struct gravel_frame *header = frame;
    const unsigned char *start = (const unsigned char *)frame + sizeof *header;
    const unsigned char *end = (const unsigned char *)frame + header->bytes;
    while (start < end) {
        const struct gravel_signal_run *run = (const void *)start;
        uint32_t command = run->run.command, n = run->run.n_messages;
        if (GRAVELP_IS_REQUEST(command)) {
            reply(context, run, header->source, (const void *)(run + 1),
                  start + GRAVEL_RUN_VALUES(command, n, GRAVELP_ANSWER_ROW(command)));
        } else if (GRAVELP_HAS_SIGNAL(command) && !GRAVELP_IS_REQUEST(command) && heap &&
                   run->signal != GRAVEL_NO_SIGNAL) {
            unsigned char *word = heap + run->signal; /* which has one writer; the sum wraps */
            store_uint(word, load_uint(word) + n);    /* Q1, pairs with Q2; R1 too */
        }
        start += GRAVEL_RUN_BYTES(command, (gravelp_u64)n);
    }
}
