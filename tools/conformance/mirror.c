/* SPDX-License-Identifier: MIT */
/*
 * Conformance of mirrors: slots by every operation and type, and copies of every type, of every target and activity.
 *
 * A node's plan has the words of its messages. Every second work-item that shares its word with an earlier one shares the
 * slot too; the others' word stands in the plan once more.
 *
 * Path:    plan.c -> mirror.cl -> a mirror of slots -> words.c compares; a mirror of copies -> mirror.cl -> this compares.
 */
#include "stage.h"
#include "suites.h"
#include "support.h"

#include <gravel/mirror.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char mirror_cl[];

/* The words of a plan, by node. */
struct wanted {
    uint64_t *n_words; /* [nodes] */
    uint32_t indices[N_ITEMS];
    struct plan numbers; /* the plan, with numbers of slots, or copies, for indices */
};

/* @return  the last number from `first` on of a word; n if it has none. */
static uint32_t number_of(const struct wanted *wanted, uint32_t first, uint32_t n, uint32_t index)
{
    for (uint32_t i = n; i-- > first;)
        if (wanted->indices[i] == index)
            return i;
    return n;
}

static struct wanted want(const struct stage *stage, const struct plan *plan)
{
    struct wanted wanted = {.n_words = calloc(stage->n_nodes, sizeof(uint64_t)), .numbers = *plan};
    uint32_t n = 0;
    MUST(wanted.n_words);
    for (uint32_t node = 0; node < stage->n_nodes; node++) {
        const uint32_t first = n;
        for (uint32_t i = 0; i < N_ITEMS; i++) {
            if (!plan->active[i] || plan->nodes[i] != node)
                continue;
            uint32_t number = i % 2 ? number_of(&wanted, first, n, plan->indices[i]) : n;
            wanted.numbers.indices[i] = number;
            if (number == n)
                wanted.indices[n++] = plan->indices[i];
        }
        wanted.n_words[node] = n - first;
    }
    return wanted;
}

static struct gravel_words words_of(const struct stage *stage, const struct test_case *test,
                                    const struct wanted *wanted)
{
    return (struct gravel_words)GRAVEL_WORDS(.offset = words_offset(stage), .type = test->type,
                                             .n_words = wanted->n_words,
                                             .indices = wanted->indices);
}

static void set_base(cl_kernel kernel, const struct gravel_mirror *mirror)
{
    const uint64_t base = gravel_mirror_offset(mirror);
    stage_set(kernel, 1, sizeof base, &base);
}

/* ---- slots ------------------------------------------------------------------------------------- */

/* Shared twice: what has been sent is sent once. */
static bool run_slots(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                      void *context)
{
    struct plan plan;
    struct gravel_mirror *mirror;
    (void)context;
    plan_fill(&plan, test, stage->node, stage->n_nodes);
    struct wanted wanted = want(stage, &plan);
    const struct gravel_words words = words_of(stage, test, &wanted);
    words_prepare(stage, test);
    stage_load(stage, &wanted.numbers, GRAVEL_TYPE_BYTES(test->type));
    OK(gravel_mirror_create_slots(&mirror, stage->gravel, test->op, &words));
    set_base(kernel, mirror);
    OK(stage_run(stage, kernel, test->n_items));
    OK(gravel_mirror_share(mirror));
    OK(gravel_mirror_share(mirror));
    OK(gravel_barrier(stage->gravel));
    free(wanted.n_words);
    bool holds = stage_judge(stage, test, words_hold(stage, test));
    OK(gravel_mirror_destroy(mirror));
    return holds;
}

/* ---- copies ------------------------------------------------------------------------------------ */

static bool copies_hold(struct stage *stage, const struct test_case *words, const struct plan *plan,
                        const unsigned char *seen)
{
    const uint32_t bytes = GRAVEL_TYPE_BYTES(words->type);
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        uint64_t found = 0, due = plan_first_bits(words, plan->nodes[i], plan->indices[i]);
        memcpy(&found, seen + (size_t)i * bytes, bytes);
        if (plan->active[i] && found != due)
            return stage_differs(stage,
                                 "the copy of word %u of node %u is 0x%" PRIx64 ", not 0x%" PRIx64,
                                 plan->indices[i], plan->nodes[i], found, due);
    }
    return true;
}

/* By the kernel's work-items. @param seen  [N_ITEMS * 8] */
static void read_copies(struct stage *stage, cl_kernel kernel, const struct test_case *test,
                        unsigned char *seen)
{
    cl_mem array = stage_array(stage, N_ITEMS * 8);
    stage_set(kernel, 5, sizeof array, &array);
    OK(stage_run(stage, kernel, test->n_items));
    stage_read_back(stage, array, seen, (size_t)N_ITEMS * GRAVEL_TYPE_BYTES(test->type));
    clReleaseMemObject(array);
}

/* The words are those of a case that sends nothing. */
static bool run_copies(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                       void *context)
{
    unsigned char seen[N_ITEMS * 8];
    struct plan plan;
    struct gravel_mirror *mirror;
    struct test_case still = *test;
    (void)context;
    still.activity = ACTIVE_EMPTY;
    plan_fill(&plan, test, stage->node, stage->n_nodes);
    struct wanted wanted = want(stage, &plan);
    const struct gravel_words words = words_of(stage, test, &wanted);
    words_prepare(stage, &still);
    stage_load(stage, &wanted.numbers, GRAVEL_TYPE_BYTES(test->type));
    OK(gravel_mirror_create(&mirror, stage->gravel, &words));
    OK(gravel_mirror_share(mirror));
    set_base(kernel, mirror);
    read_copies(stage, kernel, test, seen);
    free(wanted.n_words);
    bool holds = copies_hold(stage, &still, &plan, seen) && words_hold(stage, &still);
    holds = stage_judge(stage, test, holds);
    OK(gravel_mirror_destroy(mirror));
    return holds;
}

/* ---- the suite --------------------------------------------------------------------------------- */

/* Of PUT copies, which the owner puts. */
static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *context)
{
    stage_set(kernel, 6, sizeof test->op, &test->op);
    return (test->op == GRAVEL_PUT ? run_copies : run_slots)(stage, test, kernel, context);
}

int suite_mirror(int n_arguments, char **arguments)
{
#define OPERATION(OP, op, TYPE, type) TEST_CASE("mirror_" #op "_" #type, "mirror_" #type, OP, TYPE),
    static const struct test_case operations[] = {GRAVEL_VALUE_OPERATIONS(OPERATION)
                                                      GRAVEL_DOUBLE_OPERATIONS(OPERATION)};
    struct stage stage;
    (void)n_arguments, (void)arguments;
    stage_open(&stage, NULL, WORDS_HEAP_BYTES, mirror_cl);
    stage_operations(&stage, operations, sizeof operations / sizeof *operations, FORM_WI, FORM_WI,
                     run_case, NULL);
    return stage_end(&stage);
}
