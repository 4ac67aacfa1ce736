/* SPDX-License-Identifier: MIT */
/*
 * The check of incoming node buffers: what passes, and that everything else is
 * refused for the right reason. Here frames as a whole and all values of a
 * number; decode_rows.c has single ones.
 *
 * Path:    cmocka -> decode_tested.h -> lib/resolve/decode.c.
 */
#include "decode_tested.h"

TEST(every_operation_passes)
{
    begin(); /* without runs */
    assert_int_equal(check(), 0);
    for (size_t i = 0; i < n_words; i++)
        for (uint32_t n = 1; n < 20; n++) {
            begin();
            add_word_run(&words[i], false, 4096, n);
            add_word_run(&words[i], true, 0, n);
            assert_int_equal(check(), 0);
        }
    build_one_of_each();
    assert_int_equal(check(), 0);
}

TEST(full_buffer_passes)
{
    begin();
    struct run_place place = frame_add_run(&frame, 2u | 1u << 8, 4096, 16372, 4, 4, 0);
    assert_int_equal(frame.n_bytes, FRAME_CAPACITY);
    for (uint32_t i = 0; i < 16372; i++)
        frame_set_u32(&frame, place.indices, i, i % 1024);
    assert_int_equal(check(), 0);
    frame_set_u32(&frame, place.indices, 16371, 1024);
    assert_refused(GRAVEL_ERANGE, "run 1: inc: message 16371, index 1024 of uint "
                                  "at base 4096 is beyond its "
                                  "allocation of 4096 bytes");
}

static void expect_no_part_passes(void)
{
    for (uint32_t bytes = 0; bytes < frame.n_bytes; bytes++) {
        assert_int_not_equal(check_received(bytes, &expect), 0);
        frame_header(&frame)->bytes = bytes; /* the sender's length agrees */
        assert_int_not_equal(check_received(bytes, &expect), 0);
        frame_header(&frame)->bytes = frame.n_bytes;
    }
    assert_int_equal(check(), 0);
}

TEST(every_truncation_is_refused)
{
    build_one_of_each();
    expect_no_part_passes();
    build_records(GRAVELP_COMMAND_RECORD(1, 2, 0), 3);
    expect_no_part_passes();
}

TEST(longer_than_its_runs_is_refused)
{
    build_one_of_each();
    for (uint32_t more = 1; more <= 64; more++) {
        frame_header(&frame)->bytes = frame.n_bytes + more;
        assert_int_equal(check_received(frame.n_bytes + more, &expect), GRAVEL_ECORRUPT);
    }
    frame_header(&frame)->bytes = frame.n_bytes + 8;
    check_received(frame.n_bytes + 8, &expect);
    assert_non_null(strstr(refusal.text, "cut off after 8 bytes"));
}

TEST(frame_beyond_the_largest_is_not_looked_at)
{
    static const uint64_t lengths[] = {GRAVEL_FRAME_MAX_BYTES + 8ull, 1ull << 32, UINT64_MAX};
    begin();
    for (size_t i = 0; i < LENGTH(lengths); i++) {
        int code = gravel_decode_check(&frame, lengths[i], &expect, heap, &refusal);
        assert_int_equal(code, GRAVEL_ECORRUPT);
        assert_non_null(strstr(refusal.text, "bytes are no frame"));
    }
}

TEST(run_without_its_padding_is_refused)
{
    for (uint32_t bytes = 52; bytes < 56; bytes++) {
        build_one_index(1);
        frame_header(&frame)->bytes = bytes;
        assert_int_equal(check_received(bytes, &expect), GRAVEL_ECORRUPT);
        assert_non_null(strstr(refusal.text, "24 bytes of run"));
    }
}

TEST(every_flip_of_a_header_bit_is_refused)
{
    build_one_of_each();
    for (uint32_t bit = 0; bit < 32 * 8; bit++) {
        frame.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_equal(check(), GRAVEL_ECORRUPT);
        frame.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

TEST(header_refusals_name_the_field)
{
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

TEST(zeros_and_other_bytes_are_refused)
{
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

TEST(replayed_and_early_frames_are_refused)
{
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

/* ---- runs
 * ------------------------------------------------------------------------------------
 */

TEST(hostile_counts_are_refused)
{
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

TEST(calls_without_arguments_are_limited_in_number)
{
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

TEST(last_word_passes_and_the_next_is_refused)
{
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

TEST(last_wide_word_passes_and_the_next_is_refused)
{
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

TEST(bad_bases_are_refused)
{
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
}

TEST(freed_allocation_is_refused)
{
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
        op != (GRAVEL_FETCH | GRAVEL_INC)) /* decode_rows.c */
        return op == GRAVEL_PUT_SIGNAL || op == GRAVEL_GET || op == GRAVEL_SWAP ||
                       op == GRAVEL_FETCH_ADD
                   ? is_double_or_less
                   : op > GRAVEL_FETCH && is_integer;
    for (size_t i = 0; i < n_words; i++)
        if (words[i].op == op && words[i].type == type)
            return true;
    return false;
}

TEST(unknown_commands_are_refused)
{
    for (uint32_t op = 0; op < 256; op++)
        for (uint32_t type = 0; type < 8; type++) {
            if (GRAVELP_IS_CALL(op) || is_known(op, type))
                continue;
            begin();
            struct run_place place = frame_add_run(&frame, 0, 0, 4, 8, 8, 1);
            for (uint32_t width = 0; width < 4; width++) { /* wide, far, both */
                frame_set_u32(&frame, place.header, 0, op | type << 8 | width << 11);
                assert_refused(GRAVEL_ECORRUPT, "is unknown");
            }
        }
    for (uint32_t bit = 13; bit < 32; bit++) {
        build_one_index(0);
        frame_set_u32(&frame, 32, 0, 2u | 1u << 8 | 1u << bit);
        assert_refused(GRAVEL_ECORRUPT, "is unknown");
    }
}

TEST(padding_must_be_zero)
{
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

TEST(flips_of_run_bits_never_pass_unless_they_make_sense)
{
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

TEST(long_names_do_not_overflow_the_refusal)
{
    static char name[4096];
    memset(name, 'x', sizeof name - 1);
    struct gravel_handler handler = {.name = name, .n_args = 1, .function = handle};
    const struct gravel_endpoints one = {.handlers = &handler, .n_handlers = 1};
    const struct gravel_expect due = {SOURCE, NODE, SEQUENCE, &one};
    begin();
    add_call_run(0, 0, 1);
    assert_int_equal(check_received(frame.n_bytes, &due), GRAVEL_EHANDLER);
    handler.name = NULL;
    assert_int_equal(check_received(frame.n_bytes, &due), GRAVEL_EHANDLER);
    assert_non_null(strstr(refusal.text, "handler 0 (?) takes 1"));
}

const struct fixture fixture = {.open = set_up, .close = tear_down};
