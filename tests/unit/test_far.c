/* SPDX-License-Identifier: MIT */
/*
 * Far messages, whose element numbers have 64 bits: an array of more than 2^32 elements, of which few pages are used.
 *
 * Path: meson test -> this -> lib/resolve/decode.c, apply.c
 */

#include "cases.h"
#include "base/error.h"
#include "memory/allocations.h"
#include "resolve/apply.h"
#include "resolve/decode.h"
#include "transport/buffer.h"

#include <string.h>
#include <sys/mman.h>

#define N_WORDS ((UINT64_C(1) << 32) + 4096) /* of 4 bytes */
#define HEAP_BYTES (N_WORDS * 4 + 65536)
#define N 5u

static unsigned char *memory;
static struct gravel_heap *heap;
static uint64_t base;

static const uint64_t indices[N] = {5, (UINT64_C(1) << 32) + 5, 5, N_WORDS - 1, 1u << 30};

static uint32_t *word(uint64_t index)
{
    return (uint32_t *)(void *)(memory + base) + index;
}

static void set_up(void)
{
    memory = mmap(NULL, HEAP_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(gravel_heap_create(&heap, 0, HEAP_BYTES), 0);
    assert_int_equal(gravel_heap_alloc(heap, N_WORDS * 4, &base), 0);
}

static void tear_down(void)
{
    gravel_heap_destroy(heap);
    munmap(memory, HEAP_BYTES);
}

/* A frame of one run: value i + 1 for the i-th index, or for `place` the answer's. */
static struct gravel_buffer *make_frame(uint32_t op, const uint64_t *of, uint64_t place)
{
    const struct gravel_run_key key = {.command =
                                           GRAVELP_COMMAND(op, GRAVEL_UINT) | GRAVELP_COMMAND_FAR,
                                       .base = base,
                                       .result = GRAVELP_IS_REQUEST(op) ? base : 0,
                                       .signal = GRAVEL_NO_SIGNAL};
    struct gravel_buffer *buffer = gravel_buffer_create(4096);
    gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, 1, 0);
    assert_true(gravel_buffer_make_room(buffer, &key, N));
    for (uint32_t i = 0; i < N; i++, buffer->run_n++) {
        const uint32_t value = i + 1;
        const struct gravelp_far_request request = {of[i], place};
        memcpy(gravel_buffer_index(buffer), &request, GRAVELP_INDEX_BYTES(key.command));
        memcpy(gravel_buffer_value(buffer, 0), &value, sizeof value);
    }
    gravel_buffer_close(buffer);
    return buffer;
}

static void apply(struct gravel_buffer *buffer)
{
    const struct gravel_expect expect = {.source = 1, .heap = heap};
    struct gravel_applied applied = {.n_messages = 0};
    struct gravel_refusal refusal;
    const struct gravel_apply how = {.heap = memory};
    assert_int_equal(
        gravel_decode_check(buffer->frame, buffer->frame->bytes, &expect, NULL, &refusal), 0);
    gravel_apply_runs(&how, buffer->frame, sizeof *buffer->frame, buffer->frame->bytes, &applied);
    assert_int_equal(applied.n_messages, N);
}

TEST(updates_reach_their_words)
{
    for (uint32_t i = 0; i < N; i++)
        *word(indices[i]) = 0;
    struct gravel_buffer *buffer = make_frame(GRAVEL_ADD, indices, 0);
    apply(buffer);
    assert_int_equal(*word(5), 4);
    assert_int_equal(*word(indices[1]), 2);
    assert_int_equal(*word(indices[3]), 4);
    assert_int_equal(*word(indices[4]), 5);
    gravel_buffer_destroy(buffer);
}

TEST(requests_are_answered)
{
    for (uint32_t i = 0; i < N; i++)
        *word(indices[i]) = 10 + (uint32_t)(indices[i] >> 32);
    struct gravel_buffer *buffer = make_frame(GRAVEL_FETCH + GRAVEL_ADD, indices, N_WORDS - 1);
    apply(buffer);
    uint32_t command = buffer->run.command, answers[N];
    memcpy(answers, (unsigned char *)(buffer->frame + 1) + GRAVEL_RUN_VALUES(command, N, 0),
           sizeof answers);
    const uint32_t due[N] = {10, 11, 11, 11, 10};
    assert_memory_equal(answers, due, sizeof due);
    assert_int_equal(*word(indices[1]), 13);
    gravel_buffer_destroy(buffer);
}

const struct fixture fixture = {.open = set_up, .close = tear_down};
