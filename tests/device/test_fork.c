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

#include "every_call.h"
#include "expect.h"

static struct gravel *gravel;
static uint64_t word;
static void *mapped;
static cl_kernel kernel;
static struct gravel_steal *steal;
static struct gravel_flow *flow;
static struct gravel_mirror *mirror;
static const struct gravel_channel channels[] = {{"a", 4, GRAVEL_STREAM, 64, 0, NULL},
                                                 {"out", 4, GRAVEL_OUTPUT, 64, 0, NULL}};
static const struct gravel_graph graph = {channels, 2, .depth = 1};

/* In the child, where no assertion of cmocka may be: it would go on with the parent's tests. */
static void must_refuse(int code, const char *call)
{
    every_refused(call, code, "after fork");
}

/* What returns no code of a node, or needs none. */
static void note_the_rest(void)
{
    static const char *const calls[] = {
        "gravel_version",        "gravel_strerror",     "gravel_last_error",   "gravel_config_load",
        "gravel_config_set",     "gravel_config_get",   "gravel_node",         "gravel_n_nodes",
        "gravel_group_size",     "gravel_config",       "gravel_step",         "gravel_cl_context",
        "gravel_cl_device",      "gravel_cl_queue",     "gravel_is_local",     "gravel_stats_reset",
        "gravel_steal_n_groups", "gravel_flow_destroy", "gravel_mirror_offset"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        every_note(calls[i]);
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
    must_refuse(gravel_constant(gravel, 0, 1), "gravel_constant");
}

static void call_heap(void)
{
    uint64_t offset;
    void *memory;
    must_refuse(gravel_alloc(gravel, 64, &offset), "gravel_alloc");
    must_refuse(gravel_alloc_named(gravel, "counters", 64, &offset), "gravel_alloc_named");
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
    must_refuse(gravel_server_build(gravel, "a.cl", "kernel void a() {}", NULL, &program),
                "gravel_server_build");
    must_refuse(gravel_server_launch(gravel, kernel, 1, 0, 0, NULL, NULL), "gravel_server_launch");
}

static void call_steal(void)
{
    struct gravel_steal *other;
    struct gravel_steal_stats stats;
    const uint64_t task = 0;
    must_refuse(gravel_steal_create(&other, gravel, NULL), "gravel_steal_create");
    must_refuse(gravel_steal_fill(steal, &task, 1), "gravel_steal_fill");
    must_refuse(gravel_steal_fill_at(steal, 0, &task, 1), "gravel_steal_fill_at");
    must_refuse(gravel_steal_launch(steal, kernel, 0, NULL, NULL), "gravel_steal_launch");
    must_refuse(gravel_steal_stats(steal, &stats), "gravel_steal_stats");
    must_refuse(gravel_steal_group_stats(steal, 0, &stats), "gravel_steal_group_stats");
    must_refuse(gravel_steal_stats_reset(steal), "gravel_steal_stats_reset");
    must_refuse(gravel_steal_destroy(steal), "gravel_steal_destroy");
}

static void call_flow(void)
{
    static const char source[] = "#include \"gravel.cl.h\"\n";
    struct gravel_flow *other;
    struct gravel_flow_stats stats;
    uint32_t record = 0, n;
    cl_kernel made;
    must_refuse(gravel_flow_create(&other, gravel, &graph), "gravel_flow_create");
    must_refuse(gravel_flow_build(flow, "a.cl", source, NULL, "run"), "gravel_flow_build");
    must_refuse(gravel_flow_argument(flow, 2, 4, &record), "gravel_flow_argument");
    must_refuse(gravel_flow_push(flow, "a", &record, 1), "gravel_flow_push");
    must_refuse(gravel_flow_post(flow, "a", &record, 1), "gravel_flow_post");
    must_refuse(gravel_flow_kernel(flow, "run", &made), "gravel_flow_kernel");
    must_refuse(gravel_flow_produce(flow, kernel, 256, NULL, 0), "gravel_flow_produce");
    must_refuse(gravel_flow_run(flow), "gravel_flow_run");
    must_refuse(gravel_flow_start(flow), "gravel_flow_start");
    must_refuse(gravel_flow_wait(flow), "gravel_flow_wait");
    must_refuse(gravel_flow_call(flow, "a", &record, 0, &n, 4), "gravel_flow_call");
    must_refuse(gravel_flow_take(flow, "out", &record, 1, &n), "gravel_flow_take");
    must_refuse(gravel_flow_stats_read(flow, &stats, sizeof stats), "gravel_flow_stats_read");
    must_refuse(gravel_flow_channel_read(flow, "a", &n, &n), "gravel_flow_channel_read");
    gravel_flow_destroy(flow);
}

static const struct gravel_words *words(void)
{
    static const uint64_t n_words[2] = {0, 1};
    static const uint32_t index = 0;
    static struct gravel_words plan;
    plan = (struct gravel_words){word, GRAVEL_UINT, n_words, &index};
    return &plan;
}

static void call_mirror(void)
{
    struct gravel_mirror *other;
    must_refuse(gravel_mirror_create(&other, gravel, words()), "gravel_mirror_create");
    must_refuse(gravel_mirror_create_slots(&other, gravel, GRAVEL_ADD, words()),
                "gravel_mirror_create_slots");
    must_refuse(gravel_mirror_begin(mirror), "gravel_mirror_begin");
    must_refuse(gravel_mirror_end(mirror), "gravel_mirror_end");
    must_refuse(gravel_mirror_share(mirror), "gravel_mirror_share");
    must_refuse(gravel_mirror_destroy(mirror), "gravel_mirror_destroy");
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
    call_steal();
    call_flow();
    call_mirror();
    must_refuse(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES),
                "gravel_stats_read");
    must_refuse(gravel_stats_get(gravel, 0, &name, &value), "gravel_stats_get");
    gravel_stats_reset(gravel);
    must_refuse(gravel_abort(gravel, "no"), "gravel_abort");
    must_refuse(gravel_close(gravel), "gravel_close");
    must_refuse(gravel_open(&another, NULL, NULL), "gravel_open");
    note_the_rest();
    _exit(every_end() != 0);
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
    OK(gravel_steal_create(&steal, gravel, NULL));
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_mirror_create(&mirror, gravel, words()));
    expect_child();
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_steal_destroy(steal));
    gravel_flow_destroy(flow);
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
