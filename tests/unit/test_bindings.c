/* SPDX-License-Identifier: MIT */
/*
 * Rows of handlers of a caller whose header is newer than the library. What is refused of bindings is device tables'.
 *
 * Path: meson test -> this -> lib/node/bindings.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "node/node.h"

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

static int read_both(struct gravel_bindings *out, const struct gravel_bindings *bindings)
{
    int code = gravel_bindings_read(out, bindings);
    return code ? code : gravel_bindings_read_handlers(out);
}

/* A row as a later version may have it. */
struct wide_handler {
    struct gravel_handler handler;
    uint64_t later;
};

TEST(rows_of_a_newer_caller_are_as_long_as_the_caller_has_them)
{
    struct wide_handler table[] = {
        {{.name = "a", .n_args = 1, .function = nothing}, 0},
        {{.name = "b", .n_args = 2, .function = nothing, .user = table}, 0}};
    struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &table[0].handler, .n_handlers = 2);
    struct gravel_bindings out;
    char refusal[64];
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
