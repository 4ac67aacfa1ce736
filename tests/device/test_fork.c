/* SPDX-License-Identifier: MIT */
/*
 * A forked child has the node's memory and none of its threads: every call there fails at once, and the parent's node
 * works on.
 *
 * Path: meson test -> this -> lib/base/fork.c
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

static struct gravel *gravel;
static uint64_t word;
static void *mapped;
static cl_kernel kernel;

/* In the child, where no assertion of cmocka may be: it would go on with the parent's tests. */
static void must_refuse(int code, const char *call)
{
    const char *text = gravel_last_error();
    if (code == GRAVEL_EINVAL && strstr(text, call) && strstr(text, "after fork"))
        return;
    fprintf(stderr, "%s in a child gave %d: %s\n", call, code, text);
    _exit(1);
}

static void call_messages(void)
{
    uint64_t value = 1;
    must_refuse(gravel_put(gravel, word, &value, 8, 1), "gravel_put");
    must_refuse(gravel_get(gravel, word, &value, 8, 1), "gravel_get");
    must_refuse(gravel_update(gravel, GRAVEL_ADD, GRAVEL_ULONG, word, &value, 1), "gravel_update");
    must_refuse(gravel_am(gravel, 0, &value, 1, 1), "gravel_am");
    must_refuse(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1), "gravel_reduce");
    must_refuse(gravel_quiet(gravel), "gravel_quiet");
    must_refuse(gravel_fence(gravel), "gravel_fence");
    must_refuse(gravel_barrier(gravel), "gravel_barrier");
}

static void call_heap(void)
{
    uint64_t offset;
    void *memory;
    must_refuse(gravel_alloc(gravel, 64, &offset), "gravel_alloc");
    must_refuse(gravel_free(gravel, word), "gravel_free");
    must_refuse(gravel_map(gravel, word, 8, CL_MAP_READ, 0, &memory), "gravel_map");
    must_refuse(gravel_unmap(gravel, mapped), "gravel_unmap");
}

static void call_device(void)
{
    const size_t size = 64;
    cl_program program;
    must_refuse(gravel_program_build(gravel, "a.cl", "kernel void a() {}", NULL, &program),
                "gravel_program_build");
    must_refuse(gravel_kernel_set_arena(gravel, kernel, 0), "gravel_kernel_set_arena");
    must_refuse(gravel_launch(gravel, kernel, 1, &size, &size, 0, NULL, NULL), "gravel_launch");
}

static void call_all(void)
{
    struct gravel_stats stats;
    const char *name;
    uint64_t value;
    struct gravel *another;
    alarm(10 * patience()); /* which ends the child if a call hangs */
    call_messages();
    call_heap();
    call_device();
    must_refuse(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES),
                "gravel_stats_read");
    must_refuse(gravel_stats_get(gravel, 0, &name, &value), "gravel_stats_read");
    gravel_stats_reset(gravel);
    must_refuse(gravel_abort(gravel, "no"), "gravel_abort");
    must_refuse(gravel_close(gravel), "gravel_close");
    must_refuse(gravel_open(&another, NULL, NULL), "gravel_open");
    _exit(0);
}

static void expect_child(void)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        call_all();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void every_call_of_a_child_is_refused(void **state)
{
    (void)state;
    gravel = open_loopback(2, NULL);
    word = alloc_or_die(gravel, 64);
    kernel = body_kernel(gravel, "gravel_inc_uint_wg(g, a, 0, 0);", (const uint64_t[3]){word});
    mapped = (void *)read_map(gravel, 0, word, 8);
    expect_child();
    unmap(gravel, mapped);
    expect_works(gravel);
    clReleaseKernel(kernel);
    OK(gravel_close(gravel));
}

/* What the system forks for the parent is none of its concern: it opens again. */
static void the_parent_opens_again(void **state)
{
    (void)state;
    gravel = open_loopback(1, NULL);
    expect_works(gravel);
    OK(gravel_close(gravel));
}

int main(void)
{
    watch(60, "forks");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_of_a_child_is_refused),
        cmocka_unit_test(the_parent_opens_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
