/* SPDX-License-Identifier: MIT */
/*
 * The check of incoming frames of records: what passes, and that everything else is refused for the right reason.
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
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const struct gravel_expect expect = {.source = 3, .destination = 1, .sequence = 12};
static struct frame frame;
static struct gravel_refusal refusal;
static struct gravel_stream stream = {.name = "hits", .record_bytes = 8};
static const struct gravel_streams streams = {.list = &stream, .n = 1};

#define LINE(n_words) GRAVELP_COMMAND_RECORD(GRAVELP_LINES, n_words, 16)
#define TYPES_OF_TWO \
    (GRAVELP_ARGUMENT_INT | GRAVELP_ARGUMENT_ULONG << 4) /* 3 words, and 4 of tag */

/* A frame of records of one run, of n words in all. @return the run in it. */
static struct gravel_signal_run *begin_records(uint32_t command, uint32_t n, uint64_t types)
{
    struct gravel_signal_run run = {{command, n, 0}, types, GRAVEL_NO_SIGNAL};
    const uint64_t bytes = sizeof(struct gravel_frame) + GRAVEL_RUN_BYTES(command, (uint64_t)n);
    frame_begin(&frame, expect.source, expect.destination, expect.sequence);
    frame.n_bytes = (uint32_t)bytes;
    frame_header(&frame)->kind = GRAVEL_FRAME_RECORDS;
    frame_header(&frame)->bytes = frame.n_bytes;
    frame_header(&frame)->n_messages = n;
    return memcpy(frame_header(&frame) + 1, &run, sizeof run);
}

/* As a frame of records. */
static int check(void)
{
    void *exact = frame_copy(&frame, frame.n_bytes);
    int code = gravel_decode_records(exact, frame.n_bytes, &expect, &streams, NULL, &refusal);
    free(exact);
    return code;
}

/* As a frame of messages: it is refused before it could touch any heap. */
static int check_messages(void)
{
    void *exact = frame_copy(&frame, frame.n_bytes);
    int code = gravel_decode_check(exact, frame.n_bytes, &expect, NULL, &refusal);
    free(exact);
    return code;
}

static void records_pass(void **state)
{
    (void)state;
    begin_records(LINE(7), 3, TYPES_OF_TWO);
    assert_int_equal(check(), 0);
    begin_records(LINE(4), 1, 0);
    assert_int_equal(check(), 0);
    begin_records(GRAVELP_COMMAND_RECORD(1, 2, 0), 3, 0); /* of a stream */
    assert_int_equal(check(), 0);
}

static void records_and_messages_do_not_pass_for_each_other(void **state)
{
    (void)state;
    begin_records(LINE(4), 1, 0);
    frame_header(&frame)->kind = GRAVEL_FRAME_MESSAGES;
    assert_int_equal(check(), GRAVEL_ECORRUPT);
    assert_int_equal(check_messages(), GRAVEL_ECORRUPT);
    assert_non_null(strstr(refusal.text, "is unknown"));
    begin_records(GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT), 1, 0);
    assert_int_equal(check(), GRAVEL_ECORRUPT);
}

static void malformed_records_are_refused(void **state)
{
    (void)state;
    const struct {
        uint32_t command;
        uint64_t types;
        const char *part;
    } cases[] = {
        {GRAVELP_COMMAND_RECORD(2, 2, 0), 0, "there is no stream 2"},
        {GRAVELP_COMMAND_RECORD(1, 3, 0), 0, "bytes of a record is 12, expected 8"},
        {GRAVELP_COMMAND_RECORD(1, 2, 16), 0, "bytes of text is 16, expected 0"},
        {GRAVELP_COMMAND_RECORD(1, 2, 0), 1, "types of arguments is 1, expected 0"},
        {LINE(0), 0, "is no record's"},
        {LINE(61), 0, "is no record's"},
        {LINE(7) | GRAVELP_COMMAND_WIDE, TYPES_OF_TWO, "is no record's"},
        {LINE(7) | GRAVELP_COMMAND_FAR, TYPES_OF_TWO, "is no record's"},
        {LINE(6), TYPES_OF_TWO, "number of words is 6, expected 7"},
        {LINE(3), 0, "number of words is 3, expected 4"},
        {LINE(7), 8, "types of arguments are 0x8"},
        {LINE(7), TYPES_OF_TWO << 4, "types of arguments are 0x410"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin_records(cases[i].command, 2, cases[i].types);
        assert_int_equal(check(), GRAVEL_ECORRUPT);
        if (!strstr(refusal.text, cases[i].part))
            fail_msg("%s, not %s", refusal.text, cases[i].part);
    }
    begin_records(LINE(7), 2, TYPES_OF_TWO)->signal = 8;
    assert_int_equal(check(), GRAVEL_ECORRUPT);
    begin_records(LINE(7), 2, TYPES_OF_TWO)->run.base = 8;
    assert_int_equal(check(), GRAVEL_ECORRUPT);
    begin_records(LINE(7), 2, TYPES_OF_TWO)->run.n_messages = 4;
    assert_int_equal(check(), GRAVEL_ECORRUPT);
}

static void every_truncation_is_refused(void **state)
{
    (void)state;
    begin_records(LINE(7), 3, TYPES_OF_TWO);
    const uint32_t whole = frame.n_bytes;
    for (frame.n_bytes = 0; frame.n_bytes < whole; frame.n_bytes++) {
        assert_int_not_equal(check(), 0);
        frame_header(&frame)->bytes = frame.n_bytes; /* the sender's length agrees */
        assert_int_not_equal(check(), 0);
        frame_header(&frame)->bytes = whole;
    }
    assert_int_equal(check(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_pass),
        cmocka_unit_test(records_and_messages_do_not_pass_for_each_other),
        cmocka_unit_test(malformed_records_are_refused),
        cmocka_unit_test(every_truncation_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
