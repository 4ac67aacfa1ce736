/* SPDX-License-Identifier: MIT */
/*
 * Conformance of the operations on words: every operation, type, form, target and activity; and of active messages:
 * calls.c.
 *
 * Path:    plan.c -> kernel or gravel_update -> every node compares its heap with what plan.c makes of them.
 */
#include "stage.h"

#include "suites.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GUARD_BYTE 0xa7

extern const char conformance_cl[];

uint64_t words_offset(const struct stage *stage)
{
    return stage->heap + N_GUARDS * 8u;
}

static uint64_t load_word(const unsigned char *words, uint32_t bytes, uint32_t index)
{
    uint64_t bits = 0;
    memcpy(&bits, words + (size_t)index * bytes, bytes);
    return bits;
}

void words_prepare(struct stage *stage, const struct test_case *test)
{
    uint32_t bytes = GRAVEL_TYPE_BYTES(test->type);
    for (uint32_t node = 0; node < stage->n_nodes; node++) {
        if (!gravel_is_local(stage->gravel, node))
            continue;
        unsigned char *memory = map_or_die(stage->gravel, node, stage->heap, WORDS_HEAP_BYTES,
                                           CL_MAP_WRITE_INVALIDATE_REGION);
        memset(memory, GUARD_BYTE, WORDS_HEAP_BYTES);
        for (uint32_t i = 0; i < N_WORDS; i++) {
            uint64_t bits = plan_first_bits(test, node, i);
            memcpy(memory + N_GUARDS * 8u + (size_t)i * bytes, &bits, bytes);
        }
        OK(gravel_unmap(stage->gravel, memory));
    }
}

static bool guards_hold(const unsigned char *memory, uint32_t bytes)
{
    const unsigned char *end = memory + (N_WORDS + 2 * N_GUARDS) * 8u;
    for (const unsigned char *p = memory; p < memory + N_GUARDS * 8u; p++)
        if (*p != GUARD_BYTE)
            return false;
    for (const unsigned char *p = memory + N_GUARDS * 8u + (size_t)N_WORDS * bytes; p < end; p++)
        if (*p != GUARD_BYTE)
            return false;
    return true;
}

/* Compare one node's heap, `memory`, with the interpreter's. */
static bool node_holds(struct stage *stage, const struct test_case *test, uint32_t node,
                       const unsigned char *memory)
{
    static uint64_t expected[N_WORDS];
    struct plan plan;
    uint32_t bytes = GRAVEL_TYPE_BYTES(test->type);
    for (uint32_t i = 0; i < N_WORDS; i++)
        expected[i] = plan_first_bits(test, node, i);
    for (uint32_t origin = 0; origin < stage->n_origins; origin++) {
        plan_fill(&plan, test, origin, stage->n_nodes);
        interpret_plan(test, &plan, node, expected);
    }
    for (uint32_t i = 0; i < N_WORDS; i++) {
        uint64_t found = load_word(memory + N_GUARDS * 8u, bytes, i);
        if (found != expected[i])
            return stage_differs(stage, "node %u, word %u is 0x%" PRIx64 ", not 0x%" PRIx64, node,
                                 i, found, expected[i]);
    }
    return guards_hold(memory, bytes) ||
           stage_differs(stage, "node %u: something was written beside the words", node);
}

bool words_hold(struct stage *stage, const struct test_case *test)
{
    bool holds = true;
    for (uint32_t node = 0; node < stage->n_nodes && holds; node++) {
        if (!gravel_is_local(stage->gravel, node))
            continue;
        void *memory = map_or_die(stage->gravel, node, stage->heap, WORDS_HEAP_BYTES, CL_MAP_READ);
        holds = node_holds(stage, test, node, memory);
        OK(gravel_unmap(stage->gravel, memory));
    }
    return holds;
}

static void send_from_host(struct stage *stage, const struct test_case *test,
                           const struct plan *plan)
{
    uint32_t bytes = GRAVEL_TYPE_BYTES(test->type);
    for (uint32_t i = 0; i < N_ITEMS; i++)
        if (plan->active[i])
            OK(gravel_update(stage->gravel, test->op, test->type,
                             words_offset(stage) + (uint64_t)plan->indices[i] * bytes,
                             test->op == GRAVEL_INC ? NULL : &plan->bits[i], plan->nodes[i]));
}

static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *context)
{
    struct plan plan;
    (void)context;
    plan_fill(&plan, test, stage->node, stage->n_nodes);
    words_prepare(stage, test);
    stage_load(stage, &plan, GRAVEL_TYPE_BYTES(test->type));
    OK(gravel_barrier(stage->gravel));
    if (kernel) {
        OK(stage_run(stage, kernel, test->n_items));
    } else {
        send_from_host(stage, test, &plan);
        OK(gravel_barrier(stage->gravel));
    }
    return stage_judge(stage, test, words_hold(stage, test));
}

int suite_words(int n_arguments, char **arguments)
{
#define OPERATION(OP, op, TYPE, type) TEST_CASE(#op "_" #type, #op "_" #type, OP, TYPE),
#define INCREMENT(TYPE, type) OPERATION(INC, inc, TYPE, type)
    static const struct test_case operations[] = {GRAVEL_VALUE_OPERATIONS(
        OPERATION) GRAVEL_DOUBLE_OPERATIONS(OPERATION) GRAVEL_INC_TYPES(INCREMENT)};
    static const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = call_handlers,
                        .n_handlers = sizeof call_handlers / sizeof *call_handlers);
    struct stage stage;
    stage_open(&stage, &bindings, WORDS_HEAP_BYTES, conformance_cl);
    stage_read(&stage, n_arguments, arguments);
    stage_operations(&stage, operations, sizeof operations / sizeof *operations, FORM_GROUP,
                     FORM_HOST, run_case, NULL);
    run_calls(&stage);
    return stage_end(&stage);
}
