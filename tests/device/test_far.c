/* SPDX-License-Identifier: MIT */
/*
 * Numbers of more than 32 bits: indices, places of answers and nodes, by every scope. What is outside is refused by its
 * full value, and changes nothing elsewhere; arrays that 32 bits do not number are addressed, which programs are told
 * here from 64 elements on.
 *
 * Path: meson test -> this -> cl/device/send.cl.h, lib/aggregate/fault.c, lib/resolve
 */
#include "expect.h"

#define GROUP 64u
#define N 512u
#define FAR "((1ul << 32) + 5)"
#define FAR_VALUE "4294967301"

static struct gravel *gravel;
static bool is_checked;                  /* and calls of groups are named */
static uint64_t words, answers, signals; /* [N] of 8 bytes, [N] of 8 bytes, one */

static void open_node(const char *build_options, uint32_t check)
{
    struct gravel_config config = loopback_config(2);
    strcpy(config.build_options, build_options);
    config.check = is_checked = check;
    OK(gravel_open(&gravel, &config, NULL));
    words = alloc_or_die(gravel, 8 * N);
    answers = alloc_or_die(gravel, 8 * N);
    signals = alloc_or_die(gravel, 64);
}

static void open_near(void)
{
    open_node("", 0);
}

static void open_far(void)
{
    open_node("-DGRAVELP_FAR_ELEMENTS=64ul", 0);
}

static void open_checked(void)
{
    open_node("", 1);
}

static void close_node(void)
{
    OK(gravel_close(gravel));
}

static void expect_all(uint64_t offset, uint64_t bytes, int byte)
{
    for (uint32_t node = 0; node < 2; node++) {
        const unsigned char *seen = read_map(gravel, node, offset, bytes);
        for (uint64_t i = 0; i < bytes; i++)
            assert_int_equal(seen[i], byte);
        unmap(gravel, seen);
    }
}

/* ---- outside ---------------------------------------------------------------------------------- */

static void expect_refused(const char *body, const char *value, const char *what)
{
    for (uint32_t node = 0; node < 2; node++)
        fill(gravel, node, words, 0xee, 8 * N), fill(gravel, node, answers, 0xee, 8 * N);
    int code = run_body(gravel, body, GROUP, GROUP, words, answers, signals);
    code = code ? code : gravel_quiet(gravel);
    expect_error(code, GRAVEL_ERANGE, value);
    expect_error(code, GRAVEL_ERANGE, what);
    if (is_checked && strstr(body, "_wg"))
        expect_error(code, GRAVEL_ERANGE, "work-group at (0), line ");
    expect_all(words, 8 * N, 0xee);
    expect_all(answers, 8 * N, 0xee);
}

/* One work-item of the group has it. */
#define ONE(far, near) "i == 6 ? " far " : " near
#define OUTSIDE "ulong k = " ONE(FAR, "5") "; uint v = 77; (void)k; (void)v;"
#define REPLY "struct gravel_reply reply = {b, c};"

TEST(indices_outside_are_refused)
{
    expect_refused(BODY(OUTSIDE "gravel_put_uint_wg(g, a, k, v, 0);"),
                   "index " FAR_VALUE " of uint", "put: ");
    expect_refused(BODY(OUTSIDE "gravel_inc_ulong_wg(g, a, k, 1);"), "index " FAR_VALUE " of ulong",
                   "must be below 512");
    expect_refused(BODY(OUTSIDE "gravel_add_int_wg_if(g, i == 6, a, k, 1, 1);"),
                   "index " FAR_VALUE " of int", "must be below 1024");
    expect_refused(BODY("if (i == 6) gravel_max_long_wi(g, a, -1l, 1, 0);"),
                   "index 18446744073709551615 of long", "max: ");
    expect_refused(BODY(OUTSIDE "gravel_put_signal_uint_wg(g, a, k, v, c, 0);"),
                   "index " FAR_VALUE " of uint", "put_signal: ");
    expect_refused(BODY("if (i == 6) gravel_add_float_wi(g, a, 1ul << 63, 1.f, 0);"),
                   "index 9223372036854775808 of float", "add: ");
}

TEST(requests_outside_are_refused)
{
    expect_refused(BODY(OUTSIDE REPLY "gravel_get_uint_wg(g, a, k, reply, i, 1);"),
                   "index " FAR_VALUE " of uint", "get: ");
    expect_refused(BODY(OUTSIDE REPLY "gravel_fetch_add_ulong_wg(g, a, (uint)i, 1, reply, k, 1);"),
                   "place " FAR_VALUE " of ulong", "must be below 512");
    expect_refused(
        BODY("if (i == 6) { " REPLY "gravel_cas_uint_wi(g, a, 1ul << 32, 0, 1, reply, 0, 1); }"),
        "index 4294967296 of uint", "cas: ");
    expect_refused(
        BODY("if (i == 6) { " REPLY "gravel_swap_long_wi(g, a, 3, 1, reply, 1ul << 40, 0); }"),
        "place 1099511627776 of long", "swap: ");
}

TEST(nodes_outside_are_refused)
{
    expect_refused(BODY("if (i == 6) gravel_inc_uint_wi(g, a, 5, 1ul << 32);"),
                   "destination 4294967296", "there are 2 nodes");
    expect_refused(
        BODY("ulong n = " ONE("(1ul << 32) + 1", "1") ";"
                                                      "gravel_put_ulong_wg(g, a, (uint)i, 7, n);"),
        "destination 4294967297", "there are 2 nodes");
    expect_refused(
        BODY("ulong n = " ONE(
            "1ul << 33", "1") "; " REPLY "gravel_get_uint_wg_if(g, i == 6, a, 5, reply, 5, n);"),
        "destination 8589934592", "there are 2 nodes");
    expect_refused(BODY("if (i == 6) gravel_am0_wi(g, 0, (1ul << 32) + 1);"),
                   "destination 4294967297", "there are 2 nodes");
}

/* ---- by sub-groups ----------------------------------------------------------------------------- */

/* Where a device has none, the calls are not there. @return whether it has. */
static bool has_subgroups(void)
{
    fill(gravel, 0, signals, 0, 64);
    OK(run_body(gravel,
                BODY("\n#ifdef GRAVEL_HAS_SUBGROUPS\n"
                     "if (i == 0) *(global uint *)gravel_local(g, c) = 1;"
                     "\n#endif\n"),
                GROUP, GROUP, words, answers, signals));
    bool has = word32(gravel, 0, signals) == 1;
    fill(gravel, 0, signals, 0, 64);
    if (!has)
        print_message("skipped: the device has no sub-groups\n");
    return has;
}

/* A body that is empty where the device has none. */
#define BODY_SG(text) BODY("\n#ifdef GRAVEL_HAS_SUBGROUPS\n" text "\n#endif\n")
#define FBAR(call) "GRAVEL_FBAR(f); GRAVEL_FOR_FBAR(g, f, turn, active, 1u) { " call " }"

TEST(numbers_outside_by_sub_groups_are_refused)
{
    if (!has_subgroups())
        skip();
    expect_refused(BODY_SG(OUTSIDE "gravel_put_uint_sg(g, a, k, v, 0);"),
                   "index " FAR_VALUE " of uint", "put: ");
    expect_refused(BODY_SG(OUTSIDE "gravel_add_ulong_sg_if(g, i == 6, a, k, 1, 1);"),
                   "index " FAR_VALUE " of ulong", "must be below 512");
    expect_refused(BODY_SG("ulong n = " ONE("(1ul << 32) + 1",
                                            "1") ";"
                                                 "gravel_put_uint_sg(g, a, (uint)i, 7, n);"),
                   "destination 4294967297", "there are 2 nodes");
    expect_refused(BODY_SG(OUTSIDE FBAR("gravel_put_uint_fbar(g, f, a, k, v, 0);")),
                   "index " FAR_VALUE " of uint", "put: ");
    expect_refused(
        BODY_SG(OUTSIDE FBAR("gravel_inc_ulong_fbar_if(g, f, active && i == 6, a, k, 1);")),
        "index " FAR_VALUE " of ulong", "must be below 512");
    expect_refused(BODY_SG("ulong n = " ONE("1ul << 33", "1") ";" FBAR(
                       "gravel_put_ulong_fbar(g, f, a, (uint)i, 7, n);")),
                   "destination 8589934592", "there are 2 nodes");
}

/* Each to the other node, which the host is not. */
TEST(sub_groups_address_long_arrays)
{
    if (!has_subgroups())
        skip();
    for (uint32_t node = 0; node < 2; node++)
        fill(gravel, node, words, 0, 8 * N), fill(gravel, node, answers, 0, 8 * N);
    OK(run_body(gravel,
                BODY_SG("gravel_put_ulong_sg(g, a, (ulong)i, (ulong)i, 1);"
                        "gravel_inc_ulong_sg_if(g, i % 3, a, (ulong)i, 1);"
                        "gravel_put_uint_sg(g, b, 2 * (ulong)i, (uint)i, 1);"),
                N, GROUP, words, answers, signals));
    OK(run_body(
        gravel,
        BODY_SG(FBAR("gravel_add_ulong_fbar(g, f, a, (ulong)i, 5, 1);"
                     "gravel_put_uint_fbar_if(g, f, active && i % 2, b, 2 * (ulong)i + 1, 8, 1);")),
        N, GROUP, words, answers, signals));
    OK(gravel_quiet(gravel));
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(word64(gravel, 1, words + 8 * i), i + (i % 3 != 0) + 5);
        assert_int_equal(word32(gravel, 1, answers + 8 * i), i);
        assert_int_equal(word32(gravel, 1, answers + 8 * i + 4), i % 2 ? 8 : 0);
        assert_int_equal(word64(gravel, 0, words + 8 * i), 0);
    }
}

/* ---- inside ----------------------------------------------------------------------------------- */

/* Element i of node i % 2 becomes i, is asked for, and the answer goes to place N - 1 - i. */
#define PUT "gravel_put_ulong_wg(g, a, (ulong)i, (ulong)i, i % 2);"
#define SEE REPLY "gravel_fetch_add_ulong_wg(g, a, (ulong)i, 3, reply, 511ul - i, i % 2);"

TEST(long_arrays_are_addressed)
{
    for (uint32_t node = 0; node < 2; node++)
        fill(gravel, node, words, 0, 8 * N), fill(gravel, node, answers, 0, 8 * N);
    OK(run_body(gravel, BODY(PUT), N, GROUP, words, answers, signals));
    OK(gravel_quiet(gravel));
    OK(run_body(gravel, BODY(SEE), N, GROUP, words, answers, signals));
    OK(run_body(gravel, BODY("gravel_inc_ulong_wg_if(g, i % 3, a, (ulong)i, i % 2);"), N, GROUP,
                words, answers, signals));
    OK(run_body(gravel, BODY("gravel_put_signal_uint_wi(g, b, 1023ul, 9, c, 1);"), GROUP, GROUP,
                words, answers, signals));
    OK(gravel_quiet(gravel));
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(word64(gravel, i % 2, words + 8 * i), i + 3 + (i % 3 != 0));
        assert_int_equal(word64(gravel, 1 - i % 2, words + 8 * i), 0);
        if (i) /* place 511 is another test's too */
            assert_int_equal(word64(gravel, 0, answers + 8 * (N - 1 - i)), i);
    }
    assert_int_equal(word32(gravel, 1, answers + 4 * 1023), 9);
    assert_int_equal(word32(gravel, 1, signals), GROUP);
}

int main(int n_arguments, char **arguments)
{
    static const struct fixture near = {.limit_s = 60, .open = open_near, .close = close_node},
                                far = {.limit_s = 60, .open = open_far, .close = close_node},
                                checked = {
                                    .limit_s = 60, .open = open_checked, .close = close_node};
    return run_cases("near", &near, n_arguments, arguments) +
           run_cases("far", &far, n_arguments, arguments) +
           run_cases("checked", &checked, n_arguments, arguments);
}
