/* SPDX-License-Identifier: MIT */
/*
 * The resolver's loops: one for each operation, type and width of index, made from the tables in
 * operation.h.
 *
 * A loop loads, combines and stores (words.h). Lines are prefetched some messages ahead: 1.1 to 1.2 times the rate of a plain loop on a table of
 * 2^24 words, 0.9 times on one that fits in the cache (bench/bench_resolve.c, Zen 3).
 *
 * Path:    decode.c -> apply.c -> the heap, or lib/network's handler call.
 * Owner:   the caller; see apply.h.
 * Threads: one per shard; no state.
 * Source:  Orr 2016, section 5.2.
 */
#include "resolve/apply.h"

#include "resolve/requests.h"
#include "resolve/words.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define PREFETCH_AHEAD 32u /* [messages]; measured best of 8, 16, 32 and 64 */
#define SHARD_BLOCK 1024u  /* [messages] collected before they are applied; fit in L1 */

/* ---- loops ----------------------------------------------------------------------------------- */

#define DEFINE_LOOP(name, op, type, INDEX, scale)                                            \
    static void name(unsigned char *words, const void *indices, const unsigned char *values, \
                     uint32_t n)                                                             \
    {                                                                                        \
        const INDEX *index = indices;                                                        \
        (void)values;                                                                        \
        size_t i = 0;                                                                        \
        for (; i + PREFETCH_AHEAD < n; i++) {                                                \
            __builtin_prefetch(words + (size_t)index[i + PREFETCH_AHEAD] * (scale), 1);      \
            unsigned char *address = words + (size_t)index[i] * (scale);                     \
            store_##type(address, NEXT_##op(type, address, value_##type(values, i)));        \
        }                                                                                    \
        for (; i < n; i++) {                                                                 \
            unsigned char *address = words + (size_t)index[i] * (scale);                     \
            store_##type(address, NEXT_##op(type, address, value_##type(values, i)));        \
        }                                                                                    \
    }

#define DEFINE_LOOPS(OP, op, TYPE, type)                                       \
    DEFINE_LOOP(op##_##type##_narrow, op, type, uint32_t, sizeof(word_##type)) \
    DEFINE_LOOP(op##_##type##_wide, op, type, uint64_t, 1u)
#define DEFINE_INC_LOOPS(TYPE, type) DEFINE_LOOPS(INC, inc, TYPE, type)

GRAVEL_VALUE_OPERATIONS(DEFINE_LOOPS)
GRAVEL_DOUBLE_OPERATIONS(DEFINE_LOOPS)
GRAVEL_INC_TYPES(DEFINE_INC_LOOPS)

/* Apply n messages. Narrow indices count elements of words, wide ones bytes; inc has no values. */
typedef void apply_loop(unsigned char *words, const void *indices, const unsigned char *values,
                        uint32_t n);

#define LOOPS(OP, op, TYPE, type) \
    [GRAVEL_##OP][GRAVEL_##TYPE] = {op##_##type##_narrow, op##_##type##_wide},
#define INC_LOOPS(TYPE, type) LOOPS(INC, inc, TYPE, type)
#define PUT_SIGNAL_LOOPS(TYPE, type) \
    [GRAVEL_PUT_SIGNAL][GRAVEL_##TYPE] = {put_##type##_narrow, NULL},
static apply_loop *const loops[16][8][2] = {
    GRAVEL_VALUE_OPERATIONS(LOOPS) GRAVEL_DOUBLE_OPERATIONS(LOOPS) GRAVEL_INC_TYPES(INC_LOOPS)
        GRAVEL_SIGNAL_TYPES(PUT_SIGNAL_LOOPS) PUT_SIGNAL_LOOPS(DOUBLE, double)};

/* ---- runs ------------------------------------------------------------------------------------ */

/* A run's parts, and the loop for it. */
struct part {
    apply_loop *loop;
    uint64_t base; /* [bytes] */
    const unsigned char *indices;
    const unsigned char *values;
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
        part->loop(heap + part->base, &indices, (const unsigned char *)&values, n);
        n_applied += n;
    }
    return n_applied;
}

static uint64_t apply_words(const struct gravel_apply *apply, const struct gravel_run *run,
                            const unsigned char *start)
{
    uint32_t command = run->command;
    struct part part = {
        .loop = loops[GRAVELP_COMMAND_OP(command)][GRAVELP_COMMAND_TYPE(command)]
                     [(command & GRAVELP_COMMAND_WIDE) != 0],
        .base = run->base,
        .indices = start + GRAVEL_RUN_INDICES(command),
        .n = run->n_messages,
        .index_bytes = GRAVELP_INDEX_BYTES(command),
        .value_bytes = GRAVELP_VALUE_BYTES(command),
    };
    if (GRAVELP_N_VALUES(command))
        part.values = start + GRAVEL_RUN_VALUES(command, run->n_messages, 0);
    if (apply->shard.count > 1)
        return apply_shard(&part, apply->heap, apply->shard);
    part.loop(apply->heap + part.base, part.indices, part.values, part.n);
    return part.n;
}

static uint64_t apply_calls(const struct gravel_apply *apply, const struct gravel_run *run,
                            uint32_t source, const unsigned char *start,
                            struct gravel_applied *applied)
{
    if (apply->shard.index != 0)
        return 0;
    const uint64_t *rows = (const void *)(start + sizeof *run);
    uint32_t handler = GRAVELP_COMMAND_HANDLER(run->command);
    uint32_t n_args = GRAVELP_COMMAND_N_ARGS(run->command);
    for (uint32_t i = 0; i < run->n_messages; i++) {
        uint64_t args[GRAVEL_AM_MAX_ARGS] = {0};
        for (uint32_t row = 0; row < n_args; row++)
            args[row] = rows[(size_t)row * run->n_messages + i];
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
        if (GRAVELP_COMMAND_OP(run->command) == GRAVEL_AM)
            applied->n_messages += apply_calls(apply, run, header->source, start, applied);
        else if (GRAVELP_IS_REQUEST(run->command))
            applied->n_messages += gravel_requests_apply(apply->heap, apply->shard, start);
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
