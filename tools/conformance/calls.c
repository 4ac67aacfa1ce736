/* SPDX-License-Identifier: MIT */
/*
 * Conformance of active messages with 0 to 4 arguments: every form, target and activity.
 *
 * Each destination keeps a count and sums that do not depend on order; a second, serial pass over what was
 * sent gives the sums they must equal.
 *
 * Path:    plan.c -> kernel or gravel_am -> take() at the destination.
 * Threads: take() runs in the network thread; the sums are read after a barrier.
 */
#include "stage.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENT_STEP UINT64_C(0x100000001) /* as in conformance.cl */

/* What one node got through one handler. */
struct sums {
    uint64_t n, arguments[GRAVEL_AM_MAX_ARGS], mixed;
};

static struct sums (*got)[GRAVEL_AM_MAX_ARGS + 1]; /* [n_nodes] */

/* Mixed takes source and all arguments together: two messages that swap one change it. */
static void add_call(struct sums *sums, uint32_t source, const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    uint64_t mixed = mix(source);
    sums->n++;
    for (uint32_t k = 0; k < GRAVEL_AM_MAX_ARGS; k++) {
        sums->arguments[k] += args[k];
        mixed = mix(mixed ^ args[k]);
    }
    sums->mixed += mixed;
}

static int take(struct gravel *gravel, void *user, uint32_t source,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    uint32_t n_args = (uint32_t)(uintptr_t)user;
    add_call(&got[gravel_node(gravel)][n_args], source, args);
    return 0;
}

const struct gravel_handler call_handlers[GRAVEL_AM_MAX_ARGS + 1] = {
    {.name = "take0", .n_args = 0, .function = take, .user = (void *)0},
    {.name = "take1", .n_args = 1, .function = take, .user = (void *)1},
    {.name = "take2", .n_args = 2, .function = take, .user = (void *)2},
    {.name = "take3", .n_args = 3, .function = take, .user = (void *)3},
    {.name = "take4", .n_args = 4, .function = take, .user = (void *)4},
};

static void arguments_of(uint64_t bits, uint32_t n_args, uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    for (uint32_t k = 0; k < GRAVEL_AM_MAX_ARGS; k++)
        args[k] = k < n_args ? bits + k * ARGUMENT_STEP : 0;
}

static bool node_holds(struct stage *stage, const struct test_case *test, uint32_t node,
                       uint32_t n_args)
{
    struct sums expected[GRAVEL_AM_MAX_ARGS + 1];
    struct plan plan;
    memset(expected, 0, sizeof expected);
    for (uint32_t origin = 0; origin < stage->n_origins; origin++) {
        plan_fill(&plan, test, origin, stage->n_nodes);
        for (uint32_t i = 0; i < N_ITEMS; i++) {
            uint64_t args[GRAVEL_AM_MAX_ARGS];
            arguments_of(plan.bits[i], n_args, args);
            if (plan.active[i] && plan.nodes[i] == node)
                add_call(&expected[n_args], origin, args);
        }
    }
    return !memcmp(got[node], expected, sizeof expected);
}

static void send_from_host(struct stage *stage, const struct plan *plan, uint32_t n_args)
{
    uint64_t args[GRAVEL_AM_MAX_ARGS];
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        arguments_of(plan->bits[i], n_args, args);
        if (plan->active[i])
            OK(gravel_am(stage->gravel, n_args, args, n_args, plan->nodes[i]));
    }
}

static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *context)
{
    const uint32_t n_args = *(const uint32_t *)context;
    struct plan plan;
    bool holds = true;
    plan_fill(&plan, test, stage->node, stage->n_nodes);
    stage_load(stage, &plan, 8);
    memset(got, 0, stage->n_nodes * sizeof *got);
    OK(gravel_barrier(stage->gravel));
    if (kernel) {
        OK(stage_run(stage, kernel, test->n_items));
    } else {
        send_from_host(stage, &plan, n_args);
        OK(gravel_barrier(stage->gravel));
    }
    for (uint32_t node = 0; node < stage->n_nodes && holds; node++)
        if (gravel_is_local(stage->gravel, node))
            holds = node_holds(stage, test, node, n_args) ||
                    stage_differs(stage, "node %u got other calls than were sent", node);
    return stage_judge(stage, test, holds);
}

static void run_form(struct stage *stage, struct test_case test, uint32_t n_args)
{
    char kernel_name[32];
    snprintf(kernel_name, sizeof kernel_name, "%s%s", test.name, form_suffixes[test.form]);
    cl_kernel kernel = test.form == FORM_HOST ? NULL : stage_kernel(stage, kernel_name, 0);
    MUST(kernel || test.form == FORM_HOST);
    stage_cases(stage, test, kernel, run_case, &n_args);
}

void run_calls(struct stage *stage)
{
    static const char *const names[] = {"am0", "am1", "am2", "am3", "am4"};
    static const enum form forms[] = {FORM_GROUP, FORM_IF, FORM_WI, FORM_HOST};
    got = calloc(stage->n_nodes, sizeof *got);
    MUST(got);
    for (uint32_t n_args = 0; n_args <= GRAVEL_AM_MAX_ARGS; n_args++)
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
            if (!stage->is_of_singles || forms[i] == FORM_HOST || (n_args + i) % 3 == 0)
                run_form(
                    stage,
                    (struct test_case){names[n_args], GRAVEL_AM, GRAVEL_ULONG, forms[i], 0, 0, 0},
                    n_args);
    free(got); /* no call is under way: each case ends with a barrier */
    got = NULL;
}
