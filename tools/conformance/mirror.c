/* SPDX-License-Identifier: MIT */
/*
 * Conformance of mirrors: slots by every operation and type, and copies of every type, of every target and activity.
 *
 * A node's plan has the words of its messages. Every second work-item that shares its word with an earlier one shares the
 * slot too; the word of all other ones is in the plan once more.
 *
 * Path:    plan.c -> mirror.cl -> a mirror of slots -> words.c compares; a mirror of copies -> mirror.cl -> this compares.
 */
#include "stage.h"
#include "suites.h"
#include "support.h"

#include <gravel/mirror.h>

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

static void set_base(cl_kernel kernel, const struct gravel_mirror *mirror)
{
    const uint64_t base = gravel_mirror_offset(mirror);
    stage_set(kernel, 1, sizeof base, &base);
}

/* ---- the cases --------------------------------------------------------------------------------- */

/* Shares slots twice: what has been sent is sent once. */
static bool run_slots(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                      struct gravel_mirror *mirror)
{
    set_base(kernel, mirror);
    OK(stage_run(stage, kernel, test->n_items));
    OK(gravel_mirror_share(mirror));
    OK(gravel_mirror_share(mirror));
    OK(gravel_barrier(stage->gravel));
    return words_hold(stage, test);
}

/* Shares copies of the words of a case that sends nothing; active work-items read them over their values. */
static bool run_copies(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                       struct gravel_mirror *mirror)
{
    const struct plan *plan = &stage->plan;
    const uint32_t bytes = GRAVEL_TYPE_BYTES(test->type);
    unsigned char seen[N_ITEMS * 8], expected[N_ITEMS * 8];
    OK(gravel_mirror_share(mirror));
    set_base(kernel, mirror); /* a share moves the copies */
    OK(stage_run(stage, kernel, test->n_items));
    stage_read_back(stage, stage->values, seen, (size_t)N_ITEMS * bytes);
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        const uint64_t due = plan->active[i]
                                 ? plan_first_bits(test, plan->nodes[i], plan->indices[i])
                                 : plan->bits[i];
        memcpy(expected + (size_t)i * bytes, &due, bytes);
    }
    return stage_same(stage, seen, expected, (size_t)N_ITEMS * bytes, bytes, "copy of work-item") &&
           words_hold(stage, test);
}

/* Runs PUT by copies, which the owner puts; other operations by slots. */
static bool run_case(struct stage *stage, const struct test_case *test, cl_kernel kernel,
                     void *context)
{
    const bool has_copies = test->op == GRAVEL_PUT;
    struct wanted wanted = want(stage, &stage->plan);
    const struct gravel_words words =
        GRAVEL_WORDS(.offset = words_offset(stage), .type = test->type, .n_words = wanted.n_words,
                     .indices = wanted.indices);
    struct test_case of_words = *test;
    struct gravel_mirror *mirror;
    (void)context;
    if (has_copies)
        of_words.activity = ACTIVE_EMPTY;
    words_prepare(stage, &of_words, &wanted.numbers);
    OK(has_copies ? gravel_mirror_create(&mirror, stage->gravel, &words)
                  : gravel_mirror_create_slots(&mirror, stage->gravel, test->op, &words));
    stage_set(kernel, 6, sizeof test->op, &test->op);
    const bool holds = (has_copies ? run_copies : run_slots)(stage, &of_words, kernel, mirror);
    free(wanted.n_words);
    OK(gravel_mirror_destroy(mirror));
    return holds;
}

static void run_mirror(struct stage *stage)
{
#define OPERATION(OP, op, TYPE, type) TEST_CASE("mirror_" #op "_" #type, "mirror_" #type, OP, TYPE),
    static const struct test_case operations[] = {GRAVEL_VALUE_OPERATIONS(OPERATION)
                                                      GRAVEL_DOUBLE_OPERATIONS(OPERATION)};
    stage_operations(stage, operations, sizeof operations / sizeof *operations, FORM_WI, FORM_WI,
                     run_case, NULL);
}

const struct suite suite_mirror = {mirror_cl, WORDS_HEAP_BYTES, run_mirror, NULL, NULL};
