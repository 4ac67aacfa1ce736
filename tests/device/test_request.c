/* SPDX-License-Identifier: MIT */
/*
 * Waits that go on while their word changes, and what is told when one cannot end, or a request is refused. What requests
 * do is shown by gravel-conformance, and by histories where many meet. On step drain no kernel waits.
 *
 * Path: meson test -> this -> cl/device/wait.cl.h, lib/resolve/apply.c, lib/network/resolving.c
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"

#define GROUP 64u

static struct gravel_config config;

static void set_up(void)
{
    config = loopback_config(3);
}

static struct gravel *open_node(void)
{
    return scoped_node(&config, NULL);
}

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

/* ---- what is told ---------------------------------------------------------------------------- */

/* A long and its bound by both halves. */
TEST(a_wait_for_nothing_ends_and_is_named)
{
    static const struct {
        const char *type;
        uint64_t word;
        const char *text, *text_on_drain;
    } rows[] = {
        {"uint", 0, "to be >= 7; it has been 0 for 0.3 s", "no kernel waits on step drain"},
        {"ulong", 0x200000001, "to be >= 12884901889; it has been 8589934593 for 0.3 s",
         "(it is 8589934593) to be >= 12884901889"},
    };
    config.timeout_ms = 300;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gravel *gravel = open_node();
        const uint64_t word = alloc_or_die(gravel, 64);
        const bool is_long = rows[i].word;
        OK(gravel_put(gravel, word + 8, &rows[i].word, sizeof rows[i].word, 0));
        OK(gravel_quiet(gravel));
        int code = run_body(
            gravel,
            is_long ? BODY("gravel_wait_until_ulong_wg(g, a + 8, GRAVEL_CMP_GE, 0x300000001ul);")
                    : BODY("gravel_wait_until_uint_wg(g, a + 8, GRAVEL_CMP_GE, 7);"),
            GROUP, GROUP, word, 0, 0);
        expect_error(code, GRAVEL_EKERNEL,
                     takes_step(gravel, "drain") ? rows[i].text_on_drain : rows[i].text);
        expect_error(code, GRAVEL_EKERNEL, "word at heap offset 72");
        closes_with(gravel, GRAVEL_EKERNEL, "");
    }
}

TEST(without_64_bit_atomics_waits_for_longs_do_not_build)
{
    static const char source[] = "#undef cl_khr_int64_base_atomics\n"
                                 "#include \"gravel.cl.h\"\n"
                                 "kernel void wait(GRAVEL_ARENA) { GRAVEL_OPEN(g); "
                                 "gravel_wait_until_CALL(g, 8, GRAVEL_CMP_EQ, 1); }\n";
    static const char *const rows[][2] = {
        {"uint_wg", NULL}, {"ulong_wg", "wait_for_a_uint"}, {"long_wi", "wait_for_an_int"}};
    struct gravel *gravel = open_node();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char option[64], part[96];
        cl_program program = NULL;
        snprintf(option, sizeof option, "-Dgravel_wait_until_CALL=gravel_wait_until_%s",
                 rows[i][0]);
        snprintf(part, sizeof part, "gravel_error_this_device_has_no_64_bit_atomics_so_%s",
                 rows[i][1] ? rows[i][1] : "");
        expect_error(gravel_program_build(gravel, "wait.cl", source, option, &program),
                     rows[i][1] ? GRAVEL_EBUILD : 0, part);
        clReleaseProgram(program);
    }
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
}

/* The wait for an answer that was refused ends, and the refusal is told with it. */
TEST(the_cause_of_a_vain_wait_is_told)
{
    config.timeout_ms = 300;
    struct gravel *gravel = open_node();
    uint64_t words = alloc_or_die(gravel, 64), signal = alloc_or_die(gravel, 64);
    if (takes_step(gravel, "drain"))
        skip_because("no kernel waits on step drain");
    int code = run_body(gravel,
                        BODY("struct gravel_reply reply = {a, b};"
                             "uint n = gravel_get_uint_wg(g, a, 999, reply, 0, 1);"
                             "gravel_wait_until_uint_wg(g, b, GRAVEL_CMP_GE, n);"),
                        GROUP, GROUP, words, signal, 0);
    expect_error(code, GRAVEL_EKERNEL, "waited for the word");
    expect_error(code, GRAVEL_EKERNEL, "index 999 of uint");
    closes_with(gravel, GRAVEL_EKERNEL, "");
}

const struct fixture fixture = {.limit_s = 170, .before = set_up};
