/* SPDX-License-Identifier: MIT */
/*
 * Sessions, of the host and of kernels: while one lasts node buffers do not age, and leave when they are full, when
 * somebody waits, or when the last session ends. A session that is never ended keeps nothing for long.
 *
 * Path: meson test -> this -> lib/node/messages.c, lib/aggregate/sender.c
 */
#include <unistd.h>

#include "expect.h"

#define N_ITEMS 256u
#define N_BURSTS 3u
#define FLUSH_US 2000u
#define REST_US (10 * FLUSH_US)
#define PATIENT_MS 600000u /* an eighth of it is longer than this test */
#define HASTY_MS 4000u
#define WAIT_S 30.0

static struct gravel *gravel;
static uint64_t words;

static void open_node(uint32_t timeout_ms, bool check)
{
    struct gravel_config config = loopback_with(2, "buffer_bytes=64k n_aggregators=1");
    config.flush_us = FLUSH_US;
    config.timeout_ms = timeout_ms;
    config.check = check;
    OK(gravel_open(&gravel, &config, NULL));
    words = alloc_or_die(gravel, N_ITEMS * sizeof(uint32_t));
    OK(gravel_stats_reset(gravel));
}

static void open_patient(void)
{
    open_node(PATIENT_MS, false);
}

static void close_node(void)
{
    OK(gravel_close(gravel));
}

static uint64_t n_sent(void)
{
    return stats_of(gravel).sent_buffers;
}

static uint64_t n_sent_to(uint32_t node)
{
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, node));
    return stats.sent_buffers;
}

/* What a thread of the node does soon, but for a session. A count of buffers that were old enough may exceed what one send makes:
 * a sender that is preempted fills several. */
#define AWAIT(condition)                                           \
    for (double since = seconds_now(); !(condition); usleep(1000)) \
    MUST(may_wait(since, WAIT_S))

static void launch(const char *body, size_t n_items, uint64_t second)
{
    const uint64_t arguments[3] = {words, second};
    const size_t group_items = 64;
    cl_kernel kernel = body_kernel(gravel, body, arguments);
    OK(gravel_launch(gravel, kernel, 1, &n_items, &group_items, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

/* An increment of each word of node 1; all of them are in node buffers. */
static void send_by_kernel(void)
{
    const uint64_t before = stats_of(gravel).messages;
    launch(BODY("gravel_inc_uint_wg(g, a, i, 1);"), N_ITEMS, 0);
    AWAIT(stats_of(gravel).messages == before + N_ITEMS);
}

static void send_by_host(void)
{
    for (uint32_t i = 0; i < N_ITEMS; i++)
        OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, words + 4 * i, NULL, 1));
}

static double mean_bytes(void)
{
    const struct gravel_stats stats = stats_of(gravel);
    return (double)stats.buffer_bytes / (double)stats.sent_buffers;
}

/* Each would leave before the next one; outside of a session each takes one at least. */
TEST(bursts_of_kernels_share_a_buffer)
{
    open_patient();
    OK(gravel_session_begin(gravel));
    for (uint32_t i = 0; i < N_BURSTS; i++) {
        send_by_kernel();
        usleep(REST_US);
    }
    assert_int_equal(n_sent(), 0);
    OK(gravel_quiet(gravel));
    assert_int_equal(n_sent(), 1);
    const double inside = mean_bytes();
    expect_words(gravel, 1, words, N_BURSTS, N_ITEMS);
    OK(gravel_session_end(gravel));
    OK(gravel_stats_reset(gravel));
    for (uint32_t i = 1; i <= N_BURSTS; i++) {
        send_by_kernel();
        AWAIT(n_sent() >= i); /* by its age, or the first one by the flush that the end asks for */
    }
    OK(gravel_quiet(gravel));
    print_message("mean buffer: %.0f bytes in a session, %.0f outside\n", inside, mean_bytes());
    assert_true(inside > 2 * mean_bytes());
    expect_words(gravel, 1, words, 2 * N_BURSTS, N_ITEMS);
}

/* Nobody waits for them: gravel_session_end has what was sent leave. */
TEST(the_end_of_the_last_session_sends)
{
    open_patient();
    OK(gravel_session_begin(gravel));
    OK(gravel_session_begin(gravel));
    send_by_host();
    send_by_kernel();
    OK(gravel_session_end(gravel));
    usleep(REST_US);
    assert_int_equal(n_sent(), 0);
    OK(gravel_session_end(gravel));
    AWAIT(n_sent() == 2); /* by its flush, or by their ages, whichever its thread sees first */
    AWAIT(stats_of(gravel).resolved_messages == 2 * N_ITEMS);
    OK(gravel_quiet(gravel));
    assert_int_equal(n_sent(), 2);
    expect_words(gravel, 1, words, 2, N_ITEMS);
}

TEST(a_fence_sends_in_a_session)
{
    open_patient();
    OK(gravel_session_begin(gravel));
    send_by_host();
    OK(gravel_fence(gravel));
    AWAIT(stats_of(gravel).resolved_messages == N_ITEMS);
    OK(gravel_session_end(gravel));
}

/* Its group waits for the answers, which nothing else would make leave. */
TEST(requests_are_answered_in_a_session)
{
    open_patient();
    if (takes_step(gravel, "drain"))
        skip_because("no kernel waits there");
    uint64_t counter = alloc_or_die(gravel, 64), signal = alloc_or_die(gravel, 64);
    OK(gravel_session_begin(gravel));
    OK(run_body(gravel,
                BODY("struct gravel_reply reply = {c, b};"
                     "gravel_fetch_add_uint_wg(g, a, 0, 1, reply, i, 1);"
                     "gravel_wait_until_uint_wg(g, b, GRAVEL_CMP_EQ, 64);"),
                64, 64, counter, signal, words));
    OK(gravel_session_end(gravel));
    assert_int_equal(word32(gravel, 1, counter), 64);
    assert_int_equal(word32(gravel, 0, signal), 64);
}

/* ---- of kernels ------------------------------------------------------------------------------ */

/* Kernels wait until the host has raised a word of their node often enough; until then what they did is long past. */
static void raise_word(uint64_t word)
{
    usleep(REST_US);
    OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, word, NULL, 0));
}

TEST(a_group_keeps_buffers_open_until_its_session_ends)
{
    open_patient();
    if (takes_step(gravel, "drain"))
        skip_because("no kernel waits there, and nothing is sent while one runs");
    const uint64_t word = alloc_or_die(gravel, 64);
    OK(gravel_stats_reset(gravel));
    launch(BODY("gravel_session_begin_wg(g);"
                "gravel_session_begin_wg(g);"
                "gravel_wait_until_uint_wg(g, b, GRAVEL_CMP_GE, 1);"
                "gravel_inc_uint_wg(g, a, i, 1);"
                "gravel_session_end_wg(g);"
                "gravel_wait_until_uint_wg(g, b, GRAVEL_CMP_GE, 2);"
                "gravel_inc_uint_wg(g, a, i, 1);"
                "gravel_wait_until_uint_wg(g, b, GRAVEL_CMP_GE, 3);"
                "gravel_session_end_wg(g);"
                "gravel_wait_until_uint_wg(g, b, GRAVEL_CMP_GE, 4);"),
           64, word);
    raise_word(word);
    for (uint32_t i = 1; i <= 2; i++) {
        AWAIT(stats_of(gravel).messages == i * 64);
        usleep(REST_US);
        assert_int_equal(n_sent_to(1), 0);
        raise_word(word);
    }
    AWAIT(n_sent_to(1) == 1); /* and the kernel runs */
    raise_word(word);
    OK(gravel_quiet(gravel));
    assert_int_equal(n_sent_to(1), 1);
    expect_words(gravel, 1, words, 2, 64);
}

/* The quiet behind the kernel ends them. */
TEST(sessions_that_kernels_leave_open_are_over)
{
    open_patient();
    launch(BODY("gravel_inc_uint_wg(g, a, i, 1); gravel_session_begin_wg(g);"), N_ITEMS, 0);
    OK(gravel_quiet(gravel));
    OK(gravel_stats_reset(gravel));
    send_by_kernel();
    AWAIT(stats_of(gravel).buffers_timeout >= 1);
    OK(gravel_quiet(gravel));
    launch(BODY("gravel_inc_uint_wg(g, a, i, 1); gravel_session_end_wg(g);"), N_ITEMS, 0);
    OK(gravel_quiet(gravel));
    OK(gravel_stats_reset(gravel));
    send_by_kernel();
    AWAIT(stats_of(gravel).buffers_timeout >= 1);
    OK(gravel_quiet(gravel));
    expect_words(gravel, 1, words, 4, N_ITEMS);
}

TEST(checked_mode_reports_sessions_that_are_no_pairs)
{
    open_node(PATIENT_MS, true);
    launch(BODY("gravel_session_begin_wg(g);"), N_ITEMS, 0);
    expect_error(gravel_quiet(gravel), GRAVEL_EKERNEL, "begun more sessions than they have ended");
    launch(BODY("gravel_session_end_wg(g);"), N_ITEMS, 0);
    expect_error(gravel_quiet(gravel), GRAVEL_EKERNEL, "ended more sessions than they have begun");
    launch(BODY("gravel_session_begin_wg(g); gravel_session_end_wg(g);"), N_ITEMS, 0);
    OK(gravel_quiet(gravel));
}

/* ---- of either ------------------------------------------------------------------------------- */

/* Whoever waits for them at another node waits for longer. */
TEST(a_session_without_end_keeps_messages_for_an_eighth_of_the_timeout)
{
    open_node(HASTY_MS, false);
    OK(gravel_session_begin(gravel));
    const double begin = seconds_now();
    send_by_host();
    AWAIT(stats_of(gravel).buffers_timeout >= 1);
    assert_true(seconds_now() - begin >= HASTY_MS * 1e-3 / 8);
    send_by_kernel();
    AWAIT(stats_of(gravel).buffers_timeout >= 2);
}

const struct fixture fixture = {.limit_s = 120, .after = close_node};
