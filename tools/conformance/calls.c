/* SPDX-License-Identifier: MIT */
/*
 * Conformance of active messages with 0 to 4 arguments: to functions of the host; and to handlers in OpenCL C, with
 * arguments of 8 and 4 bytes, and asked, with a key and without. Every form, target and activity.
 *
 * A handler keeps sums at its node, which do not depend on order: of the host's here, of the device's in the heap. A second,
 * serial pass over what every node sent gives the sums they must equal, and the answers.
 *
 * Path:    plan.c -> conformance.cl or device_calls.cl (kernels), or gravel_am -> take() or device_calls.cl (handlers) -> here.
 * Threads: take() runs in the network thread; the sums are read after a barrier.
 */
#include "stage.h"
#include "suites.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char device_calls_cl[];

#define N_SUMS 16u /* as in device_calls.cl, and so are MIX and ARGUMENT_STEP */
#define MIX(mixed, word) ((mixed ^ (word)) * 16777619u)
#define ARGUMENT_STEP UINT64_C(0x100000001) /* as in conformance.cl, too */
#define HEAP_AT 64u     /* as in device_calls.cl: the first allocation of a node */
#define ANSWERS_AT 512u /* as in device_calls.cl; behind the sums, and the signal behind them */
#define HEAP_BYTES (ANSWERS_AT + 8 * N_ITEMS + 64)

/* What a node got with each number of arguments. */
struct sums {
    uint32_t of[GRAVEL_AM_MAX_ARGS + 1][N_SUMS];
};
_Static_assert(sizeof(struct sums) <= ANSWERS_AT, "sums end before answers");

/* ---- what must come out ---------------------------------------------------------------------- */

static void arguments_of(const struct gravel_handler *handler, uint64_t bits,
                         uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    for (uint32_t k = 0; k < GRAVEL_AM_MAX_ARGS; k++) {
        args[k] = k < handler->n_args ? bits + k * ARGUMENT_STEP : 0;
        args[k] = handler->arg_bytes == 4 ? (uint32_t)args[k] : args[k];
    }
}

static uint32_t half_of(const uint64_t *args, uint32_t k)
{
    return (uint32_t)(args[k / 2] >> 32 * (k % 2));
}

/* All of a message taken together: two messages that swap an argument change it. */
static uint32_t mix_all(const uint64_t *args, uint32_t source)
{
    uint32_t mixed = source;
    for (uint32_t k = 0; k < 2 * GRAVEL_AM_MAX_ARGS; k++)
        mixed = MIX(mixed, half_of(args, k));
    return mixed;
}

/* As add_up of device_calls.cl. */
static void add_up(uint32_t sums[N_SUMS], const uint64_t *args, uint32_t source, uint32_t node,
                   uint32_t n_nodes)
{
    sums[0]++;
    for (uint32_t k = 0; k < 2 * GRAVEL_AM_MAX_ARGS; k++)
        sums[1 + k] += half_of(args, k);
    sums[9] += node;
    sums[10] += n_nodes;
    sums[11] += mix_all(args, source);
}

/* ---- handlers -------------------------------------------------------------------------------- */

static struct sums *got; /* [n_nodes] by functions of the host */

static int take(struct gravel *gravel, void *user, uint32_t source,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    const uint32_t node = gravel_node(gravel);
    add_up(got[node].of[(uintptr_t)user], args, source, node, gravel_n_nodes(gravel));
    return 0;
}

/* Its place in a table is a handler's number. */
const struct gravel_handler call_handlers[GRAVEL_AM_MAX_ARGS + 1] = {
    {.name = "take0", .n_args = 0, .function = take, .user = (void *)0},
    {.name = "take1", .n_args = 1, .function = take, .user = (void *)1},
    {.name = "take2", .n_args = 2, .function = take, .user = (void *)2},
    {.name = "take3", .n_args = 3, .function = take, .user = (void *)3},
    {.name = "take4", .n_args = 4, .function = take, .user = (void *)4},
};

static const struct gravel_handler device_handlers[] = {
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
#define N_DEVICE_HANDLERS (sizeof device_handlers / sizeof *device_handlers)

/* ---- cases ----------------------------------------------------------------------------------- */

static bool node_holds(struct stage *stage, const struct test_case *test,
                       const struct gravel_handler *handler, uint32_t node)
{
    struct sums expected = {{{0}}};
    struct plan plan;
    for (uint32_t origin = 0; origin < stage->n_origins; origin++) {
        plan_fill(&plan, test, origin, stage->n_nodes);
        for (uint32_t i = 0; i < N_ITEMS; i++) {
            uint64_t args[GRAVEL_AM_MAX_ARGS];
            arguments_of(handler, plan.bits[i], args);
            if (plan.active[i] && plan.nodes[i] == node && !handler->n_answers)
                add_up(expected.of[handler->n_args], args, origin, node, stage->n_nodes);
        }
    }
    if (handler->function)
        return !memcmp(&got[node], &expected, sizeof expected);
    const void *found = read_map(stage->gravel, node, stage->heap, sizeof expected);
    bool holds = !memcmp(found, &expected, sizeof expected);
    unmap(stage->gravel, found);
    return holds;
}

/* Answers are where they were asked for, and the signal has counted them. */
static bool node_is_answered(struct stage *stage, const struct test_case *test,
                             const struct gravel_handler *handler, uint32_t node)
{
    uint64_t expected[N_ITEMS + 1] = {0}; /* the last: a uint, and zeros behind it */
    struct plan plan;
    if (handler->function)
        return true;
    plan_fill(&plan, test, node, stage->n_nodes);
    for (uint32_t i = 0; i < N_ITEMS && handler->n_answers && node < stage->n_origins; i++)
        if (plan.active[i]) {
            uint64_t args[GRAVEL_AM_MAX_ARGS];
            arguments_of(handler, plan.bits[i], args);
            expected[i] =
                (uint64_t)(100 * handler->n_args + plan.nodes[i]) << 32 | mix_all(args, node);
            expected[N_ITEMS]++;
        }
    const void *found = read_map(stage->gravel, node, stage->heap + ANSWERS_AT, sizeof expected);
    bool holds = !memcmp(found, expected, sizeof expected);
    unmap(stage->gravel, found);
    return holds;
}

static void forget(struct stage *stage, bool is_of_host)
{
    if (is_of_host)
        memset(got, 0, stage->n_nodes * sizeof *got);
    for (uint32_t node = 0; node < stage->n_nodes && !is_of_host; node++)
        if (gravel_is_local(stage->gravel, node))
            fill(stage->gravel, node, stage->heap, 0, HEAP_BYTES);
    OK(gravel_barrier(stage->gravel));
}

static void send_from_host(struct stage *stage, const struct plan *plan,
                           const struct gravel_handler *handler, uint32_t number)
{
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        uint64_t args[GRAVEL_AM_MAX_ARGS];
        arguments_of(handler, plan->bits[i], args);
        if (plan->active[i])
            OK(gravel_am(stage->gravel, number, args, handler->n_args, plan->nodes[i]));
    }
    OK(gravel_barrier(stage->gravel));
}

static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *context)
{
    const struct gravel_handler *handler = context;
    struct plan plan;
    bool holds = true;
    plan_fill(&plan, test, stage->node, stage->n_nodes);
    stage_load(stage, &plan, 8);
    forget(stage, handler->function);
    if (kernel)
        OK(stage_run(stage, kernel, test->n_items));
    else
        send_from_host(stage, &plan, handler,
                       (uint32_t)(handler - (handler->function ? call_handlers : device_handlers)));
    for (uint32_t node = 0; node < stage->n_nodes && holds; node++)
        if (gravel_is_local(stage->gravel, node))
            holds = (node_holds(stage, test, handler, node) &&
                     node_is_answered(stage, test, handler, node)) ||
                    stage_differs(stage, "node %u holds other sums or answers", node);
    return stage_judge(stage, test, holds);
}

/* @param name  of the message, and of its kernels behind `to`. */
static void run_form(struct stage *stage, const struct gravel_handler *handler, const char *name,
                     const char *to, enum form form)
{
    char kernel_name[32];
    snprintf(kernel_name, sizeof kernel_name, "%s%s", to, name);
    const struct test_case test = {name, kernel_name, GRAVEL_AM, GRAVEL_ULONG, form, 0, 0, 0};
    cl_kernel kernel =
        form == FORM_HOST ? NULL : stage_kernel(stage, &test, handler->function ? 0 : stage->heap);
    MUST(kernel || form == FORM_HOST);
    stage_cases(stage, test, kernel, run_case, (void *)handler);
}

void run_calls(struct stage *stage)
{
    static const char *const names[] = {"am0", "am1", "am2", "am3", "am4"};
    got = calloc(stage->n_nodes, sizeof *got);
    MUST(got);
    for (uint32_t n_args = 0; n_args <= GRAVEL_AM_MAX_ARGS; n_args++)
        for (enum form form = FORM_GROUP; form < N_FORMS; form++)
            if (!stage->is_of_singles || form == FORM_HOST || (n_args + (uint32_t)form) % 3 == 0)
                run_form(stage, &call_handlers[n_args], names[n_args], "", form);
    free(got); /* no call is under way: each case ends with a barrier */
    got = NULL;
}

int suite_handlers(int n_arguments, char **arguments)
{
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = device_handlers, .n_handlers = N_DEVICE_HANDLERS,
                        .device_code.source = device_calls_cl,
                        .device_code.name = "device_calls.cl");
    struct stage stage;
    (void)n_arguments, (void)arguments;
    if (!stage_open_if_able(&stage, &bindings, HEAP_BYTES, device_calls_cl))
        return SUITE_REFUSED;
    MUST(stage.heap == HEAP_AT); /* kernels and handlers rely on it */
    for (size_t i = 0; i < N_DEVICE_HANDLERS; i++)
        for (enum form form = FORM_GROUP; form < N_FORMS; form++)
            if (form != FORM_HOST || !device_handlers[i].n_answers) /* the host does not ask */
                run_form(&stage, &device_handlers[i], device_handlers[i].name, "to_", form);
    return stage_end(&stage);
}
