/* SPDX-License-Identifier: MIT */
/*
 * Conformance of the operations on words: every operation, type, form, target and activity, by messages (with active
 * messages: calls.c), by accumulators and in rounds.
 *
 * Path:    plan.c -> kernel or gravel_update -> every node compares its heap with what plan.c makes of them.
 */
#include "stage.h"

#include "suites.h"
#include "support.h"

#include <gravel/accumulator.h>
#include <gravel/rounds.h>

#include <string.h>

#define GUARD_BYTE 0xa7

extern const char conformance_cl[], accumulate_cl[], rounds_cl[];

uint64_t words_offset(const struct stage *stage)
{
    return stage->heap + N_GUARDS * 8u;
}

/* Lays out what a node's heap has before the case, or after it: words, packed, with guards around them. */
static void lay_out(struct stage *stage, const struct test_case *test, uint32_t node, bool is_after,
                    unsigned char *memory)
{
    static uint64_t words[N_WORDS];
    const uint32_t bytes = GRAVEL_TYPE_BYTES(test->type);
    for (uint32_t i = 0; i < N_WORDS; i++)
        words[i] = plan_first_bits(test, node, i);
    for (uint32_t origin = 0; origin < stage->n_origins && is_after; origin++) {
        struct plan plan;
        plan_fill(&plan, test, origin, stage->n_nodes);
        interpret_plan(test, &plan, node, words);
    }
    memset(memory, GUARD_BYTE, WORDS_HEAP_BYTES);
    for (uint32_t i = 0; i < N_WORDS; i++)
        memcpy(memory + N_GUARDS * 8u + (size_t)i * bytes, &words[i], bytes);
}

void words_prepare(struct stage *stage, const struct test_case *test, const struct plan *plan)
{
    for (uint32_t node = 0; node < stage->n_nodes; node++) {
        if (!gravel_is_local(stage->gravel, node))
            continue;
        unsigned char *memory = map_or_die(stage->gravel, node, stage->heap, WORDS_HEAP_BYTES,
                                           CL_MAP_WRITE_INVALIDATE_REGION);
        lay_out(stage, test, node, false, memory);
        OK(gravel_unmap(stage->gravel, memory));
    }
    stage_load(stage, plan, GRAVEL_TYPE_BYTES(test->type));
}

bool words_hold(struct stage *stage, const struct test_case *test)
{
    static unsigned char expected[WORDS_HEAP_BYTES];
    bool holds = true;
    for (uint32_t node = 0; node < stage->n_nodes && holds; node++) {
        if (!gravel_is_local(stage->gravel, node))
            continue;
        lay_out(stage, test, node, true, expected);
        holds = stage_heap_is(stage, node, stage->heap, expected, WORDS_HEAP_BYTES,
                              GRAVEL_TYPE_BYTES(test->type), "word behind the first guard");
    }
    return holds;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void send_from_host(struct stage *stage, const struct test_case *test)
{
    const struct plan *plan = &stage->plan;
    uint32_t bytes = GRAVEL_TYPE_BYTES(test->type);
    for (uint32_t i = 0; i < N_ITEMS; i++)
        if (plan->active[i])
            OK(gravel_update(stage->gravel, test->op, test->type,
                             words_offset(stage) + (uint64_t)plan->indices[i] * bytes,
                             test->op == GRAVEL_INC ? NULL : &plan->bits[i], plan->nodes[i]));
    OK(gravel_barrier(stage->gravel));
}

static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *context)
{
    (void)context;
    words_prepare(stage, test, &stage->plan);
    OK(gravel_barrier(stage->gravel));
    if (kernel)
        OK(stage_run(stage, kernel, test->n_items));
    else
        send_from_host(stage, test);
    return words_hold(stage, test);
}

/* Every operation on words, of every type. */
#define OPERATION(OP, op, TYPE, type) TEST_CASE(#op "_" #type, #op "_" #type, OP, TYPE),
#define INCREMENT(TYPE, type) OPERATION(INC, inc, TYPE, type)
static const struct test_case all_operations[] = {GRAVEL_VALUE_OPERATIONS(
    OPERATION) GRAVEL_DOUBLE_OPERATIONS(OPERATION) GRAVEL_INC_TYPES(INCREMENT)};
#undef OPERATION
#define N_OPERATIONS (sizeof all_operations / sizeof *all_operations)

static void run_words(struct stage *stage)
{
    stage_operations(stage, all_operations, N_OPERATIONS, FORM_GROUP, FORM_HOST, run_case, NULL);
    run_calls(stage);
}

static const struct gravel_bindings bindings =
    GRAVEL_BINDINGS(.handlers = call_handlers,
                    .n_handlers = sizeof call_handlers / sizeof *call_handlers);
const struct suite suite_words = {conformance_cl, WORDS_HEAP_BYTES, run_words, &bindings, NULL};

/* ---- accumulators ---------------------------------------------------------------------------- */

/* Sends by a kernel of an accumulator, which its first case creates and later cases empty: a least word would stay. */
static bool accumulate(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                       void *context)
{
    struct gravel_accumulator **accumulator = context;
    words_prepare(stage, test, &stage->plan);
    if (!*accumulator) {
        OK(gravel_accumulator_create(accumulator, stage->gravel, words_offset(stage), N_WORDS,
                                     test->op, test->type));
        OK(gravel_kernel_set_accumulator(*accumulator, kernel, 6));
    }
    OK(gravel_accumulator_reset(*accumulator));
    OK(gravel_barrier(stage->gravel));
    OK(stage_run(stage, kernel, test->n_items));
    return words_hold(stage, test);
}

static void run_accumulate(struct stage *stage)
{
#define OPERATION(OP, op, TYPE, type) \
    TEST_CASE("accumulate_" #op "_" #type, "accumulate_" #type, OP, TYPE),
    static const struct test_case operations[] = {
        GRAVEL_VALUE_OPERATIONS(OPERATION) GRAVEL_DOUBLE_OPERATIONS(OPERATION)
            TEST_CASE("accumulate_fixed", "accumulate_fixed", ADD, LONG)};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        struct gravel_accumulator *accumulator = NULL;
        if (operations[i].op != GRAVEL_PUT)
            stage_operations(stage, &operations[i], 1, FORM_WI, FORM_WI, accumulate, &accumulator);
        if (accumulator)
            OK(gravel_accumulator_destroy(accumulator));
    }
}

#undef OPERATION

const struct suite suite_accumulate = {accumulate_cl, WORDS_HEAP_BYTES, run_accumulate, NULL, NULL};

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Makes the rounds that send by an operation, and gives their kernel the arrays. */
static struct gravel_rounds *make_rounds(const struct stage *stage, const struct test_case *test,
                                         cl_kernel *kernel)
{
    struct gravel_rounds *rounds;
    char options[160];
    const char *type = strrchr(test->name, '_') + 1;
    const uint64_t base = words_offset(stage);
    const cl_mem arrays[] = {stage->active, stage->nodes, stage->indices, stage->values};
    snprintf(options, sizeof options, "-DCALL=gravel_%s_wi -DTYPE=%s%s", test->name,
             test->op == GRAVEL_INC ? "uint" : type, test->op == GRAVEL_INC ? " -DIS_INC" : "");
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = test->name, .source = rounds_cl, .options = options,
                              .function = "send");
    OK(gravel_rounds_create(&rounds, stage->gravel, &program));
    OK(gravel_rounds_kernel(rounds, kernel));
    stage_set(*kernel, 2, sizeof base, &base);
    for (cl_uint i = 0; i < 4; i++)
        stage_set(*kernel, i + 3, sizeof arrays[i], &arrays[i]);
    return rounds;
}

struct rounds_of {
    struct gravel_rounds *rounds; /* NULL before the first case of an operation */
    cl_kernel kernel;
};

/* Sends in a round, and in one more without a message: what comes in the first is there by then. */
static bool run_round(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                      void *context)
{
    struct rounds_of *of = context;
    struct gravel_rounds_ended ended;
    const cl_uint n = test->n_items, none = 0;
    (void)kernel;
    words_prepare(stage, test, &stage->plan);
    if (!of->rounds)
        of->rounds = make_rounds(stage, test, &of->kernel);
    OK(gravel_barrier(stage->gravel));
    stage_set(of->kernel, 7, sizeof n, &n);
    OK(gravel_rounds_run(of->rounds, GRAVEL_UNTIL_ZERO, 1, &ended, sizeof ended));
    stage_set(of->kernel, 7, sizeof none, &none);
    OK(gravel_rounds_run(of->rounds, GRAVEL_UNTIL_ZERO, 2, &ended, sizeof ended));
    if (ended.sum || ended.n_rounds != 1)
        return stage_differs(stage, "a round without a message counts");
    return words_hold(stage, test);
}

static void run_rounds(struct stage *stage)
{
    for (size_t i = 0; i < N_OPERATIONS; i++) {
        struct rounds_of of = {NULL, NULL};
        stage_operations(stage, &all_operations[i], 1, FORM_WI, FORM_WI, run_round, &of);
        if (of.rounds) {
            clReleaseKernel(of.kernel);
            OK(gravel_rounds_destroy(of.rounds));
        }
    }
}

const struct suite suite_rounds = {conformance_cl, WORDS_HEAP_BYTES, run_rounds, &bindings, NULL};
