/* SPDX-License-Identifier: MIT */
/*
 * Conformance of handlers written in OpenCL C: 0 to 4 arguments, every form, to the own node, the
 * next and all, from full, partial and empty groups.
 *
 * The handlers keep sums in the heap of the destination, which do not depend on order; a serial
 * pass over what every node sent gives the sums they must equal.
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

enum form { FORM_GROUP, FORM_IF, FORM_WI, FORM_HOST, N_FORMS };
enum target { SELF, NEXT, SPREAD, N_TARGETS };
enum activity { ALL, ODD, ONE_LANE, ONE_GROUP, EMPTY, N_ACTIVITIES };
static const char *const form_names[] = {"group", "if", "wi", "host"};
static const char *const target_names[] = {"self", "next", "spread"};
static const char *const activity_names[] = {"all", "odd", "one lane", "one group", "empty"};

struct test_case {
    uint32_t n_args;
    enum form form;
    enum target target;
    enum activity activity;
};

/* What one node sends. */
struct items {
    uint32_t active[N_ITEMS], nodes[N_ITEMS];
    uint64_t args[N_ITEMS][GRAVEL_AM_MAX_ARGS];
};

static struct gravel *gravel;
static uint32_t n_nodes, n_origins;
static uint64_t sums_at; /* uint [5 handlers][N_SUMS] */
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
            items->args[i][k] = mix(i * 4 + k + 104729u * origin);
    }
}

/* ---- what must come out ---------------------------------------------------------------------- */

static void add_item(uint32_t sums[N_SUMS], const struct items *items, uint32_t i, uint32_t n_args,
                     uint32_t origin)
{
    uint32_t mixed = origin;
    sums[0]++;
    for (uint32_t k = 0; k < 2 * GRAVEL_AM_MAX_ARGS; k++) {
        uint64_t arg = k / 2 < n_args ? items->args[i][k / 2] : 0;
        uint32_t half = (uint32_t)(k % 2 ? arg >> 32 : arg);
        sums[1 + k] += half;
        mixed = MIX(mixed, half);
    }
    sums[9] += items->nodes[i];
    sums[10] += n_nodes;
    sums[11] += mixed;
}

static bool node_holds(const struct test_case *test, uint32_t node)
{
    uint32_t expected[GRAVEL_AM_MAX_ARGS + 1][N_SUMS];
    struct items items;
    memset(expected, 0, sizeof expected);
    for (uint32_t origin = 0; origin < n_origins; origin++) {
        fill_items(&items, test, origin);
        for (uint32_t i = 0; i < N_ITEMS; i++)
            if (items.active[i] && items.nodes[i] == node)
                add_item(expected[test->n_args], &items, i, test->n_args, origin);
    }
    const void *found = read_map(gravel, node, sums_at, sizeof expected);
    bool holds = !memcmp(found, expected, sizeof expected);
    unmap(gravel, found);
    return holds;
}

/* ---- sending --------------------------------------------------------------------------------- */

static void send_from_host(const struct items *items, uint32_t n_args)
{
    for (uint32_t i = 0; i < N_ITEMS; i++)
        if (items->active[i])
            OK(gravel_am(gravel, n_args, items->args[i], n_args, items->nodes[i]));
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
    snprintf(name, sizeof name, "am%u_%s", test->n_args, form_names[test->form]);
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
            fill(gravel, node, sums_at, 0, 4 * N_SUMS * (GRAVEL_AM_MAX_ARGS + 1));
    OK(gravel_barrier(gravel));
    fill_items(&items, test, gravel_node(gravel));
    if (test->form == FORM_HOST)
        send_from_host(&items, test->n_args);
    else
        send_from_kernel(program, &items, test);
    for (uint32_t node = 0; node < n_nodes; node++)
        if (gravel_is_local(gravel, node))
            n_wrong += !node_holds(test, node);
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &n_wrong, 1));
    if (n_wrong && gravel_node(gravel) == 0)
        printf("# %u arguments, %s, to %s, %s: %u nodes hold other sums\n", test->n_args,
               form_names[test->form], target_names[test->target], activity_names[test->activity],
               (unsigned)n_wrong);
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
        printf("%sok %u - am%u %s, run by the device (%s)\n", holds ? "" : "not ", ++n_lines,
               test.n_args, form_names[test.form], gravel_step(gravel));
    fflush(stdout);
    return holds;
}

int suite_handlers(int n_arguments, char **arguments)
{
    const struct gravel_handler handlers[] = {{.name = "take0", .n_args = 0},
                                              {.name = "take1", .n_args = 1},
                                              {.name = "take2", .n_args = 2},
                                              {.name = "take3", .n_args = 3},
                                              {.name = "take4", .n_args = 4}};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 5,
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
    sums_at = alloc_or_die(gravel, 4 * N_SUMS * (GRAVEL_AM_MAX_ARGS + 1));
    MUST(sums_at == 0); /* the handlers rely on it */
    cl_program program = build_or_die(gravel, device_calls_cl, NULL);
    for (uint32_t n_args = 0; n_args <= GRAVEL_AM_MAX_ARGS; n_args++)
        for (enum form form = 0; form < N_FORMS; form++)
            holds &= run_form(program, (struct test_case){n_args, form, 0, 0});
    clReleaseProgram(program);
    if (gravel_node(gravel) == 0)
        printf("1..%u\n", n_lines);
    OK(gravel_close(gravel));
    return !holds;
}
