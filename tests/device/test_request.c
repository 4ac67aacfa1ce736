/* SPDX-License-Identifier: MIT */
/*
 * Requests and waits where many meet: order, exactness under contention, small queues and buffers, and what is told
 * when a wait cannot end. On step drain no kernel waits, and the answers are read after the launch.
 *
 * Path: meson test -> this -> cl/device/wait.cl.h, lib/resolve/requests.c, lib/network/reply.c
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"

#define GROUP 64u
#define N 512u

static struct gravel_config config;

static void set_up(void)
{
    config = loopback_config(3);
}

static struct gravel *open_node(void)
{
    struct gravel *gravel;
    OK(gravel_open(&gravel, &config, NULL));
    return gravel;
}

/* Wait in the kernel where kernels wait. */
#define WAIT(what) "if (!" what ") ((global uint *)gravel_local(g, c))[1023] = 1;"
#define START "uint lane = get_local_id(0), first = i - lane;"

#define SEND_AND(gravel, send, wait) \
    (takes_step(gravel, "drain") ? BODY(START send "(void)first;") : BODY(START send wait))

/* ---- contention ------------------------------------------------------------------------------ */

/* a: the word, at node 1; b: answers [N]; c: signals [N / GROUP]. */
static void expect_every_number_once(struct gravel *gravel, uint64_t answers)
{
    unsigned char seen[N] = {0};
    const uint32_t *numbers = read_map(gravel, 0, answers, 4 * N);
    for (uint32_t i = 0; i < N; i++) {
        assert_true(numbers[i] < N);
        assert_int_equal(seen[numbers[i]]++, 0);
    }
    unmap(gravel, numbers);
}

static void draw_numbers(void)
{
    struct gravel *gravel = open_node();
    uint64_t word = alloc_or_die(gravel, 64), answers = alloc_or_die(gravel, 4 * N);
    uint64_t signals = alloc_or_die(gravel, 4096);
    const char *body =
        SEND_AND(gravel,
                 "struct gravel_reply reply = {b, c + 4 * (first / 64)};"
                 "uint n = gravel_fetch_add_uint_wg(g, a, 0, 1, reply, (uint)i, 1);",
                 WAIT("gravel_wait_until_uint_wg(g, reply.signal, GRAVEL_CMP_EQ, n)"));
    OK(run_body(gravel, body, N, GROUP, word, answers, signals));
    expect_every_number_once(gravel, answers);
    assert_int_equal(word32(gravel, 1, word), N);
    expect_words(gravel, 0, signals, GROUP, N / GROUP);
    assert_int_equal(word32(gravel, 0, signals + 4092), 0);
    OK(gravel_close(gravel));
}

TEST(fetch_add_by_all_gives_every_number_once)
{
    draw_numbers();
}

TEST(the_same_with_one_slot_and_tiny_buffers)
{
    bool is_drain = getenv("GRAVEL_STEP") && !strcmp(getenv("GRAVEL_STEP"), "drain");
    config.slot_bytes =
        1088; /* several slots a group: more than one on drain, where nobody waits for room */
    config.queue_bytes = is_drain ? 1 << 20 : 4 * 1088;
    config.buffer_bytes = 256;
    config.n_buffers = 1;
    draw_numbers();
}

TEST(cas_has_one_winner)
{
    struct gravel *gravel = open_node();
    uint64_t word = alloc_or_die(gravel, 64), answers = alloc_or_die(gravel, 8 * N);
    uint64_t signals = alloc_or_die(gravel, 4096), n_winners = 0;
    const char *body =
        SEND_AND(gravel,
                 "struct gravel_reply reply = {b, c};"
                 "gravel_cas_ulong_wg_if(g, i % 3 != 1, a, 2, 0, i + 1, reply, (uint)i, 2);",
                 "");
    OK(run_body(gravel, body, N, GROUP, word, answers, signals));
    uint64_t winner = word64(gravel, 2, word + 16);
    assert_true(winner >= 1 && winner <= N);
    const uint64_t *olds = read_map(gravel, 0, answers, 8 * N);
    for (uint32_t i = 0; i < N; i++) {
        n_winners += i % 3 != 1 && olds[i] == 0;
        assert_int_equal(olds[i], i % 3 == 1 || i + 1 == winner ? 0 : winner);
    }
    unmap(gravel, olds);
    assert_int_equal(n_winners, 1);
    OK(gravel_close(gravel));
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Two calls with one reply: the second sees what the first did, item by item; and a get sees a put before it. */
TEST(calls_of_a_group_are_done_in_order)
{
    struct gravel *gravel = open_node();
    uint64_t words = alloc_or_die(gravel, 4 * N), answers = alloc_or_die(gravel, 4 * 3 * N);
    uint64_t signals = alloc_or_die(gravel, 4096);
    const char *body =
        SEND_AND(gravel,
                 "struct gravel_reply reply = {b, c + 4 * (first / 64)};"
                 "uint n = gravel_fetch_add_uint_wg(g, a, (uint)i / 2, 1, reply, (uint)i, 1);"
                 "n += gravel_fetch_add_uint_wg(g, a, (uint)i / 2, 1, reply, 512 + (uint)i, 1);"
                 "gravel_put_uint_wg(g, a, 256 + (uint)i / 2, (uint)first, 1);"
                 "n += gravel_get_uint_wg(g, a, 256 + (uint)i / 2, reply, 1024 + (uint)i, 1);",
                 WAIT("gravel_wait_until_uint_wg(g, reply.signal, GRAVEL_CMP_GE, n)"));
    OK(run_body(gravel, body, N, GROUP, words, answers, signals));
    const uint32_t *olds = read_map(gravel, 0, answers, 4 * 3 * N);
    for (uint32_t i = 0; i < N; i++) {
        assert_true(olds[i] < 2);
        assert_true(olds[N + i] >= 2 && olds[N + i] < 4);
        assert_int_equal(olds[2 * N + i], i - i % GROUP);
    }
    unmap(gravel, olds);
    expect_words(gravel, 1, words, 4, N / 2);
    OK(gravel_close(gravel));
}

/* Whoever sees a signal sees the put: a kernel of the destination waits for what the host sends meanwhile. */
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
    config.timeout_ms = 500;
    config.loopback_nodes = 1;
    struct gravel *gravel = open_node();
    if (takes_step(gravel, "drain")) {
        OK(gravel_close(gravel));
        print_message("skipped: no kernel waits on step drain\n");
        skip();
    }
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
    OK(gravel_close(gravel));
}

/* ---- what is told ---------------------------------------------------------------------------- */

TEST(a_wait_for_nothing_ends_and_is_named)
{
    config.timeout_ms = 300;
    struct gravel *gravel = open_node();
    bool is_drain = takes_step(gravel, "drain");
    uint64_t word = alloc_or_die(gravel, 64);
    int code = run_body(gravel, BODY("gravel_wait_until_uint_wg(g, a + 8, GRAVEL_CMP_GE, 7);"),
                        GROUP, GROUP, word, 0, 0);
    expect_error(code, GRAVEL_EKERNEL,
                 is_drain ? "no kernel waits on step drain"
                          : "to be >= 7; it has been 0 for 0.3 s");
    expect_error(code, GRAVEL_EKERNEL, "word at heap offset 72");
    assert_int_equal(gravel_close(gravel), GRAVEL_EKERNEL);
}

/* Both halves of it, and of the word. */
TEST(a_wait_for_a_long_is_named_in_full)
{
    config.timeout_ms = 300;
    struct gravel *gravel = open_node();
    bool is_drain = takes_step(gravel, "drain");
    uint64_t word = alloc_or_die(gravel, 64);
    OK(gravel_update(gravel, GRAVEL_PUT, GRAVEL_ULONG, word + 8, &(uint64_t){0x200000001}, 0));
    OK(gravel_quiet(gravel));
    int code = run_body(gravel,
                        BODY("gravel_wait_until_ulong_wg(g, a + 8, GRAVEL_CMP_EQ, 0x300000001ul);"),
                        GROUP, GROUP, word, 0, 0);
    expect_error(code, GRAVEL_EKERNEL,
                 is_drain ? "(it is 8589934593) to be == 12884901889"
                          : "to be == 12884901889; it has been 8589934593 for 0.3 s");
    assert_int_equal(gravel_close(gravel), GRAVEL_EKERNEL);
}

TEST(without_64_bit_atomics_waits_for_longs_do_not_build)
{
    static const char source[] = "#undef cl_khr_int64_base_atomics\n"
                                 "#include \"gravel.cl.h\"\n"
                                 "kernel void wait(GRAVEL_ARENA) { GRAVEL_OPEN(g); CALL }\n";
    struct gravel *gravel = open_node();
    cl_program program;
    OK(gravel_program_build(gravel, "wait.cl", source,
                            "-DCALL=gravel_wait_until_uint_wg(g,8,GRAVEL_CMP_EQ,1);", &program));
    clReleaseProgram(program);
    expect_error(
        gravel_program_build(gravel, "wait.cl", source,
                             "-DCALL=gravel_wait_until_ulong_wg(g,8,GRAVEL_CMP_EQ,1);", &program),
        GRAVEL_EBUILD, "gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_a_uint");
    expect_error(
        gravel_program_build(gravel, "wait.cl", source,
                             "-DCALL=gravel_wait_until_long_wi(g,8,GRAVEL_CMP_EQ,1);", &program),
        GRAVEL_EBUILD, "gravel_error_this_device_has_no_64_bit_atomics_so_wait_for_an_int");
    OK(gravel_close(gravel));
}

TEST(refused_requests_do_nothing_and_say_why)
{
    struct gravel *gravel = open_node();
    uint64_t words = alloc_or_die(gravel, 64), answers = alloc_or_die(gravel, 64);
    uint64_t signal = alloc_or_die(gravel, 64);
    const char *body = BODY("struct gravel_reply reply = {b, c};"
                            "gravel_swap_uint_wg(g, a, 0, 7, reply, i == 3 ? 16 : 0, 1);");
    int code = run_body(gravel, body, GROUP, GROUP, words, answers, signal);
    expect_error(code, GRAVEL_ERANGE, "place 16 of uint at result 128 is beyond");
    expect_words(gravel, 1, words, 0, 16);
    expect_words(gravel, 0, answers, 0, 16);
    expect_words(gravel, 0, signal, 0, 16);
    code = run_body(gravel, BODY("gravel_put_signal_uint_wg(g, a, 0, 7, b + 64, 1);"), GROUP, GROUP,
                    words, signal, 0);
    expect_error(code, GRAVEL_ERANGE, "signal at 256 is in no allocation");
    expect_works(gravel);
    OK(gravel_close(gravel));
}

/* The wait for an answer that was refused ends, and the refusal is told with it. */
TEST(the_cause_of_a_vain_wait_is_told)
{
    config.timeout_ms = 300;
    struct gravel *gravel = open_node();
    uint64_t words = alloc_or_die(gravel, 64), signal = alloc_or_die(gravel, 64);
    if (takes_step(gravel, "drain")) {
        OK(gravel_close(gravel));
        print_message("skipped: no kernel waits on step drain\n");
        skip();
    }
    int code = run_body(gravel,
                        BODY("struct gravel_reply reply = {a, b};"
                             "uint n = gravel_get_uint_wg(g, a, 999, reply, 0, 1);"
                             "gravel_wait_until_uint_wg(g, b, GRAVEL_CMP_GE, n);"),
                        GROUP, GROUP, words, signal, 0);
    expect_error(code, GRAVEL_EKERNEL, "waited for the word");
    expect_error(code, GRAVEL_EKERNEL, "index 999 of uint");
    assert_int_equal(gravel_close(gravel), GRAVEL_EKERNEL);
}

const struct fixture fixture = {.limit_s = 170, .before = set_up};
