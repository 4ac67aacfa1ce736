/* SPDX-License-Identifier: MIT */
/*
 * The resolver's loops: one for each operation, type and width of index, made from the tables in
 * operation.h.
 *
 * A loop loads, combines and stores (heap_words.h, layout/next.h); a request's loop replaces the value by the old one,
 * its answer. Lines are prefetched some messages ahead: 1.1 to 1.2 times the rate of a plain loop on a table of 2^24
 * words, 0.9 times on one that fits in the cache (bench/bench_resolve.c, Zen 3).
 *
 * Path:    decode.c -> apply.c -> the heap, or lib/network's handler call.
 * Owner:   the caller; see apply.h.
 * Threads: one per shard; no state.
 * Source:  Orr 2016, section 5.2; requests: OpenSHMEM 1.5, section 9.7.
 */
#include "resolve/apply.h"

#include "resolve/heap_words.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define PREFETCH_AHEAD 32u /* [messages]; measured best of 8, 16, 32 and 64 */
#define SHARD_BLOCK 1024u  /* [messages] collected before they are applied; fit in L1 */

/* ---- loops ----------------------------------------------------------------------------------- */

/*
 * Apply n messages. indices: elements or bytes of words, or requests. values: of updates only read; answers take the
 * place of a request's. expected: of CAS. inc has no values.
 */
typedef void apply_loop(unsigned char *words, const void *indices, unsigned char *values,
                        const unsigned char *expected, uint32_t n);

/* Where message i's word is, after `words` [bytes]. */
#define NARROW_OFFSET(type, indices, i) \
    ((size_t)((const uint32_t *)(indices))[i] * sizeof(word_##type))
#define WIDE_OFFSET(type, indices, i) ((size_t)((const uint64_t *)(indices))[i])
#define REQUEST_OFFSET(type, indices, i) \
    ((size_t)GRAVELP_REQUEST_INDEX(((const uint64_t *)(indices))[i]) * sizeof(word_##type))

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

#define DEFINE_UPDATES(OP, op, TYPE, type)                                   \
    DEFINE_LOOP(op##_##type##_narrow, type, NARROW_OFFSET, UPDATE, op, true) \
    DEFINE_LOOP(op##_##type##_wide, type, WIDE_OFFSET, UPDATE, op, true)
#define DEFINE_INC(TYPE, type) DEFINE_UPDATES(INC, inc, TYPE, type)
#define DEFINE_FETCH(OP, op, TYPE, type) \
    DEFINE_LOOP(fetch_##op##_##type, type, REQUEST_OFFSET, ANSWER, op, true)
#define DEFINE_GET(TYPE, type) DEFINE_LOOP(get_##type, type, REQUEST_OFFSET, ANSWER, put, false)
#define DEFINE_CAS(TYPE, type) \
    DEFINE_LOOP(cas_##type, type, REQUEST_OFFSET, ANSWER, put, old == value_##type(expected, i))

GRAVEL_VALUE_OPERATIONS(DEFINE_UPDATES)
GRAVEL_DOUBLE_OPERATIONS(DEFINE_UPDATES)
GRAVEL_INC_TYPES(DEFINE_INC)
GRAVEL_VALUE_OPERATIONS(DEFINE_FETCH)
GRAVEL_DOUBLE_OPERATIONS(DEFINE_FETCH)
GRAVEL_SIGNAL_TYPES(DEFINE_GET)
DEFINE_GET(DOUBLE, double)
GRAVEL_INC_TYPES(DEFINE_CAS)

#define UPDATES(OP, op, TYPE, type) \
    [GRAVEL_##OP][GRAVEL_##TYPE] = {op##_##type##_narrow, op##_##type##_wide},
#define INC(TYPE, type) UPDATES(INC, inc, TYPE, type)
#define FETCH(OP, op, TYPE, type) \
    [GRAVEL_FETCH + GRAVEL_##OP][GRAVEL_##TYPE] = {fetch_##op##_##type, NULL},
#define GET(TYPE, type) [GRAVEL_GET][GRAVEL_##TYPE] = {get_##type, NULL},
#define CAS(TYPE, type) [GRAVEL_CAS][GRAVEL_##TYPE] = {cas_##type, NULL},
#define PUT_SIGNAL(TYPE, type) [GRAVEL_PUT_SIGNAL][GRAVEL_##TYPE] = {put_##type##_narrow, NULL},
static apply_loop *const loops[GRAVEL_N_OPERATIONS][8][2] = {
    GRAVEL_VALUE_OPERATIONS(UPDATES) GRAVEL_DOUBLE_OPERATIONS(UPDATES) GRAVEL_INC_TYPES(INC)
        GRAVEL_VALUE_OPERATIONS(FETCH) GRAVEL_DOUBLE_OPERATIONS(FETCH) GRAVEL_SIGNAL_TYPES(GET)
            GET(DOUBLE, double) GRAVEL_INC_TYPES(CAS) GRAVEL_SIGNAL_TYPES(PUT_SIGNAL)
                PUT_SIGNAL(DOUBLE, double)};

/* ---- runs ------------------------------------------------------------------------------------ */

/* A run's parts, and the loop for it. */
struct part {
    apply_loop *loop;
    uint64_t base; /* [bytes] */
    const unsigned char *indices;
    unsigned char *values;         /* NULL if it has none */
    const unsigned char *expected; /* of CAS: the second row of values */
    uint32_t n;
    uint32_t index_bytes;
    uint32_t value_bytes; /* also the size of the word, for inc too */
};

/* Heap offset of message i's word. */
static inline uint64_t word_offset(const struct part *part, bool is_wide, uint32_t i)
{
    return is_wide ? ((const uint64_t *)(const void *)part->indices)[i]
                   : part->base + (uint64_t)((const uint32_t *)(const void *)part->indices)[i] *
                                      part->value_bytes;
}

/* n / number, given UINT64_MAX / number + 1; exact for n < 2^52 and number <= 2^12. */
static inline uint64_t divide(uint64_t n, uint64_t reciprocal)
{
    __extension__ typedef unsigned __int128 product;
    return (uint64_t)((product)n * reciprocal >> 64);
}

/* List a block's messages whose words are in the shard. No branch: the answers are random. */
static inline uint32_t list_owned(const struct part *part, bool is_wide, uint32_t first,
                                  uint32_t end, struct gravel_shard shard, uint32_t *owned)
{
    uint64_t reciprocal = UINT64_MAX / shard.count + 1;
    uint32_t n_owned = 0;
    for (uint32_t i = first; i < end; i++) {
        uint64_t page = word_offset(part, is_wide, i) >> GRAVEL_SHARD_PAGE_SHIFT;
        owned[n_owned] = i;
        n_owned += page - divide(page, reciprocal) * shard.count == shard.index;
    }
    return n_owned;
}

/* One array of a block, of either element size. */
union column {
    uint32_t narrow[SHARD_BLOCK];
    uint64_t wide[SHARD_BLOCK];
};

static void gather(union column *to, const unsigned char *from, uint32_t element_bytes,
                   const uint32_t *chosen, uint32_t n)
{
    if (element_bytes == 8)
        for (uint32_t i = 0; i < n; i++)
            memcpy(&to->wide[i], from + 8u * (size_t)chosen[i], 8);
    else
        for (uint32_t i = 0; i < n; i++)
            memcpy(&to->narrow[i], from + 4u * (size_t)chosen[i], 4);
}

/* Apply a shard's messages of a run, a block at a time: collect them, then run the usual loop. */
static uint64_t apply_shard(const struct part *part, unsigned char *heap, struct gravel_shard shard)
{
    union column indices, values;
    uint32_t owned[SHARD_BLOCK];
    uint64_t n_applied = 0;
    for (uint32_t first = 0; first < part->n; first += SHARD_BLOCK) {
        uint32_t end = part->n - first < SHARD_BLOCK ? part->n : first + SHARD_BLOCK;
        uint32_t n = part->index_bytes == 8 ? list_owned(part, true, first, end, shard, owned)
                                            : list_owned(part, false, first, end, shard, owned);
        gather(&indices, part->indices, part->index_bytes, owned, n);
        if (part->values)
            gather(&values, part->values, part->value_bytes, owned, n);
        part->loop(heap + part->base, &indices, (unsigned char *)&values, NULL, n);
        n_applied += n;
    }
    return n_applied;
}

/* Apply a shard's requests of a run, one at a time: the answer of each has its place. */
static uint64_t answer_shard(const struct part *part, unsigned char *heap,
                             struct gravel_shard shard)
{
    const uint64_t *requests = (const void *)part->indices;
    uint64_t n_applied = 0;
    for (uint32_t i = 0; i < part->n; i++) {
        size_t at = (size_t)i * part->value_bytes;
        uint64_t offset =
            part->base + (uint64_t)GRAVELP_REQUEST_INDEX(requests[i]) * part->value_bytes;
        if ((offset >> GRAVEL_SHARD_PAGE_SHIFT) % shard.count != shard.index)
            continue;
        part->loop(heap + part->base, requests + i, part->values + at, part->expected + at, 1);
        n_applied++;
    }
    return n_applied;
}

static uint64_t apply_words(const struct gravel_apply *apply, const struct gravel_run *run,
                            unsigned char *start)
{
    uint32_t command = run->command;
    struct part part = {
        .loop = loops[GRAVELP_COMMAND_OP(command)][GRAVELP_COMMAND_TYPE(command)]
                     [(command & GRAVELP_COMMAND_WIDE) != 0],
        .base = run->base,
        .indices = start + GRAVEL_RUN_INDICES(command),
        .expected = start + GRAVEL_RUN_VALUES(command, run->n_messages, 1),
        .n = run->n_messages,
        .index_bytes = GRAVELP_INDEX_BYTES(command),
        .value_bytes = GRAVELP_VALUE_BYTES(command),
    };
    if (GRAVELP_N_VALUES(command))
        part.values = start + GRAVEL_RUN_VALUES(command, run->n_messages, 0);
    if (apply->shard.count > 1)
        return (GRAVELP_IS_REQUEST(command) ? answer_shard : apply_shard)(&part, apply->heap,
                                                                          apply->shard);
    part.loop(apply->heap + part.base, part.indices, part.values, part.expected, part.n);
    return part.n;
}

static uint64_t argument(const unsigned char *rows, bool is_wide, size_t i)
{
    return is_wide ? ((const uint64_t *)(const void *)rows)[i]
                   : ((const uint32_t *)(const void *)rows)[i];
}

static uint64_t apply_calls(const struct gravel_apply *apply, const struct gravel_run *run,
                            uint32_t source, const unsigned char *start,
                            struct gravel_applied *applied)
{
    if (apply->shard.index != 0)
        return 0;
    const unsigned char *rows =
        start + GRAVEL_RUN_VALUES(run->command, (uint64_t)run->n_messages, 0);
    const bool is_wide = GRAVELP_VALUE_BYTES(run->command) == 8;
    uint32_t handler = GRAVELP_COMMAND_HANDLER(run->command);
    uint32_t n_args = GRAVELP_COMMAND_N_ARGS(run->command);
    for (uint32_t i = 0; i < run->n_messages; i++) {
        uint64_t args[GRAVEL_AM_MAX_ARGS] = {0};
        for (uint32_t row = 0; row < n_args; row++)
            args[row] = argument(rows, is_wide, (size_t)row * run->n_messages + i);
        int result = apply->call(apply->context, handler, source, args);
        if (result && !applied->n_failed++) {
            applied->result = result;
            applied->handler = handler;
        }
    }
    return run->n_messages;
}

void gravel_apply_runs(const struct gravel_apply *apply, void *frame, uint64_t from, uint64_t to,
                       struct gravel_applied *applied)
{
    assert(apply->shard.index < apply->shard.count);
    const struct gravel_frame *header = frame;
    unsigned char *start = (unsigned char *)frame + from, *end = (unsigned char *)frame + to;
    *applied = (struct gravel_applied){0};
    while (start < end) {
        const struct gravel_run *run = (const void *)start;
        applied->has_signals |= GRAVELP_HAS_SIGNAL(run->command);
        if (GRAVELP_IS_CALL(run->command))
            applied->n_messages += apply_calls(apply, run, header->source, start, applied);
        else
            applied->n_messages += apply_words(apply, run, start);
        start += GRAVEL_RUN_BYTES(run->command, (gravelp_u64)run->n_messages);
    }
}

void gravel_apply_frame(const struct gravel_apply *apply, void *frame,
                        struct gravel_applied *applied)
{
    const struct gravel_frame *header = frame;
    gravel_apply_runs(apply, frame, sizeof *header, header->bytes, applied);
}
