/* SPDX-License-Identifier: MIT */
/*
 * What a run of an incoming node buffer may say: how many messages it has, for which words or handlers.
 *
 * Path:    test_decode.c -> this -> decode_tested.h -> lib/resolve/decode.c.
 */
#include "decode_runs.h"

#include "decode_tested.h"

void hostile_counts_are_refused(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0,          1,          3,          4,          1u << 16,
                                      1u << 24,   0x1fffffff, 0x20000000, 0x3ffffffc, 0x40000000,
                                      0x40000001, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};
    for (size_t i = 0; i < n_words; i++)
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

void calls_without_arguments_are_limited_in_number(void **state)
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

void last_word_passes_and_the_next_is_refused(void **state)
{
    (void)state;
    static const struct gravel_span spans[] = {{0, 4096, 1}, {4096, 4096, 2}, {8192, 100, 3}};
    for (size_t i = 0; i < n_words; i++)
        for (size_t j = 0; j < LENGTH(spans); j++)
            for (uint32_t skip = 0; skip <= 64; skip += words[i].bytes) {
                uint32_t n_inside = (uint32_t)(spans[j].bytes - skip) / words[i].bytes;
                begin();
                struct run_place place = add_word_run(&words[i], false, spans[j].offset + skip, 9);
                frame_set_u32(&frame, place.indices, 4, n_inside - 1);
                assert_int_equal(check(), 0);
                frame_set_u32(&frame, place.indices, 4, n_inside);
                assert_refused(GRAVEL_ERANGE, "is beyond its allocation");
                frame_set_u32(&frame, place.indices, 4, UINT32_MAX);
                assert_refused(GRAVEL_ERANGE, "index 4294967295 of");
            }
}

void last_wide_word_passes_and_the_next_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_words; i++) {
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

void bad_bases_are_refused(void **state)
{
    (void)state;
    static const uint64_t nowhere[] = {8296,       8320,       16384,         HEAP_BYTES,
                                       1ull << 32, 1ull << 63, UINT64_MAX - 7};
    for (size_t i = 0; i < n_words; i++) {
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

void index_does_not_reach_the_neighbouring_allocation(void **state)
{
    (void)state;
    build_one_index(1024); /* 8192 is allocated too, by another gravel_alloc */
    assert_refused(GRAVEL_ERANGE, "index 1024 of uint at base 4096");
    build_one_index(1u << 30); /* times 4 is 2^32 */
    assert_refused(GRAVEL_ERANGE, "index 1073741824 of uint");
}

void freed_allocation_is_refused(void **state)
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
    for (size_t i = 0; i < n_words; i++)
        if (words[i].op == op && words[i].type == type)
            return true;
    return false;
}

void unknown_commands_are_refused(void **state)
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

void bad_handlers_are_refused(void **state)
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

void malformed_calls_are_refused(void **state)
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

void padding_must_be_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_words; i++)
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

void flips_of_run_bits_never_pass_unless_they_make_sense(void **state)
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

void long_names_do_not_overflow_the_refusal(void **state)
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
