/* SPDX-License-Identifier: MIT */
/*
 * Requests and signals. See requests.h.
 */
#include "resolve/requests.h"

#include "resolve/words.h"

/* What the word becomes, given its old value, the value and the expected one; a get stores nothing. */
#define STORE_get(type, address, old, i) (void)0
#define STORE_swap(type, address, old, i) store_##type(address, value_##type(values, i))
#define STORE_fetch_add(type, address, old, i) \
    store_##type(address, add_##type(old, value_##type(values, i)))
#define STORE_fetch_min(type, address, old, i) \
    store_##type(address, min_##type(old, value_##type(values, i)))
#define STORE_fetch_max(type, address, old, i) \
    store_##type(address, max_##type(old, value_##type(values, i)))
#define STORE_fetch_and(type, address, old, i) \
    store_##type(address, and_##type(old, value_##type(values, i)))
#define STORE_fetch_or(type, address, old, i) \
    store_##type(address, or_##type(old, value_##type(values, i)))
#define STORE_fetch_xor(type, address, old, i) \
    store_##type(address, xor_##type(old, value_##type(values, i)))
#define STORE_cas(type, address, old, i)  \
    if (old == value_##type(expected, i)) \
    store_##type(address, value_##type(values, i))

/* A run's parts. Row 0 of the values is also where the answers go; row 1 is what CAS expects. */
struct part {
    unsigned char *words; /* element 0 */
    uint64_t base;        /* [bytes] heap offset of element 0 */
    const uint64_t *requests;
    unsigned char *values;
    const unsigned char *expected;
    uint32_t n, word_bytes;
};

/* Do requests [first, end) of a run. */
typedef void request_loop(const struct part *part, uint32_t first, uint32_t end);

#define DEFINE_LOOP(OP, op, TYPE, type)                                                 \
    static void op##_##type(const struct part *part, uint32_t first, uint32_t end)      \
    {                                                                                   \
        unsigned char *values = part->values;                                           \
        const unsigned char *expected = part->expected;                                 \
        (void)expected;                                                                 \
        for (uint32_t i = first; i < end; i++) {                                        \
            unsigned char *address =                                                    \
                part->words +                                                           \
                (size_t)GRAVELP_REQUEST_INDEX(part->requests[i]) * sizeof(word_##type); \
            word_##type old = load_##type(address);                                     \
            STORE_##op(type, address, old, i);                                          \
            memcpy(values + (size_t)i * sizeof old, &old, sizeof old);                  \
        }                                                                               \
    }
#define DEFINE_CAS(TYPE, type) DEFINE_LOOP(CAS, cas, TYPE, type)
GRAVEL_REQUESTS(DEFINE_LOOP)
GRAVEL_DOUBLE_REQUESTS(DEFINE_LOOP)
GRAVEL_INC_TYPES(DEFINE_CAS)

#define LOOP(OP, op, TYPE, type) [GRAVEL_##OP][GRAVEL_##TYPE] = op##_##type,
#define CAS_LOOP(TYPE, type) LOOP(CAS, cas, TYPE, type)
static request_loop *const loops[GRAVEL_N_OPERATIONS][8] = {
    GRAVEL_REQUESTS(LOOP) GRAVEL_DOUBLE_REQUESTS(LOOP) GRAVEL_INC_TYPES(CAS_LOOP)};

static struct part part_of(unsigned char *heap, unsigned char *start)
{
    const struct gravel_run *run = (const void *)start;
    uint32_t command = run->command, n = run->n_messages;
    return (struct part){
        .words = heap + run->base,
        .base = run->base,
        .requests = (const void *)(start + GRAVEL_RUN_INDICES(command)),
        .values = start + GRAVEL_RUN_VALUES(command, n, 0),
        .expected = start + GRAVEL_RUN_VALUES(command, n, 1),
        .n = n,
        .word_bytes = GRAVELP_VALUE_BYTES(command),
    };
}

static bool owns(struct gravel_shard shard, const struct part *part, uint32_t i)
{
    uint64_t offset =
        part->base + (uint64_t)GRAVELP_REQUEST_INDEX(part->requests[i]) * part->word_bytes;
    return (offset >> GRAVEL_SHARD_PAGE_SHIFT) % shard.count == shard.index;
}

uint64_t gravel_requests_apply(unsigned char *heap, struct gravel_shard shard, unsigned char *run)
{
    const struct gravel_run *header = (const void *)run;
    const struct part part = part_of(heap, run);
    request_loop *loop =
        loops[GRAVELP_COMMAND_OP(header->command)][GRAVELP_COMMAND_TYPE(header->command)];
    uint64_t n_applied = 0;
    if (shard.count == 1) {
        loop(&part, 0, part.n);
        return part.n;
    }
    for (uint32_t i = 0; i < part.n; i++)
        if (owns(shard, &part, i)) {
            loop(&part, i, i + 1);
            n_applied++;
        }
    return n_applied;
}

/* One thread writes the word, as any other of the heap; the sum wraps. */
static void raise_signal(unsigned char *heap, const struct gravel_signal_run *run)
{
    if (run->signal == GRAVEL_NO_SIGNAL)
        return;
    unsigned char *word = heap + run->signal;
    store_uint(word, load_uint(word) + run->run.n_messages); /* Q1, pairs with Q2; R1 too */
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
        if (GRAVELP_IS_REQUEST(command))
            reply(context, run, header->source, (const void *)(run + 1),
                  start + GRAVEL_RUN_VALUES(command, n, 0));
        else if (GRAVELP_HAS_SIGNAL(command) && heap)
            raise_signal(heap, run);
        start += GRAVEL_RUN_BYTES(command, (gravelp_u64)n);
    }
}
