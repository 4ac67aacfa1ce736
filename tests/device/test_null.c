/* SPDX-License-Identifier: MIT */
/*
 * NULL where a call needs something: every public call refuses it, and its text names the call; a call that returns no
 * code returns 0 or NULL. What may be NULL may be.
 *
 * Path: meson test -> this -> include/gravel
 */
#include "expect.h"
#include "every_call.h"

#define REFUSED(call, ...) every_refused(#call, call(__VA_ARGS__), "NULL")
#define NAMED(part, call, ...) every_refused(#call, call(__VA_ARGS__), part)
#define NOTHING(call, ...) expect_nothing(#call, (uintptr_t)call(__VA_ARGS__))
#define ALLOWED(call, ...) expect_allowed(#call, (uintptr_t)call(__VA_ARGS__))
#define RETURNS(call, ...) (every_note(#call), call(__VA_ARGS__))

static const char empty_cl[] = "#include \"gravel.cl.h\"\n"
                               "struct a { uint n; };\n"
                               "GRAVEL_RECORD(a)\n"
                               "kernel void run(GRAVEL_ARENA, GRAVEL_FLOW) {}\n";

static struct gravel *gravel;
static struct gravel_flow *flow;
static struct gravel_steal *steal;
static cl_kernel kernel;
static uint64_t word;

static void expect_nothing(const char *call, uintptr_t value)
{
    every_note(call);
    if (value)
        every_fault(call, "returns something of NULL");
    if (!strstr(gravel_last_error(), call))
        every_fault(call, "leaves an earlier call's error");
}

static void expect_allowed(const char *call, uintptr_t code)
{
    every_note(call);
    if (code)
        every_fault(call, "refuses a NULL that is allowed");
}

static int take_nothing(struct gravel *node, void *user, uint32_t source,
                        const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)node, (void)user, (void)source, (void)args;
    return 0;
}

static int open_all(void **state)
{
    static const struct gravel_handler handler = {
        .name = "nothing", .n_args = 1, .function = take_nothing};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    const struct gravel_channel channels[] = {{"a", 4, GRAVEL_STREAM, 64, 0, NULL},
                                              {"out", 4, GRAVEL_OUTPUT, 64, 0, NULL}};
    const struct gravel_graph graph = GRAVEL_GRAPH(channels, 2, .depth = 1);
    (void)state;
    gravel = open_loopback(2, &bindings);
    word = alloc_or_die(gravel, 64);
    kernel = body_kernel(gravel, "gravel_inc_uint_wg(g, a, 0, 0);", (const uint64_t[3]){word});
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_steal_create(&steal, gravel, NULL));
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    OK(gravel_steal_destroy(steal));
    OK(gravel_flow_destroy(flow));
    clReleaseKernel(kernel);
    return gravel_close(gravel);
}

static void call_settings(void)
{
    struct gravel_config config;
    char text[GRAVEL_CONFIG_STRING_BYTES];
    const char *name;
    assert_non_null(RETURNS(gravel_version, NULL));
    assert_non_null(RETURNS(gravel_strerror, 0));
    assert_non_null(RETURNS(gravel_last_error, ));
    REFUSED(gravel_config_load, NULL, sizeof config);
    OK(gravel_config_load(&config, sizeof config));
    REFUSED(gravel_config_set, NULL, "heap_bytes", "1M");
    REFUSED(gravel_config_set, &config, NULL, "1M");
    REFUSED(gravel_config_set, &config, "heap_bytes", NULL);
    REFUSED(gravel_config_get, NULL, 0, &name, text, sizeof text);
    REFUSED(gravel_config_get, &config, 0, NULL, text, sizeof text);
    REFUSED(gravel_config_get, &config, 0, &name, NULL, sizeof text);
    REFUSED(gravel_open, NULL, NULL, NULL);
    ALLOWED(gravel_close, NULL);
    REFUSED(gravel_abort, NULL, "why");
}

static void call_node(void)
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
    uint64_t first, count;
    REFUSED(gravel_share, NULL, 1, &first, &count);
    REFUSED(gravel_share, gravel, 1, NULL, &count);
    REFUSED(gravel_share, gravel, 1, &first, NULL);
}

static void call_heap(void)
{
    uint64_t offset;
    void *pointer;
    cl_mem buffer;
    REFUSED(gravel_heap_part, NULL, word, 8, 0, &buffer, &offset, &pointer);
    assert_true(!buffer && !pointer);
    NAMED("buffer", gravel_heap_part, gravel, word, 8, 0, NULL, &offset, &pointer);
    NAMED("first", gravel_heap_part, gravel, word, 8, 0, &buffer, NULL, &pointer);
    NAMED("pointer", gravel_heap_part, gravel, word, 8, 0, &buffer, &offset, NULL);
    REFUSED(gravel_alloc, NULL, 64, &offset);
    NAMED("offset", gravel_alloc, gravel, 64, NULL);
    REFUSED(gravel_alloc_named, NULL, "counters", 64, &offset);
    NAMED("name", gravel_alloc_named, gravel, NULL, 64, &offset);
    NAMED("offset", gravel_alloc_named, gravel, "counters", 64, NULL);
    REFUSED(gravel_free, NULL, word);
    REFUSED(gravel_map, NULL, word, 8, CL_MAP_READ, 0, &pointer);
    assert_null(pointer);
    NAMED("pointer", gravel_map, gravel, word, 8, CL_MAP_READ, 0, NULL);
    REFUSED(gravel_unmap, NULL, &word);
    REFUSED(gravel_unmap, NULL, NULL);
    ALLOWED(gravel_unmap, gravel, NULL);
    REFUSED(gravel_fill, NULL, word, 8, &offset, 8, 0);
    REFUSED(gravel_fill, gravel, word, 8, NULL, 8, 0);
}

static void call_kernels(void)
{
    const size_t size = 64, parameter_bytes = sizeof(struct gravel_parameter);
    uint32_t n;
    cl_program program;
    REFUSED(gravel_program_build, NULL, "a.cl", empty_cl, NULL, &program);
    REFUSED(gravel_program_build, gravel, NULL, empty_cl, NULL, &program);
    REFUSED(gravel_program_build, gravel, "a.cl", NULL, NULL, &program);
    REFUSED(gravel_program_build, gravel, "a.cl", empty_cl, NULL, NULL);
    REFUSED(gravel_kernel_set_arena, NULL, kernel, 0);
    REFUSED(gravel_kernel_set_arena, gravel, NULL, 0);
    REFUSED(gravel_kernel_parameters, NULL, kernel, NULL, parameter_bytes, 0, &n);
    NAMED("kernel", gravel_kernel_parameters, gravel, NULL, NULL, parameter_bytes, 0, &n);
    NAMED("parameters", gravel_kernel_parameters, gravel, kernel, NULL, parameter_bytes, 1, &n);
    NAMED("n", gravel_kernel_parameters, gravel, kernel, NULL, parameter_bytes, 0, NULL);
    REFUSED(gravel_launch, NULL, kernel, 1, &size, &size, 0, NULL, NULL);
    REFUSED(gravel_launch, gravel, NULL, 1, &size, &size, 0, NULL, NULL);
    REFUSED(gravel_launch, gravel, kernel, 1, NULL, &size, 0, NULL, NULL);
    REFUSED(gravel_program_build_file, NULL, "a.cl", NULL, &program);
    REFUSED(gravel_program_build_file, gravel, NULL, NULL, &program);
    REFUSED(gravel_program_build_file, gravel, "a.cl", NULL, NULL);
    REFUSED(gravel_server_build, NULL, "a.cl", empty_cl, NULL, &program);
    REFUSED(gravel_server_build, gravel, NULL, empty_cl, NULL, &program);
    REFUSED(gravel_server_build, gravel, "a.cl", NULL, NULL, &program);
    REFUSED(gravel_server_build, gravel, "a.cl", empty_cl, NULL, NULL);
    REFUSED(gravel_server_launch, NULL, kernel, 1, 0, NULL, NULL);
    REFUSED(gravel_server_launch, gravel, NULL, 1, 0, NULL, NULL);
}

static void call_messages(void)
{
    uint64_t value = 1;
    REFUSED(gravel_quiet, NULL);
    REFUSED(gravel_fence, NULL);
    REFUSED(gravel_barrier, NULL);
    REFUSED(gravel_barrier_sum, NULL, word, 1, NULL, &value);
    REFUSED(gravel_barrier_sum, gravel, word, 1, &value, NULL);
    ALLOWED(gravel_barrier_sum, gravel, word, 1, NULL, &value);
    REFUSED(gravel_session_begin, NULL);
    REFUSED(gravel_session_end, NULL);
    REFUSED(gravel_reduce, NULL, GRAVEL_ADD, GRAVEL_ULONG, &value, 1);
    REFUSED(gravel_reduce, gravel, GRAVEL_ADD, GRAVEL_ULONG, NULL, 1);
    REFUSED(gravel_put, NULL, word, &value, 8, 0);
    REFUSED(gravel_put, gravel, word, NULL, 8, 0);
    ALLOWED(gravel_put, gravel, word, NULL, 0, 0);
    REFUSED(gravel_get, NULL, word, &value, 8, 0);
    REFUSED(gravel_get, gravel, word, NULL, 8, 0);
    REFUSED(gravel_get, gravel, word, NULL, 8, 1);
    ALLOWED(gravel_get, gravel, word, NULL, 0, 0);
    REFUSED(gravel_update, NULL, GRAVEL_ADD, GRAVEL_ULONG, word, &value, 0);
    REFUSED(gravel_update, gravel, GRAVEL_ADD, GRAVEL_ULONG, word, NULL, 0);
    ALLOWED(gravel_update, gravel, GRAVEL_INC, GRAVEL_ULONG, word, NULL, 0);
    REFUSED(gravel_am, NULL, 0, &value, 1, 0);
    REFUSED(gravel_am, gravel, 0, NULL, 1, 0);
    REFUSED(gravel_set_constant, NULL, 0, 1);
}

static void call_statistics(void)
{
    struct gravel_stats stats;
    const char *name;
    uint64_t value;
    REFUSED(gravel_stats_read, NULL, &stats, sizeof stats, GRAVEL_ALL_NODES);
    REFUSED(gravel_stats_read, gravel, NULL, sizeof stats, GRAVEL_ALL_NODES);
    REFUSED(gravel_stats_get, NULL, 0, &name, &value);
    REFUSED(gravel_stats_get, gravel, 0, NULL, &value);
    REFUSED(gravel_stats_get, gravel, 0, &name, NULL);
    REFUSED(gravel_stats_reset, NULL);
}

static void call_steal(void)
{
    struct gravel_steal_stats stats;
    struct gravel_steal *other;
    const uint64_t task = 0;
    REFUSED(gravel_steal_create, NULL, gravel, NULL);
    REFUSED(gravel_steal_create, &other, NULL, NULL);
    assert_null(other);
    REFUSED(gravel_steal_fill, NULL, &task, 1);
    REFUSED(gravel_steal_fill, steal, NULL, 1);
    ALLOWED(gravel_steal_fill, steal, NULL, 0);
    REFUSED(gravel_steal_fill_at, NULL, 0, &task, 1);
    REFUSED(gravel_steal_fill_at, steal, 0, NULL, 1);
    NOTHING(gravel_steal_n_groups, NULL);
    REFUSED(gravel_steal_launch, NULL, kernel, 0, NULL, NULL);
    REFUSED(gravel_steal_launch, steal, NULL, 0, NULL, NULL);
    REFUSED(gravel_steal_wait, NULL);
    REFUSED(gravel_steal_stats_read, NULL, &stats, sizeof stats, GRAVEL_ALL_GROUPS);
    ALLOWED(gravel_steal_wait, steal);
    REFUSED(gravel_steal_stats_read, steal, NULL, sizeof stats, GRAVEL_ALL_GROUPS);
    REFUSED(gravel_steal_stats_reset, NULL);
    ALLOWED(gravel_steal_destroy, NULL);
}

static void call_mirror(void)
{
    struct gravel_mirror *other;
    const struct gravel_words none = GRAVEL_WORDS(0, GRAVEL_UINT, NULL, NULL);
    REFUSED(gravel_mirror_create, NULL, gravel, &none);
    REFUSED(gravel_mirror_create, &other, NULL, &none);
    REFUSED(gravel_mirror_create, &other, gravel, NULL);
    REFUSED(gravel_mirror_create, &other, gravel, &none);
    REFUSED(gravel_mirror_create_slots, NULL, gravel, GRAVEL_ADD, &none);
    REFUSED(gravel_mirror_create_slots, &other, NULL, GRAVEL_ADD, &none);
    REFUSED(gravel_mirror_create_slots, &other, gravel, GRAVEL_ADD, NULL);
    REFUSED(gravel_mirror_begin, NULL);
    REFUSED(gravel_mirror_end, NULL);
    REFUSED(gravel_mirror_share, NULL);
    NOTHING(gravel_mirror_offset, NULL);
    ALLOWED(gravel_mirror_destroy, NULL);
}

static void call_accumulator(void)
{
    struct gravel_accumulator *other;
    REFUSED(gravel_accumulator_create, &other, NULL, 0, 1, GRAVEL_ADD, GRAVEL_UINT);
    assert_null(other);
    REFUSED(gravel_accumulator_create, NULL, gravel, 0, 1, GRAVEL_ADD, GRAVEL_UINT);
    REFUSED(gravel_kernel_set_accumulator, NULL, kernel, 0);
    REFUSED(gravel_accumulator_flush, NULL);
    REFUSED(gravel_accumulator_reset, NULL);
    REFUSED(gravel_accumulator_begin, NULL);
    ALLOWED(gravel_accumulator_destroy, NULL);
}

static void call_block_pool(void)
{
    struct gravel_block_pool *other;
    struct gravel_block_pool_stats stats;
    REFUSED(gravel_block_pool_create, NULL, gravel, 64, 64);
    REFUSED(gravel_block_pool_create, &other, NULL, 64, 64);
    assert_null(other);
    NOTHING(gravel_block_pool_offset, NULL);
    REFUSED(gravel_block_pool_stats_read, NULL, &stats, sizeof stats);
    OK(gravel_block_pool_create(&other, gravel, 64, 64));
    REFUSED(gravel_block_pool_stats_read, other, NULL, sizeof stats);
    OK(gravel_block_pool_destroy(other));
    ALLOWED(gravel_block_pool_destroy, NULL);
}

static void make_flows(void)
{
    const struct gravel_channel channel = {"a", 4, GRAVEL_STREAM, 64, 0, NULL};
    const struct gravel_channel nameless = {NULL, 4, GRAVEL_STREAM, 64, 0, NULL};
    const struct gravel_channel edgeless = {"a", 4, GRAVEL_STREAM, 64, 1, NULL};
    const struct gravel_graph graph = GRAVEL_GRAPH(&channel, 1, .depth = 1);
    struct gravel_flow *other;
    REFUSED(gravel_flow_create, NULL, gravel, &graph);
    REFUSED(gravel_flow_create, &other, NULL, &graph);
    assert_null(other);
    REFUSED(gravel_flow_create, &other, gravel, NULL);
    expect_error(
        gravel_flow_create(&other, gravel, &(struct gravel_graph)GRAVEL_GRAPH(NULL, 1, .depth = 1)),
        GRAVEL_EINVAL, "channels at");
    expect_error(gravel_flow_create(&other, gravel,
                                    &(struct gravel_graph)GRAVEL_GRAPH(&nameless, 1, .depth = 1)),
                 GRAVEL_EINVAL, "NULL");
    expect_error(gravel_flow_create(&other, gravel,
                                    &(struct gravel_graph)GRAVEL_GRAPH(&edgeless, 1, .depth = 1)),
                 GRAVEL_EINVAL, "NULL");
    ALLOWED(gravel_flow_destroy, NULL);
    REFUSED(gravel_flow_build, NULL, "a.cl", empty_cl, NULL, "run");
    REFUSED(gravel_flow_build, flow, NULL, empty_cl, NULL, "run");
    REFUSED(gravel_flow_build, flow, "a.cl", NULL, NULL, "run");
    REFUSED(gravel_flow_build, flow, "a.cl", empty_cl, NULL, NULL);
}

static void use_flows(void)
{
    const struct gravel_edge into = {NULL, 1};
    struct gravel_flow_stats stats;
    uint32_t record = 0, n;
    cl_kernel made;
    REFUSED(gravel_flow_set_argument, NULL, 2, 4, &record);
    REFUSED(gravel_flow_push, NULL, "a", &record, 1);
    REFUSED(gravel_flow_push, flow, NULL, &record, 1);
    REFUSED(gravel_flow_push, flow, "a", NULL, 1);
    REFUSED(gravel_flow_post, NULL, "a", &record, 1);
    REFUSED(gravel_flow_post, flow, NULL, &record, 1);
    REFUSED(gravel_flow_post, flow, "a", NULL, 1);
    REFUSED(gravel_flow_kernel, NULL, "run", &made);
    REFUSED(gravel_flow_kernel, flow, NULL, &made);
    REFUSED(gravel_flow_kernel, flow, "run", NULL);
    REFUSED(gravel_flow_produce, NULL, kernel, 256, NULL, 0);
    REFUSED(gravel_flow_produce, flow, NULL, 256, NULL, 0);
    REFUSED(gravel_flow_produce, flow, kernel, 256, NULL, 1);
    REFUSED(gravel_flow_produce, flow, kernel, 256, &into, 1);
    REFUSED(gravel_flow_run, NULL);
    REFUSED(gravel_flow_start, NULL);
    REFUSED(gravel_flow_wait, NULL);
    REFUSED(gravel_flow_call, NULL, "a", &record, 0, &n, 4);
    REFUSED(gravel_flow_call, flow, NULL, &record, 0, &n, 4);
    NAMED("record", gravel_flow_call, flow, "a", NULL, 0, &n, 4);
    NAMED("result", gravel_flow_call, flow, "a", &record, 0, NULL, 4);
    REFUSED(gravel_flow_take, NULL, "out", &record, 1, &n);
    REFUSED(gravel_flow_take, flow, NULL, &record, 1, &n);
    REFUSED(gravel_flow_take, flow, "out", NULL, 1, &n);
    REFUSED(gravel_flow_take, flow, "out", &record, 1, NULL);
    REFUSED(gravel_flow_stats_read, NULL, &stats, sizeof stats);
    REFUSED(gravel_flow_stats_read, flow, NULL, sizeof stats);
    REFUSED(gravel_flow_stats_reset, NULL);
    REFUSED(gravel_flow_channel_read, NULL, "a", &n, &n);
    REFUSED(gravel_flow_channel_read, flow, NULL, &n, &n);
    ALLOWED(gravel_flow_channel_read, flow, "a", NULL, NULL);
}

static void every_call_refuses_what_is_null(void **state)
{
    (void)state;
    call_settings();
    call_node();
    call_heap();
    call_kernels();
    call_messages();
    call_statistics();
    call_steal();
    call_mirror();
    call_accumulator();
    call_block_pool();
    make_flows();
    use_flows();
    assert_int_equal(every_end(), 0);
    expect_works(gravel);
}

int main(void)
{
    watch(60, "NULL");
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_refuses_what_is_null)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
