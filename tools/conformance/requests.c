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

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define GUARD_BYTE 0xa7
#define PLACE(i) (((i)*37u + 11u) % N_ITEMS) /* as in requests.cl */
#define ANSWER_BYTES (N_ITEMS * 8u)
#define SIGNAL_BYTES (N_ITEMS * 4u)

extern const char requests_cl[];

/* What requests have beside the stage. */
struct desk {
    struct stage stage;
    uint64_t answers, signals; /* heap offsets */
    cl_mem expected, seen;     /* [N_ITEMS] */
    bool waits;                /* kernels do, on this step */
};

static bool is_put_signal(const struct test_case *test)
{
    return test->op == GRAVEL_PUT_SIGNAL;
}

/* Which word's signal counts message i, from the base of the signals. */
static uint32_t signal_of(const struct test_case *test, uint32_t i)
{
    return test->form == FORM_WI ? i : i - i % GROUP;
}

/* ---- before ---------------------------------------------------------------------------------- */

static void load(struct desk *desk, const struct test_case *test, const struct plan *plan)
{
    unsigned char expected[N_ITEMS * 8], guard[N_ITEMS * 8];
    uint32_t bytes = GRAVEL_TYPE_BYTES(test->type);
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        uint64_t bits = interpret_expected(test, plan, i);
        memcpy(expected + (size_t)i * bytes, &bits, bytes);
    }
    memset(guard, GUARD_BYTE, sizeof guard);
    stage_load(&desk->stage, plan, bytes);
    stage_write(&desk->stage, desk->expected, expected, sizeof expected);
    stage_write(&desk->stage, desk->seen, guard, sizeof guard);
    words_prepare(&desk->stage, test);
    for (uint32_t node = 0; node < desk->stage.n_nodes; node++)
        if (gravel_is_local(desk->stage.gravel, node)) {
            fill(desk->stage.gravel, node, desk->answers, GUARD_BYTE, ANSWER_BYTES);
            fill(desk->stage.gravel, node, desk->signals, 0, SIGNAL_BYTES);
        }
}

/* ---- after ----------------------------------------------------------------------------------- */

/* Whether `bytes` at `found` are the low ones of `bits`; if not, why. */
static bool is_same(struct desk *desk, const void *found, uint64_t bits, uint32_t bytes,
                    const char *what, uint32_t i)
{
    uint64_t word = 0;
    memcpy(&word, found, bytes);
    return !memcmp(found, &bits, bytes) ||
           stage_differs(&desk->stage, "%s %u is 0x%" PRIx64 ", not 0x%" PRIx64, what, i, word,
                         bits);
}

/* How often each signal of a node was raised: by answers to its own requests, or by puts to it. */
static void count_signals(struct desk *desk, const struct test_case *test, uint32_t node,
                          uint32_t signals[N_ITEMS])
{
    struct plan plan;
    memset(signals, 0, SIGNAL_BYTES);
    for (uint32_t origin = 0; origin < desk->stage.n_origins; origin++) {
        plan_fill(&plan, test, origin, desk->stage.n_nodes);
        for (uint32_t i = 0; i < N_ITEMS; i++)
            signals[signal_of(test, i)] +=
                plan.active[i] && node == (is_put_signal(test) ? plan.nodes[i] : origin);
    }
}

static bool signals_hold(struct desk *desk, const struct test_case *test, uint32_t node)
{
    uint32_t expected[N_ITEMS];
    bool holds = true;
    count_signals(desk, test, node, expected);
    uint32_t *signals =
        map_or_die(desk->stage.gravel, node, desk->signals, SIGNAL_BYTES, CL_MAP_READ);
    for (uint32_t i = 0; i < N_ITEMS && holds; i++)
        holds = is_same(desk, &signals[i], expected[i], 4, "signal", i);
    OK(gravel_unmap(desk->stage.gravel, signals));
    return holds;
}

/* The answers in the heap by their places, or, of those that waited, by work-item. */
static bool answers_hold(struct desk *desk, const struct test_case *test, const struct plan *plan,
                         const unsigned char *answers, bool by_place)
{
    uint32_t bytes = GRAVEL_TYPE_BYTES(test->type);
    uint64_t guard;
    memset(&guard, GUARD_BYTE, sizeof guard);
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        uint64_t bits = plan->active[i] && !is_put_signal(test)
                            ? plan_first_bits(test, plan->nodes[i], plan->indices[i])
                            : guard;
        const unsigned char *found = answers + (size_t)(by_place ? PLACE(i) : i) * bytes;
        if (!is_same(desk, found, bits, bytes, by_place ? "answer in the heap" : "answer seen", i))
            return false;
    }
    return true;
}

static bool all_answers_hold(struct desk *desk, const struct test_case *test,
                             const struct plan *plan)
{
    struct stage *stage = &desk->stage;
    unsigned char seen[ANSWER_BYTES];
    void *answers =
        map_or_die(stage->gravel, stage->node, desk->answers, ANSWER_BYTES, CL_MAP_READ);
    bool holds = answers_hold(desk, test, plan, answers, true);
    OK(gravel_unmap(stage->gravel, answers));
    if (!desk->waits || !holds)
        return holds;
    stage_read_back(stage, desk->seen, seen, sizeof seen);
    return answers_hold(desk, test, plan, seen, false);
}

static bool all_hold(struct desk *desk, const struct test_case *test, const struct plan *plan)
{
    bool holds = all_answers_hold(desk, test, plan) && words_hold(&desk->stage, test);
    for (uint32_t node = 0; node < desk->stage.n_nodes && holds; node++)
        holds = !gravel_is_local(desk->stage.gravel, node) || signals_hold(desk, test, node);
    return holds;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *context)
{
    struct desk *desk = context;
    struct plan plan;
    const cl_uint waits = desk->waits ? UINT32_MAX : 0;
    plan_fill(&plan, test, stage->node, stage->n_nodes);
    load(desk, test, &plan);
    stage_set(kernel, 6, sizeof desk->expected, &desk->expected);
    stage_set(kernel, 7, sizeof desk->answers, &desk->answers);
    stage_set(kernel, 8, sizeof desk->signals, &desk->signals);
    stage_set(kernel, 9, sizeof desk->seen, &desk->seen);
    stage_set(kernel, 10, sizeof waits, &waits);
    OK(gravel_barrier(stage->gravel));
    OK(stage_run(stage, kernel, test->n_items));
    return stage_judge(stage, test, all_hold(desk, test, &plan));
}

int suite_requests(int n_arguments, char **arguments)
{
#define OPERATION(OP, op, TYPE, type) TEST_CASE(#op "_" #type, #op "_" #type, OP, TYPE),
#define CAS(TYPE, type) OPERATION(CAS, cas, TYPE, type)
#define PUT_SIGNAL(TYPE, type) OPERATION(PUT_SIGNAL, put_signal, TYPE, type)
    static const struct test_case operations[] = {
        GRAVEL_REQUESTS(OPERATION) GRAVEL_DOUBLE_REQUESTS(OPERATION) GRAVEL_INC_TYPES(CAS)
            GRAVEL_SIGNAL_TYPES(PUT_SIGNAL) PUT_SIGNAL(DOUBLE, double)};
    static struct desk desk;
    struct stage *stage = &desk.stage;
    stage_open(stage, NULL, WORDS_HEAP_BYTES, requests_cl);
    stage_read(stage, n_arguments, arguments);
    desk.waits = strcmp(gravel_step(stage->gravel), "drain") != 0;
    desk.answers = alloc_or_die(stage->gravel, ANSWER_BYTES);
    desk.signals = alloc_or_die(stage->gravel, SIGNAL_BYTES);
    desk.expected = stage_array(stage, ANSWER_BYTES);
    desk.seen = stage_array(stage, ANSWER_BYTES);
    stage_operations(stage, operations, sizeof operations / sizeof *operations, FORM_GROUP, FORM_WI,
                     run_case, &desk);
    clReleaseMemObject(desk.expected);
    clReleaseMemObject(desk.seen);
    return stage_end(stage);
}
