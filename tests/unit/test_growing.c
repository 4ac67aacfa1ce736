/* SPDX-License-Identifier: MIT */
/*
 * Structures of a caller whose header is older or newer than the library: what one side lacks is 0, and what the
 * library cannot honour is refused by name.
 *
 * Path: meson test -> this -> lib/base/growing.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/growing.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define VERSION TEXT(GRAVEL_API_MAJOR) "." TEXT(GRAVEL_API_MINOR) "." TEXT(GRAVEL_API_PATCH)

static void expect_refused(int code, const char *part)
{
    assert_int_equal(code, GRAVEL_EINVAL);
    if (!strstr(gravel_last_error(), part))
        fail_msg("\"%s\" does not say \"%s\"", gravel_last_error(), part);
}

struct grown {
    size_t bytes;
    uint64_t first, second;
    uint64_t later; /* since the second version */
};
static const struct gravel_growing grown =
    GRAVEL_GROWING("grown.bytes", grown, "GRAVEL_GROW()", second);

static void members_of_an_older_caller_are_kept_and_the_rest_is_0(void **state)
{
    const uint64_t old[] = {24, 5, 6, 77}; /* 77 is no part of it */
    struct grown out;
    (void)state;
    memset(&out, 0xff, sizeof out);
    assert_int_equal(gravel_growing_read(&grown, &out, old, 24), 0);
    assert_int_equal(out.first, 5);
    assert_int_equal(out.second, 6);
    assert_int_equal(out.later, 0);
}

static void members_of_a_newer_caller_must_be_0(void **state)
{
    uint64_t newer[] = {48, 5, 6, 7, 0, 0};
    struct grown out;
    (void)state;
    assert_int_equal(gravel_growing_read(&grown, &out, newer, 48), 0);
    assert_int_equal(out.later, 7);
    newer[5] = UINT64_C(1) << 63;
    expect_refused(gravel_growing_read(&grown, &out, newer, 48),
                   "grown.bytes is 48, and this library, version " VERSION
                   ", knows 32 bytes: it has no member at byte 47, which is set");
}

static void sizes_of_no_version_are_refused(void **state)
{
    const uint64_t in[8192] = {0};
    const size_t sizes[] = {0, 8, 23, 25, 31, 65544, SIZE_MAX - 7};
    struct grown out;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        expect_refused(gravel_growing_read(&grown, &out, in, sizes[i]),
                       "and struct grown has 32 bytes here: GRAVEL_GROW() sets it");
    assert_int_equal(gravel_growing_read(&grown, &out, in, 65536), 0);
}

static void rows_are_as_long_as_the_caller_has_them(void **state)
{
    const uint64_t old[] = {24, 1, 2, 24, 3, 4};
    uint64_t newer[] = {40, 1, 2, 3, 0, 40, 4, 5, 6, 0};
    struct grown out[2];
    (void)state;
    memset(out, 0xff, sizeof out);
    assert_int_equal(gravel_growing_read_rows(&grown, out, old, 24, 2), 0);
    assert_int_equal(out[1].first, 3);
    assert_int_equal(out[1].later, 0);
    assert_int_equal(gravel_growing_read_rows(&grown, out, newer, 40, 2), 0);
    assert_int_equal(out[1].first, 4);
    assert_int_equal(out[1].later, 6);
    newer[9] = 1;
    expect_refused(gravel_growing_read_rows(&grown, out, newer, 40, 2), "grown.bytes is 40, and");
}

static void counters_that_one_side_lacks_are_0_or_left_out(void **state)
{
    const uint64_t own[] = {1, 2, 3};
    uint64_t out[4];
    (void)state;
    memset(out, 0xff, sizeof out);
    assert_int_equal(gravel_growing_give("call", out, sizeof out, own, sizeof own), 0);
    assert_int_equal(out[2], 3);
    assert_int_equal(out[3], 0);
    memset(out, 0xff, sizeof out);
    assert_int_equal(gravel_growing_give("call", out, 16, own, sizeof own), 0);
    assert_int_equal(out[1], 2);
    assert_int_equal(out[2], UINT64_MAX);
    expect_refused(gravel_growing_give("call", out, 0, own, sizeof own),
                   "call: 0 bytes of statistics, and the structure has 24 here");
    expect_refused(gravel_growing_give("call", out, 12, own, sizeof own), "call: 12 bytes");
    expect_refused(gravel_growing_give("call", out, SIZE_MAX - 7, own, sizeof own), "call: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_an_older_caller_are_kept_and_the_rest_is_0),
        cmocka_unit_test(members_of_a_newer_caller_must_be_0),
        cmocka_unit_test(sizes_of_no_version_are_refused),
        cmocka_unit_test(rows_are_as_long_as_the_caller_has_them),
        cmocka_unit_test(counters_that_one_side_lacks_are_0_or_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
