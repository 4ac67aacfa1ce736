/* SPDX-License-Identifier: MIT */
/*
 * Rules that hold for every public call. One with an argument that is wrong fails at once, names itself and what is wrong,
 * and gives nothing. A forked child has the node's memory and none of its threads: every call there fails. A handler may not
 * make a call that waits, for it would wait for the handler's own thread; every other call does what it does elsewhere.
 *
 * Path: meson test -> this -> calls.c -> include/gravel
 */
#include "calls.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gravel/accumulator.h>
#include <gravel/block_pool.h>
#include <gravel/flow.h>
#include <gravel/mirror.h>
#include <gravel/steal.h>

#define REFUSED(call, ...) calls_expect(#call, call(__VA_ARGS__), GRAVEL_EINVAL, "NULL")
#define NOTHING(call, ...) expect_nothing(#call, (uintptr_t)call(__VA_ARGS__))
#define ALLOWED(call, ...) expect_allowed(#call, call(__VA_ARGS__))

static struct gravel *gravel;
static uint32_t n_handled;

/* A launch waits where it has slices, a map and its end where it is a copy; kernel_set_arena on GPUs alone. */
static const char *const never_wait[] = {"gravel_put",
                                         "gravel_update",
                                         "gravel_am",
                                         "gravel_stats_read",
                                         "gravel_stats_reset",
                                         "gravel_stats_get",
                                         "gravel_share",
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

static void refused_in_a_handler(const char *call, int code, int due, const char *part)
{
    (void)due, (void)part;
    if (!HAS(never_wait, call) && (is_sliced(gravel) || !HAS(wait_in_copies, call)))
        calls_expect(call, code, GRAVEL_EINVAL, "waits and cannot be called by a handler");
    else if (code)
        calls_fault(call, "fails in a handler");
}

static void refused_after_a_fork(const char *call, int code, int due, const char *part)
{
    (void)due, (void)part;
    calls_expect(call, code, GRAVEL_EINVAL, "after fork");
}

/* Once, of the handler that a message runs: what it sends itself, it sends to itself. */
static int call_everything(struct gravel *node, void *user, uint32_t source,
                           const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)node, (void)user, (void)source;
    if (args[0] == 0 && n_handled++ == 0)
        calls_make(RIGHT, refused_in_a_handler);
    return 0;
}

static void open_all(void)
{
    static const struct gravel_handler handler = {
        .name = "call_everything", .n_args = 1, .function = call_everything};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    gravel = calls_open(&bindings);
}

static void close_all(void)
{
    calls_close();
}

TEST(a_wrong_argument_is_refused_and_named)
{
    calls_make(ONE_WRONG, calls_expect);
    calls_make_settings(ONE_WRONG, calls_expect);
    calls_expect("gravel_abort", gravel_abort(NULL, "why"), GRAVEL_EINVAL, "NULL");
    assert_int_equal(calls_faults(), 0);
    expect_works(gravel);
}

TEST(null_in_a_plan_is_refused_and_named)
{
    const struct gravel_words none = GRAVEL_WORDS(0, GRAVEL_UINT, NULL, NULL);
    struct gravel_mirror *mirror;
    REFUSED(gravel_mirror_create, &mirror, gravel, &none);
    REFUSED(gravel_mirror_create_slots, &mirror, gravel, GRAVEL_ADD, &none);
    assert_int_equal(calls_faults(), 0);
}

static void expect_nothing(const char *call, uintptr_t value)
{
    if (value)
        calls_fault(call, "returns something of NULL");
    calls_note(call);
    calls_expect(call, 0, 0, "NULL");
}

TEST(calls_without_a_code_return_0_of_nothing)
{
    NOTHING(gravel_node, NULL);
    NOTHING(gravel_n_nodes, NULL);
    NOTHING(gravel_config_of, NULL);
    NOTHING(gravel_step, NULL);
    NOTHING(gravel_group_size, NULL);
    NOTHING(gravel_cl_context, NULL);
    NOTHING(gravel_cl_device, NULL);
    NOTHING(gravel_cl_queue, NULL);
    NOTHING(gravel_is_local, NULL, 0);
    NOTHING(gravel_steal_n_groups, NULL);
    NOTHING(gravel_mirror_offset, NULL);
    NOTHING(gravel_block_pool_offset, NULL);
    assert_int_equal(calls_faults(), 0);
}

static void expect_allowed(const char *call, int code)
{
    calls_note(call);
    if (code)
        calls_fault(call, "refuses a NULL that is allowed");
}

TEST(what_may_be_null_may_be)
{
    uint64_t value, word = alloc_or_die(gravel, 64);
    assert_non_null(gravel_version(NULL));
    ALLOWED(gravel_close, NULL);
    ALLOWED(gravel_unmap, gravel, NULL);
    ALLOWED(gravel_barrier_sum, gravel, word, 1, NULL, &value);
    ALLOWED(gravel_put, gravel, word, NULL, 0, 0);
    ALLOWED(gravel_get, gravel, word, NULL, 0, 0);
    ALLOWED(gravel_update, gravel, GRAVEL_INC, GRAVEL_ULONG, word, NULL, 0);
    ALLOWED(gravel_steal_destroy, NULL);
    ALLOWED(gravel_mirror_destroy, NULL);
    ALLOWED(gravel_accumulator_destroy, NULL);
    ALLOWED(gravel_block_pool_destroy, NULL);
    ALLOWED(gravel_flow_destroy, NULL);
    OK(gravel_free(gravel, word));
    assert_int_equal(calls_faults(), 0);
}

/* In the child, where no assertion of cmocka may be: it would go on with the parent's tests. */
static void call_all_and_exit(void)
{
    alarm(10 * patience()); /* which ends the child if a call hangs */
    calls_make(RIGHT, refused_after_a_fork);
    calls_expect("gravel_abort", gravel_abort(gravel, "no"), GRAVEL_EINVAL, "after fork");
    _exit(calls_faults() != 0);
}

TEST(a_child_can_call_nothing)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        call_all_and_exit();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    expect_works(gravel);
    struct gravel *other = scoped_loopback(1, NULL); /* the parent can */
    expect_works(other);
}

TEST(a_handler_can_call_what_does_not_wait)
{
    const uint64_t argument = 0;
    OK(gravel_am(gravel, 0, &argument, 1, 1));
    OK(gravel_barrier(gravel));
    assert_int_equal(calls_faults(), 0);
    assert_int_equal(n_handled, 1);
}

TEST(every_call_is_made)
{
    static const char *const others[] = {"gravel_version", "gravel_strerror", "gravel_last_error",
                                         "gravel_abort"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        calls_note(others[i]);
    assert_int_equal(calls_end(), 0);
}

const struct fixture fixture = {.limit_s = 60, .open = open_all, .close = close_all};
