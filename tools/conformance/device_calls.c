/* SPDX-License-Identifier: MIT */
/*
 * Conformance of handlers written in OpenCL C: 0 to 4 arguments, of 8 and 4 bytes, and asked, with a key and without;
 * every form, to the own node, the next and all, from full, partial and empty groups.
 *
 * The handlers keep sums in the heap of the destination, which do not depend on order; a serial pass over what every
 * node sent gives the sums they must equal, and the answers.
 *
 * Path:    device_calls.cl (kernels), or gravel_am -> device_calls.cl (handlers) -> the heap ->
 * this.
 */
#include "suites.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

extern const char device_calls_cl[];

#define N_ITEMS 512u
#define GROUP 64u
#define N_SUMS 16u /* as in device_calls.cl, and so is MIX */
#define MIX(mixed, word) ((mixed ^ (word)) * 16777619u)
#define SUMS_BYTES (4 * N_SUMS * (GRAVEL_AM_MAX_ARGS + 1))
#define HEAP_AT 64u     /* as in device_calls.cl: the first allocation of a node */
#define ANSWERS_AT 512u /* as in device_calls.cl; behind the sums */
#define SIGNAL_AT (ANSWERS_AT + 8 * N_ITEMS)
#define HEAP_BYTES (SIGNAL_AT + 64)
_Static_assert(SUMS_BYTES <= ANSWERS_AT, "sums end before answers");

enum form { FORM_GROUP, FORM_IF, FORM_WI, FORM_HOST, N_FORMS };
enum target { SELF, NEXT, SPREAD, N_TARGETS };
enum activity { ALL, ODD, ONE_LANE, ONE_GROUP, EMPTY, N_ACTIVITIES };
enum kind { AM, NARROW, ASK, N_KINDS };
static const char *const kind_names[] = {"am", "narrow", "ask"};
static const char *const form_names[] = {"group", "if", "wi", "host"};
static const char *const target_names[] = {"self", "next", "spread"};
static const char *const activity_names[] = {"all", "odd", "one lane", "one group", "empty"};

struct test_case {
    enum kind kind;
    uint32_t n_args;
    enum form form;
    enum target target;
    enum activity activity;
};

/* The handler that takes so many arguments, by its place in the table. */
static uint32_t handler_of(const struct test_case *test)
{
    return test->kind == AM       ? test->n_args
           : test->kind == NARROW ? GRAVEL_AM_MAX_ARGS + test->n_args
                                  : 2 * GRAVEL_AM_MAX_ARGS + 1 + test->n_args;
}

/* What one node sends. */
struct items {
    uint32_t active[N_ITEMS], nodes[N_ITEMS];
    uint64_t args[N_ITEMS][GRAVEL_AM_MAX_ARGS];
};

static struct gravel *gravel;
static uint32_t n_nodes, n_origins;
static uint64_t heap_at; /* sums: uint [5 handlers][N_SUMS]; answers: ulong [N_ITEMS]; a signal */
static unsigned n_lines;

static bool is_active(enum activity activity, uint32_t i)
{
    switch (activity) {
    case ALL:
        return true;
    case ODD:
        return i % 2;
    case ONE_LANE:
        return i % GROUP == 5;
    case ONE_GROUP:
        return i / GROUP == 3;
    default:
        return false;
    }
}

static void fill_items(struct items *items, const struct test_case *test, uint32_t origin)
{
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        items->active[i] = is_active(test->activity, i);
        items->nodes[i] = test->target == SELF   ? origin
                          : test->target == NEXT ? (origin + 1) % n_nodes
                                                 : (uint32_t)(mix(i + 31 * origin) % n_nodes);
        for (uint32_t k = 0; k < GRAVEL_AM_MAX_ARGS; k++)
            items->args[i][k] = mix(i * 4 + k + 104729u * origin) &
                                (test->kind == NARROW ? UINT32_MAX : UINT64_MAX);
    }
}

/* ---- what must come out ---------------------------------------------------------------------- */

static uint32_t half_of(const struct items *items, uint32_t i, uint32_t n_args, uint32_t k)
{
    const uint64_t arg = k / 2 < n_args ? items->args[i][k / 2] : 0;
    return (uint32_t)(k % 2 ? arg >> 32 : arg);
}

/* All of a message taken together. */
static uint32_t mix_item(const struct items *items, uint32_t i, uint32_t n_args, uint32_t origin)
{
    uint32_t mixed = origin;
    for (uint32_t k = 0; k < 2 * GRAVEL_AM_MAX_ARGS; k++)
        mixed = MIX(mixed, half_of(items, i, n_args, k));
    return mixed;
}

static void add_item(uint32_t sums[N_SUMS], const struct items *items, uint32_t i, uint32_t n_args,
                     uint32_t origin)
{
    sums[0]++;
    for (uint32_t k = 0; k < 2 * GRAVEL_AM_MAX_ARGS; k++)
        sums[1 + k] += half_of(items, i, n_args, k);
    sums[9] += items->nodes[i];
    sums[10] += n_nodes;
    sums[11] += mix_item(items, i, n_args, origin);
}

static bool node_holds(const struct test_case *test, uint32_t node)
{
    uint32_t expected[GRAVEL_AM_MAX_ARGS + 1][N_SUMS];
    struct items items;
    memset(expected, 0, sizeof expected);
    for (uint32_t origin = 0; origin < n_origins; origin++) {
        fill_items(&items, test, origin);
        for (uint32_t i = 0; i < N_ITEMS; i++)
            if (items.active[i] && items.nodes[i] == node && test->kind != ASK)
                add_item(expected[test->n_args], &items, i, test->n_args, origin);
    }
    const void *found = read_map(gravel, node, heap_at, sizeof expected);
    bool holds = !memcmp(found, expected, sizeof expected);
    unmap(gravel, found);
    return holds;
}

/* Answers are where they were asked for, and the signal has counted them. */
static bool node_is_answered(const struct test_case *test, uint32_t node)
{
    uint64_t expected[N_ITEMS + 1] = {0};
    uint32_t n_asked = 0;
    struct items items;
    fill_items(&items, test, node);
    for (uint32_t i = 0; i < N_ITEMS && test->kind == ASK && node < n_origins; i++)
        if (items.active[i]) {
            expected[i] = (uint64_t)(100 * test->n_args + items.nodes[i]) << 32 |
                          mix_item(&items, i, test->n_args, node);
            n_asked++;
        }
    expected[N_ITEMS] = n_asked; /* a uint, and zeros behind it */
    const void *found = read_map(gravel, node, heap_at + ANSWERS_AT, sizeof expected);
    bool holds = !memcmp(found, expected, sizeof expected);
    unmap(gravel, found);
    return holds;
}

/* ---- sending --------------------------------------------------------------------------------- */

static void send_from_host(const struct items *items, const struct test_case *test)
{
    for (uint32_t i = 0; i < N_ITEMS; i++)
        if (items->active[i])
            OK(gravel_am(gravel, handler_of(test), items->args[i], test->n_args, items->nodes[i]));
    OK(gravel_barrier(gravel));
}

static void set_buffer(cl_kernel kernel, cl_uint index, size_t bytes, void *words, cl_mem *buffer)
{
    cl_int error;
    *buffer = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                             bytes, words, &error);
    MUST(error == CL_SUCCESS);
    MUST(clSetKernelArg(kernel, index, sizeof *buffer, buffer) == CL_SUCCESS);
}

static void send_from_kernel(cl_program program, struct items *items, const struct test_case *test)
{
    char name[32];
    cl_mem buffers[3];
    snprintf(name, sizeof name, "%s%u_%s", kind_names[test->kind], test->n_args,
             form_names[test->form]);
    cl_kernel kernel = kernel_or_die(gravel, program, name);
    set_buffer(kernel, 1, sizeof items->active, items->active, &buffers[0]);
    set_buffer(kernel, 2, sizeof items->nodes, items->nodes, &buffers[1]);
    set_buffer(kernel, 3, sizeof items->args, items->args, &buffers[2]);
    OK(run_kernel(gravel, kernel, N_ITEMS, GROUP));
    clReleaseKernel(kernel);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(buffers[i]);
}

static bool run_case(cl_program program, const struct test_case *test)
{
    struct items items;
    uint64_t n_wrong = 0;
    for (uint32_t node = 0; node < n_nodes; node++)
        if (gravel_is_local(gravel, node))
            fill(gravel, node, heap_at, 0, HEAP_BYTES);
    OK(gravel_barrier(gravel));
    fill_items(&items, test, gravel_node(gravel));
    if (test->form == FORM_HOST)
        send_from_host(&items, test);
    else
        send_from_kernel(program, &items, test);
    for (uint32_t node = 0; node < n_nodes; node++)
        if (gravel_is_local(gravel, node))
            n_wrong += !node_holds(test, node) || !node_is_answered(test, node);
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_wrong, 1));
    if (n_wrong && gravel_node(gravel) == 0)
        printf("# %s%u, %s, to %s, %s: %u nodes hold other sums or answers\n",
               kind_names[test->kind], test->n_args, form_names[test->form],
               target_names[test->target], activity_names[test->activity], (unsigned)n_wrong);
    return n_wrong == 0;
}

static bool run_form(cl_program program, struct test_case test)
{
    bool holds = true;
    for (test.target = 0; test.target < N_TARGETS; test.target++)
        for (test.activity = 0; test.activity < N_ACTIVITIES; test.activity++)
            if (test.form != FORM_GROUP || test.activity == ALL)
                holds &= run_case(program, &test);
    if (gravel_node(gravel) == 0)
        printf("%sok %u - %s%u %s, run by the device (%s)\n", holds ? "" : "not ", ++n_lines,
               kind_names[test.kind], test.n_args, form_names[test.form], gravel_step(gravel));
    fflush(stdout);
    return holds;
}

/* Every form of calls of a kind; the host does not ask. */
static bool run_kind(cl_program program, enum kind kind, uint32_t least_args, uint32_t most_args)
{
    bool holds = true;
    for (uint32_t n_args = least_args; n_args <= most_args; n_args++)
        for (enum form form = 0; form < (kind == ASK ? FORM_HOST : N_FORMS); form++)
            holds &=
                run_form(program, (struct test_case){.kind = kind, .n_args = n_args, .form = form});
    return holds;
}

int suite_handlers(int n_arguments, char **arguments)
{
    const struct gravel_handler handlers[] = {
        {.name = "take0", .n_args = 0},
        {.name = "take1", .n_args = 1},
        {.name = "take2", .n_args = 2},
        {.name = "take3", .n_args = 3},
        {.name = "take4", .n_args = 4},
        {.name = "narrow1", .n_args = 1, .arg_bytes = 4},
        {.name = "narrow2", .n_args = 2, .arg_bytes = 4},
        {.name = "narrow3", .n_args = 3, .arg_bytes = 4},
        {.name = "narrow4", .n_args = 4, .arg_bytes = 4},
        {.name = "answer0", .n_args = 0, .n_answers = 1},
        {.name = "answer1", .n_args = 1, .n_answers = 1, .serve = {.n_keys = 1}},
        {.name = "answer2", .n_args = 2, .n_answers = 1, .serve = {.n_keys = 1}},
        {.name = "answer3", .n_args = 3, .n_answers = 1, .serve = {.n_keys = 1}},
    };
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers,
                        .device_code.source = device_calls_cl,
                        .device_code.name = "device_calls.cl");
    bool holds = true;
    (void)n_arguments, (void)arguments;
    int code = gravel_open(&gravel, NULL, &bindings);
    if (code == GRAVEL_ECAPABILITY) {
        printf("1..0 # SKIP %s\n", gravel_last_error());
        return SUITE_REFUSED;
    }
    OK(code);
    n_nodes = gravel_n_nodes(gravel);
    n_origins =
        n_nodes > 1 && gravel_is_local(gravel, 0) && gravel_is_local(gravel, 1) ? 1 : n_nodes;
    heap_at = alloc_or_die(gravel, HEAP_BYTES);
    MUST(heap_at == HEAP_AT); /* kernels and handlers rely on it */
    cl_program program = build_or_die(gravel, device_calls_cl, NULL);
    holds &= run_kind(program, AM, 0, GRAVEL_AM_MAX_ARGS);
    holds &= run_kind(program, NARROW, 1, GRAVEL_AM_MAX_ARGS);
    holds &= run_kind(program, ASK, 0, GRAVEL_ASK_MAX_ARGS);
    clReleaseProgram(program);
    if (gravel_node(gravel) == 0)
        printf("1..%u\n", n_lines);
    OK(gravel_close(gravel));
    return !holds;
}
