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

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char device_calls_cl[];

#define N_SUMS 16u /* as in device_calls.cl, and so are MIX and ARGUMENT_STEP */
#define MIX(mixed, word) ((mixed ^ (word)) * 16777619u)
#define ARGUMENT_STEP UINT64_C(0x100000001) /* as in conformance.cl, too */
#define HEAP_AT 64u /* as in device_calls.cl: the first allocation of a node */

/* What a node has got, as device_calls.cl lays it out. */
struct heap {
    uint32_t sums[8][N_SUMS]; /* by the number of arguments */
    uint64_t answers[N_ITEMS];
    uint64_t signal[8]; /* the first: a uint */
};
_Static_assert(offsetof(struct heap, answers) == 512, "ANSWERS_AT of device_calls.cl");

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

/* Adds up as add_up of device_calls.cl. */
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

static struct heap *got; /* [n_nodes] by functions of the host */

static int take(struct gravel *gravel, void *user, uint32_t source,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    const uint32_t node = gravel_node(gravel);
    add_up(got[node].sums[(uintptr_t)user], args, source, node, gravel_n_nodes(gravel));
    return 0;
}

/* A handler's index is its number. */
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

/* Adds what a node gets of the messages of one origin, or of their answers. */
static void expect(struct stage *stage, const struct test_case *test,
                   const struct gravel_handler *handler, uint32_t node, uint32_t origin,
                   struct heap *heap)
{
    struct plan plan;
    plan_fill(&plan, test, origin, stage->n_nodes);
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        uint64_t args[GRAVEL_AM_MAX_ARGS];
        if (!plan.active[i] || node != (handler->n_answers ? origin : plan.nodes[i]))
            continue;
        arguments_of(handler, plan.bits[i], args);
        if (handler->n_answers) {
            const uint64_t who = 100 * handler->n_args + plan.nodes[i];
            heap->answers[i] = who << 32 | mix_all(args, node);
            heap->signal[0]++;
        } else {
            add_up(heap->sums[handler->n_args], args, origin, node, stage->n_nodes);
        }
    }
}

static bool node_holds(struct stage *stage, const struct test_case *test,
                       const struct gravel_handler *handler, uint32_t node)
{
    struct heap expected = {.signal = {0}};
    for (uint32_t origin = 0; origin < stage->n_origins; origin++)
        expect(stage, test, handler, node, origin, &expected);
    return handler->function ? stage_same(stage, &got[node], &expected, sizeof expected, 4, "sum")
                             : stage_heap_is(stage, node, stage->heap, &expected, sizeof expected,
                                             4, "word of sums, answers and signal");
}

static void send_from_host(struct stage *stage, const struct gravel_handler *handler)
{
    const struct plan *plan = &stage->plan;
    const ptrdiff_t number = handler - (handler->function ? call_handlers : device_handlers);
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        uint64_t args[GRAVEL_AM_MAX_ARGS];
        arguments_of(handler, plan->bits[i], args);
        if (plan->active[i])
            OK(gravel_am(stage->gravel, (uint32_t)number, args, handler->n_args, plan->nodes[i]));
    }
    OK(gravel_barrier(stage->gravel));
}

static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *context)
{
    const struct gravel_handler *handler = context;
    bool holds = true;
    stage_load(stage, &stage->plan, 8);
    if (got)
        memset(got, 0, stage->n_nodes * sizeof *got);
    for (uint32_t node = 0; node < stage->n_nodes && !got; node++)
        if (gravel_is_local(stage->gravel, node))
            fill(stage->gravel, node, stage->heap, 0, sizeof *got);
    OK(gravel_barrier(stage->gravel));
    if (kernel)
        OK(stage_run(stage, kernel, test->n_items));
    else
        send_from_host(stage, handler);
    for (uint32_t node = 0; node < stage->n_nodes && holds; node++)
        holds = !gravel_is_local(stage->gravel, node) || node_holds(stage, test, handler, node);
    return holds;
}

/* @param name  of the message, and of its kernels behind `to`. */
static void run_form(struct stage *stage, const struct gravel_handler *handler, const char *name,
                     const char *to, enum form form)
{
    char kernel_name[32];
    snprintf(kernel_name, sizeof kernel_name, "%s%s", to, name);
    const struct test_case test = {name, kernel_name, GRAVEL_AM, GRAVEL_ULONG, form, 0, 0, 0};
    stage_cases(stage, test, stage->heap, run_case, (void *)handler);
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
}

static void run_handlers(struct stage *stage)
{
    MUST(stage->heap == HEAP_AT); /* kernels and handlers rely on it */
    for (size_t i = 0; i < N_DEVICE_HANDLERS; i++)
        for (enum form form = FORM_GROUP; form < N_FORMS; form++)
            if (form != FORM_HOST || !device_handlers[i].n_answers) /* the host does not ask */
                run_form(stage, &device_handlers[i], device_handlers[i].name, "to_", form);
}

static const struct gravel_bindings bindings =
    GRAVEL_BINDINGS(.handlers = device_handlers, .n_handlers = N_DEVICE_HANDLERS,
                    .device_code.source = device_calls_cl, .device_code.name = "device_calls.cl");
const struct suite suite_handlers = {device_calls_cl, sizeof(struct heap), run_handlers, &bindings,
                                     NULL};
