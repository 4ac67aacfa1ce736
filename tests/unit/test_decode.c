/* SPDX-License-Identifier: MIT */
/*
 * The check of incoming node buffers: what passes, and that everything else is refused for the
 * right reason. Here frames as a whole; decode_runs.c has what a run may say.
 *
 * Path:    cmocka -> decode_tested.h -> lib/resolve/decode.c.
 */
#include "decode_runs.h"

#include "decode_tested.h"

static void frame_without_runs_passes(void **state)
{
    (void)state;
    begin();
    assert_int_equal(check(), 0);
}

static void every_operation_passes(void **state)
{
    (void)state;
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
