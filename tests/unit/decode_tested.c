/* SPDX-License-Identifier: MIT */
/*
 * What tests of the check of node buffers share. See decode_tested.h.
 */
#include "decode_tested.h"

#include <stdlib.h>

struct gravel_heap *heap;
struct frame frame;
struct gravel_refusal refusal;
bool is_of_records;

static struct gravel_stream stream = {.name = "hits", .record_bytes = 8};

int handle(struct gravel *gravel, void *user, uint32_t source, const uint64_t args[4])
{
    (void)gravel, (void)user, (void)source, (void)args;
    return 0;
}

struct gravel_handler handlers[N_HANDLERS] = {
    {.name = "none", .function = handle, .n_answers = 1},
    {.name = "two", .n_args = 2, .function = handle, .n_answers = 1},
    {.name = "four", .n_args = 4, .function = handle},
    {.name = "one", .n_args = 1, .function = handle, .n_answers = 1},
    {.name = "three", .n_args = 3, .function = handle, .n_answers = 1},
    {.name = "mute", .function = handle}};

static const struct gravel_endpoints endpoints = {
    .handlers = handlers, .streams = &stream, .n_handlers = N_HANDLERS, .n_streams = 1};
const struct gravel_expect expect = {SOURCE, NODE, SEQUENCE, &endpoints};

const struct word words[] = {
#define WORD(OP, op, TYPE, type) \
    {GRAVEL_##OP, GRAVEL_##TYPE, GRAVEL_TYPE_BYTES(GRAVEL_##TYPE), true},
#define INC_WORD(TYPE, type) {GRAVEL_INC, GRAVEL_##TYPE, GRAVEL_TYPE_BYTES(GRAVEL_##TYPE), false},
    GRAVEL_VALUE_OPERATIONS(WORD) GRAVEL_DOUBLE_OPERATIONS(WORD) GRAVEL_INC_TYPES(INC_WORD)};
const size_t n_words = LENGTH(words);

void set_up(void)
{
    uint64_t offset;
    assert_false(gravel_heap_create(&heap, 0, HEAP_BYTES) ||
                 gravel_heap_alloc(heap, 4096, &offset) || gravel_heap_alloc(heap, 4096, &offset) ||
                 gravel_heap_alloc(heap, 100, &offset) || gravel_heap_alloc(heap, 4096, &offset) ||
                 gravel_heap_free(heap, offset));
    assert_int_equal(offset, 8320);
}

void tear_down(void)
{
    gravel_heap_destroy(heap);
}

int check_received(uint32_t bytes, const struct gravel_expect *expected)
{
    void *copy = frame_copy(&frame, bytes);
    memset(&refusal, 0x55, sizeof refusal);
    gravel_heap_lock_shared(heap);
    int code = is_of_records ? gravel_decode_records(copy, bytes, expected, NULL, &refusal)
                             : gravel_decode_check(copy, bytes, expected, heap, &refusal);
    gravel_heap_unlock_shared(heap);
    assert_memory_equal(copy, frame.bytes, bytes);
    free(copy);
    assert_int_equal(refusal.code, code);
    assert_non_null(memchr(refusal.text, '\0', sizeof refusal.text));
    assert_true((code == 0) == (refusal.text[0] == '\0'));
    return code;
}

int check(void)
{
    return check_received(frame.n_bytes, &expect);
}

void assert_refused(int code, const char *part)
{
    int found = check();
    if (found != code || !strstr(refusal.text, part))
        fail_msg("got %d \"%s\", expected %d \"%s\"", found, refusal.text, code, part);
}

void begin(void)
{
    is_of_records = false;
    frame_begin(&frame, SOURCE, NODE, SEQUENCE);
}

struct run_place add_word_run(const struct word *word, bool is_wide, uint64_t base, uint32_t n)
{
    uint32_t command = word->op | word->type << 8 | (is_wide ? 1u << 12 : 0);
    return frame_add_run(&frame, command, base, n, is_wide ? 8 : 4, word->bytes, word->has_value);
}

struct run_place add_call_run(uint32_t handler, uint32_t n_args, uint32_t n)
{
    return frame_add_run(&frame, GRAVELP_COMMAND_AM(handler, n_args), 0, n, 0, 8, n_args);
}

void build_one_index(uint32_t index)
{
    begin();
    struct run_place place = frame_add_run(&frame, 2u | 1u << 8, 4096, 1, 4, 4, 0);
    frame_set_u32(&frame, place.indices, 0, index);
}
