/* SPDX-License-Identifier: MIT */
/*
 * The public calls, a row each: their arguments, and what they refuse.
 *
 * Path: include/gravel -> this -> calls.h, rules.c
 */
#include "calls.h"

/* ---- the nodes' objects -------------------------------------------------------------------- */

struct gravel *gravel;
struct guarded words;
uint64_t freed;
static uint64_t word, spare; /* the first of the words, which the objects have; what may be freed */
static void *mapped;
static cl_kernel kernel, adding; /* adding has an accumulator */
static struct gravel_steal *steal;
static struct gravel_flow *flow;
static struct gravel_mirror *mirror, *slots;
static struct gravel_accumulator *accumulator;
static struct gravel_block_pool *pool;
static struct gravel_rounds *rounds;
static const struct gravel_channel channels[] = {{"a", 4, GRAVEL_STREAM, 64, 0, NULL},
                                                 {"out", 4, GRAVEL_OUTPUT, 64, 0, NULL}};
static const struct gravel_channel_graph graph = GRAVEL_CHANNEL_GRAPH(channels, 2, .depth = 1);

static const struct gravel_rounds_program *program_of_rounds(void)
{
    static const char source[] =
        "#include \"gravel.cl.h\"\n"
        "kernel void bare(GRAVEL_ARENA) {}\n"
        "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void turn(GRAVEL_ARENA, "
        "GRAVEL_ROUND, ulong a)\n"
        "{\n"
        "    GRAVEL_ROUND_OPEN(r);\n"
        "    GRAVEL_EACH_ROUND(r) { GRAVEL_PHASE(r, all) gravel_round_count_wi(r, 1); }\n"
        "}\n";
    static struct gravel_rounds_program made;
    made = (struct gravel_rounds_program)GRAVEL_ROUNDS_PROGRAM(
            .name = p("turns.cl"), .source = source, .n_groups = 1,
            .function = POINTER("turn", BAD(NULL, "function"), BAD("bare", "GRAVEL_ROUND"),
                                WRONG("nowhere", GRAVEL_ECL, "kernel nowhere: ")),
            .group_items =
                (uint32_t)NUMBER(0, BAD(1 << 24, "group_items"), BAD(32, "group_items")));
    made.bytes = (uint32_t)NUMBER(sizeof made, BAD(1, "GRAVEL_ROUNDS_PROGRAM"));
    return p(&made);
}

/* Of a mirror: node 1 has one word, the first. */
static const struct gravel_words *plan(void)
{
    static const uint64_t n_words[3] = {0, 1};
    static const uint32_t first = 0, beyond = 300;
    static struct gravel_words made;
    made = (struct gravel_words)GRAVEL_WORDS(
        NUMBER(word, BAD(word + 2, "not a multiple of 4"), FAR(1 << 30, "allocation")),
        (uint32_t)NUMBER(GRAVEL_UINT, BAD(6, "type 6"), OTHER(GRAVEL_INT, "int")), p(n_words),
        POINTER(&first, BAD(NULL, "indices"), FAR(&beyond, "indices[0] is 300")));
    made.bytes = (uint32_t)NUMBER(sizeof made, BAD(0, "words.bytes is 0, and"));
    return p(&made);
}

void open_objects(const struct gravel_bindings *bindings)
{
    gravel = has_argument("ranks") ? open_default(bindings) : open_loopback(2, bindings);
    words = guarded_alloc(gravel, N_WORDS * 4);
    word = words.memory;
    spare = alloc_or_die(gravel, N_WORDS * 4);
    kernel = body_kernel(gravel, "gravel_inc_uint_wg(g, a, 0, 0);", (const uint64_t[3]){word});
    mapped = (void *)read_map(gravel, gravel_node(gravel), word, 8);
    OK(gravel_steal_create(&steal, gravel, NULL));
    OK(gravel_flow_create(&flow, gravel, &graph));
    OK(gravel_mirror_create(&mirror, gravel, plan()));
    OK(gravel_mirror_create_slots(&slots, gravel, GRAVEL_ADD, plan()));
    OK(gravel_accumulator_create(&accumulator, gravel, word, 1, GRAVEL_ADD, GRAVEL_UINT));
    cl_program program = build_or_die(gravel,
                                      "#include \"gravel.cl.h\"\n"
                                      "#include \"accumulator.cl.h\"\n"
                                      "kernel void add(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a)) {}\n",
                                      NULL);
    adding = kernel_or_die(gravel, program, "add");
    clReleaseProgram(program);
    OK(gravel_block_pool_create(&pool, gravel, 64, 64));
    OK(gravel_rounds_create(&rounds, gravel, program_of_rounds()));
    cl_kernel phases;
    OK(gravel_rounds_kernel(rounds, &phases));
    assert_int_equal(clSetKernelArg(phases, 2, sizeof word, &word), CL_SUCCESS);
    clReleaseKernel(phases);
    freed = alloc_or_die(gravel, 4096);
    OK(gravel_free(gravel, freed));
}

void close_objects(void)
{
    OK(gravel_rounds_destroy(rounds));
    OK(gravel_block_pool_destroy(pool));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_mirror_destroy(slots));
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_steal_destroy(steal));
    OK(gravel_flow_destroy(flow));
    unmap(gravel, mapped);
    clReleaseKernel(kernel);
    clReleaseKernel(adding);
    OK(gravel_close(gravel));
}

/* ---- the calls ----------------------------------------------------------------------------- */

#define NO_OP "there is no "

static void call_messages(void)
{
    uint64_t value = 1, values[64];
    CALL_ANYWHERE(
        gravel_put, of(gravel), at(word), p(&value),
        NUMBER(8, FAR(8 << 20, "8388608 bytes from offset"), FAR(UINT64_MAX - 31, "not in one")),
        node(1));
    CALL(gravel_get, of(gravel), at(word), p(&value),
         NUMBER(8, FAR(N_WORDS * 4 + 1, ": theirs is of 64 from "), FAR(UINT64_MAX, "not in one")),
         node(1));
    CALL_ANYWHERE(
        gravel_update, of(gravel),
        NUMBER(GRAVEL_XOR, BAD(0, NO_OP), BAD(GRAVEL_AM, NO_OP), BAD(99, NO_OP),
               BAD(UINT32_MAX, NO_OP)),
        NUMBER(GRAVEL_ULONG, BAD(6, NO_OP), BAD(UINT32_MAX, NO_OP), BAD(GRAVEL_DOUBLE, NO_OP)),
        word, p(&value), node(1));
    CALL_ANYWHERE(gravel_update, of(gravel),
                  NUMBER(GRAVEL_ADD, BAD(GRAVEL_MIN, NO_OP), BAD(GRAVEL_INC, NO_OP)), GRAVEL_FLOAT,
                  word, p(&value), node(1));
    CALL_ANYWHERE(gravel_am, of(gravel),
                  NUMBER(0, WRONG(1, GRAVEL_EHANDLER, "handler 1 "),
                         WRONG(UINT32_MAX, GRAVEL_EHANDLER, "handler 4294967295")),
                  p(&value), NUMBER(1, BAD(0, "takes 1 "), BAD(5, "takes 1 ")), node(1));
    CALL_OF_ALL(
        gravel_reduce, of(gravel),
        NUMBER(GRAVEL_ADD, BAD(GRAVEL_XOR, "there is no xor on ulong; add, min and max"),
               BAD(77, "operation 77 on ulong"),
               OTHER(GRAVEL_MAX, "ulong (most) at node 0, of 1 values of type ulong (sum)")),
        NUMBER(GRAVEL_ULONG, BAD(6, "add on type 6"),
               OTHER(GRAVEL_DOUBLE, "of type double (sum) at node 0")),
        p(values),
        NUMBER(1, BAD(0, "0 values"), OTHER(64, "64 values of type ulong (sum) at node 0")));
    CALL(gravel_quiet, of(gravel));
    CALL(gravel_fence, of(gravel));
    CALL_OF_ALL(gravel_barrier, of(gravel));
    CALL_OF_ALL(gravel_barrier_sum, of(gravel),
                NUMBER(at(word), BAD(word + 2, "at a multiple of 4"),
                       OTHER(word + 4, "of 1 counters at offset ")),
                NUMBER(1, BAD(0, "0 counters"), BAD(33, "33 counters at offset "),
                       FAR(32, "not in one allocation"), OTHER(2, "of 2 counters at offset ")),
                NULL, p(values));
    CALL(gravel_session_begin, of(gravel));
    CALL(gravel_session_end, of(gravel));
    CALL_OF_ALL(
        gravel_set_constant, of(gravel),
        NUMBER(0, FAR(GRAVEL_N_CONSTANTS, "number 8 out of range"),
               OTHER(1, "of number 1, value 1 at node 0")),
        NUMBER(1, OTHER(11, "of number 0, value 11 at node 0, of number 0, value 1 at node 1")));
}

static void call_heap(void)
{
    static const char name[] = "a-name-of-forty-eight-characters-is-one-too-many";
    uint64_t offset = 0;
    void *memory;
    cl_mem buffer;
    CALL_ANYWHERE(gravel_heap_part, of(gravel), at(word), NUMBER(8, FAR(1 << 20, "1048576 bytes")),
                  node(0), p(&buffer), p(&offset), p(&memory));
    CALL_OF_ALL(
        gravel_alloc, of(gravel),
        NUMBER(64, BAD(0, "0 bytes"), OTHER(128, "of 128 bytes at node 0, of 64 bytes at node 1")),
        p(&offset));
    CALL_OF_ALL(
        gravel_alloc_named, of(gravel),
        POINTER(name + 1, BAD(NULL, "NULL"), BAD("", "0 characters"),
                BAD(name, "48 characters; 1 to 47 allowed"),
                OTHER("ranks", "gravel_alloc of 64 bytes for ranks at node 0, of 64 bytes for ")),
        64, p(&offset));
    CALL_OF_ALL(gravel_free, of(gravel),
                NUMBER(spare, BAD(spare + 32, "no allocation starts"),
                       BAD(freed, "no allocation starts"), BAD(word, "_destroy"),
                       BAD(gravel_mirror_offset(slots), "gravel_mirror_destroy"),
                       BAD(gravel_block_pool_offset(pool), "gravel_block_pool_destroy")));
    CALL_THAT_COPIES(
        gravel_map, of(gravel), at(word),
        NUMBER(8, FAR(N_WORDS * 4 + 1, "not in one"), FAR(UINT64_MAX, "%llu bytes from offset")),
        NUMBER(CL_MAP_READ, BAD(0, "flags 0x0"), BAD(1 << 20, "flags 0x100000")), node(0), out());
    CALL_THAT_COPIES(gravel_unmap, of(gravel), mapped);
    CALL_THAT_COPIES(gravel_fill, of(gravel),
                     NUMBER(at(word), BAD(word + 4, "are not multiples of the pattern's 8")),
                     NUMBER(8, BAD(12, "12 bytes at")), p(&offset),
                     NUMBER(8, BAD(3, "a pattern of 3 bytes (a power of two up to 128 allowed)"),
                            BAD(0, "of 0 bytes"), BAD(256, "of 256 bytes")),
                     node(0));
}

static void call_device(void)
{
    static const char text[] = "kernel void a() {}";
    static const size_t global[3] = {64, 2, 2}, local[3] = {64, 1, 1}, deep[3] = {64, 64, 64},
                        empty[3] = {64, 0, 1}, uncounted[3] = {SIZE_MAX, 2, 1};
    const size_t bytes = sizeof(struct gravel_parameter);
    struct gravel_parameter parameter;
    uint32_t n_parameters;
    cl_program program;
    CALL(gravel_program_build, of(gravel), p("a.cl"), p(text), NULL, p(&program));
    CALL(gravel_program_build_file, of(gravel), p("a.cl"), NULL, p(&program));
    CALL_ANYWHERE(gravel_kernel_set_arena, of(gravel), p(kernel), 0);
    CALL_ANYWHERE(gravel_kernel_parameters, of(gravel), p(kernel), p(&parameter), bytes, 1,
                  p(&n_parameters));
    CALL_THAT_COPIES(
        gravel_launch, of(gravel), p(kernel),
        NUMBER(3, BAD(4, "4 dimensions"), BAD(0, "0 dimensions")),
        POINTER(global, BAD(NULL, "global_size is NULL"),
                BAD(uncounted, "more than can be counted")),
        POINTER(local, BAD(deep, "WORK_GROUP_SIZE"), BAD(empty, "local size 0 in dimension 1")),
        NUMBER(0, BAD(1, "n_wait is 1, and wait is NULL")), NULL, NULL);
    CALL(gravel_server_build, of(gravel), p("a.cl"), p(text), NULL, p(&program));
    CALL(gravel_server_launch, of(gravel), p(kernel), 1, 0, NULL, NULL);
}

static const struct gravel_steal_options *options(void)
{
    static struct gravel_steal_options made;
    made = (struct gravel_steal_options)GRAVEL_STEAL_OPTIONS(
            .capacity = (uint32_t)NUMBER(64, BAD(12, "capacity = 12"),
                                         BAD(1u << 31, "capacity = 2147483648")),
            .task_bytes = (uint32_t)NUMBER(8, BAD(6, "task_bytes = 6"), BAD(68, "task_bytes = 68")),
            .group_size = (uint32_t)NUMBER(16, BAD(1 << 30, "group_size")),
            .n_groups = (uint32_t)NUMBER(2, BAD(UINT32_MAX, "n_groups")));
    made.bytes = (uint32_t)NUMBER(
        sizeof made, BAD(0, "options.bytes is 0, and struct gravel_steal_options has "));
    return &made;
}

static void call_steal(void)
{
    struct gravel_steal_stats stats;
    const uint64_t task = 0;
    CALL(gravel_steal_create, out(), of(gravel), options());
    CALL(gravel_steal_fill, of(steal), p(&task), 1);
    CALL(gravel_steal_fill_at, of(steal), NUMBER(0, BAD(77777, "group 77777 of ")), p(&task), 1);
    CALL(gravel_steal_launch, of(steal), p(kernel), 0, NULL, NULL);
    CALL(gravel_steal_stats_read, of(steal), p(&stats), size(sizeof stats),
         NUMBER(GRAVEL_ALL_GROUPS, BAD(77777, "group 77777 of ")));
    CALL(gravel_steal_wait, of(steal));
    CALL(gravel_steal_stats_reset, of(steal));
    if (is_right())
        CALL(gravel_steal_destroy, steal);
}

static void call_flow(void)
{
    static const char text[] = "#include \"gravel.cl.h\"\n";
    const struct gravel_edge edge = {"a", 1};
    struct gravel_flow_stats stats;
    uint32_t record = 0, count;
    cl_kernel producer;
    CALL(gravel_flow_create, out(), of(gravel), p(&graph));
    CALL(gravel_flow_build, of(flow), p("a.cl"), p(text), NULL, p("run"));
    CALL(gravel_flow_set_argument, of(flow), 2, 4, &record);
    CALL(gravel_flow_push, of(flow),
         POINTER("a", BAD(NULL, "NULL"), BAD("inn", "no channel 'inn'"),
                 BAD("out", "'out' is an output")),
         p(&record), NUMBER(1, FAR(65, "65 elements for channel 'a', which has 0 of 64")));
    CALL_ANYWHERE(gravel_flow_post, of(flow),
                  POINTER("a", BAD(NULL, "NULL"), BAD("walks", "'walks'")), p(&record), 1);
    CALL(gravel_flow_kernel, of(flow), p("run"), p(&producer));
    CALL(gravel_flow_produce, of(flow), p(kernel), 256, p(&edge), 1);
    CALL(gravel_flow_run, of(flow));
    CALL(gravel_flow_start, of(flow));
    CALL(gravel_flow_wait, of(flow));
    CALL(gravel_flow_call, of(flow), p("a"), p(&record),
         NUMBER(0, BAD(3, "byte 3"), BAD(8, "byte 8")), p(&count), NUMBER(4, BAD(68, "68 bytes")));
    CALL(gravel_flow_take, of(flow), POINTER("out", BAD(NULL, "NULL"), BAD("a", "not an output")),
         p(&record), 1, p(&count));
    CALL_ANYWHERE(gravel_flow_stats_read, of(flow), p(&stats), size(sizeof stats));
    CALL_ANYWHERE(gravel_flow_stats_reset, of(flow));
    CALL_ANYWHERE(gravel_flow_channel_read, of(flow),
                  POINTER("a", BAD(NULL, "NULL"), BAD("loops", "'loops'")), &count, &count);
    if (is_right())
        CALL(gravel_flow_destroy, flow);
}

static void call_mirror(void)
{
    CALL_OF_ALL(gravel_mirror_create, out(), of(gravel), plan());
    CALL_OF_ALL(
        gravel_mirror_create_slots, out(), of(gravel),
        NUMBER(GRAVEL_ADD, BAD(GRAVEL_PUT, "put on uint"), OTHER(GRAVEL_MAX, "slots by max on")),
        plan());
    CALL(gravel_mirror_begin, of(mirror));
    CALL(gravel_mirror_end, of(mirror));
    CALL(gravel_mirror_share, of(mirror));
    if (is_right())
        CALL(gravel_mirror_destroy, mirror);
}

static void call_accumulator(void)
{
    CALL_OF_ALL(
        gravel_accumulator_create, out(), of(gravel),
        NUMBER(at(spare), BAD(spare + 2, "not a multiple of 4"), BAD(word, "accumulator of ")),
        NUMBER(8, BAD(0, "0 elements"), FAR(N_WORDS + 1, ""), FAR(UINT64_MAX, "elements"),
               OTHER(9, "9 elements")),
        NUMBER(GRAVEL_MIN, BAD(GRAVEL_PUT, "put on uint"),
               BAD(GRAVEL_FETCH_ADD, "fetch_add on uint")),
        NUMBER(GRAVEL_UINT, BAD(6, "type 6"), BAD(GRAVEL_FLOAT, "min on float")));
    CALL_ANYWHERE(gravel_kernel_set_accumulator, of(accumulator), p(adding),
                  NUMBER(1, WRONG(99, GRAVEL_ECL, "")));
    CALL(gravel_accumulator_flush, of(accumulator));
    CALL(gravel_accumulator_reset, of(accumulator));
    CALL(gravel_accumulator_begin, of(accumulator));
    if (is_right())
        CALL(gravel_accumulator_destroy, accumulator);
}

static void call_block_pool(void)
{
    struct gravel_block_pool_stats stats;
    CALL_OF_ALL(gravel_block_pool_create, out(), of(gravel),
                NUMBER(64, BAD(48, "blocks of 48 bytes, which is not a power of two"),
                       BAD(4, "blocks of 4 bytes"), BAD(UINT64_C(1) << 31, "from 8 to 1073741824"),
                       OTHER(128, "of 64 blocks of 128 bytes at node 0")),
                NUMBER(64, BAD(0, "0 blocks"), BAD(UINT64_C(1) << 32, "4294967296 blocks"),
                       WRONG(1u << 31, GRAVEL_EHEAP, "gravel_alloc: asked"),
                       OTHER(65, "of 65 blocks of 64 bytes at node 0, of 64 blocks")));
    CALL(gravel_block_pool_stats_read, of(pool), p(&stats), size(sizeof stats));
    if (is_right())
        CALL(gravel_block_pool_destroy, pool);
}

static void call_rounds(void)
{
    struct gravel_rounds_stats stats;
    struct gravel_rounds_ended ended;
    CALL(gravel_rounds_create, out(), of(gravel), program_of_rounds());
    cl_kernel phases = NULL;
    CALL(gravel_rounds_kernel, of(rounds), p(&phases));
    if (phases)
        clReleaseKernel(phases);
    CALL(gravel_rounds_run, of(rounds), NUMBER(GRAVEL_UNTIL_MOST, BAD(2, "until")),
         NUMBER(1, BAD(0, "most")), &ended, NUMBER(sizeof ended, BAD(3, "3")));
    CALL(gravel_rounds_stats_read, of(rounds), p(&stats), size(sizeof stats));
    if (is_right())
        CALL(gravel_rounds_destroy, rounds);
}

static void call_statistics(void)
{
    struct gravel_stats stats;
    const char *counter;
    uint64_t value, first, count;
    CALL_ANYWHERE(gravel_stats_read, of(gravel), p(&stats), size(sizeof stats),
                  NUMBER(GRAVEL_ALL_NODES, BAD(2, "node 2 does not exist (there are 2)")));
    CALL_ANYWHERE(gravel_stats_get, of(gravel), NUMBER(0, FAR(1000, "")), p(&counter), p(&value));
    CALL_ANYWHERE(gravel_stats_reset, of(gravel));
    CALL_ANYWHERE(gravel_share, of(gravel), 1, p(&first), p(&count));
    CALL(gravel_open, out(), NULL, NULL);
    if (is_right())
        CALL(gravel_close, gravel);
}

void call_node(void)
{
    call_messages();
    call_heap();
    call_device();
    call_steal();
    call_flow();
    call_mirror();
    call_accumulator();
    call_block_pool();
    call_rounds();
    call_statistics();
}

void call_settings(void)
{
    struct gravel_config config;
    char text[GRAVEL_CONFIG_STRING_BYTES];
    const char *setting;
    OK(gravel_config_load(&config, sizeof config));
    CALL(gravel_config_load, p(&config), sizeof config);
    CALL(gravel_config_set, p(&config), p("heap_bytes"), p("1M"));
    CALL(gravel_config_get, p(&config), 0, p(&setting), p(text), sizeof text);
}
