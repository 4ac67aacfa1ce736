/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the receiver: whatever passes the check is applied, and must then stay inside the
 * allocations.
 *
 *     clang -fsanitize=fuzzer,address,undefined -Iinclude -Ilib tests/fuzz/fuzz_decode.c \
 *           lib/resolve/{heap,decode,apply}.c
 *
 * Input: one byte of mode, then
 *     mode 0: the whole frame;
 *     mode 1: what follows a good header, whose sum of messages is made to agree;
 *     mode 2: as 1, but run by run: operation, type, width and base are mostly good ones, so that
 *             the fuzzer spends its time on counts and indices.
 *
 * Every byte of the heap that is not allocated is poisoned: a stray load or store is a report.
 *
 * Path:    libFuzzer -> lib/resolve/decode.c (check and plan) -> lib/resolve/apply.c.
 */
#include "resolve/apply.h"
#include "resolve/decode.h"

#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

#define HEAP_BYTES 16384u
#define MAX_FRAME 65536u
#define SOURCE 3u
#define NODE 1u
#define SEQUENCE 12u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct gravel_heap *table;
static unsigned char *heap;

static int accept_call(struct gravel *gravel, void *user, uint32_t source, const uint64_t args[4])
{
    (void)gravel, (void)user, (void)source;
    return (int)(args[0] & 1);
}

static struct gravel_handler handlers[] = {
    {.name = "none", .n_args = 0, .function = accept_call},
    {.name = "one", .n_args = 1, .function = accept_call, .n_answers = 1},
    {.name = "four", .n_args = 4, .function = accept_call}};
static const struct gravel_endpoints endpoints = {.handlers = handlers, .n_handlers = 3};

static int call_handler(void *context, uint32_t handler, uint32_t source, const uint64_t args[4],
                        uint64_t *answer)
{
    (void)context;
    if (handler >= 3 || source != SOURCE)
        abort();
    *answer = args[0];
    return handlers[handler].function(NULL, NULL, source, args);
}

/* Allocations [0, 4096), [4096, 5096), [8192, 8292) and the gaps between them. */
static void set_up(void)
{
    uint64_t offset;
    if (gravel_heap_create(&table, 0, HEAP_BYTES) || gravel_heap_alloc(table, 4096, &offset) ||
        gravel_heap_alloc(table, 1000, &offset) || gravel_heap_alloc(table, 3072, &offset) ||
        gravel_heap_alloc(table, 100, &offset) || offset != 8192 || gravel_heap_free(table, 5120))
        abort();
    heap = aligned_alloc(64, HEAP_BYTES);
    if (!heap)
        abort();
    memset(heap, 0, HEAP_BYTES);
    ASAN_POISON_MEMORY_REGION(heap + 5096, 8192 - 5096);
    ASAN_POISON_MEMORY_REGION(heap + 8292, HEAP_BYTES - 8292);
}

static uint32_t read_u32(const unsigned char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* A good header, and a sum of messages as an honest sender of these runs would have given. */
static void mend_header(unsigned char *frame, size_t bytes)
{
    struct gravel_frame header = {.magic = GRAVEL_FRAME_MAGIC,
                                  .version = GRAVEL_FRAME_VERSION,
                                  .kind = GRAVEL_FRAME_MESSAGES,
                                  .source = SOURCE,
                                  .bytes = (uint32_t)bytes,
                                  .sequence = SEQUENCE,
                                  .destination = NODE};
    for (size_t at = sizeof header; at + sizeof(struct gravel_run) <= bytes;) {
        uint32_t command = read_u32(frame + at), n = read_u32(frame + at + 4);
        header.n_messages += n;
        if (GRAVELP_COMMAND_TYPE(command) > GRAVEL_DOUBLE || n > MAX_FRAME)
            break;
        at += GRAVEL_RUN_BYTES(command, (uint64_t)n);
    }
    memcpy(frame, &header, sizeof header);
}

static uint32_t pick_command(uint8_t a, uint8_t b)
{
    if (a % 16 == 0)
        return GRAVELP_COMMAND_AM(b % 4, b % 3 == 2 ? 4 : b % 3);
    if (a % 16 == 3)
        return GRAVELP_COMMAND_ASK(b % 4, b / 4 % 8);
    uint32_t op = a % 9u, type = (b % 6u) << 8;
    if (a % 16 == 1)
        return GRAVEL_PUT_SIGNAL | type;
    if (a % 4 == 2)
        return (GRAVEL_GET + a / 4 % 10u) | type;
    return op | type | (b & 0x80 ? GRAVELP_COMMAND_FAR : 0);
}

/* Turn input into runs; returns the bytes of the frame, header included. */
static size_t build_runs(const uint8_t *data, size_t size, unsigned char *frame)
{
    static const uint64_t bases[] = {0, 8, 4096, 4104, 8192, 8288, 5088, 12288};
    size_t at = sizeof(struct gravel_frame);
    while (size >= 4) {
        uint32_t command = pick_command(data[0], data[1]), n = data[3] + 1u;
        uint64_t base = bases[data[2] % 8], result = bases[data[2] / 8 % 8];
        uint64_t signal = data[2] / 64 ? bases[data[3] % 8] : GRAVEL_NO_SIGNAL;
        if (GRAVELP_IS_CALL(command))
            base = 0;
        size_t bytes = (size_t)GRAVEL_RUN_BYTES(command, (uint64_t)n);
        if (at + bytes > MAX_FRAME)
            break;
        data += 4, size -= 4;
        struct gravel_signal_run run = {
            {command, n, base}, GRAVELP_IS_REQUEST(command) ? result : 0, signal};
        memset(frame + at, 0, bytes);
        memcpy(frame + at, &run, GRAVEL_RUN_INDICES(command));
        size_t used = (size_t)GRAVELP_MESSAGE_BYTES(command) * n;
        used = used < size ? used : size;
        memcpy(frame + at + GRAVEL_RUN_INDICES(command), data, used);
        data += used, size -= used;
        at += bytes;
    }
    return at;
}

/* Reads every answer, so that a sanitizer sees one that is not there. */
static void take_answers(void *context, const struct gravel_signal_run *run, uint32_t source,
                         const void *requests, const unsigned char *answers)
{
    uint64_t *sum = context;
    if (source != SOURCE || !GRAVELP_IS_REQUEST(run->run.command))
        abort();
    for (uint32_t i = 0; i < run->run.n_messages; i++)
        *sum += gravel_element_at(run->run.command, requests, i).position +
                answers[(size_t)i * GRAVELP_VALUE_BYTES(run->run.command)];
}

/* Finds what a device would: the first message of a planned frame whose index is beyond. @return whether there is one. */
static bool find_bad(const unsigned char *frame, const struct gravel_plan *plan, uint32_t *message,
                     uint32_t *index)
{
    for (uint32_t i = 0; i < plan->n_runs; i++) {
        const struct gravel_planned_run *planned = &plan->runs[i];
        const unsigned char *indices =
            frame + planned->at + GRAVEL_RUN_INDICES(planned->run.command);
        for (uint32_t j = 0; j < planned->run.n_messages; j++) {
            memcpy(index, indices + 4u * (size_t)j, 4);
            *message = planned->first + j;
            if (*index >= planned->n_words)
                return true;
        }
    }
    return false;
}

/* Expects that a plan and a pass over its indices refuse what the check refuses, in its words. */
static void compare_plan(const unsigned char *frame, size_t bytes,
                         const struct gravel_expect *expect, const struct gravel_refusal *refusal)
{
    struct gravel_plan plan;
    struct gravel_refusal by_plan;
    uint32_t message, index;
    int code = gravel_decode_check(frame, bytes, expect, &plan, &by_plan);
    if (code && !refusal->code)
        abort();
    if (code || plan.n_runs == 0)
        return;
    bool is_bad = find_bad(frame, &plan, &message, &index);
    if (is_bad != (refusal->code != 0))
        abort();
    if (is_bad &&
        (gravel_decode_refuse_index(&plan, expect, message, index, &by_plan) != refusal->code ||
         strcmp(by_plan.text, refusal->text)))
        abort();
}

static void check_and_apply(unsigned char *frame, size_t bytes)
{
    const struct gravel_expect expect = {SOURCE, NODE, SEQUENCE, &endpoints, .heap = table};
    struct gravel_refusal refusal;
    int code = gravel_decode_check(frame, bytes, &expect, NULL, &refusal);
    if (code != refusal.code || (code != 0) != (refusal.text[0] != '\0'))
        abort();
    compare_plan(frame, bytes, &expect, &refusal);
    uint32_t n_messages = code ? 0 : ((const struct gravel_frame *)(const void *)frame)->n_messages;
    if (code || n_messages > MAX_FRAME) /* millions of empty calls are right, but slow */
        return;
    struct gravel_apply apply = {heap, call_handler, NULL};
    struct gravel_applied applied = {.n_messages = 0};
    gravel_apply_runs(&apply, frame, sizeof(struct gravel_frame), bytes, &applied);
    if (applied.n_messages != n_messages)
        abort();
    volatile uint64_t sum = 0;
    uint64_t answers = 0;
    gravel_requests_finish(frame, heap, take_answers, &answers);
    sum += answers;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char scratch[MAX_FRAME];
    if (!table)
        set_up();
    if (size < 1 || size > MAX_FRAME - sizeof(struct gravel_frame))
        return 0;
    uint8_t mode = data[0] % 3;
    size_t bytes = size - 1;
    if (mode == 0) {
        memcpy(scratch, data + 1, bytes);
    } else if (mode == 1) {
        memcpy(scratch + sizeof(struct gravel_frame), data + 1, bytes);
        bytes += sizeof(struct gravel_frame);
    } else {
        bytes = build_runs(data + 1, bytes, scratch);
    }
    if (mode != 0)
        mend_header(scratch, bytes);
    unsigned char *frame =
        malloc(bytes ? bytes : 1); /* of its exact size, to catch reads beyond it */
    if (!frame)
        return 0;
    memcpy(frame, scratch, bytes);
    check_and_apply(frame, bytes);
    free(frame);
    return 0;
}
