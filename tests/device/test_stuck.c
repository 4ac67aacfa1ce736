/* SPDX-License-Identifier: MIT */
/*
 * Kernels that break the queue's protocol, have no consumer, or wait for a word: an error that names queue and ticket,
 * or the word, within the time limit, never a hang. Each test has a watch of its own.
 *
 * Path: meson test -> this -> aggregator.c (stuck tickets), cl/device/queue.cl.h (patience), cl/device/wait.cl.h
 */
#include <pthread.h>
#include <unistd.h>

#include "expect.h"

#define TIMEOUT_MS 500u
#define LIMIT_S 10.0 /* generous: the machine is shared */

/* For kernels that must fail. */
static struct gravel *open_impatient(uint64_t queue_bytes)
{
    struct gravel_config config = loopback_config(2);
    config.timeout_ms = TIMEOUT_MS;
    config.queue_bytes = queue_bytes;
    config.slot_bytes = 9280;
    config.n_aggregators = 1; /* a queue of one slot has one for each */
    return scoped_node(&config, NULL);
}

/* Everything after a fatal failure says the same and returns. */
static void expect_failed_node(struct gravel *gravel, const char *part)
{
    uint32_t value = 1;
    uint64_t offset;
    expect_error(gravel_quiet(gravel), GRAVEL_EKERNEL, part);
    expect_error(gravel_barrier(gravel), GRAVEL_EKERNEL, part);
    expect_error(gravel_fence(gravel), GRAVEL_EKERNEL, part);
    assert_int_not_equal(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &offset, 1), 0);
    assert_int_not_equal(gravel_alloc(gravel, 64, &offset), 0);
    for (int n = 0; n < 1000; n++) /* must not wait for buffers that never are returned */
        gravel_update(gravel, GRAVEL_PUT, GRAVEL_UINT, 0, &value, 1);
    closes_with(gravel, GRAVEL_EKERNEL, part);
}

/* Of every group, before it sends: whichever comes first takes the ticket that is never published. */
#define RESERVE_ONLY                                                       \
    "uint ticket;"                                                         \
    "if (get_local_id(0) == 0)"                                            \
    "    gravelp_queue_reserve(g.arena, gravelp_own_ring(g), 1, &ticket);" \
    "gravelp_group_meet(g.arena);"

#define IN_QUEUE 0 /* as many slots as by default */
#define IN_SLOT 9280

/* Behind a stuck ticket in a full queue a kernel waits for room; on step drain no kernel waits. */
TEST(ticket_never_published_is_named)
{
    static const struct {
        uint64_t queue_bytes;
        size_t n_before,
            n_items; /* work-items that send; those of which the first takes the ticket */
        bool alone;  /* by calls of work-items, which wait alone */
        const char *part, *on_drain;
    } rows[] = {
        {IN_QUEUE, 0, 64, false, "queue 0, ticket 0", NULL},
        {IN_QUEUE, 640, 64, false, "queue 0, ticket 10", NULL},
        {IN_SLOT, 0, 640, false, "queue 0, ticket 0", "found queue 0 full (1 slots, ticket "},
        {IN_SLOT, 0, 256, true, "queue 0, ticket 0", "found queue 0 full (1 slots, ticket "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gravel *gravel = open_impatient(rows[i].queue_bytes);
        uint64_t word = alloc_or_die(gravel, 64);
        const char *part =
            rows[i].on_drain && takes_step(gravel, "drain") ? rows[i].on_drain : rows[i].part;
        if (rows[i].n_before)
            OK(run_body(gravel, BODY("gravel_inc_uint_wg(g, a, 0, 1);"), rows[i].n_before, 64, word,
                        0, 0));
        double begin = seconds_now();
        expect_error(run_body(gravel,
                              rows[i].alone ? BODY(RESERVE_ONLY "gravel_inc_uint_wi(g, a, 0, 1);")
                                            : BODY(RESERVE_ONLY "gravel_inc_uint_wg(g, a, 0, 1);"),
                              rows[i].n_items, 64, word, 0, 0),
                     GRAVEL_EKERNEL, part);
        assert_true(is_within(begin, LIMIT_S));
        expect_failed_node(gravel, part);
    }
}

TEST(other_arena_version_is_told)
{
    struct gravel *gravel = open_impatient(9280);
    uint64_t word = alloc_or_die(gravel, 64);
    int code = run_body(gravel,
                        BODY("if (i == 0) g.arena->version = 77;"
                             "gravel_inc_uint_wg(g, a, 0, 0); gravel_inc_uint_wg(g, a, 0, 0);"),
                        640, 64, word, 0, 0);
    expect_error(code, GRAVEL_EKERNEL, "another gravel.cl.h");
    expect_failed_node(gravel, "another gravel.cl.h");
}

/* By the launch's own ids, also where it is cut into slices. */
static void expect_fault_at(uint32_t n_dimensions, const size_t *global, const size_t *local,
                            uint64_t item, const char *part)
{
    struct gravel *gravel = open_impatient(0);
    cl_kernel kernel = scoped_body(
        gravel, BODY("if (i == a) gravelp_fault(g.arena, GRAVELP_FAULT_QUEUE, 0, 0, 77);"), item, 0,
        0);
    set_body_size(kernel, global[0], n_dimensions > 1 ? global[1] : 1);
    int launched = gravel_launch(gravel, kernel, n_dimensions, global, local, 0, NULL, NULL);
    if (launched)
        expect_error(launched, GRAVEL_EKERNEL, part);
    expect_error(gravel_quiet(gravel), GRAVEL_EKERNEL, part);
    closes_with(gravel, GRAVEL_EKERNEL, part);
}

TEST(fault_names_the_work_group_of_the_whole_launch)
{
    const size_t global_1[] = {6400}, local_1[] = {64};
    const size_t global_2[] = {64, 32}, local_2[] = {16, 4};
    const size_t global_3[] = {16, 8, 6}, local_3[] = {4, 4, 3};
    expect_fault_at(1, global_1, local_1, 6399, "work-group at (6336) needs 77 slots");
    expect_fault_at(2, global_2, local_2, 30 * 64 + 33, "work-group at (32, 28) needs 77 slots");
    expect_fault_at(3, global_3, local_3, (4 * 8 + 5) * 16 + 9, "work-group at (8, 4, 3) needs");
}

/* ---- waits ------------------------------------------------------------------------------------ */

static void *send_slowly(void *argument)
{
    struct gravel *gravel = argument;
    for (uint32_t i = 0; i < 6; i++) {
        usleep(120000);
        OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, 128, NULL, 0));
    }
    return NULL;
}

/* Six changes of a word, none further apart than the limit, all together longer than it. */
TEST(a_wait_goes_on_while_its_word_changes)
{
    struct gravel *gravel = open_impatient(0);
    if (takes_step(gravel, "drain"))
        skip_because("no kernel waits on step drain");
    pthread_t thread;
    uint64_t other = alloc_or_die(gravel, 64), word = alloc_or_die(gravel, 64);
    assert_int_equal(word, 128);
    MUST(pthread_create(&thread, NULL, send_slowly, gravel) == 0);
    OK(run_body(gravel,
                BODY("bool holds = gravel_wait_until_int_wg(g, b, GRAVEL_CMP_GT, 5);"
                     "*(global uint *)gravel_local(g, a) = holds + 1;"),
                1, 1, other, word, 0));
    pthread_join(thread, NULL);
    assert_int_equal(word32(gravel, 0, other), 2);
}

/* FIND: found[at] = what a wait with these arguments returns. */
#define FIND_THERE                                                                              \
    "\n#define FIND(at, kind, ...) {"                                                           \
    " uint told = gravel_wait_until_##kind(g, __VA_ARGS__); if (i == 63) found[at] = told; }\n" \
    "global const uint *status = (global const uint *)gravel_local(g, c);"                      \
    "global uint *found = (global uint *)gravel_local(g, b);"                                   \
    "FIND(0, any_uint_wg, a, 4, 0, GRAVEL_CMP_GE, 5)"                                           \
    "FIND(1, any_int_wi, a, 4, status, GRAVEL_CMP_GT, 0)"                                       \
    "FIND(2, some_uint_wg, a, 4, found + 3, 0, GRAVEL_CMP_NE, 0)"                               \
    "FIND(5, some_uint_wg, a, 4, found + 6, status, GRAVEL_CMP_GE, 5)"                          \
    "FIND(7, all_uint_wg, a, 3, status, GRAVEL_CMP_EQ, 0)"                                      \
    "FIND(8, any_uint_wg, a, 0, 0, GRAVEL_CMP_EQ, 0)"                                           \
    "FIND(9, some_uint_wg, a + 4, 2, found, status + 1, GRAVEL_CMP_EQ, 1)"                      \
    "FIND(10, all_uint_wi, a, 0, 0, GRAVEL_CMP_EQ, 1)"
#define FIND_COMING                                                 \
    "gravel_put_uint_wg_if(g, i == 0, a, 2, 9, 0);"                 \
    "FIND(11, any_uint_wg, a, 4, 0, GRAVEL_CMP_EQ, 9)"              \
    "gravel_put_uint_wg_if(g, i == 0, a, 0, 8, 0);"                 \
    "FIND(12, some_uint_wg, a, 4, found + 13, 0, GRAVEL_CMP_EQ, 8)" \
    "gravel_put_uint_wg_if(g, i < 4, a, 3 - i, 6, 0);"              \
    "FIND(14, all_uint_wg, a, 4, 0, GRAVEL_CMP_EQ, 6)"

/* Words 0, 5, 0, 7; then the kernel changes them, except on step drain, where no kernel waits. */
TEST(a_wait_for_several_words_tells_which_hold)
{
    static const uint32_t words[] = {0, 5, 0, 7}, status[] = {0, 1, 1, 0};
    static const uint32_t expected[] = {1, 3, 2, 1, 3, 1, 3, 1, 0, 0, 1, 2, 1, 0, 1};
    struct gravel *gravel = open_impatient(0);
    const bool waits = !takes_step(gravel, "drain");
    const uint64_t word = alloc_or_die(gravel, 64), found = alloc_or_die(gravel, 64),
                   out = alloc_or_die(gravel, 64);
    OK(gravel_put(gravel, word, words, sizeof words, 0));
    OK(gravel_put(gravel, out, status, sizeof status, 0));
    OK(gravel_quiet(gravel));
    OK(run_body(gravel, waits ? BODY(FIND_THERE FIND_COMING) : BODY(FIND_THERE), 64, 64, word,
                found, out));
    for (uint32_t i = 0; i < (waits ? 15 : 11); i++)
        assert_int_equal(word32(gravel, 0, found + 4 * i), expected[i]);
}

/* A long and its bound by both halves, and the last of three words. */
TEST(a_wait_for_nothing_ends_and_is_named)
{
    const struct {
        const char *body;
        uint64_t word;
        const char *text, *text_on_drain;
    } rows[] = {
        {BODY("gravel_wait_until_uint_wg(g, a + 8, GRAVEL_CMP_GE, 7);"), 0,
         "to be >= 7; it has been 0 for 0.5 s", "no kernel waits on step drain"},
        {BODY("gravel_wait_until_ulong_wg(g, a + 8, GRAVEL_CMP_GE, 0x300000001ul);"), 0x200000001,
         "to be >= 12884901889; it has been 8589934593 for 0.5 s",
         "(it is 8589934593) to be >= 12884901889"},
        {BODY("gravel_wait_until_any_uint_wg(g, a, 3, 0, GRAVEL_CMP_GE, 7);"), 0,
         "to be >= 7; it has been 0 for 0.5 s", "no kernel waits on step drain"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gravel *gravel = open_impatient(0);
        const uint64_t word = alloc_or_die(gravel, 64);
        OK(gravel_put(gravel, word + 8, &rows[i].word, sizeof rows[i].word, 0));
        OK(gravel_quiet(gravel));
        const int code = run_body(gravel, rows[i].body, 64, 64, word, 0, 0);
        expect_error(code, GRAVEL_EKERNEL,
                     takes_step(gravel, "drain") ? rows[i].text_on_drain : rows[i].text);
        expect_error(code, GRAVEL_EKERNEL, "word at heap offset 72");
        closes_with(gravel, GRAVEL_EKERNEL, "");
    }
}

/* The wait for an answer that was refused ends, and the refusal is told with it. */
TEST(the_cause_of_a_vain_wait_is_told)
{
    struct gravel *gravel = open_impatient(0);
    uint64_t words = alloc_or_die(gravel, 64), signal = alloc_or_die(gravel, 64);
    if (takes_step(gravel, "drain"))
        skip_because("no kernel waits on step drain");
    int code = run_body(gravel,
                        BODY("struct gravel_reply reply = {a, b};"
                             "uint n = gravel_get_uint_wg(g, a, 999, reply, 0, 1);"
                             "gravel_wait_until_uint_wg(g, b, GRAVEL_CMP_GE, n);"),
                        64, 64, words, signal, 0);
    expect_error(code, GRAVEL_EKERNEL, "waited for the word");
    expect_error(code, GRAVEL_EKERNEL, "index 999 of uint");
    closes_with(gravel, GRAVEL_EKERNEL, "");
}
