/* SPDX-License-Identifier: MIT */
/*
 * Conformance of waits for words: every type, form and comparison. Words differ from their bounds in the lowest bit, in
 * the sign, or in the upper half alone. First the word is right already; then, where kernels may wait, it is not until
 * the group's own message has arrived.
 *
 * Path:    waits.cl -> the words that work-items found after their waits, and the verdicts in them.
 */
#include "stage.h"
#include "suites.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define N_GROUPS (N_ITEMS / GROUP)

extern const char waits_cl[];

/* As cl/device/wait.cl.h has them. */
enum compare { EQ, NE, GT, LE, LT, GE, N_COMPARES };

struct type {
    const char *name;
    uint32_t bytes;
    bool is_signed;
};

/* ---- what holds ------------------------------------------------------------------------------ */

/* -1, 0 or 1, as the type orders. */
static int order(const struct type *type, uint64_t a, uint64_t b)
{
    if (type->bytes == 4) {
        a = type->is_signed ? (uint64_t)(int64_t)(int32_t)a : (uint32_t)a;
        b = type->is_signed ? (uint64_t)(int64_t)(int32_t)b : (uint32_t)b;
    }
    if (type->is_signed)
        return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
    return (a > b) - (a < b);
}

static bool holds(const struct type *type, enum compare compare, uint64_t word, uint64_t bound)
{
    int sign = order(type, word, bound);
    const bool verdicts[] = {sign == 0, sign != 0, sign > 0, sign <= 0, sign < 0, sign >= 0};
    return verdicts[compare];
}

/* Words that are hard to distinguish, in pairs; never 0, which says that a wait failed. */
static const uint64_t words[] = {
    1,           2,           0x7fffffff,         0x80000000,         0xffffffff,
    0x100000001, 0x200000001, 0x7fffffffffffffff, 0x8000000000000001, 0xffffffffffffffff};
#define N_PAIRED (sizeof words / sizeof *words)

static uint64_t word_of(const struct type *type, size_t i)
{
    return type->bytes == 8 || (uint32_t)words[i] ? words[i] : 1;
}

/* ---- one case -------------------------------------------------------------------------------- */

struct wait_case {
    enum compare compare;
    uint64_t before, after, bound;
    bool changes; /* the kernel puts `after`, which is right, over `before`, which is not */
};

static void set_words(struct stage *stage, const struct type *type, uint64_t bits)
{
    struct gravel *gravel = stage->gravel;
    for (uint32_t node = 0; node < stage->n_nodes; node++) {
        if (!gravel_is_local(gravel, node))
            continue;
        unsigned char *at = map_or_die(gravel, node, stage->heap, N_GROUPS * 8, CL_MAP_WRITE);
        for (uint32_t group = 0; group < N_GROUPS; group++)
            memcpy(at + group * type->bytes, &bits, type->bytes);
        OK(gravel_unmap(gravel, at));
    }
    OK(gravel_barrier(gravel));
}

static bool run_case(struct stage *stage, const struct type *type, cl_kernel kernel,
                     const struct wait_case *test, const char *name)
{
    const cl_uint changes = test->changes, compare = test->compare;
    char full_name[128];
    unsigned char seen[N_ITEMS * 8];
    uint32_t n_wrong = 0;
    set_words(stage, type, test->changes ? test->before : test->after);
    stage_set(kernel, 1, sizeof stage->heap, &stage->heap);
    stage_set(kernel, 2, sizeof changes, &changes);
    stage_set(kernel, 3, sizeof compare, &compare);
    stage_set(kernel, 4, type->bytes, &test->after);
    stage_set(kernel, 5, type->bytes, &test->bound);
    stage_set(kernel, 6, sizeof stage->values, &stage->values);
    OK(run_kernel(stage->gravel, kernel, N_ITEMS, GROUP));
    stage_read_back(stage, stage->values, seen, sizeof seen);
    for (uint32_t i = 0; i < N_ITEMS; i++)
        n_wrong += memcmp(seen + (size_t)i * type->bytes, &test->after, type->bytes) != 0;
    stage->why[0] = '\0';
    stage_differs(stage, "%u of %u saw it not", n_wrong, N_ITEMS);
    snprintf(full_name, sizeof full_name, "%s, comparison %u of 0x%" PRIx64 " with 0x%" PRIx64,
             name, test->compare, test->after, test->bound);
    return stage_judge(stage, full_name, n_wrong == 0);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Every comparison, of every pair of words that it holds for; the word before, if it holds for it no more, is another one. */
static void run_form(struct stage *stage, const struct type *type, enum form form)
{
    char name[64], full_name[72];
    unsigned n_cases = 0, n_failed = 0;
    snprintf(name, sizeof name, "wait_%s", type->name);
    snprintf(full_name, sizeof full_name, "%s%s", name, form_suffixes[form]);
    cl_kernel kernel = stage_kernel(stage, name, form);
    if (!kernel)
        return;
    for (enum compare compare = EQ; compare < N_COMPARES; compare++)
        for (size_t i = 0; i < N_PAIRED; i++)
            for (size_t j = i < 2 ? 0 : i - 2; j < N_PAIRED && j <= i + 2; j++) {
                struct wait_case test = {.compare = compare,
                                         .before = word_of(type, (i + 1) % N_PAIRED),
                                         .after = word_of(type, i),
                                         .bound = word_of(type, j)};
                if (!holds(type, compare, test.after, test.bound))
                    continue;
                test.changes = stage->waits && !holds(type, compare, test.before, test.bound);
                n_cases++;
                n_failed += !run_case(stage, type, kernel, &test, full_name);
            }
    clReleaseKernel(kernel);
    stage_line(stage, name, form, n_cases, n_failed);
}

static void run_waits(struct stage *stage)
{
    static const struct type types[] = {
        {"int", 4, true}, {"uint", 4, false}, {"long", 8, true}, {"ulong", 8, false}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        run_form(stage, &types[i], FORM_GROUP);
        run_form(stage, &types[i], FORM_WI);
    }
}

const struct suite suite_waits = {waits_cl, N_GROUPS * 8, run_waits, NULL, NULL};
