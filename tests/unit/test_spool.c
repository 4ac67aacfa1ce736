/* SPDX-License-Identifier: MIT */
/*
 * The spool: lines come out whole, once, in their order, behind node and work-item; a pipe that takes little, nothing or
 * is gone keeps nobody, and what is lost is counted, and reported once.
 *
 * Path: cmocka -> lib/spool
 */
#include "spool/spool.h"

#include "layout/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define NODE 3u
#define LIMIT_NS UINT64_C(200000000)
#define MOST_TEXT (1u << 18) /* of standard output, in a test */

/* ---- what the network thread knows -------------------------------------------------------------- */

static struct gravel_event dealt_with;
static struct gravel_spool *spool;

static void create(void)
{
    const struct gravel_spool_shape shape = {.limit_ns = LIMIT_NS, .dealt_with = &dealt_with};
    assert_int_equal(gravel_spool_create(&spool, &shape), 0);
    assert_true(gravel_spool_is_empty(spool));
}

/* A frame of n lines "NUMBER\n" from `first` on, each of a work-item of its number and of y and z. */
static struct gravel_frame *make_frame(uint32_t first, uint32_t n, uint32_t y, uint32_t z)
{
    static const char text[GRAVELP_TEXT_UNIT] = "%u of %s\n";
    const uint32_t n_words = GRAVELP_TAG_WORDS + 1 + GRAVELP_STRING_WORDS;
    const uint32_t command = GRAVELP_COMMAND_RECORD(GRAVELP_LINES, n_words, sizeof text);
    const struct gravel_signal_run run = {
        {command, n, 0}, GRAVELP_ARGUMENT_UINT | GRAVELP_ARGUMENT_STRING << 4, GRAVEL_NO_SIGNAL};
    const uint64_t bytes = sizeof(struct gravel_frame) + GRAVEL_RUN_BYTES(command, (uint64_t)n);
    unsigned char *frame = calloc(1, bytes);
    const struct gravel_frame header = {
        .kind = GRAVEL_FRAME_RECORDS, .source = NODE, .bytes = (uint32_t)bytes, .n_messages = n};
    memcpy(frame, &header, sizeof header);
    memcpy(frame + sizeof header, &run, sizeof run);
    memcpy(frame + sizeof header + sizeof run, text, sizeof text);
    uint32_t *words = (void *)(frame + sizeof header + GRAVEL_RUN_VALUES(command, n, 0));
    for (uint32_t i = 0; i < n; i++, words += n_words) {
        words[0] = first + i;
        words[1] = 1; /* ids begin at 2^32 */
        words[2] = y;
        words[3] = z;
        words[GRAVELP_TAG_WORDS] = first + i;
        memcpy(words + GRAVELP_TAG_WORDS + 1, "these", 5);
    }
    return (struct gravel_frame *)(void *)frame;
}

/* Push such a frame, of another node. */
static int push(uint32_t first, uint32_t n, uint32_t y, uint32_t z)
{
    struct gravel_frame *frame = make_frame(first, n, y, z);
    int code = gravel_spool_push(spool, frame, NULL);
    free(frame);
    return code;
}

/* Push such a frame, which a buffer of this node holds. @return whether the buffer holds it still. */
static bool push_held(struct gravel_buffer *holder, uint32_t first, uint32_t n)
{
    struct gravel_frame *frame = make_frame(first, n, 0, 0);
    const struct gravel_frame *held = holder->frame;
    assert_true(frame->bytes <= holder->capacity);
    memcpy(holder->frame, frame, frame->bytes);
    free(frame);
    assert_int_equal(gravel_spool_push(spool, holder->frame, holder), 0);
    return holder->frame == held;
}

#define ASLEEP_NS UINT64_C(30000000000) /* unless somebody wakes */

/* One look, so much later: takes back what is written. @return what the check returned. */
static int look(uint64_t later_ns)
{
    static uint64_t lived_ns;
    struct gravel_buffer *buffer;
    while ((buffer = gravel_spool_take(spool))) {
        assert_int_equal(buffer->frame->source, NODE);
        gravel_buffer_destroy(buffer);
    }
    lived_ns += later_ns;
    return gravel_spool_check(spool, lived_ns);
}

/* Look as the network thread does, which the spool wakes, until a mark has passed or a look fails. */
static int look_until(uint64_t mark)
{
    int code = 0;
    while (!code) {
        const uint32_t key = gravel_event_prepare(&dealt_with);
        code = look(0);
        if (code || gravel_spool_has_passed(spool, mark)) {
            gravel_event_cancel(&dealt_with);
            return code;
        }
        assert_true(gravel_event_wait(&dealt_with, key, ASLEEP_NS));
    }
    return code;
}

static int look_until_empty(void)
{
    return look_until(gravel_spool_mark(spool));
}

/* ---- standard output ---------------------------------------------------------------------------- */

static char printed[MOST_TEXT];
static int kept; /* the test's own */

static void redirect(int descriptor)
{
    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    assert_true(kept >= 0 && dup2(descriptor, STDOUT_FILENO) >= 0);
}

static void restore(void)
{
    assert_true(dup2(kept, STDOUT_FILENO) >= 0);
    close(kept);
}

/* The reader of a pipe: takes `at_once` bytes, after a pause. */
struct reader {
    pthread_t thread;
    int from;
    unsigned pause_us;
    size_t at_once, n;
};

static void *read_all(void *argument)
{
    struct reader *reader = argument;
    ssize_t n;
    while ((n = read(reader->from, printed + reader->n, reader->at_once)) > 0) {
        reader->n += (size_t)n;
        usleep(reader->pause_us);
    }
    printed[reader->n] = '\0';
    return NULL;
}

static void open_pipe(int ends[2])
{
    assert_int_equal(pipe(ends), 0);
    assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 4096);
    redirect(ends[1]);
    close(ends[1]);
}

static void begin_reading(struct reader *reader, unsigned pause_us, size_t at_once)
{
    int ends[2];
    open_pipe(ends);
    *reader = (struct reader){.from = ends[0], .pause_us = pause_us, .at_once = at_once};
    assert_int_equal(pthread_create(&reader->thread, NULL, read_all, reader), 0);
}

static void end_reading(struct reader *reader)
{
    restore();
    pthread_join(reader->thread, NULL);
    close(reader->from);
}

/* Lines [0, n), in their order, and nothing else. */
static void expect_lines(uint32_t n, uint32_t y, uint32_t z)
{
    char line[64];
    const char *at = printed;
    for (uint32_t i = 0; i < n; i++) {
        const int length =
            y || z ? snprintf(line, sizeof line, "[3:%llu,%u,%u] %u of these\n", (1ull << 32) + i,
                              y, z, i)
                   : snprintf(line, sizeof line, "[3:%llu] %u of these\n", (1ull << 32) + i, i);
        if (strncmp(at, line, (size_t)length))
            fail_msg("line %u is '%.40s', not '%s'", i, at, line);
        at += length;
    }
    assert_string_equal(at, "");
}

/* ---- tests -------------------------------------------------------------------------------------- */

static void lines_come_out_whole_and_in_order_by_a_slow_reader(void **state)
{
    (void)state;
    struct reader reader;
    begin_reading(&reader, 100, 1000);
    create();
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(push(100 * i, 100, 0, 0), 0);
    assert_false(gravel_spool_is_empty(spool));
    const int code = look_until_empty();
    const int lost = gravel_spool_lost(spool);
    const uint64_t n_lines = gravel_spool_lines(spool);
    const bool has_ended = gravel_spool_destroy(spool);
    end_reading(&reader);
    assert_int_equal(code, 0);
    assert_int_equal(lost, 0);
    assert_int_equal(n_lines, 4000);
    assert_true(has_ended);
    expect_lines(4000, 0, 0);
}

/* A frame whose lines are more than one write takes, and the numbers of a launch of three dimensions. */
static void a_long_frame_is_written_in_pieces(void **state)
{
    (void)state;
    struct reader reader;
    begin_reading(&reader, 0, 65536);
    create();
    assert_int_equal(push(0, 5000, 65536, UINT32_MAX), 0);
    const int code = look_until_empty();
    const bool has_ended = gravel_spool_destroy(spool);
    end_reading(&reader);
    assert_int_equal(code, 0);
    assert_true(has_ended);
    expect_lines(5000, 65536, UINT32_MAX);
}

/* The frame of a full buffer is exchanged, so what is written to the buffer next does not change its lines. */
static void a_full_buffer_of_this_node_gets_another_frame(void **state)
{
    (void)state;
    struct reader reader;
    struct gravel_buffer *holder = gravel_buffer_create(60000);
    struct gravel_buffer *lent =
        gravel_buffer_create_in(aligned_alloc(GRAVELP_CACHELINE, 60032), 60000);
    begin_reading(&reader, 100, 1000);
    create();
    const bool holds[] = {push_held(holder, 0, 1000), push_held(holder, 1000, 1000),
                          push_held(holder, 2000, 10), push_held(lent, 2010, 1000)};
    memset(holder->frame, 0xff, 60000);
    memset(lent->frame, 0xff, 60000);
    const int code = look_until_empty();
    assert_true(gravel_spool_destroy(spool));
    end_reading(&reader);
    free(lent->frame);
    gravel_buffer_destroy(lent);
    gravel_buffer_destroy(holder);
    assert_int_equal(code, 0);
    expect_lines(3010, 0, 0);
    assert_true(!holds[0] && !holds[1] && holds[2] && holds[3]);
}

/* A mark passes with the frame before it: the first is in the pipe, the second is more than a pipe holds. */
static void marks_pass_in_order(void **state)
{
    (void)state;
    int ends[2];
    open_pipe(ends);
    create();
    assert_true(gravel_spool_has_passed(spool, gravel_spool_mark(spool)));
    assert_int_equal(push(0, 10, 0, 0), 0);
    const uint64_t first = gravel_spool_mark(spool);
    assert_int_equal(push(10, 990, 0, 0), 0);
    const uint64_t second = gravel_spool_mark(spool);
    assert_true(first < second);
    assert_false(gravel_spool_has_passed(spool, first));
    const int code = look_until(first);
    const bool is_second = gravel_spool_has_passed(spool, second);
    struct reader reader = {.from = ends[0], .at_once = 65536};
    assert_int_equal(pthread_create(&reader.thread, NULL, read_all, &reader), 0);
    const int later = look_until(second);
    assert_true(gravel_spool_destroy(spool));
    end_reading(&reader);
    assert_true(code == 0 && later == 0 && !is_second);
    expect_lines(1000, 0, 0);
}

static void what_has_come_is_written_before_the_spool_goes(void **state)
{
    (void)state;
    struct reader reader;
    begin_reading(&reader, LIMIT_NS / 1000 / 12, 4096); /* two limits, in 24 pieces */
    create();
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(push(100 * i, 100, 0, 0), 0);
    assert_true(gravel_spool_destroy(spool));
    end_reading(&reader);
    expect_lines(4000, 0, 0);
}

static void a_spool_without_lines_starts_no_thread_and_goes(void **state)
{
    (void)state;
    create();
    assert_null(gravel_spool_take(spool));
    assert_int_equal(gravel_spool_check(spool, 1000000), 0);
    assert_int_equal(gravel_spool_lost(spool), 0);
    assert_true(gravel_spool_destroy(spool));
    assert_true(gravel_spool_destroy(NULL));
    assert_true(gravel_spool_is_empty(NULL) && gravel_spool_has_passed(NULL, 0));
    assert_int_equal(gravel_spool_mark(NULL), 0);
}

/* Until the writer has written more. */
static void await_bytes(int from)
{
    struct pollfd more = {.fd = from, .events = POLLIN};
    assert_int_equal(poll(&more, 1, 30000), 1);
}

static void a_reader_that_has_stopped_is_an_error_after_the_limit(void **state)
{
    (void)state;
    int ends[2];
    open_pipe(ends);
    create();
    assert_int_equal(push(0, 1000, 0, 0), 0);
    await_bytes(ends[0]); /* the first piece; there is room for no other */
    const int codes[] = {look(0), look(LIMIT_NS), look(1)};
    const bool has_ended = gravel_spool_destroy(spool);
    restore();
    assert_int_equal(codes[0], 0);
    assert_int_equal(codes[1], 0);
    assert_int_equal(codes[2], GRAVEL_ETIMEOUT);
    assert_non_null(strstr(gravel_last_error(), "standard output has taken nothing for 0.2 s"));
    assert_true(has_ended);
    close(ends[0]);
}

/* A reader that takes a piece in less than the limit, again and again, is none that has stopped. */
static void a_reader_that_goes_on_is_waited_for(void **state)
{
    (void)state;
    int ends[2], code = 0;
    size_t n = 0;
    open_pipe(ends);
    create();
    assert_int_equal(push(0, 1000, 0, 0), 0); /* 6 pieces */
    while (!code && !gravel_spool_is_empty(spool)) {
        await_bytes(ends[0]);
        usleep(1000); /* the piece is counted behind the write */
        code = look(LIMIT_NS / 4 * 3);
        n += (size_t)read(ends[0], printed + n, 4096);
        usleep(1000);
    }
    assert_true(gravel_spool_destroy(spool));
    restore();
    n += (size_t)read(ends[0], printed + n, 4096);
    printed[n] = '\0';
    close(ends[0]);
    assert_int_equal(code, 0);
    expect_lines(1000, 0, 0);
}

/* Lines that nobody takes, behind so many that came. */
static void expect_lost(const char *why, unsigned n, unsigned n_written)
{
    char text[160];
    snprintf(text, sizeof text, "%s; %u lines are lost, behind %u written", why, n, n_written);
    assert_int_equal(look_until_empty(), 0);
    assert_int_equal(gravel_spool_lost(spool), GRAVEL_ESYSTEM);
    if (!strstr(gravel_last_error(), text))
        fail_msg("'%s' has not '%s'", gravel_last_error(), text);
    assert_int_equal(gravel_spool_lost(spool), 0); /* reported */
}

/* Standard output takes nothing now. */
static void lose(const char *why, unsigned n_written)
{
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(push(0, 100, 0, 0), 0);
    expect_lost(why, 500, n_written);
    assert_int_equal(push(0, 100, 0, 0), 0);
    expect_lost(why, 600, n_written);
    assert_int_equal(gravel_spool_lines(spool), n_written);
    const bool has_ended = gravel_spool_destroy(spool);
    restore();
    assert_true(has_ended);
}

/* The reader goes behind the first 100 lines. */
static void lines_without_a_reader_are_counted_and_keep_nobody(void **state)
{
    (void)state;
    int ends[2];
    open_pipe(ends);
    create();
    assert_int_equal(push(0, 100, 0, 0), 0);
    assert_int_equal(look_until_empty(), 0);
    close(ends[0]);
    lose("Broken pipe", 100);
}

static void lines_for_a_full_disk_are_counted_and_keep_nobody(void **state)
{
    (void)state;
    const int full = open("/dev/full", O_WRONLY);
    assert_true(full >= 0);
    redirect(full);
    close(full);
    create();
    lose("No space left on device", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_out_whole_and_in_order_by_a_slow_reader),
        cmocka_unit_test(a_long_frame_is_written_in_pieces),
        cmocka_unit_test(a_full_buffer_of_this_node_gets_another_frame),
        cmocka_unit_test(marks_pass_in_order),
        cmocka_unit_test(what_has_come_is_written_before_the_spool_goes),
        cmocka_unit_test(a_spool_without_lines_starts_no_thread_and_goes),
        cmocka_unit_test(a_reader_that_has_stopped_is_an_error_after_the_limit),
        cmocka_unit_test(a_reader_that_goes_on_is_waited_for),
        cmocka_unit_test(lines_without_a_reader_are_counted_and_keep_nobody),
        cmocka_unit_test(lines_for_a_full_disk_are_counted_and_keep_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
