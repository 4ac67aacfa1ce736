/* SPDX-License-Identifier: MIT */
/*
 * The check of incoming node buffers: what passes, and that everything else is refused for the right reason. Here frames
 * that are drawn, with one fault each; test_decode_rows.c has single ones, with their texts.
 *
 * Path:    cmocka -> decode_tested.h -> lib/resolve/decode.c.
 */
#include "decode_tested.h"
#include "draws.h"

/* ---- frames that are drawn ------------------------------------------------------------------- */

static const struct gravel_span spans[] = {{0, 4096, 1}, {4096, 4096, 2}, {8192, 100, 3}};

/* The last run of words. */
static struct {
    const struct word *word; /* NULL: there is none */
    struct gravel_span span;
    struct run_place place;
    uint64_t base;
    uint32_t n;
    bool is_far, is_last; /* nothing behind it */
} last;

/* Draws a run of any operation on any words of an allocation, by near or far indices. */
static void draw_word_run(struct draws *draws)
{
    last.word = &words[draw_below(draws, (uint32_t)N_OPERATIONS)];
    last.span = spans[draw_below(draws, 3)];
    last.n = 1 + draw_below(draws, 20);
    last.is_far = draw_below(draws, 2);
    last.is_last = true;
    const uint32_t bytes = last.word->bytes, n_inside = (uint32_t)last.span.bytes / bytes;
    const uint32_t skip = draw_below(draws, n_inside);
    last.base = last.span.offset + skip * bytes;
    last.place = add_word_run(last.word, last.is_far, last.base, last.n);
    for (uint32_t i = 0; i < last.n; i++) {
        const uint32_t at =
            draw_below(draws, 4) ? draw_below(draws, n_inside - skip) : n_inside - skip - 1;
        if (last.is_far)
            frame_set_u64(&frame, last.place.indices, i, at);
        else
            frame_set_u32(&frame, last.place.indices, i, at);
    }
}

static void draw_frame(struct draws *draws)
{
    begin();
    last.word = NULL;
    for (uint32_t n = draw_below(draws, draws->size); n; n--) {
        const uint32_t handler = draw_below(draws, 2 * N_HANDLERS);
        if (handler < N_HANDLERS - 1) {
            add_call_run(handler, handlers[handler].n_args, 1 + draw_below(draws, 5));
            last.is_last = false;
        } else {
            draw_word_run(draws);
        }
    }
}

/* An offset of the heap at which there is no word of these bytes. */
static uint64_t draw_wrong_offset(struct draws *draws, uint32_t bytes)
{
    static const uint64_t nowhere[] = {8296,       8320,       12352,         HEAP_BYTES,
                                       1ull << 32, 1ull << 63, UINT64_MAX - 7};
    const uint32_t i = draw_below(draws, 9);
    return i < 7    ? nowhere[i]
           : i == 7 ? 8192 + 100 / bytes * bytes
                    : 4096 + 1 + draw_below(draws, bytes - 1);
}

/* With one number of the last run of words that is wrong. */
static const char *break_run(struct draws *draws, uint32_t how)
{
    const uint32_t i = draw_below(draws, last.n), bytes = last.word->bytes;
    if (how == 0) { /* the first index beyond, or any */
        const uint32_t end = (uint32_t)(last.span.offset + last.span.bytes - last.base) / bytes;
        const uint64_t far[] = {end, UINT64_MAX >> draw_below(draws, 50),
                                UINT64_C(1) << (32 + draw_below(draws, 32))};
        if (last.is_far)
            frame_set_u64(&frame, last.place.indices, i, far[draw_below(draws, 3)]);
        else
            frame_set_u32(&frame, last.place.indices, i,
                          draw_below(draws, 2) ? end : UINT32_MAX - draw_below(draws, 1u << 31));
        HOLDS(check() == GRAVEL_ERANGE);
    } else if (how == 1) {
        const uint64_t base = draw_wrong_offset(draws, bytes);
        memcpy(frame.bytes + last.place.header + 8, &base, sizeof base);
        HOLDS(check() == GRAVEL_ERANGE);
    } else if (how == 2) { /* a count of messages */
        const uint32_t more = 1 + draw_below(draws, UINT32_MAX >> draw_below(draws, 32));
        frame_set_u32(&frame, last.place.header, 1, last.n + more);
        HOLDS(check() == GRAVEL_ECORRUPT || !last.is_last);
        frame_header(&frame)->n_messages += more;
        check(); /* whatever it is: no read beyond the frame */
    } else if (last.is_last && last.place.end < frame.n_bytes) {
        frame.bytes[last.place.end + draw_below(draws, frame.n_bytes - last.place.end)] = 1;
        HOLDS(check() == GRAVEL_ECORRUPT && strstr(refusal.text, "padding"));
    }
    return NULL;
}

/* A frame that is right passes; cut off, with bytes behind it, with a bit of its header turned or a number that is wrong it
 * does not. */
static const char *frames_pass_if_they_are_right(struct draws *draws)
{
    draw_frame(draws);
    HOLDS(check() == 0);
    const uint32_t bytes = frame.n_bytes, how = draw_below(draws, last.word ? 7 : 3);
    if (how == 0) {
        const uint32_t cut = draw_below(draws, bytes);
        HOLDS(check_received(cut, &expect) != 0);
        frame_header(&frame)->bytes = cut; /* the sender's length agrees */
        HOLDS(check_received(cut, &expect) != 0);
    } else if (how == 1) {
        frame_header(&frame)->bytes = bytes + 1 + draw_below(draws, 64);
        HOLDS(check_received(frame_header(&frame)->bytes, &expect) == GRAVEL_ECORRUPT);
    } else if (how == 2) {
        const uint32_t drawn = draw_below(draws, 28 * 8), bit = drawn < 32 ? drawn : drawn + 32;
        frame.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8); /* of all fields but `round` */
        HOLDS(check() == GRAVEL_ECORRUPT);
    } else {
        return break_run(draws, how - 3);
    }
    return NULL;
}

TEST(frames_pass_if_and_only_if_they_are_right)
{
    expect_property(frames_pass_if_they_are_right, 50000, 8);
}

/* ---- limits, and what texts name ------------------------------------------------------------- */

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

TEST(frame_beyond_the_largest_is_not_looked_at)
{
    static const uint64_t lengths[] = {GRAVEL_FRAME_MAX_BYTES + 8ull, 1ull << 32, UINT64_MAX};
    begin();
    for (size_t i = 0; i < LENGTH(lengths); i++) {
        int code = gravel_decode_check(&frame, lengths[i], &expect, NULL, &refusal);
        assert_int_equal(code, GRAVEL_ECORRUPT);
        assert_non_null(strstr(refusal.text, "bytes are no frame"));
    }
}

TEST(header_refusals_name_the_field)
{
    static const struct {
        size_t at;
        const char *part;
    } fields[] = {
        {offsetof(struct gravel_frame, magic), "magic is"},
        {offsetof(struct gravel_frame, version), "version is 9, expected 8"},
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
        op != (GRAVEL_FETCH | GRAVEL_INC)) /* test_decode_rows.c */
        return op == GRAVEL_PUT_SIGNAL || op == GRAVEL_GET || op == GRAVEL_SWAP ||
                       op == GRAVEL_FETCH_ADD
                   ? is_double_or_less
                   : op > GRAVEL_FETCH && is_integer;
    for (size_t i = 0; i < N_OPERATIONS; i++)
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
            for (uint32_t is_far = 0; is_far < 2; is_far++) {
                frame_set_u32(&frame, place.header, 0, op | type << 8 | is_far << 11);
                assert_refused(GRAVEL_ECORRUPT, "is unknown");
            }
        }
    for (uint32_t bit = 12; bit < 32; bit++) {
        build_one_index(0);
        frame_set_u32(&frame, 32, 0, 2u | 1u << 8 | 1u << bit);
        assert_refused(GRAVEL_ECORRUPT, "is unknown");
    }
}

TEST(long_names_do_not_overflow_the_refusal)
{
    static char name[4096];
    memset(name, 'x', sizeof name - 1);
    struct gravel_handler handler = {.name = name, .n_args = 1, .function = handle};
    const struct gravel_endpoints one = {.handlers = &handler, .n_handlers = 1};
    const struct gravel_expect due = {SOURCE, NODE, SEQUENCE, &one, .heap = NULL};
    begin();
    add_call_run(0, 0, 1);
    assert_int_equal(check_received(frame.n_bytes, &due), GRAVEL_EHANDLER);
    handler.name = NULL;
    assert_int_equal(check_received(frame.n_bytes, &due), GRAVEL_EHANDLER);
    assert_non_null(strstr(refusal.text, "handler 0 (?) takes 1"));
}

const struct fixture fixture = {.open = set_up, .close = tear_down};
