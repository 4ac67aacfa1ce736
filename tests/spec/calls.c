/* SPDX-License-Identifier: MIT */
/*
 * Rules that hold for every public call. One with an argument that is wrong fails at once, names itself and what is
 * wrong, and gives nothing. A forked child has the node's memory and none of its threads: every call there fails. A handler
 * may not make a call that waits, for it would wait for the handler's own thread; every other call does what it does
 * elsewhere.
 *
 * The public calls are a row each. An argument that can be wrong is marked by its kind: p, out, node, at, size. Which of
 * them is wrong, and by which value, is a number that counts up until the call has none left: one that fails leaves NULL
 * in what it gives out. Calls are judged without cmocka's assertions, for forked children make them, too.
 *
 * Path: lib/gravel.map, meson test -> this -> include/gravel
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gravel/accumulator.h>
#include <gravel/block_pool.h>
#include <gravel/flow.h>
#include <gravel/mirror.h>
#include <gravel/rounds.h>
#include <gravel/server.h>
#include <gravel/steal.h>

#include "expect.h"

/* ---- what is noted ------------------------------------------------------------------------- */

#define MOST_CALLS 256

static const char *noted[MOST_CALLS];
static unsigned n_noted, n_faults;

static bool is_noted(const char *call)
{
    for (unsigned i = 0; i < n_noted; i++)
        if (!strcmp(noted[i], call))
            return true;
    return false;
}

static void note_call(const char *call)
{
    if (!is_noted(call) && n_noted < MOST_CALLS)
        noted[n_noted++] = call;
}

static void count_fault(const char *call, const char *what)
{
    fprintf(stderr, "%s: %s; the last error: %s\n", call, what, gravel_last_error());
    n_faults++;
}

/* Faults if the call has not failed with this code, and a text that begins with its name and has `text`. */
static void expect_refusal(const char *call, int code, int expected, const char *text)
{
    char what[128];
    snprintf(what, sizeof what, "got %d, expected %d, naming \"%s\"", code, expected, text);
    if (code != expected || strncmp(gravel_last_error(), call, strlen(call)) ||
        !strstr(gravel_last_error(), text))
        count_fault(call, what);
}

/* Counts as faults the calls of lib/gravel.map, whose path is TEST_CALLS of the environment, that were not made. */
static void fault_unmade(void)
{
    char line[256];
    const char *path = getenv("TEST_CALLS");
    FILE *map = path ? fopen(path, "r") : NULL;
    if (!map)
        count_fault(path ? path : "TEST_CALLS", "cannot be read");
    while (map && fgets(line, sizeof line, map)) {
        char *call = line + strspn(line, " ");
        call[strcspn(call, ";\n")] = '\0';
        if (!strncmp(call, "gravel_", 7) && !is_noted(call))
            count_fault(call, "is a public call that this test does not make");
    }
    if (map)
        fclose(map);
}

/* ---- the node's objects -------------------------------------------------------------------- */

static struct gravel *gravel; /* two nodes with one of everything */
static uint64_t word;
static void *mapped;
static cl_kernel kernel, adding; /* adding has an accumulator */
static struct gravel_steal *steal;
static struct gravel_flow *flow;
static struct gravel_mirror *mirror;
static struct gravel_accumulator *accumulator;
static struct gravel_block_pool *pool;
static struct gravel_rounds *rounds;
static const struct gravel_rounds_program turns = GRAVEL_ROUNDS_PROGRAM(
        .name = "turns.cl", .function = "turn", .n_groups = 1,
        .source = "#include \"gravel.cl.h\"\n"
                  "kernel void turn(GRAVEL_ARENA, GRAVEL_ROUND, ulong a)\n"
                  "{\n"
                  "    GRAVEL_ROUND_OPEN(r);\n"
                  "    GRAVEL_EACH_ROUND(r) { GRAVEL_PHASE(r, all) gravel_round_count_wi(r, 1); }\n"
                  "}\n");
static const struct gravel_channel channels[] = {{"a", 4, GRAVEL_STREAM, 64, 0, NULL},
                                                 {"out", 4, GRAVEL_OUTPUT, 64, 0, NULL}};
static const struct gravel_graph graph = GRAVEL_GRAPH(channels, 2, .depth = 1);

/* ---- wrong arguments ----------------------------------------------------------------------- */

enum arguments { RIGHT, ONE_WRONG };

/* Judges what a call came to, of which `due` and `part` say what is wrong. */
typedef void judge_function(const char *call, int code);

enum kind { POINTER, NODE, OFFSET, SIZE };

static struct {
    int code;
    const char *part; /* of the text, for a value */
    unsigned n_values;
    uint64_t values[3];
} kinds[] = {[POINTER] = {GRAVEL_EINVAL, "NULL", 1, {0}},
             [NODE] = {GRAVEL_ERANGE, "node %llu", 3, {2, 0x80000000u, UINT32_MAX}},
             [OFFSET] = {GRAVEL_ERANGE, "offset %llu", 3, {UINT64_C(1) << 62, UINT64_MAX - 7}},
             [SIZE] = {GRAVEL_EINVAL, "%llu bytes", 2, {0, 12}}};

static enum arguments arguments;
static judge_function *judge;
/* A launch waits where it has slices, a map and its end where it is a copy; kernel_set_arena on GPUs alone. */
static enum waits { NEVER, IN_COPIES, ALWAYS } waits;
static const char *name; /* of the call */
static unsigned pass,
    n; /* times that it has been made; values that can be wrong, of which pass is the one that is */
static int due;       /* code for the argument that is wrong, or 0 */
static char part[64]; /* of the text, that names it */
static void *given;   /* by the call */
static bool gives;

/* Returns the value of a kind that is wrong this time, or the right one. */
static uint64_t turn(enum kind kind, uint64_t right)
{
    const unsigned i = pass - n;
    n += kinds[kind].n_values;
    if (arguments == RIGHT || i >= kinds[kind].n_values)
        return right;
    due = kinds[kind].code;
    snprintf(part, sizeof part, kinds[kind].part, (unsigned long long)kinds[kind].values[i]);
    return kinds[kind].values[i];
}

static void *p(const void *pointer)
{
    return (void *)(uintptr_t)turn(POINTER, (uintptr_t)pointer);
}

static void *out(void)
{
    given = &given;
    void *pointer = p(&given);
    gives = pointer != NULL;
    return pointer;
}

static uint32_t node(uint32_t number)
{
    return (uint32_t)turn(NODE, number);
}

static uint64_t at(uint64_t offset)
{
    return turn(OFFSET, offset);
}

static size_t size(size_t bytes)
{
    return (size_t)turn(SIZE, bytes);
}

static void begin(const char *call, enum waits when)
{
    note_call(name = call);
    waits = when;
    pass = 0;
}

/* Returns whether the call is to be made, once more. */
static bool is_next(void)
{
    if (pass > 0 && (arguments == RIGHT || pass == n))
        return false;
    n = 0;
    due = 0;
    part[0] = '\0';
    gives = false;
    return true;
}

static void end(int code)
{
    judge(name, code);
    if (code && gives && given)
        count_fault(name, "fails, and gives something");
    pass++;
}

#define ROW(when, call, ...)             \
    for (begin(#call, when); is_next();) \
    end(call(__VA_ARGS__))
#define CALL(...) ROW(ALWAYS, __VA_ARGS__)
#define CALL_THAT_COPIES(...) ROW(IN_COPIES, __VA_ARGS__)
#define CALL_ANYWHERE(...) ROW(NEVER, __VA_ARGS__)

/* ---- the calls ----------------------------------------------------------------------------- */

static void call_messages(void)
{
    uint64_t value = 1;
    CALL_ANYWHERE(gravel_put, p(gravel), at(word), p(&value), 8, node(1));
    CALL(gravel_get, p(gravel), at(word), p(&value), 8, node(1));
    CALL_ANYWHERE(gravel_update, p(gravel), GRAVEL_ADD, GRAVEL_ULONG, word, p(&value), node(1));
    CALL_ANYWHERE(gravel_am, p(gravel), 0, p(&value), 1, node(1));
    CALL(gravel_reduce, p(gravel), GRAVEL_ADD, GRAVEL_ULONG, p(&value), 1);
    CALL(gravel_quiet, p(gravel));
    CALL(gravel_fence, p(gravel));
    CALL(gravel_barrier, p(gravel));
    CALL(gravel_barrier_sum, p(gravel), at(word), 1, NULL, p(&value));
    CALL(gravel_session_begin, p(gravel));
    CALL(gravel_session_end, p(gravel));
    CALL(gravel_set_constant, p(gravel), 0, 1);
}

static void call_heap(void)
{
    uint64_t offset = 0;
    void *memory;
    cl_mem buffer;
    CALL_ANYWHERE(gravel_heap_part, p(gravel), at(word), 8, node(0), p(&buffer), p(&offset),
                  p(&memory));
    CALL(gravel_alloc, p(gravel), 64, p(&offset));
    CALL(gravel_alloc_named, p(gravel), p("counters"), 64, p(&offset));
    CALL(gravel_free, p(gravel), word);
    CALL_THAT_COPIES(gravel_map, p(gravel), at(word), 8, CL_MAP_READ, node(0), out());
    CALL_THAT_COPIES(gravel_unmap, p(gravel), mapped);
    CALL_THAT_COPIES(gravel_fill, p(gravel), at(word), 8, p(&offset), 4, node(0));
}

static void call_device(void)
{
    static const char text[] = "kernel void a() {}";
    const size_t items = 64, bytes = sizeof(struct gravel_parameter);
    struct gravel_parameter parameter;
    uint32_t n_parameters;
    cl_program program;
    CALL(gravel_program_build, p(gravel), p("a.cl"), p(text), NULL, p(&program));
    CALL(gravel_program_build_file, p(gravel), p("a.cl"), NULL, p(&program));
    CALL_ANYWHERE(gravel_kernel_set_arena, p(gravel), p(kernel), 0);
    CALL_ANYWHERE(gravel_kernel_parameters, p(gravel), p(kernel), p(&parameter), bytes, 1,
                  p(&n_parameters));
    CALL_THAT_COPIES(gravel_launch, p(gravel), p(kernel), 1, p(&items), &items, 0, NULL, NULL);
    CALL(gravel_server_build, p(gravel), p("a.cl"), p(text), NULL, p(&program));
    CALL(gravel_server_launch, p(gravel), p(kernel), 1, 0, NULL, NULL);
}

static void call_steal(void)
{
    struct gravel_steal_stats stats;
    const uint64_t task = 0;
    CALL(gravel_steal_create, out(), p(gravel), NULL);
    CALL(gravel_steal_fill, p(steal), p(&task), 1);
    CALL(gravel_steal_fill_at, p(steal), 0, p(&task), 1);
    CALL(gravel_steal_launch, p(steal), p(kernel), 0, NULL, NULL);
    CALL(gravel_steal_stats_read, p(steal), p(&stats), size(sizeof stats), GRAVEL_ALL_GROUPS);
    CALL(gravel_steal_wait, p(steal));
    CALL(gravel_steal_stats_reset, p(steal));
    if (arguments == RIGHT)
        CALL(gravel_steal_destroy, steal);
}

static void call_flow(void)
{
    static const char text[] = "#include \"gravel.cl.h\"\n";
    const struct gravel_edge edge = {"a", 1};
    struct gravel_flow_stats stats;
    uint32_t record = 0, count;
    cl_kernel producer;
    CALL(gravel_flow_create, out(), p(gravel), p(&graph));
    CALL(gravel_flow_build, p(flow), p("a.cl"), p(text), NULL, p("run"));
    CALL(gravel_flow_set_argument, p(flow), 2, 4, &record);
    CALL(gravel_flow_push, p(flow), p("a"), p(&record), 1);
    CALL_ANYWHERE(gravel_flow_post, p(flow), p("a"), p(&record), 1);
    CALL(gravel_flow_kernel, p(flow), p("run"), p(&producer));
    CALL(gravel_flow_produce, p(flow), p(kernel), 256, p(&edge), 1);
    CALL(gravel_flow_run, p(flow));
    CALL(gravel_flow_start, p(flow));
    CALL(gravel_flow_wait, p(flow));
    CALL(gravel_flow_call, p(flow), p("a"), p(&record), 0, p(&count), 4);
    CALL(gravel_flow_take, p(flow), p("out"), p(&record), 1, p(&count));
    CALL_ANYWHERE(gravel_flow_stats_read, p(flow), p(&stats), size(sizeof stats));
    CALL_ANYWHERE(gravel_flow_stats_reset, p(flow));
    CALL_ANYWHERE(gravel_flow_channel_read, p(flow), p("a"), &count, &count);
    if (arguments == RIGHT)
        CALL(gravel_flow_destroy, flow);
}

static const struct gravel_words *words(void)
{
    static const uint64_t n_words[2] = {0, 1};
    static const uint32_t index = 0;
    static struct gravel_words plan;
    plan = (struct gravel_words)GRAVEL_WORDS(word, GRAVEL_UINT, n_words, &index);
    return &plan;
}

static void call_mirror(void)
{
    CALL(gravel_mirror_create, out(), p(gravel), p(words()));
    CALL(gravel_mirror_create_slots, out(), p(gravel), GRAVEL_ADD, p(words()));
    CALL(gravel_mirror_begin, p(mirror));
    CALL(gravel_mirror_end, p(mirror));
    CALL(gravel_mirror_share, p(mirror));
    if (arguments == RIGHT)
        CALL(gravel_mirror_destroy, mirror);
}

static void call_accumulator(void)
{
    CALL(gravel_accumulator_create, out(), p(gravel), at(word), 1, GRAVEL_ADD, GRAVEL_UINT);
    CALL_ANYWHERE(gravel_kernel_set_accumulator, p(accumulator), p(adding), 1);
    CALL(gravel_accumulator_flush, p(accumulator));
    CALL(gravel_accumulator_reset, p(accumulator));
    CALL(gravel_accumulator_begin, p(accumulator));
    if (arguments == RIGHT)
        CALL(gravel_accumulator_destroy, accumulator);
}

static void call_block_pool(void)
{
    struct gravel_block_pool_stats stats;
    CALL(gravel_block_pool_create, out(), p(gravel), 64, 64);
    CALL(gravel_block_pool_stats_read, p(pool), p(&stats), size(sizeof stats));
    if (arguments == RIGHT)
        CALL(gravel_block_pool_destroy, pool);
}

static void call_rounds(void)
{
    struct gravel_rounds_stats stats;
    CALL(gravel_rounds_create, out(), p(gravel), p(&turns));
    cl_kernel phases = NULL;
    CALL(gravel_rounds_kernel, p(rounds), p(&phases));
    if (phases)
        clReleaseKernel(phases);
    CALL(gravel_rounds_run, p(rounds), GRAVEL_UNTIL_MOST, 1, NULL, 0);
    CALL(gravel_rounds_stats_read, p(rounds), p(&stats), size(sizeof stats));
    if (arguments == RIGHT)
        CALL(gravel_rounds_destroy, rounds);
}

static void call_node(void)
{
    struct gravel_stats stats;
    const char *counter;
    uint64_t value, first, count;
    CALL_ANYWHERE(gravel_stats_read, p(gravel), p(&stats), size(sizeof stats), GRAVEL_ALL_NODES);
    CALL_ANYWHERE(gravel_stats_get, p(gravel), 0, p(&counter), p(&value));
    CALL_ANYWHERE(gravel_stats_reset, p(gravel));
    CALL_ANYWHERE(gravel_share, p(gravel), 1, p(&first), p(&count));
    CALL(gravel_open, out(), NULL, NULL);
    if (arguments == RIGHT)
        CALL(gravel_close, gravel);
}

/* Makes the calls of the node, all but gravel_abort: with right arguments, or once for each that can be wrong. */
static void make_calls(enum arguments given_arguments, judge_function *given_judge)
{
    arguments = given_arguments;
    judge = given_judge;
    call_messages();
    call_heap();
    call_device();
    call_steal();
    call_flow();
    call_mirror();
    call_accumulator();
    call_block_pool();
    call_rounds();
    call_node();
}

/* Makes those that need no node. */
static void make_settings(enum arguments given_arguments, judge_function *given_judge)
{
    struct gravel_config config;
    char text[GRAVEL_CONFIG_STRING_BYTES];
    const char *setting;
    arguments = given_arguments;
    judge = given_judge;
    OK(gravel_config_load(&config, sizeof config));
    CALL(gravel_config_load, p(&config), sizeof config);
    CALL(gravel_config_set, p(&config), p("heap_bytes"), p("1M"));
    CALL(gravel_config_get, p(&config), 0, p(&setting), p(text), sizeof text);
}

/* ---- rules --------------------------------------------------------------------------------- */

#define REFUSED(call, ...) expect_refusal(#call, call(__VA_ARGS__), GRAVEL_EINVAL, "NULL")
#define NOTHING(call, ...) expect_nothing(#call, (uintptr_t)call(__VA_ARGS__))
#define ALLOWED(call, ...) expect_allowed(#call, call(__VA_ARGS__))

static uint32_t n_handled;

static void refused_and_named(const char *call, int code)
{
    expect_refusal(call, code, due, part);
}

static void refused_in_a_handler(const char *call, int code)
{
    if (waits == ALWAYS || (waits == IN_COPIES && is_sliced(gravel)))
        expect_refusal(call, code, GRAVEL_EINVAL, "waits and cannot be called by a handler");
    else if (code)
        count_fault(call, "fails in a handler");
}

static void refused_after_a_fork(const char *call, int code)
{
    expect_refusal(call, code, GRAVEL_EINVAL, "after fork");
}

/* Once, of the handler that a message runs: what it sends itself, it sends to itself. */
static int call_everything(struct gravel *node, void *user, uint32_t source,
                           const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)node, (void)user, (void)source;
    if (args[0] == 0 && n_handled++ == 0)
        make_calls(RIGHT, refused_in_a_handler);
    return 0;
}

/* ---- the node ------------------------------------------------------------------------------ */

static void open_all(void)
{
    static const struct gravel_handler handler = {
        .name = "call_everything", .n_args = 1, .function = call_everything};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    gravel = open_loopback(2, &bindings);
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
    OK(gravel_rounds_create(&rounds, gravel, &turns));
    cl_kernel phases;
    OK(gravel_rounds_kernel(rounds, &phases));
    assert_int_equal(clSetKernelArg(phases, 2, sizeof word, &word), CL_SUCCESS);
    clReleaseKernel(phases);
    kinds[OFFSET].values[2] = alloc_or_die(gravel, 4096);
    OK(gravel_free(gravel, kinds[OFFSET].values[2]));
}

static void close_all(void)
{
    OK(gravel_rounds_destroy(rounds));
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

/* ---- tests --------------------------------------------------------------------------------- */

TEST(a_wrong_argument_is_refused_and_named)
{
    make_calls(ONE_WRONG, refused_and_named);
    make_settings(ONE_WRONG, refused_and_named);
    expect_refusal("gravel_abort", gravel_abort(NULL, "why"), GRAVEL_EINVAL, "NULL");
    assert_int_equal(n_faults, 0);
    expect_works(gravel);
}

TEST(null_in_a_plan_is_refused_and_named)
{
    const struct gravel_words none = GRAVEL_WORDS(0, GRAVEL_UINT, NULL, NULL);
    struct gravel_mirror *made;
    REFUSED(gravel_mirror_create, &made, gravel, &none);
    REFUSED(gravel_mirror_create_slots, &made, gravel, GRAVEL_ADD, &none);
    assert_int_equal(n_faults, 0);
}

static void expect_nothing(const char *call, uintptr_t value)
{
    if (value)
        count_fault(call, "returns something of NULL");
    note_call(call);
    expect_refusal(call, 0, 0, "NULL");
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
    assert_int_equal(n_faults, 0);
}

static void expect_allowed(const char *call, int code)
{
    note_call(call);
    if (code)
        count_fault(call, "refuses a NULL that is allowed");
}

TEST(what_may_be_null_may_be)
{
    uint64_t value;
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
    ALLOWED(gravel_rounds_destroy, NULL);
    ALLOWED(gravel_flow_destroy, NULL);
    assert_int_equal(n_faults, 0);
}

/* In the child, where no assertion of cmocka may be: it would go on with the parent's tests. */
static void call_all_and_exit(void)
{
    alarm(10 * patience()); /* which ends the child if a call hangs */
    make_calls(RIGHT, refused_after_a_fork);
    expect_refusal("gravel_abort", gravel_abort(gravel, "no"), GRAVEL_EINVAL, "after fork");
    _exit(n_faults != 0);
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
    assert_int_equal(n_faults, 0);
    assert_int_equal(n_handled, 1);
}

TEST(every_call_is_made)
{
    static const char *const others[] = {"gravel_version", "gravel_strerror", "gravel_last_error",
                                         "gravel_abort"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        note_call(others[i]);
    fault_unmade();
    assert_int_equal(n_faults, 0);
}

const struct fixture fixture = {.limit_s = 60, .open = open_all, .close = close_all};
