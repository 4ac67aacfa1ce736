/* SPDX-License-Identifier: MIT */
/*
 * Makes every call that returns a code, on a node that has one of everything; the test says what is due of each.
 *
 * Path:    every_call.h -> made_calls.h -> test_fork.c, test_in_handler.c.
 * Threads: any one at a time.
 */
#ifndef GRAVEL_TESTS_MADE_CALLS_H
#define GRAVEL_TESTS_MADE_CALLS_H

#include "every_call.h"
#include "expect.h"

/** Of the test: what a call came to. */
static void made(int code, const char *call);

static struct gravel *gravel;
static uint64_t word;
static void *mapped;
static cl_kernel kernel, adding; /* adding has an accumulator */
static struct gravel_steal *steal;
static struct gravel_flow *flow;
static struct gravel_mirror *mirror;
static struct gravel_accumulator *accumulator;
static struct gravel_block_pool *pool;
static const struct gravel_channel channels[] = {{"a", 4, GRAVEL_STREAM, 64, 0, NULL},
                                                 {"out", 4, GRAVEL_OUTPUT, 64, 0, NULL}};
static const struct gravel_graph graph = GRAVEL_GRAPH(channels, 2, .depth = 1);

/* What returns no code of a node, or needs none. */
static inline void note_the_rest(void)
{
    static const char *const calls[] = {
        "gravel_version",        "gravel_strerror",      "gravel_last_error",
        "gravel_config_load",    "gravel_config_set",    "gravel_config_get",
        "gravel_node",           "gravel_n_nodes",       "gravel_group_size",
        "gravel_config_of",      "gravel_step",          "gravel_cl_context",
        "gravel_cl_device",      "gravel_cl_queue",      "gravel_is_local",
        "gravel_steal_n_groups", "gravel_mirror_offset", "gravel_block_pool_offset",
        "gravel_share"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        every_note(calls[i]);
}

static inline void call_messages(void)
{
    uint64_t value = 1;
    made(gravel_put(gravel, word, &value, 8, 1), "gravel_put");
    made(gravel_get(gravel, word, &value, 8, 1), "gravel_get");
    made(gravel_update(gravel, GRAVEL_ADD, GRAVEL_ULONG, word, &value, 1), "gravel_update");
    made(gravel_am(gravel, 0, &value, 1, 1), "gravel_am");
    made(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1), "gravel_reduce");
    made(gravel_quiet(gravel), "gravel_quiet");
    made(gravel_fence(gravel), "gravel_fence");
    made(gravel_barrier(gravel), "gravel_barrier");
    made(gravel_barrier_sum(gravel, word, 1, NULL, &value), "gravel_barrier_sum");
    made(gravel_session_begin(gravel), "gravel_session_begin");
    made(gravel_session_end(gravel), "gravel_session_end");
    made(gravel_set_constant(gravel, 0, 1), "gravel_set_constant");
}

static inline void call_heap(void)
{
    uint64_t offset;
    void *memory;
    cl_mem buffer;
    made(gravel_heap_part(gravel, word, 8, 0, &buffer, &offset, &memory), "gravel_heap_part");
    made(gravel_alloc(gravel, 64, &offset), "gravel_alloc");
    made(gravel_alloc_named(gravel, "counters", 64, &offset), "gravel_alloc_named");
    made(gravel_free(gravel, word), "gravel_free");
    made(gravel_map(gravel, word, 8, CL_MAP_READ, 0, &memory), "gravel_map");
    made(gravel_unmap(gravel, mapped), "gravel_unmap");
    made(gravel_fill(gravel, word, 8, &offset, 4, 0), "gravel_fill");
}

static inline void call_device(void)
{
    const size_t size = 64;
    uint32_t n;
    cl_program program;
    made(gravel_program_build(gravel, "a.cl", "kernel void a() {}", NULL, &program),
         "gravel_program_build");
    made(gravel_program_build_file(gravel, "a.cl", NULL, &program), "gravel_program_build_file");
    made(gravel_kernel_set_arena(gravel, kernel, 0), "gravel_kernel_set_arena");
    made(gravel_kernel_parameters(gravel, kernel, NULL, sizeof(struct gravel_parameter), 0, &n),
         "gravel_kernel_parameters");
    made(gravel_launch(gravel, kernel, 1, &size, &size, 0, NULL, NULL), "gravel_launch");
    made(gravel_server_build(gravel, "a.cl", "kernel void a() {}", NULL, &program),
         "gravel_server_build");
    made(gravel_server_launch(gravel, kernel, 1, 0, NULL, NULL), "gravel_server_launch");
}

static inline void call_steal(void)
{
    struct gravel_steal *other;
    struct gravel_steal_stats stats;
    const uint64_t task = 0;
    made(gravel_steal_create(&other, gravel, NULL), "gravel_steal_create");
    made(gravel_steal_fill(steal, &task, 1), "gravel_steal_fill");
    made(gravel_steal_fill_at(steal, 0, &task, 1), "gravel_steal_fill_at");
    made(gravel_steal_launch(steal, kernel, 0, NULL, NULL), "gravel_steal_launch");
    made(gravel_steal_stats_read(steal, &stats, sizeof stats, GRAVEL_ALL_GROUPS),
         "gravel_steal_stats_read");
    made(gravel_steal_wait(steal), "gravel_steal_wait");
    made(gravel_steal_stats_reset(steal), "gravel_steal_stats_reset");
    made(gravel_steal_destroy(steal), "gravel_steal_destroy");
}

static inline void call_flow(void)
{
    static const char source[] = "#include \"gravel.cl.h\"\n";
    struct gravel_flow *other;
    struct gravel_flow_stats stats;
    uint32_t record = 0, n;
    cl_kernel producer;
    made(gravel_flow_create(&other, gravel, &graph), "gravel_flow_create");
    made(gravel_flow_build(flow, "a.cl", source, NULL, "run"), "gravel_flow_build");
    made(gravel_flow_set_argument(flow, 2, 4, &record), "gravel_flow_set_argument");
    made(gravel_flow_push(flow, "a", &record, 1), "gravel_flow_push");
    made(gravel_flow_post(flow, "a", &record, 1), "gravel_flow_post");
    made(gravel_flow_kernel(flow, "run", &producer), "gravel_flow_kernel");
    made(gravel_flow_produce(flow, kernel, 256, NULL, 0), "gravel_flow_produce");
    made(gravel_flow_run(flow), "gravel_flow_run");
    made(gravel_flow_start(flow), "gravel_flow_start");
    made(gravel_flow_wait(flow), "gravel_flow_wait");
    made(gravel_flow_call(flow, "a", &record, 0, &n, 4), "gravel_flow_call");
    made(gravel_flow_take(flow, "out", &record, 1, &n), "gravel_flow_take");
    made(gravel_flow_stats_read(flow, &stats, sizeof stats), "gravel_flow_stats_read");
    made(gravel_flow_stats_reset(flow), "gravel_flow_stats_reset");
    made(gravel_flow_channel_read(flow, "a", &n, &n), "gravel_flow_channel_read");
    made(gravel_flow_destroy(flow), "gravel_flow_destroy");
}

static inline const struct gravel_words *words(void)
{
    static const uint64_t n_words[2] = {0, 1};
    static const uint32_t index = 0;
    static struct gravel_words plan;
    plan = (struct gravel_words)GRAVEL_WORDS(word, GRAVEL_UINT, n_words, &index);
    return &plan;
}

static inline void call_mirror(void)
{
    struct gravel_mirror *other;
    made(gravel_mirror_create(&other, gravel, words()), "gravel_mirror_create");
    made(gravel_mirror_create_slots(&other, gravel, GRAVEL_ADD, words()),
         "gravel_mirror_create_slots");
    made(gravel_mirror_begin(mirror), "gravel_mirror_begin");
    made(gravel_mirror_end(mirror), "gravel_mirror_end");
    made(gravel_mirror_share(mirror), "gravel_mirror_share");
    made(gravel_mirror_destroy(mirror), "gravel_mirror_destroy");
}

static inline void call_accumulator(void)
{
    struct gravel_accumulator *other;
    made(gravel_accumulator_create(&other, gravel, word, 1, GRAVEL_ADD, GRAVEL_UINT),
         "gravel_accumulator_create");
    made(gravel_kernel_set_accumulator(accumulator, adding, 1), "gravel_kernel_set_accumulator");
    made(gravel_accumulator_flush(accumulator), "gravel_accumulator_flush");
    made(gravel_accumulator_reset(accumulator), "gravel_accumulator_reset");
    made(gravel_accumulator_begin(accumulator), "gravel_accumulator_begin");
    made(gravel_accumulator_destroy(accumulator), "gravel_accumulator_destroy");
}

static inline void call_block_pool(void)
{
    struct gravel_block_pool *other;
    struct gravel_block_pool_stats stats;
    made(gravel_block_pool_create(&other, gravel, 64, 64), "gravel_block_pool_create");
    made(gravel_block_pool_stats_read(pool, &stats, sizeof stats), "gravel_block_pool_stats_read");
    made(gravel_block_pool_destroy(pool), "gravel_block_pool_destroy");
}

static inline void call_statistics(void)
{
    struct gravel_stats stats;
    const char *name;
    uint64_t value;
    made(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES), "gravel_stats_read");
    made(gravel_stats_get(gravel, 0, &name, &value), "gravel_stats_get");
    made(gravel_stats_reset(gravel), "gravel_stats_reset");
}

/** All but gravel_abort. */
static inline void make_calls(void)
{
    struct gravel *another;
    call_messages();
    call_heap();
    call_device();
    call_steal();
    call_flow();
    call_mirror();
    call_accumulator();
    call_block_pool();
    call_statistics();
    made(gravel_open(&another, NULL, NULL), "gravel_open");
    made(gravel_close(gravel), "gravel_close");
    note_the_rest();
}

static inline void open_one_of_everything(const struct gravel_bindings *bindings)
{
    gravel = open_loopback(2, bindings);
    word = alloc_or_die(gravel, 64);
    kernel = body_kernel(gravel, "gravel_inc_uint_wg(g, a, 0, 0);", (const uint64_t[3]){word});
    mapped = (void *)read_map(gravel, 0, word, 8);
    OK(gravel_steal_create(&steal, gravel, NULL));
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_mirror_create(&mirror, gravel, words()));
    OK(gravel_accumulator_create(&accumulator, gravel, word, 1, GRAVEL_ADD, GRAVEL_UINT));
    cl_program program = build_or_die(gravel,
                                      "#include \"gravel.cl.h\"\n"
                                      "#include \"accumulator.cl.h\"\n"
                                      "kernel void add(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a)) {}\n",
                                      NULL);
    adding = kernel_or_die(gravel, program, "add");
    clReleaseProgram(program);
    OK(gravel_block_pool_create(&pool, gravel, 64, 64));
}

static inline void close_everything(void)
{
    OK(gravel_block_pool_destroy(pool));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_steal_destroy(steal));
    OK(gravel_flow_destroy(flow));
    unmap(gravel, mapped);
    expect_works(gravel);
    clReleaseKernel(kernel);
    clReleaseKernel(adding);
    OK(gravel_close(gravel));
}

#endif
