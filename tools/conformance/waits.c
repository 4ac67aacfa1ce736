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

#define N_GROUPS 4u
#define N_SIGHTS (N_GROUPS * GROUP)

extern const char waits_cl[];

/* As cl/device/wait.cl.h has them. */
enum compare { EQ, NE, GT, LE, LT, GE, N_COMPARES };

struct type {
    const char *name;
    uint32_t bytes;
    bool is_signed;
};

struct scene {
    struct stage stage;
    cl_mem seen; /* [N_SIGHTS] */
    bool waits;  /* kernels do, on this step */
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

/* Words that are hard to tell apart, in pairs; never 0, which says that a wait failed. */
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

static void set_words(struct scene *scene, const struct type *type, uint64_t bits)
{
    struct gravel *gravel = scene->stage.gravel;
    for (uint32_t node = 0; node < scene->stage.n_nodes; node++) {
        if (!gravel_is_local(gravel, node))
            continue;
        unsigned char *at = map_or_die(gravel, node, scene->stage.heap, N_GROUPS * 8, CL_MAP_WRITE);
        for (uint32_t group = 0; group < N_GROUPS; group++)
            memcpy(at + group * type->bytes, &bits, type->bytes);
        OK(gravel_unmap(gravel, at));
    }
    OK(gravel_barrier(gravel));
}

static void set_arguments(struct scene *scene, const struct type *type, cl_kernel kernel,
                          const struct wait_case *test)
{
    const cl_uint changes = test->changes, compare = test->compare;
    OK(gravel_kernel_set_arena(scene->stage.gravel, kernel, 0));
    stage_set(kernel, 1, sizeof scene->stage.heap, &scene->stage.heap);
    stage_set(kernel, 2, sizeof changes, &changes);
    stage_set(kernel, 3, sizeof compare, &compare);
    stage_set(kernel, 4, type->bytes, &test->after);
    stage_set(kernel, 5, type->bytes, &test->bound);
    stage_set(kernel, 6, sizeof scene->seen, &scene->seen);
}

static bool run_case(struct scene *scene, const struct type *type, cl_kernel kernel,
                     const struct wait_case *test, const char *name)
{
    unsigned char seen[N_SIGHTS * 8];
    uint32_t n_wrong = 0;
    set_words(scene, type, test->changes ? test->before : test->after);
    set_arguments(scene, type, kernel, test);
    OK(run_kernel(scene->stage.gravel, kernel, N_SIGHTS, GROUP));
    stage_read_back(&scene->stage, scene->seen, seen, sizeof seen);
    for (uint32_t i = 0; i < N_SIGHTS; i++)
        n_wrong += memcmp(seen + (size_t)i * type->bytes, &test->after, type->bytes) != 0;
    if (n_wrong)
        printf("# node %u: %s, comparison %u of 0x%" PRIx64 " with 0x%" PRIx64
               ": %u of %u saw it not\n",
               scene->stage.node, name, test->compare, test->after, test->bound, n_wrong, N_SIGHTS);
    return n_wrong == 0;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Every pair of words that the comparison holds for; the word before, if it holds for it no more, is another one. */
static void run_compare(struct scene *scene, const struct type *type, cl_kernel kernel,
                        enum compare compare, const char *name, unsigned n[2])
{
    for (size_t i = 0; i < N_PAIRED; i++)
        for (size_t j = i < 2 ? 0 : i - 2; j < N_PAIRED && j <= i + 2; j++) {
            struct wait_case test = {.compare = compare,
                                     .before = word_of(type, (i + 1) % N_PAIRED),
                                     .after = word_of(type, i),
                                     .bound = word_of(type, j)};
            if (!holds(type, compare, test.after, test.bound))
                continue;
            test.changes = scene->waits && !holds(type, compare, test.before, test.bound);
            n[run_case(scene, type, kernel, &test, name)]++;
        }
}

static void run_form(struct scene *scene, const struct type *type, enum form form)
{
    char name[64];
    unsigned n[2] = {0, 0}; /* that failed, that passed */
    cl_int error;
    snprintf(name, sizeof name, "wait_%s%s", type->name, form_suffixes[form]);
    cl_kernel kernel = clCreateKernel(scene->stage.program, name, &error);
    if (error == CL_INVALID_KERNEL_NAME) {
        stage_skip(&scene->stage, name, "the device has no 64-bit atomics");
        return;
    }
    MUST(error == CL_SUCCESS);
    for (enum compare compare = EQ; compare < N_COMPARES; compare++)
        run_compare(scene, type, kernel, compare, name, n);
    clReleaseKernel(kernel);
    int64_t all = n[0];
    OK(gravel_reduce(scene->stage.gravel, GRAVEL_MAX, GRAVEL_LONG, &all, 1));
    scene->stage.n_cases += n[0] + n[1];
    stage_line(&scene->stage, name, FORM_GROUP, n[0] + n[1], (unsigned)all);
}

int suite_waits(int n_arguments, char **arguments)
{
    static struct scene scene;
    static const struct type types[] = {
        {"int", 4, true}, {"uint", 4, false}, {"long", 8, true}, {"ulong", 8, false}};
    struct stage *stage = &scene.stage;
    (void)n_arguments, (void)arguments;
    stage_open(stage, NULL, N_GROUPS * 8, waits_cl);
    scene.waits = strcmp(gravel_step(stage->gravel), "drain") != 0;
    scene.seen = stage_array(stage, N_SIGHTS * 8);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        run_form(&scene, &types[i], FORM_GROUP);
        run_form(&scene, &types[i], FORM_WI);
    }
    clReleaseMemObject(scene.seen);
    return stage_end(stage);
}
