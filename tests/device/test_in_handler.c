/* SPDX-License-Identifier: MIT */
/*
 * What a handler may call: a call that waits would wait for the handler's own thread, and is refused by a text that
 * names it; every other call does what it does elsewhere.
 *
 * Path: meson test -> this -> lib/base/in_handler.c
 */
#include "made_calls.h"

#define PART "waits and cannot be called by a handler"

/* A launch waits where it has slices, a map and its end where it is a copy; kernel_set_arena on GPUs alone. */
static const char *const never_wait[] = {"gravel_put",
                                         "gravel_update",
                                         "gravel_am",
                                         "gravel_stats_read",
                                         "gravel_stats_reset",
                                         "gravel_stats_get",
                                         "gravel_kernel_set_arena",
                                         "gravel_heap_part",
                                         "gravel_flow_post",
                                         "gravel_flow_stats_read",
                                         "gravel_flow_stats_reset",
                                         "gravel_flow_channel_read",
                                         "gravel_kernel_set_accumulator",
                                         "gravel_kernel_parameters"};
static const char *const wait_in_copies[] = {"gravel_launch", "gravel_map", "gravel_unmap",
                                             "gravel_fill"};

#define HAS(list, call) has(list, sizeof list / sizeof *list, call)
static bool has(const char *const *list, size_t n, const char *call)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], call))
            return true;
    return false;
}

static void made(int code, const char *call)
{
    if (!HAS(never_wait, call) && (is_sliced(gravel) || !HAS(wait_in_copies, call)))
        every_refused(call, code, PART);
    else if (every_note(call), code)
        every_fault(call, "fails in a handler");
}

static uint32_t n_handled;

/* Once: what it sends, it sends to itself. */
static int call_everything(struct gravel *node, void *user, uint32_t source,
                           const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)node, (void)user, (void)source, (void)args;
    if (n_handled++ == 0)
        make_calls();
    return 0;
}

static void calls_that_wait_are_refused_and_named(void **state)
{
    (void)state;
    static const struct gravel_handler handler = {
        .name = "call_everything", .n_args = 1, .function = call_everything};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    const uint64_t argument = 0;
    open_one_of_everything(&bindings);
    OK(gravel_am(gravel, 0, &argument, 1, 1));
    OK(gravel_barrier(gravel));
    every_note("gravel_abort");
    assert_int_equal(every_end(), 0);
    assert_int_equal(n_handled, 2);
    close_everything();
}

int main(void)
{
    watch(60, "calls of a handler");
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_that_wait_are_refused_and_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
