/* SPDX-License-Identifier: MIT */
/*
 * The check of incoming node buffers: what passes, and that everything else is refused for the
 * right reason.
 *
 * Every frame is checked in a block of exactly its size, so that a sanitizer sees reads beyond it.
 *
 * Path:    cmocka -> frame_builder.h -> lib/resolve/decode.c.
 */
#include "frame_builder.h"
#include "resolve/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SOURCE 3u
#define NODE 1u
#define SEQUENCE 12u
#define HEAP_BYTES (1u << 20)
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* The receiving node: allocations [0, 4096), [4096, 8192), [8192, 8292); 8320 was freed. */
static struct gravel_heap *heap;
static struct frame frame;
static struct gravel_refusal refusal;

static int handle(struct gravel *gravel, void *user, uint32_t source, const uint64_t args[4])
{
    (void)gravel, (void)user, (void)source, (void)args;
    return 0;
}

static const struct gravel_handler handlers[] = {{.name = "none", .n_args = 0, .function = handle},
                                                 {.name = "two", .n_args = 2, .function = handle},
                                                 {.name = "four", .n_args = 4, .function = handle},
                                                 {.name = "gone", .n_args = 0}};

static const struct gravel_expect expect = {SOURCE, NODE, SEQUENCE, handlers, LENGTH(handlers)};

struct word {
    uint32_t op, type, bytes;
    bool has_value;
};
static const struct word words[] = {
#define WORD(OP, op, TYPE, type) \
    {GRAVEL_##OP, GRAVEL_##TYPE, GRAVEL_TYPE_BYTES(GRAVEL_##TYPE), true},
#define INC_WORD(TYPE, type) {GRAVEL_INC, GRAVEL_##TYPE, GRAVEL_TYPE_BYTES(GRAVEL_##TYPE), false},
    GRAVEL_VALUE_OPERATIONS(WORD) GRAVEL_DOUBLE_OPERATIONS(WORD) GRAVEL_INC_TYPES(INC_WORD)};

static int set_up(void **state)
{
    (void)state;
    uint64_t offset;
    int bad = gravel_heap_create(&heap, 0, HEAP_BYTES) || gravel_heap_alloc(heap, 4096, &offset) ||
              gravel_heap_alloc(heap, 4096, &offset) || gravel_heap_alloc(heap, 100, &offset) ||
              gravel_heap_alloc(heap, 4096, &offset) || gravel_heap_free(heap, offset);
    return bad || offset != 8320;
}

static int tear_down(void **state)
{
    (void)state;
    gravel_heap_destroy(heap);
    return 0;
}

/* Check the first bytes of the frame as if so many had been received. */
static int check_received(uint32_t bytes, const struct gravel_expect *expected)
{
    void *copy = frame_copy(&frame, bytes);
    memset(&refusal, 0x55, sizeof refusal);
    gravel_heap_lock_shared(heap);
    int code = gravel_decode_check(copy, bytes, expected, heap, &refusal);
    gravel_heap_unlock_shared(heap);
    assert_memory_equal(copy, frame.bytes, bytes);
    free(copy);
    assert_int_equal(refusal.code, code);
    assert_non_null(memchr(refusal.text, '\0', sizeof refusal.text));
    assert_true((code == 0) == (refusal.text[0] == '\0'));
    return code;
}

static int check(void)
{
    return check_received(frame.n_bytes, &expect);
}

static void assert_refused(int code, const char *part)
{
    int found = check();
    if (found != code || !strstr(refusal.text, part))
        fail_msg("got %d \"%s\", expected %d \"%s\"", found, refusal.text, code, part);
}

static void begin(void)
{
    frame_begin(&frame, SOURCE, NODE, SEQUENCE);
}

static struct run_place add_word_run(const struct word *word, bool is_wide, uint64_t base,
                                     uint32_t n)
{
    uint32_t command = word->op | word->type << 8 | (is_wide ? 1u << 12 : 0);
    return frame_add_run(&frame, command, base, n, is_wide ? 8 : 4, word->bytes, word->has_value);
}

static struct run_place add_call_run(uint32_t handler, uint32_t n_args, uint32_t n)
{
    return frame_add_run(&frame, GRAVELP_COMMAND_AM(handler, n_args), 0, n, 0, 8, n_args);
}

static void set_command(const struct run_place *place, uint32_t command)
{
    frame_set_u32(&frame, place->header, 0, command);
}

/* One run of uint increments at 4096 whose only index is given. */
static void build_one_index(uint32_t index)
{
    begin();
    struct run_place place = frame_add_run(&frame, 2u | 1u << 8, 4096, 1, 4, 4, 0);
    frame_set_u32(&frame, place.indices, 0, index);
}

static void build_one_of_each(void)
{
    begin();
    for (size_t i = 0; i < LENGTH(words); i++) {
        struct run_place place = add_word_run(&words[i], i % 2, i % 2 ? 0 : 4096, 3);
        for (uint32_t j = 0; j < 3 && i % 2; j++)
            frame_set_u64(&frame, place.indices, j, 4096 + 8 * j);
    }
    add_call_run(0, 0, 5);
    add_call_run(1, 2, 5);
    add_call_run(2, 4, 1);
}

static void frame_without_runs_passes(void **state)
{
    (void)state;
    begin();
    assert_int_equal(check(), 0);
}

static void every_operation_passes(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(words); i++)
        for (uint32_t n = 1; n < 20; n++) {
            begin();
            add_word_run(&words[i], false, 4096, n);
            add_word_run(&words[i], true, 0, n);
            assert_int_equal(check(), 0);
        }
    build_one_of_each();
    assert_int_equal(check(), 0);
}

static void full_buffer_passes(void **state)
{
    (void)state;
    begin();
    struct run_place place = frame_add_run(&frame, 2u | 1u << 8, 4096, 16372, 4, 4, 0);
    assert_int_equal(frame.n_bytes, FRAME_CAPACITY);
    for (uint32_t i = 0; i < 16372; i++)
        frame_set_u32(&frame, place.indices, i, i % 1024);
    assert_int_equal(check(), 0);
    frame_set_u32(&frame, place.indices, 16371, 1024);
    assert_refused(GRAVEL_ERANGE,
                   "run 1: inc: message 16371, index 1024 of uint at base 4096 is beyond its "
                   "allocation of 4096 bytes");
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    build_one_of_each();
    for (uint32_t bytes = 0; bytes < frame.n_bytes; bytes++) {
        assert_int_not_equal(check_received(bytes, &expect), 0);
        frame_header(&frame)->bytes = bytes; /* the sender's length agrees */
        assert_int_not_equal(check_received(bytes, &expect), 0);
        frame_header(&frame)->bytes = frame.n_bytes;
    }
    assert_int_equal(check(), 0);
}

static void longer_than_its_runs_is_refused(void **state)
{
    (void)state;
    build_one_of_each();
    for (uint32_t more = 1; more <= 64; more++) {
        frame_header(&frame)->bytes = frame.n_bytes + more;
        assert_int_equal(check_received(frame.n_bytes + more, &expect), GRAVEL_ECORRUPT);
    }
    frame_header(&frame)->bytes = frame.n_bytes + 8;
    check_received(frame.n_bytes + 8, &expect);
    assert_non_null(strstr(refusal.text, "cut off after 8 bytes"));
}

static void frame_beyond_the_largest_is_not_looked_at(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {GRAVEL_FRAME_MAX_BYTES + 8ull, 1ull << 32, UINT64_MAX};
    begin();
    for (size_t i = 0; i < LENGTH(lengths); i++) {
        int code = gravel_decode_check(&frame, lengths[i], &expect, heap, &refusal);
        assert_int_equal(code, GRAVEL_ECORRUPT);
        assert_non_null(strstr(refusal.text, "bytes are no frame"));
    }
}

static void run_without_its_padding_is_refused(void **state)
{
    (void)state;
    for (uint32_t bytes = 52; bytes < 56; bytes++) {
        build_one_index(1);
        frame_header(&frame)->bytes = bytes;
        assert_int_equal(check_received(bytes, &expect), GRAVEL_ECORRUPT);
        assert_non_null(strstr(refusal.text, "24 bytes of run"));
    }
}

static void every_flip_of_a_header_bit_is_refused(void **state)
{
    (void)state;
    build_one_of_each();
    for (uint32_t bit = 0; bit < 32 * 8; bit++) {
        frame.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_equal(check(), GRAVEL_ECORRUPT);
        frame.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

static void header_refusals_name_the_field(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        const char *part;
    } fields[] = {
        {offsetof(struct gravel_frame, magic), "magic is"},
        {offsetof(struct gravel_frame, version), "version is 6, expected 7"},
        {offsetof(struct gravel_frame, kind), "kind is 0, expected 1"},
        {offsetof(struct gravel_frame, source), "source is 2, expected 3"},
        {offsetof(struct gravel_frame, bytes), "length is 33, expected 32"},
        {offsetof(struct gravel_frame, sequence), "sequence is 13, expected 12"},
        {offsetof(struct gravel_frame, n_messages), "number of messages is 1, expected 0"},
        {offsetof(struct gravel_frame, destination), "destination is 0, expected 1"},
    };
    for (size_t i = 0; i < LENGTH(fields); i++) {
        begin();
        frame.bytes[fields[i].at] ^= 1;
        assert_refused(GRAVEL_ECORRUPT, fields[i].part);
        assert_non_null(strstr(refusal.text, "frame 12 from node 3: "));
    }
}

static void zeros_and_other_bytes_are_refused(void **state)
{
    (void)state;
    memset(&frame, 0, sizeof frame);
    frame.n_bytes = 4096;
    assert_int_equal(check(), GRAVEL_ECORRUPT);
    memset(frame.bytes, 0xff, sizeof frame.bytes);
    assert_int_equal(check(), GRAVEL_ECORRUPT);
    begin();
    frame.n_bytes = 4096; /* a good header over zeros: command 0 */
    frame_header(&frame)->bytes = 4096;
    assert_refused(GRAVEL_ECORRUPT, "command 0x00000000 is unknown");
    frame_header(&frame)->magic = 0x46425247u; /* the other byte order */
    assert_refused(GRAVEL_ECORRUPT, "magic");
}

static void replayed_and_early_frames_are_refused(void **state)
{
    (void)state;
    struct gravel_expect due = expect;
    build_one_index(0);
    for (due.sequence = SEQUENCE - 2; due.sequence <= SEQUENCE + 2; due.sequence++)
        assert_int_equal(check_received(frame.n_bytes, &due),
                         due.sequence == SEQUENCE ? 0 : GRAVEL_ECORRUPT);
    due.sequence = UINT64_MAX;
    assert_int_equal(check_received(frame.n_bytes, &due), GRAVEL_ECORRUPT);
    frame_header(&frame)->sequence = UINT64_MAX;
    assert_int_equal(check_received(frame.n_bytes, &due), 0);
}

static void hostile_counts_are_refused(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0,          1,          3,          4,          1u << 16,
                                      1u << 24,   0x1fffffff, 0x20000000, 0x3ffffffc, 0x40000000,
                                      0x40000001, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};
    for (size_t i = 0; i < LENGTH(words); i++)
        for (size_t j = 0; j < LENGTH(counts); j++)
            for (int is_wide = 0; is_wide < 2; is_wide++) {
                begin();
                struct run_place place = add_word_run(&words[i], is_wide, 0, 2);
                for (uint32_t k = 0; k < 2; k++) /* so that an index is not taken for padding */
                    if (is_wide)
                        frame_set_u64(&frame, place.indices, k, 8);
                    else
                        frame_set_u32(&frame, place.indices, k, 8);
                frame_set_u32(&frame, place.header, 1, counts[j]);
                assert_int_equal(check(), GRAVEL_ECORRUPT);
                frame_header(&frame)->n_messages = counts[j];
                assert_int_equal(check(), GRAVEL_ECORRUPT);
            }
}

static void calls_without_arguments_are_limited_in_number(void **state)
{
    (void)state;
    begin();
    struct run_place place = add_call_run(0, 0, 1);
    frame_header(&frame)->n_messages = GRAVEL_FRAME_MAX_MESSAGES;
    frame_set_u32(&frame, place.header, 1, GRAVEL_FRAME_MAX_MESSAGES);
    assert_int_equal(check(), 0);
    frame_set_u32(&frame, place.header, 1, GRAVEL_FRAME_MAX_MESSAGES + 1);
    assert_refused(GRAVEL_ECORRUPT, "do not fit");
    frame_header(&frame)->n_messages = GRAVEL_FRAME_MAX_MESSAGES + 1;
    assert_refused(GRAVEL_ECORRUPT, "more than a frame may hold");
    begin();
    for (int i = 0; i < 256; i++) /* a sum that is 0 in 32 bits */
        add_call_run(0, 0, GRAVEL_FRAME_MAX_MESSAGES);
    assert_int_equal(frame_header(&frame)->n_messages, 0);
    assert_refused(GRAVEL_ECORRUPT, "number of messages is 0, expected 4294967296");
}

static void last_word_passes_and_the_next_is_refused(void **state)
{
    (void)state;
    static const struct gravel_span spans[] = {{0, 4096, 1}, {4096, 4096, 2}, {8192, 100, 3}};
    for (size_t i = 0; i < LENGTH(words); i++)
        for (size_t j = 0; j < LENGTH(spans); j++)
            for (uint32_t skip = 0; skip <= 64; skip += words[i].bytes) {
                uint32_t n_words = (uint32_t)(spans[j].bytes - skip) / words[i].bytes;
                begin();
                struct run_place place = add_word_run(&words[i], false, spans[j].offset + skip, 9);
                frame_set_u32(&frame, place.indices, 4, n_words - 1);
                assert_int_equal(check(), 0);
                frame_set_u32(&frame, place.indices, 4, n_words);
                assert_refused(GRAVEL_ERANGE, "is beyond its allocation");
                frame_set_u32(&frame, place.indices, 4, UINT32_MAX);
                assert_refused(GRAVEL_ERANGE, "index 4294967295 of");
            }
}

static void last_wide_word_passes_and_the_next_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(words); i++) {
        uint64_t end = 8192 + 100 / words[i].bytes * words[i].bytes;
        begin();
        struct run_place place = add_word_run(&words[i], true, 0, 3);
        frame_set_u64(&frame, place.indices, 0, 0);
        frame_set_u64(&frame, place.indices, 1, end - words[i].bytes);
        frame_set_u64(&frame, place.indices, 2, 8192 - words[i].bytes);
        assert_int_equal(check(), 0);
        static const uint64_t bad[] = {8296,       8320,       12352,         HEAP_BYTES,
                                       1ull << 32, 1ull << 63, UINT64_MAX - 7};
        for (size_t j = 0; j < LENGTH(bad); j++) {
            frame_set_u64(&frame, place.indices, 1, bad[j]);
            assert_refused(GRAVEL_ERANGE, "is in no allocation");
        }
        frame_set_u64(&frame, place.indices, 1, end);
        assert_refused(GRAVEL_ERANGE, "is in no allocation");
        for (uint32_t shift = 1; shift < words[i].bytes; shift++) {
            frame_set_u64(&frame, place.indices, 1, 4096 + shift);
            assert_refused(GRAVEL_ERANGE, "is not a multiple of");
        }
        frame_set_u64(&frame, place.indices, 1, UINT64_MAX);
        assert_refused(GRAVEL_ERANGE, "offset 18446744073709551615 of");
    }
}

static void bad_bases_are_refused(void **state)
{
    (void)state;
    static const uint64_t nowhere[] = {8296,       8320,       16384,         HEAP_BYTES,
                                       1ull << 32, 1ull << 63, UINT64_MAX - 7};
    for (size_t i = 0; i < LENGTH(words); i++) {
        for (size_t j = 0; j < LENGTH(nowhere); j++) {
            begin();
            add_word_run(&words[i], false, nowhere[j], 1);
            assert_refused(GRAVEL_ERANGE, "is in no allocation");
        }
        for (uint32_t shift = 1; shift < words[i].bytes; shift++) {
            begin();
            add_word_run(&words[i], false, 4096 + shift, 1);
            assert_refused(GRAVEL_ERANGE, "is not a multiple of");
        }
        begin();
        add_word_run(&words[i], true, 8, 1);
        assert_refused(GRAVEL_ECORRUPT, "base is 8 in a run that has none");
    }
    begin(); /* only half of the word at 8288 is allocated */
    frame_add_run(&frame, 2u | 3u << 8, 8288, 1, 4, 8, 0);
    assert_refused(GRAVEL_ERANGE, "index 0 of ulong at base 8288");
}

static void index_does_not_reach_the_neighbouring_allocation(void **state)
{
    (void)state;
    build_one_index(1024); /* 8192 is allocated too, by another gravel_alloc */
    assert_refused(GRAVEL_ERANGE, "index 1024 of uint at base 4096");
    build_one_index(1u << 30); /* times 4 is 2^32 */
    assert_refused(GRAVEL_ERANGE, "index 1073741824 of uint");
}

static void freed_allocation_is_refused(void **state)
{
    (void)state;
    uint64_t offset;
    assert_int_equal(gravel_heap_alloc(heap, 64, &offset), 0);
    begin();
    frame_add_run(&frame, 2u | 1u << 8, offset, 1, 4, 4, 0);
    assert_int_equal(check(), 0);
    assert_int_equal(gravel_heap_free(heap, offset), 0);
    assert_refused(GRAVEL_ERANGE, "is in no allocation");
}

static bool is_known(uint32_t op, uint32_t type)
{
    bool is_double_or_less = type <= GRAVEL_DOUBLE, is_integer = type <= GRAVEL_ULONG;
    if (op >= GRAVEL_PUT_SIGNAL && op <= GRAVEL_CAS &&
        op != (GRAVEL_FETCH | GRAVEL_INC)) /* test_requests.c */
        return op == GRAVEL_PUT_SIGNAL || op == GRAVEL_GET || op == GRAVEL_SWAP ||
                       op == GRAVEL_FETCH_ADD
                   ? is_double_or_less
                   : op > GRAVEL_FETCH && is_integer;
    for (size_t i = 0; i < LENGTH(words); i++)
        if (words[i].op == op && words[i].type == type)
            return true;
    return false;
}

static void unknown_commands_are_refused(void **state)
{
    (void)state;
    for (uint32_t op = 0; op < 256; op++)
        for (uint32_t type = 0; type < 8; type++) {
            if (GRAVELP_IS_CALL(op) || is_known(op, type))
                continue;
            begin();
            struct run_place place = frame_add_run(&frame, 0, 0, 4, 8, 8, 1);
            for (uint32_t width = 0; width < 4; width++) { /* wide, far, both */
                set_command(&place, op | type << 8 | width << 11);
                assert_refused(GRAVEL_ECORRUPT, "is unknown");
            }
        }
    build_one_index(0);
    frame_set_u32(&frame, 32, 0, 2u | 1u << 8 | 3u << 11);
    assert_refused(GRAVEL_ECORRUPT, "is unknown"); /* both */
    for (uint32_t bit = 13; bit < 32; bit++) {
        build_one_index(0);
        frame_set_u32(&frame, 32, 0, 2u | 1u << 8 | 1u << bit);
        assert_refused(GRAVEL_ECORRUPT, "is unknown");
    }
}

static void bad_handlers_are_refused(void **state)
{
    (void)state;
    begin();
    struct run_place place = add_call_run(0, 0, 1);
    for (uint32_t handler = 3; handler < 65536; handler = handler * 2 - 1) {
        set_command(&place, GRAVELP_COMMAND_AM(handler, 0));
        assert_int_equal(check(), GRAVEL_EHANDLER);
        assert_non_null(strstr(refusal.text, "no handler "));
    }
    for (uint32_t handler = 0; handler < 3; handler++)
        for (uint32_t n_args = 0; n_args <= 4; n_args++) {
            begin();
            add_call_run(handler, n_args, 2);
            assert_int_equal(check(), handlers[handler].n_args == n_args ? 0 : GRAVEL_EHANDLER);
        }
    assert_refused(0, "");
    begin();
    add_call_run(1, 3, 2);
    assert_refused(GRAVEL_EHANDLER, "handler 1 (two) takes 2 arguments, the message has 3");
}

static void malformed_calls_are_refused(void **state)
{
    (void)state;
    for (uint32_t n_args = 5; n_args < 8; n_args++) {
        begin();
        add_call_run(0, n_args, 1);
        assert_refused(GRAVEL_ECORRUPT, "is malformed");
    }
    for (uint32_t bit = 8; bit < 13; bit++) { /* a type, or a wide index */
        begin();
        struct run_place place = add_call_run(0, 0, 1);
        set_command(&place, GRAVELP_COMMAND_AM(0, 0) ^ 1u << bit);
        if (bit == 9) /* makes a uint of the ulong */
            assert_refused(GRAVEL_EHANDLER, "arguments of 8 bytes, the message has them of 4");
        else
            assert_refused(GRAVEL_ECORRUPT, "is malformed");
    }
    begin();
    struct run_place place = add_call_run(0, 0, 1);
    frame_set_u64(&frame, place.header, 1, 64);
    assert_refused(GRAVEL_ECORRUPT, "base is 64");
}

static void padding_must_be_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(words); i++)
        for (int is_wide = 0; is_wide < 2; is_wide++)
            for (uint32_t n = 1; n < 4; n++) {
                begin();
                struct run_place place = add_word_run(&words[i], is_wide, 0, n);
                for (uint32_t at = place.end; at < frame.n_bytes; at++) {
                    frame.bytes[at] = 1;
                    assert_refused(GRAVEL_ECORRUPT, "padding");
                    frame.bytes[at] = 0;
                }
                assert_int_equal(check(), 0);
            }
}

static void flips_of_run_bits_never_pass_unless_they_make_sense(void **state)
{
    (void)state;
    build_one_of_each();
    uint32_t n_passed = 0;
    for (uint32_t bit = 32 * 8; bit < frame.n_bytes * 8; bit++) {
        frame.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        int code = check();
        n_passed += code == 0;
        assert_true(code == 0 || code == GRAVEL_ECORRUPT || code == GRAVEL_ERANGE ||
                    code == GRAVEL_EHANDLER);
        frame.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_true(n_passed > 0); /* values, and indices that stay inside */
}

static void long_names_do_not_overflow_the_refusal(void **state)
{
    (void)state;
    static char name[4096];
    memset(name, 'x', sizeof name - 1);
    struct gravel_handler handler = {.name = name, .n_args = 1, .function = handle};
    struct gravel_expect due = {SOURCE, NODE, SEQUENCE, &handler, 1};
    begin();
    add_call_run(0, 0, 1);
    assert_int_equal(check_received(frame.n_bytes, &due), GRAVEL_EHANDLER);
    handler.name = NULL;
    assert_int_equal(check_received(frame.n_bytes, &due), GRAVEL_EHANDLER);
    assert_non_null(strstr(refusal.text, "handler 0 (?) takes 1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_without_runs_passes),
        cmocka_unit_test(every_operation_passes),
        cmocka_unit_test(full_buffer_passes),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(longer_than_its_runs_is_refused),
        cmocka_unit_test(frame_beyond_the_largest_is_not_looked_at),
        cmocka_unit_test(run_without_its_padding_is_refused),
        cmocka_unit_test(every_flip_of_a_header_bit_is_refused),
        cmocka_unit_test(header_refusals_name_the_field),
        cmocka_unit_test(zeros_and_other_bytes_are_refused),
        cmocka_unit_test(replayed_and_early_frames_are_refused),
        cmocka_unit_test(hostile_counts_are_refused),
        cmocka_unit_test(calls_without_arguments_are_limited_in_number),
        cmocka_unit_test(last_word_passes_and_the_next_is_refused),
        cmocka_unit_test(last_wide_word_passes_and_the_next_is_refused),
        cmocka_unit_test(bad_bases_are_refused),
        cmocka_unit_test(index_does_not_reach_the_neighbouring_allocation),
        cmocka_unit_test(freed_allocation_is_refused),
        cmocka_unit_test(unknown_commands_are_refused),
        cmocka_unit_test(bad_handlers_are_refused),
        cmocka_unit_test(malformed_calls_are_refused),
        cmocka_unit_test(padding_must_be_zero),
        cmocka_unit_test(flips_of_run_bits_never_pass_unless_they_make_sense),
        cmocka_unit_test(long_names_do_not_overflow_the_refusal),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
