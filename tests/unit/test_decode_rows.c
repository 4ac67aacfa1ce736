/* SPDX-License-Identifier: MIT */
/*
 * Frames of one run that are right except for one number: of words, calls,
 * requests, signals and records.
 *
 * Path:    cmocka -> decode_tested.h -> lib/resolve/decode.c.
 */
#include "decode_tested.h"

/* Allocations of the heap, and numbers in the frame. */
#define RESULTS 4096u
#define SIGNALS 8192u
#define COMMAND 32u, 4u
#define COUNT 36u, 4u
#define BASE 40u, 8u
#define INDEX 48u, 4u /* the first, of a run without a signal */
#define RESULT 48u, 8u
#define TYPES RESULT /* of a line's arguments */
#define SIGNAL 56u, 8u
#define LAST \
    88u, 8u /* index of the last of four requests, and the place of its answer   \
             above */
#define NONE 0u, 0u
#define PLACE(n) ((uint64_t)(n) << 32)

#define INC GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT)
#define INC_ULONG GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_ULONG)
#define AM GRAVELP_COMMAND_AM
#define ASK GRAVELP_COMMAND_ASK
#define FETCH GRAVELP_COMMAND(GRAVEL_FETCH_ADD, GRAVEL_ULONG)
#define GET GRAVELP_COMMAND(GRAVEL_GET, GRAVEL_ULONG)
#define PUT_SIGNAL GRAVELP_COMMAND(GRAVEL_PUT_SIGNAL, GRAVEL_UINT)
#define CAS GRAVELP_COMMAND(GRAVEL_CAS, GRAVEL_UINT)
#define LINE(n_words) GRAVELP_COMMAND_RECORD(GRAVELP_LINES, n_words, 16)
#define RECORD(stream, n_words, text_bytes) GRAVELP_COMMAND_RECORD(stream, n_words, text_bytes)
#define TYPES_OF_TWO \
    (GRAVELP_ARGUMENT_INT | GRAVELP_ARGUMENT_ULONG << 4) /* 3 words, and 4 of tag */

static void build_records(uint32_t command, uint32_t n)
{
    const bool is_of_two = (command & ~(GRAVELP_COMMAND_RESERVED | GRAVELP_COMMAND_FAR)) == LINE(7);
    const struct gravel_signal_run run = {
        {command, n, 0}, is_of_two ? TYPES_OF_TWO : 0, GRAVEL_NO_SIGNAL};
    begin();
    is_of_records = true;
    frame.n_bytes =
        (uint32_t)(sizeof(struct gravel_frame) + GRAVEL_RUN_BYTES(command, (uint64_t)n));
    frame_header(&frame)->kind = GRAVEL_FRAME_RECORDS;
    frame_header(&frame)->bytes = frame.n_bytes;
    frame_header(&frame)->n_messages = n;
    memcpy(frame_header(&frame) + 1, &run, sizeof run);
}

/* Message i asks for word i, and its answer goes to place n - 1 - i;
 * put_signals have the first part alone. */
static void build_signals(uint32_t command, uint32_t n)
{
    const bool asks = GRAVELP_IS_REQUEST(command), is_call = GRAVELP_IS_CALL(command);
    const uint32_t n_values = is_call ? GRAVELP_COMMAND_N_ARGS(command) + 1
                              : GRAVELP_COMMAND_OP(command) == GRAVEL_CAS ? 2
                                                                          : 1;
    begin();
    struct run_place place = frame_add_signal_run(
        &frame, command, 0, asks ? RESULTS : 0, SIGNALS + 4, n, asks ? 8 : 4,
        is_call ? 8 : GRAVEL_TYPE_BYTES(GRAVELP_COMMAND_TYPE(command)), n_values);
    for (uint32_t i = 0; i < n; i++)
        if (asks)
            frame_set_u64(&frame, place.indices, i, (is_call ? 0 : i) | PLACE(n - 1 - i));
        else
            frame_set_u32(&frame, place.indices, i, i);
}

static void build(uint32_t command, uint32_t n)
{
    if (GRAVELP_IS_RECORD(command)) {
        build_records(command, n);
    } else if (GRAVELP_HAS_SIGNAL(command)) {
        build_signals(command, n);
    } else {
        begin();
        if (GRAVELP_IS_CALL(command))
            frame_add_run(&frame, command, 0, n, 0, 8, GRAVELP_COMMAND_N_ARGS(command));
        else
            frame_add_run(&frame, command, 0, n, 4, 4, 0);
    }
}

static const struct {
    uint32_t command, n;
    uint32_t at, bytes; /* of the number; 0: all are right */
    uint64_t value;
    int code;
    const char *part;
} rows[] = {
    /* words: an index does not reach the next allocation, and a word is in its
       own as a whole */
    {INC, 1, INDEX, 1023, 0, ""},
    {INC, 1, INDEX, 1024, GRAVEL_ERANGE, "index 1024 of uint at base 0"},
    {INC, 1, INDEX, 1u << 30, GRAVEL_ERANGE, "index 1073741824 of uint"},
    {INC, 1, COMMAND, INC | GRAVELP_COMMAND_RESERVED | GRAVELP_COMMAND_FAR, GRAVEL_ECORRUPT,
     "is unknown"},
    {INC_ULONG, 1, BASE, 8288, GRAVEL_ERANGE, "index 0 of ulong at base 8288"},
    /* calls */
    {AM(0, 0), 2, NONE, 0, 0, ""},
    {AM(1, 2), 2, NONE, 0, 0, ""},
    {AM(2, 4), 2, NONE, 0, 0, ""},
    {AM(1, 3), 2, NONE, 0, GRAVEL_EHANDLER, "handler 1 (two) takes 2 arguments, the message has 3"},
    {AM(6, 0), 1, NONE, 0, GRAVEL_EHANDLER, "no handler 6 among 6"},
    {AM(65535, 0), 1, NONE, 0, GRAVEL_EHANDLER, "no handler 65535"},
    {AM(0, 5), 1, NONE, 0, GRAVEL_ECORRUPT, "is malformed"},
    {AM(0, 7), 1, NONE, 0, GRAVEL_ECORRUPT, "is malformed"},
    {AM(0, 0), 1, COMMAND, AM(0, 0) ^ 1u << 8, GRAVEL_ECORRUPT, "is malformed"},
    {AM(0, 0), 1, COMMAND, AM(0, 0) ^ 1u << 9, GRAVEL_EHANDLER,
     "arguments of 8 bytes, the message has them of 4"},
    {AM(0, 0), 1, COMMAND, AM(0, 0) ^ 1u << 10, GRAVEL_ECORRUPT, "is malformed"},
    {AM(0, 0), 1, COMMAND, AM(0, 0) | GRAVELP_COMMAND_FAR, GRAVEL_ECORRUPT, "is malformed"},
    {AM(0, 0), 1, COMMAND, AM(0, 0) | GRAVELP_COMMAND_RESERVED, GRAVEL_ECORRUPT, "is malformed"},
    {AM(0, 0), 1, BASE, 64, GRAVEL_ECORRUPT, "base is 64"},
    /* requests and signals: words, places of answers, and signals are in
       allocations */
    {FETCH, 4, LAST, 511, 0, ""},
    {FETCH, 4, LAST, 512, GRAVEL_ERANGE, "index 512 of ulong at base 0 is beyond"},
    {FETCH, 4, LAST, PLACE(511), 0, ""},
    {FETCH, 4, LAST, PLACE(512), GRAVEL_ERANGE, "position 512 of ulong at result 4096 is beyond"},
    {FETCH, 4, LAST, UINT64_MAX, GRAVEL_ERANGE, "index 4294967295"},
    {GET, 4, RESULT, RESULTS + 4, GRAVEL_ERANGE, "result 4100 of ulong is not a multiple of 8"},
    {GET, 4, RESULT, 16384, GRAVEL_ERANGE, "result 16384 of ulong is in no allocation"},
    {GET, 4, SIGNAL, SIGNALS + 2, GRAVEL_ERANGE, "signal at 8194 is not a multiple of 4"},
    {GET, 4, SIGNAL, SIGNALS + 96, 0, ""},
    {GET, 4, SIGNAL, SIGNALS + 100, GRAVEL_ERANGE, "signal at 8292 is in no allocation"},
    {PUT_SIGNAL, 5, SIGNAL, GRAVEL_NO_SIGNAL, 0, ""},
    {PUT_SIGNAL, 4, SIGNAL, UINT64_MAX - 7, GRAVEL_ERANGE, "is in no allocation"},
    {PUT_SIGNAL, 4, RESULT, RESULTS, GRAVEL_ECORRUPT, "result is 4096 in a run that has none"},
    {CAS, 4, COMMAND, CAS | GRAVELP_COMMAND_RESERVED, GRAVEL_ECORRUPT, "is unknown"},
    {ASK(0, 0), 5, NONE, 0, 0, ""},
    {ASK(3, 1), 5, NONE, 0, 0, ""},
    {ASK(1, 2), 5, NONE, 0, 0, ""},
    {ASK(4, 3), 5, NONE, 0, 0, ""},
    {ASK(3, 0), 5, NONE, 0, GRAVEL_EHANDLER, "takes 1 arguments, the message has 0"},
    {ASK(5, 0), 5, NONE, 0, GRAVEL_EHANDLER, "handler 5 (mute) is asked, and does not answer"},
    {ASK(7, 0), 5, NONE, 0, GRAVEL_EHANDLER, "no handler 7 among 6"},
    {ASK(2, 4), 5, NONE, 0, GRAVEL_ECORRUPT, "is malformed"},
    {ASK(1, 2), 5, COMMAND, ASK(1, 2) ^ GRAVELP_COMMAND(0, GRAVEL_ULONG ^ GRAVEL_LONG),
     GRAVEL_ECORRUPT, "is malformed"},
    {ASK(1, 2), 5, BASE, 64, GRAVEL_ECORRUPT, "base is 64"},
    {ASK(1, 2), 4, LAST, 7, GRAVEL_ECORRUPT, "index is 7 in an active message"},
    {ASK(1, 2), 4, LAST, PLACE(512), GRAVEL_ERANGE,
     "position 512 of ulong at result 4096 is beyond"},
    /* records: as their stream has them, and lines as their tag says */
    {LINE(7), 3, NONE, 0, 0, ""},
    {LINE(4), 1, NONE, 0, 0, ""},
    {RECORD(1, 2, 0), 3, NONE, 0, 0, ""},
    {RECORD(2, 2, 0), 2, NONE, 0, GRAVEL_ECORRUPT, "there is no stream 2"},
    {RECORD(1, 3, 0), 2, NONE, 0, GRAVEL_ECORRUPT, "bytes of a record is 12, expected 8"},
    {RECORD(1, 2, 16), 2, NONE, 0, GRAVEL_ECORRUPT, "bytes of text is 16, expected 0"},
    {RECORD(1, 2, 0), 2, TYPES, 1, GRAVEL_ECORRUPT, "types of arguments is 1, expected 0"},
    {LINE(0), 2, NONE, 0, GRAVEL_ECORRUPT, "is not a record's"},
    {LINE(61), 2, NONE, 0, GRAVEL_ECORRUPT, "is not a record's"},
    {LINE(7) | GRAVELP_COMMAND_RESERVED, 2, NONE, 0, GRAVEL_ECORRUPT, "is not a record's"},
    {LINE(7) | GRAVELP_COMMAND_FAR, 2, NONE, 0, GRAVEL_ECORRUPT, "is not a record's"},
    {LINE(6), 2, TYPES, TYPES_OF_TWO, GRAVEL_ECORRUPT, "number of words is 6, expected 7"},
    {LINE(3), 2, NONE, 0, GRAVEL_ECORRUPT, "number of words is 3, expected 4"},
    {LINE(7), 2, TYPES, 8, GRAVEL_ECORRUPT, "types of arguments are 0x8"},
    {LINE(7), 2, TYPES, TYPES_OF_TWO << 4, GRAVEL_ECORRUPT, "types of arguments are 0x410"},
    {LINE(7), 2, SIGNAL, 8, GRAVEL_ECORRUPT, "signal"},
    {LINE(7), 2, BASE, 8, GRAVEL_ECORRUPT, "base"},
    {LINE(7), 2, COUNT, 4, GRAVEL_ECORRUPT, "messages"},
};

TEST(each_wrong_number_is_refused_by_name)
{
    for (size_t i = 0; i < LENGTH(rows); i++) {
        build(rows[i].command, rows[i].n);
        memcpy(frame.bytes + rows[i].at, &rows[i].value, rows[i].bytes);
        assert_refused(rows[i].code, rows[i].part);
    }
}

TEST(every_request_and_signal_passes)
{
#define PASSES(OP, op, TYPE, type)                         \
    build(GRAVELP_COMMAND(GRAVEL_##OP, GRAVEL_##TYPE), 5); \
    assert_refused(0, "");
#define CAS_PASSES(TYPE, type) PASSES(CAS, cas, TYPE, type)
    GRAVEL_REQUESTS(PASSES)
    GRAVEL_DOUBLE_REQUESTS(PASSES)
    GRAVEL_INC_TYPES(CAS_PASSES)
    PASSES(PUT_SIGNAL, put_signal, UINT, uint)
}

TEST(records_and_messages_do_not_pass_for_each_other)
{
    build_records(LINE(4), 1);
    frame_header(&frame)->kind = GRAVEL_FRAME_MESSAGES;
    assert_int_equal(check(), GRAVEL_ECORRUPT);
    is_of_records = false;
    assert_refused(GRAVEL_ECORRUPT, "is unknown");
    build_records(INC, 1);
    assert_int_equal(check(), GRAVEL_ECORRUPT);
}

TEST(records_that_are_cut_off_are_refused)
{
    build_records(GRAVELP_COMMAND_RECORD(1, 2, 0), 3);
    assert_int_equal(check(), 0);
    for (uint32_t bytes = 0; bytes < frame.n_bytes; bytes++) {
        frame_header(&frame)->bytes = bytes;
        assert_int_not_equal(check_received(bytes, &expect), 0);
    }
}

const struct fixture fixture = {.open = set_up, .close = tear_down};
