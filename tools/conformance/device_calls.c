/* SPDX-License-Identifier: MIT */
/*
 * Conformance of handlers written in OpenCL C: 0 to 4 arguments, of 8 and 4 bytes, and asked, with a key and without;
 * every form, target and activity.
 *
 * The handlers keep sums in the heap of the destination, which do not depend on order; a serial pass over what every
 * node sent gives the sums they must equal, and the answers.
 *
 * Path:    plan.c -> device_calls.cl (kernels), or gravel_am -> device_calls.cl (handlers) -> the heap -> this.
 */
#include "stage.h"
#include "suites.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

extern const char device_calls_cl[];

#define N_SUMS 16u /* as in device_calls.cl, and so are MIX and ARGUMENT_STEP */
#define MIX(mixed, word) ((mixed ^ (word)) * 16777619u)
#define ARGUMENT_STEP UINT64_C(0x100000001)
#define SUMS_BYTES (4 * N_SUMS * (GRAVEL_AM_MAX_ARGS + 1))
#define HEAP_AT 64u     /* as in device_calls.cl: the first allocation of a node */
#define ANSWERS_AT 512u /* as in device_calls.cl; behind the sums, and the signal behind them */
#define HEAP_BYTES (ANSWERS_AT + 8 * N_ITEMS + 64)
_Static_assert(SUMS_BYTES <= ANSWERS_AT, "sums end before answers");

/* What a case sends; its place in the table is its number. */
static const struct gravel_handler handlers[] = {
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
#define N_HANDLERS (sizeof handlers / sizeof *handlers)

/* ---- what must come out ---------------------------------------------------------------------- */

static uint64_t argument_of(const struct gravel_handler *handler, uint64_t bits, uint32_t k)
{
    const uint64_t argument = k < handler->n_args ? bits + k * ARGUMENT_STEP : 0;
    return handler->arg_bytes == 4 ? (uint32_t)argument : argument;
}

static uint32_t half_of(const struct gravel_handler *handler, uint64_t bits, uint32_t k)
{
    return (uint32_t)(argument_of(handler, bits, k / 2) >> 32 * (k % 2));
}

/* All of a message taken together. */
static uint32_t mix_item(const struct gravel_handler *handler, uint64_t bits, uint32_t origin)
{
    uint32_t mixed = origin;
    for (uint32_t k = 0; k < 2 * GRAVEL_AM_MAX_ARGS; k++)
        mixed = MIX(mixed, half_of(handler, bits, k));
    return mixed;
}

static bool node_holds(struct stage *stage, const struct test_case *test,
                       const struct gravel_handler *handler, uint32_t node)
{
    uint32_t expected[GRAVEL_AM_MAX_ARGS + 1][N_SUMS] = {{0}}, *sums = expected[handler->n_args];
    struct plan plan;
    for (uint32_t origin = 0; origin < stage->n_origins; origin++) {
        plan_fill(&plan, test, origin, stage->n_nodes);
        for (uint32_t i = 0; i < N_ITEMS; i++) {
            if (!plan.active[i] || plan.nodes[i] != node || handler->n_answers)
                continue;
            sums[0]++;
            for (uint32_t k = 0; k < 2 * GRAVEL_AM_MAX_ARGS; k++)
                sums[1 + k] += half_of(handler, plan.bits[i], k);
            sums[9] += node;
            sums[10] += stage->n_nodes;
            sums[11] += mix_item(handler, plan.bits[i], origin);
        }
    }
    const void *found = read_map(stage->gravel, node, stage->heap, sizeof expected);
    bool holds = !memcmp(found, expected, sizeof expected);
    unmap(stage->gravel, found);
    return holds;
}

/* Answers are where they were asked for, and the signal has counted them. */
static bool node_is_answered(struct stage *stage, const struct test_case *test,
                             const struct gravel_handler *handler, uint32_t node)
{
    uint64_t expected[N_ITEMS + 1] = {0}; /* the last: a uint, and zeros behind it */
    struct plan plan;
    plan_fill(&plan, test, node, stage->n_nodes);
    for (uint32_t i = 0; i < N_ITEMS && handler->n_answers && node < stage->n_origins; i++)
        if (plan.active[i]) {
            expected[i] = (uint64_t)(100 * handler->n_args + plan.nodes[i]) << 32 |
                          mix_item(handler, plan.bits[i], node);
            expected[N_ITEMS]++;
        }
    const void *found = read_map(stage->gravel, node, stage->heap + ANSWERS_AT, sizeof expected);
    bool holds = !memcmp(found, expected, sizeof expected);
    unmap(stage->gravel, found);
    return holds;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void send_from_host(struct stage *stage, const struct plan *plan,
                           const struct gravel_handler *handler)
{
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        uint64_t arguments[GRAVEL_AM_MAX_ARGS];
        for (uint32_t k = 0; k < GRAVEL_AM_MAX_ARGS; k++)
            arguments[k] = argument_of(handler, plan->bits[i], k);
        if (plan->active[i])
            OK(gravel_am(stage->gravel, (uint32_t)(handler - handlers), arguments, handler->n_args,
                         plan->nodes[i]));
    }
    OK(gravel_barrier(stage->gravel));
}

static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *context)
{
    const struct gravel_handler *handler = context;
    struct plan plan;
    bool holds = true;
    for (uint32_t node = 0; node < stage->n_nodes; node++)
        if (gravel_is_local(stage->gravel, node))
            fill(stage->gravel, node, stage->heap, 0, HEAP_BYTES);
    OK(gravel_barrier(stage->gravel));
    plan_fill(&plan, test, stage->node, stage->n_nodes);
    stage_load(stage, &plan, 8);
    if (kernel)
        OK(stage_run(stage, kernel, test->n_items));
    else
        send_from_host(stage, &plan, handler);
    for (uint32_t node = 0; node < stage->n_nodes && holds; node++)
        if (gravel_is_local(stage->gravel, node))
            holds = (node_holds(stage, test, handler, node) &&
                     node_is_answered(stage, test, handler, node)) ||
                    stage_differs(stage, "node %u holds other sums or answers", node);
    return stage_judge(stage, test, holds);
}

static void run_form(struct stage *stage, const struct gravel_handler *handler, enum form form)
{
    char name[64];
    const struct test_case test = {handler->name, GRAVEL_AM, GRAVEL_ULONG, form, 0, 0, 0};
    snprintf(name, sizeof name, "to_%s%s", handler->name, form_suffixes[form]);
    cl_kernel kernel = form == FORM_HOST ? NULL : stage_kernel(stage, name, stage->heap);
    MUST(kernel || form == FORM_HOST);
    stage_cases(stage, test, kernel, run_case, (void *)handler);
}

int suite_handlers(int n_arguments, char **arguments)
{
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = N_HANDLERS,
                        .device_code.source = device_calls_cl,
                        .device_code.name = "device_calls.cl");
    struct stage stage;
    (void)n_arguments, (void)arguments;
    if (!stage_open_if_able(&stage, &bindings))
        return SUITE_REFUSED;
    stage.heap = alloc_or_die(stage.gravel, HEAP_BYTES);
    MUST(stage.heap == HEAP_AT); /* kernels and handlers rely on it */
    stage.program = stage_build(&stage, device_calls_cl);
    for (size_t i = 0; i < N_HANDLERS; i++)
        for (enum form form = FORM_GROUP; form < N_FORMS; form++)
            if (form != FORM_HOST || !handlers[i].n_answers) /* the host does not ask */
                run_form(&stage, &handlers[i], form);
    stage_end(&stage);
    stage_close(&stage);
    return stage.n_failed_lines != 0;
}
