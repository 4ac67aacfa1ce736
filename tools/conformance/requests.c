/* SPDX-License-Identifier: MIT */
/*
 * Conformance of requests and of put with signal: every operation, type, form, target and activity. Each word is
 * asked for once, so that the answer is known: what the word was. Kernels also say what they saw after their wait.
 *
 * Path:    plan.c -> requests.cl -> every node compares its heap, answers and signals with what plan.c makes of them.
 */
#include "stage.h"
#include "suites.h"
#include "support.h"

#include <string.h>

#define GUARD_BYTE 0xa7
#define PLACE(i) (((i)*37u + 11u) % N_ITEMS) /* as in requests.cl */
#define ANSWER_BYTES (N_ITEMS * 8u)
#define SIGNAL_BYTES (N_ITEMS * 4u)

extern const char requests_cl[];

/* What requests have besides the stage. */
struct desk {
    uint64_t answers, signals; /* heap offsets */
    cl_mem expected, seen;     /* [N_ITEMS] */
};

static bool is_put_signal(const struct test_case *test)
{
    return test->op == GRAVEL_PUT_SIGNAL;
}

/* ---- before ---------------------------------------------------------------------------------- */

static void load(struct stage *stage, const struct desk *desk, const struct test_case *test)
{
    unsigned char expected[ANSWER_BYTES], guard[ANSWER_BYTES];
    uint32_t bytes = GRAVEL_TYPE_BYTES(test->type);
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        uint64_t bits = interpret_expected(test, &stage->plan, i);
        memcpy(expected + (size_t)i * bytes, &bits, bytes);
    }
    memset(guard, GUARD_BYTE, sizeof guard);
    words_prepare(stage, test, &stage->plan);
    stage_write(stage, desk->expected, expected, (size_t)N_ITEMS * bytes);
    stage_write(stage, desk->seen, guard, sizeof guard);
    for (uint32_t node = 0; node < stage->n_nodes; node++)
        if (gravel_is_local(stage->gravel, node)) {
            fill(stage->gravel, node, desk->answers, GUARD_BYTE, ANSWER_BYTES);
            fill(stage->gravel, node, desk->signals, 0, SIGNAL_BYTES);
        }
}

/* ---- after ----------------------------------------------------------------------------------- */

/* Compares how often each signal of a node was raised: by answers to its own requests, or by puts to it. */
static bool signals_hold(struct stage *stage, const struct desk *desk, const struct test_case *test,
                         uint32_t node)
{
    uint32_t expected[N_ITEMS] = {0};
    struct plan plan;
    for (uint32_t origin = 0; origin < stage->n_origins; origin++) {
        plan_fill(&plan, test, origin, stage->n_nodes);
        for (uint32_t i = 0; i < N_ITEMS; i++) /* a group has one, a work-item alone its own */
            expected[test->form == FORM_WI ? i : i - i % GROUP] +=
                plan.active[i] && node == (is_put_signal(test) ? plan.nodes[i] : origin);
    }
    return stage_heap_is(stage, node, desk->signals, expected, SIGNAL_BYTES, 4, "signal");
}

/* Compares the answers in the heap, by index, and what those that waited saw, by work-item. */
static bool answers_hold(struct stage *stage, const struct desk *desk, const struct test_case *test)
{
    const struct plan *plan = &stage->plan;
    const uint32_t bytes = GRAVEL_TYPE_BYTES(test->type);
    unsigned char in_heap[ANSWER_BYTES], to_see[ANSWER_BYTES], seen[ANSWER_BYTES];
    memset(in_heap, GUARD_BYTE, sizeof in_heap);
    memset(to_see, GUARD_BYTE, sizeof to_see);
    for (uint32_t i = 0; i < N_ITEMS && !is_put_signal(test); i++)
        if (plan->active[i]) {
            uint64_t bits = plan_first_bits(test, plan->nodes[i], plan->indices[i]);
            memcpy(in_heap + (size_t)PLACE(i) * bytes, &bits, bytes);
            memcpy(to_see + (size_t)i * bytes, &bits, bytes);
        }
    stage_read_back(stage, desk->seen, seen, sizeof seen);
    return stage_heap_is(stage, stage->node, desk->answers, in_heap, sizeof in_heap, bytes,
                         "answer") &&
           (!stage->waits ||
            stage_same(stage, seen, to_see, sizeof seen, bytes, "answer seen by work-item"));
}

/* ---- cases ----------------------------------------------------------------------------------- */

static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *context)
{
    struct desk *desk = context;
    const cl_uint waits = stage->waits ? UINT32_MAX : 0;
    load(stage, desk, test);
    stage_set(kernel, 6, sizeof desk->expected, &desk->expected);
    stage_set(kernel, 7, sizeof desk->answers, &desk->answers);
    stage_set(kernel, 8, sizeof desk->signals, &desk->signals);
    stage_set(kernel, 9, sizeof desk->seen, &desk->seen);
    stage_set(kernel, 10, sizeof waits, &waits);
    OK(gravel_barrier(stage->gravel));
    OK(stage_run(stage, kernel, test->n_items));
    bool holds = answers_hold(stage, desk, test) && words_hold(stage, test);
    for (uint32_t node = 0; node < stage->n_nodes && holds; node++)
        holds = !gravel_is_local(stage->gravel, node) || signals_hold(stage, desk, test, node);
    return holds;
}

static void run_requests(struct stage *stage)
{
#define OPERATION(OP, op, TYPE, type) TEST_CASE(#op "_" #type, #op "_" #type, OP, TYPE),
#define CAS(TYPE, type) OPERATION(CAS, cas, TYPE, type)
#define PUT_SIGNAL(TYPE, type) OPERATION(PUT_SIGNAL, put_signal, TYPE, type)
    static const struct test_case operations[] = {
        GRAVEL_REQUESTS(OPERATION) GRAVEL_DOUBLE_REQUESTS(OPERATION) GRAVEL_INC_TYPES(CAS)
            GRAVEL_SIGNAL_TYPES(PUT_SIGNAL) PUT_SIGNAL(DOUBLE, double)};
    struct desk desk = {.answers = alloc_or_die(stage->gravel, ANSWER_BYTES),
                        .signals = alloc_or_die(stage->gravel, SIGNAL_BYTES),
                        .expected = stage_array(stage, ANSWER_BYTES),
                        .seen = stage_array(stage, ANSWER_BYTES)};
    stage_operations(stage, operations, sizeof operations / sizeof *operations, FORM_GROUP, FORM_WI,
                     run_case, &desk);
    clReleaseMemObject(desk.expected);
    clReleaseMemObject(desk.seen);
}

const struct suite suite_requests = {requests_cl, WORDS_HEAP_BYTES, run_requests, NULL, NULL};
