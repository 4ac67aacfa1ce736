/* SPDX-License-Identifier: MIT */
/*
 * Structures of a caller whose header is older or newer than the library: what one side lacks is 0, and what the
 * library cannot honour is refused by name.
 *
 * Path: meson test -> this -> lib/node/bindings.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "node/bindings.h"

static int nothing(struct gravel *gravel, void *user, uint32_t source,
                   const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)gravel, (void)user, (void)source, (void)args;
    return 0;
}

static void expect_refused(int code, const char *part)
{
    assert_int_equal(code, GRAVEL_EINVAL);
    if (!strstr(gravel_last_error(), part))
        fail_msg("\"%s\" does not say \"%s\"", gravel_last_error(), part);
}

/* ---- a structure that has grown since its first version ---------------------------------------- */

struct grown {
    size_t bytes;
    uint64_t first, second;
    uint64_t later; /* since the second version */
};
static const struct gravel_growing grown = {"grown.bytes", "gravel_grow()", sizeof(struct grown),
                                            offsetof(struct grown, later)};

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
                   "grown.bytes is 48, and this library, version 0.1.0, knows 32 bytes: it has no "
                   "member at byte 47, which is set");
}

static void sizes_of_no_version_are_refused(void **state)
{
    const uint64_t in[8192] = {0};
    const size_t sizes[] = {0, 8, 23, 25, 31, 65544, SIZE_MAX - 7};
    struct grown out;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        expect_refused(gravel_growing_read(&grown, &out, in, sizes[i]),
                       "and the structure has 32 bytes here: gravel_grow() sets it");
    assert_int_equal(gravel_growing_read(&grown, &out, in, 65536), 0);
}

/* ---- the bindings ------------------------------------------------------------------------------ */

static int read_both(struct gravel_bindings *out, const struct gravel_bindings *bindings)
{
    int code = gravel_bindings_read(out, bindings);
    return code ? code : gravel_bindings_read_handlers(out);
}

static void none_are_all_0(void **state)
{
    const struct gravel_bindings empty = GRAVEL_BINDINGS();
    struct gravel_bindings out;
    (void)state;
    memset(&out, 0xff, sizeof out);
    assert_int_equal(read_both(&out, NULL), 0);
    assert_null(out.handlers);
    assert_null(out.context);
    assert_int_equal(read_both(&out, &empty), 0);
    assert_null(out.handlers);
    assert_int_equal(out.n_handlers, 0);
}

static void zero_filled_bindings_are_refused_by_name(void **state)
{
    const struct gravel_handler table[] = {{.name = "a", .n_args = 1, .function = nothing}};
    const struct gravel_bindings forgotten = {.handlers = table, .n_handlers = 1};
    const struct gravel_bindings half = {.bytes = sizeof half, .handlers = table, .n_handlers = 1};
    struct gravel_bindings out;
    (void)state;
    expect_refused(read_both(&out, &forgotten), "bindings.bytes is 0, and");
    assert_null(out.handlers);
    expect_refused(read_both(&out, &half), "bindings.handler_bytes is 0, and");
    assert_null(out.handlers);
    assert_int_equal(out.n_handlers, 0);
}

/* A row as a later version may have it. */
struct wide_handler {
    struct gravel_handler handler;
    uint64_t later;
};

static void rows_of_a_newer_caller_are_as_long_as_the_caller_has_them(void **state)
{
    struct wide_handler table[] = {
        {{.name = "a", .n_args = 1, .function = nothing}, 0},
        {{.name = "b", .n_args = 2, .function = nothing, .user = table}, 0}};
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &table[0].handler, .n_handlers = 2);
    struct gravel_bindings out;
    char refusal[64];
    (void)state;
    bindings.handler_bytes = sizeof *table;
    assert_int_equal(read_both(&out, &bindings), 0);
    assert_string_equal(out.handlers[0].name, "a");
    assert_string_equal(out.handlers[1].name, "b");
    assert_int_equal(out.handlers[1].n_args, 2);
    assert_ptr_equal(out.handlers[1].user, table);
    free((void *)out.handlers);
    table[1].later = 1;
    snprintf(refusal, sizeof refusal, "bindings.handler_bytes is %zu, and", sizeof *table);
    expect_refused(read_both(&out, &bindings), refusal);
    assert_null(out.handlers);
}

static void tables_that_cannot_be_are_refused(void **state)
{
    const struct gravel_handler table[] = {{.name = "a", .n_args = 1, .function = nothing}};
    const struct gravel_bindings none = GRAVEL_BINDINGS(.n_handlers = 3);
    const struct gravel_bindings many =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = GRAVEL_MAX_HANDLERS + 1);
    struct gravel_bindings out;
    (void)state;
    expect_refused(read_both(&out, &none), "bindings: 3 handlers at (nil)");
    expect_refused(read_both(&out, &many), "bindings: 65536 handlers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_an_older_caller_are_kept_and_the_rest_is_0),
        cmocka_unit_test(members_of_a_newer_caller_must_be_0),
        cmocka_unit_test(sizes_of_no_version_are_refused),
        cmocka_unit_test(none_are_all_0),
        cmocka_unit_test(zero_filled_bindings_are_refused_by_name),
        cmocka_unit_test(rows_of_a_newer_caller_are_as_long_as_the_caller_has_them),
        cmocka_unit_test(tables_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
