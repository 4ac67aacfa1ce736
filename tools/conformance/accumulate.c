/* SPDX-License-Identifier: MIT */
/*
 * Conformance of accumulators: every operation and type, target and activity, with the ends of every type's range.
 *
 * Path:    plan.c -> accumulate.cl -> an accumulator, which the barrier flushes -> words.c compares.
 */
#include "stage.h"
#include "suites.h"
#include "support.h"

#include <gravel/accumulator.h>

#include <stdio.h>

extern const char accumulate_cl[];

/* What has been sent for the case before is forgotten: a least word would stay. */
static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *accumulator)
{
    struct plan plan;
    plan_fill(&plan, test, stage->node, stage->n_nodes);
    words_prepare(stage, test);
    stage_load(stage, &plan, GRAVEL_TYPE_BYTES(test->type));
    OK(gravel_accumulator_reset(accumulator));
    OK(gravel_barrier(stage->gravel));
    OK(stage_run(stage, kernel, test->n_items));
    return stage_judge(stage, test, words_hold(stage, test));
}

static void run_operation(struct stage *stage, struct test_case test)
{
    struct gravel_accumulator *accumulator;
    test.form = FORM_WI;
    cl_kernel kernel = stage_kernel(stage, &test, words_offset(stage));
    if (!kernel)
        return;
    OK(gravel_accumulator_create(&accumulator, stage->gravel, words_offset(stage), N_WORDS, test.op,
                                 test.type));
    OK(gravel_kernel_set_accumulator(accumulator, kernel, 6));
    stage_cases(stage, test, kernel, run_case, accumulator);
    OK(gravel_accumulator_destroy(accumulator));
}

int suite_accumulate(int n_arguments, char **arguments)
{
#define OPERATION(OP, op, TYPE, type) \
    TEST_CASE("accumulate_" #op "_" #type, "accumulate_" #type, OP, TYPE),
    static const struct test_case operations[] = {GRAVEL_VALUE_OPERATIONS(OPERATION)
                                                      GRAVEL_DOUBLE_OPERATIONS(OPERATION)};
    struct stage stage;
    (void)n_arguments, (void)arguments;
    stage_open(&stage, NULL, WORDS_HEAP_BYTES, accumulate_cl);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].op != GRAVEL_PUT)
            run_operation(&stage, operations[i]);
    return stage_end(&stage);
}
