/* SPDX-License-Identifier: MIT */
/*
 * Conformance of what kernels send to the host: lines of each type and count of arguments, records of each size, and
 * asks of functions of the host, each in each form: once, whole, and a group's in order.
 *
 * Path:    records.cl -> standard output, which is a file while a kernel prints; functions here; answers in the heap.
 */
#include "stage.h"
#include "suites.h"
#include "support.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_GROUPS 3u
#define MOST_ITEMS (256u * N_GROUPS)
#define MOST_KINDS 5u /* lines, or records, of a work-item */
#define THERE "there"

extern const char records_cl[];

/* What has come: lines at node 0, records at their nodes. */
static unsigned seen[MAX_ORIGINS][MOST_KINDS][MOST_ITEMS];
/* 1 + place of the newest of a group's calls, to each node. */
static uint32_t last[MAX_ORIGINS][MAX_ORIGINS][N_GROUPS];
static uint32_t n_destinations;
static struct stage *stage;
static uint32_t group; /* work-items of one, of the launch at hand */
static enum form form;

static bool is_active(uint32_t item)
{
    return form == FORM_GROUP || item % (form == FORM_IF ? 3 : 5) == 0;
}

#define WRONG(...) (void)stage_differs(stage, __VA_ARGS__)

/* A line or record has come, of the work-item's call number `kind`. */
static void note(uint32_t origin, uint32_t kind, uint32_t item)
{
    if (origin >= MAX_ORIGINS || kind >= MOST_KINDS || item >= N_GROUPS * group)
        WRONG("kind %u of item %u of node %u", kind, item, origin);
    else
        seen[origin][kind][item]++;
}

/* Notes a record in order; those of work-items alone, and to different nodes, have no order. */
static void note_in_order(uint32_t origin, uint32_t kind, uint32_t item)
{
    note(origin, kind, item);
    if (*stage->why || form == FORM_WI)
        return;
    uint32_t *newest = &last[origin][item % n_destinations][item / group];
    const uint32_t place = 1 + kind * group + item % group;
    if (*newest >= place)
        WRONG("kind %u of item %u of node %u is behind a later one", kind, item, origin);
    *newest = place;
}

/* Checks that each that is due, and no other, has come once. */
static void expect(uint32_t n_kinds, uint32_t n_nodes, uint32_t node)
{
    for (uint32_t origin = 0; origin < stage->n_origins; origin++)
        for (uint32_t kind = 0; kind < n_kinds; kind++)
            for (uint32_t item = 0; item < N_GROUPS * group; item++) {
                const bool is_due = is_active(item) && item % n_nodes == node;
                if (seen[origin][kind][item] != is_due)
                    WRONG("kind %u of item %u of node %u came %u times", kind, item, origin,
                          seen[origin][kind][item]);
            }
}

/* Runs once all nodes are ready for what the others' kernels send. */
static void run_together(cl_kernel kernel)
{
    OK(gravel_barrier(stage->gravel));
    OK(run_kernel(stage->gravel, kernel, N_GROUPS * group, group));
}

/* ---- lines ------------------------------------------------------------------------------------- */

static const uint32_t counts[] = {1, 2, 7, 16};
static const char *const names[] = {"", "a", "thirty-one bytes, and so no cut.",
                                    "thirty-nine bytes, of which 32 are left"};

static int write_argument(char *text, size_t room, const char *type, uint32_t item, uint32_t k)
{
    const uint32_t number = 16 * item + k;
    if (!strcmp(type, "int"))
        return snprintf(text, room, "%d", (int)number - 1000);
    if (!strcmp(type, "uint"))
        return snprintf(text, room, "%u", number + 0x80000000u);
    if (!strcmp(type, "long"))
        return snprintf(text, room, "%" PRId64, ((int64_t)number << 32) - 5);
    if (!strcmp(type, "ulong"))
        return snprintf(text, room, "%" PRIu64, ~(uint64_t)number);
    if (!strcmp(type, "string"))
        return snprintf(text, room, "%.32s", names[(item + k) % 4]);
    return snprintf(text, room, "%g", number * (!strcmp(type, "float") ? 0.5 : 0.25));
}

/* The line of n arguments. */
static void write_line(char *text, size_t room, const char *type, uint32_t n, uint32_t item)
{
    size_t at = (size_t)snprintf(text, room, "%s %u", type, n);
    for (uint32_t k = 0; k < n && at + 1 < room; k++) {
        text[at++] = ' ';
        at += (size_t)write_argument(text + at, room - at, type, item, k);
    }
}

/* Notes a line of a work-item. @param type  NULL: plain; `second` is of the call that `first` is of */
static void look_at(const char *type, uint32_t origin, uint32_t item, const char *text)
{
    char expected[4][600] = {"none", "first", "spaces a " THERE " s own"};
    snprintf(expected[3], sizeof expected[3], "second %u", item);
    for (uint32_t kind = 0; kind < 4; kind++) {
        if (type)
            write_line(expected[kind], sizeof expected[kind], type, counts[kind], item);
        if (strcmp(text, expected[kind]))
            continue;
        if (type || kind < 3)
            note_in_order(origin, kind, item);
        else
            note(origin, kind, item);
        return;
    }
    WRONG("no line of item %u: \"%.100s\"", item, text);
}

/* Run a kernel whose lines come into a file. @param type  NULL: plain. */
static void run_printing(cl_kernel kernel, const char *type)
{
    FILE *file = tmpfile();
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    char line[700];
    MUST(file && kept >= 0 && fflush(stdout) == 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    run_together(kernel);
    MUST(dup2(kept, STDOUT_FILENO) >= 0);
    close(kept);
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        unsigned origin, item;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "[%u:%u]%n", &origin, &item, &at) != 2 || line[at] != ' ')
            WRONG("a line \"%.100s\"", line);
        else
            look_at(type, origin, item, line + at + 1);
    }
    fclose(file);
}

/* ---- records ----------------------------------------------------------------------------------- */

#define N_STREAMS 5u
static const uint32_t n_words[N_STREAMS] = {1, 2, 7, 16, 60};

static int take(struct gravel *gravel, void *user, uint32_t source, const void *records, uint32_t n)
{
    const uint32_t kind = (uint32_t)(uintptr_t)user, *words = records;
    (void)gravel;
    for (uint32_t i = 0; i < n; i++, words += n_words[kind]) {
        for (uint32_t j = 0; j < n_words[kind]; j++)
            if (words[j] != words[0] + j || words[0] % 64)
                WRONG("word %u of a record of %u is %u behind %u", j, n_words[kind], words[j],
                      words[0]);
        note_in_order(source, kind, words[0] / 64);
    }
    return 0;
}

static const struct gravel_stream streams[N_STREAMS] = {
    {"words_1", 4, take, (void *)0},    {"words_2", 8, take, (void *)1},
    {"words_7", 28, take, (void *)2},   {"words_16", 64, take, (void *)3},
    {"words_60", 240, take, (void *)4},
};

/* ---- asks -------------------------------------------------------------------------------------- */

static int sum(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
               uint64_t *answer)
{
    (void)gravel, (void)source;
    *answer = 1000 * (1 + (uint64_t)(uintptr_t)user);
    for (uint32_t k = 0; k < GRAVEL_ASK_MAX_ARGS; k++)
        *answer += args[k];
    return 0;
}

static const struct gravel_handler handlers[] = {
    {.name = "sum_0", .n_args = 0, .answer = sum, .user = (void *)0},
    {.name = "sum_1", .n_args = 1, .answer = sum, .user = (void *)1, .blocks = 1},
    {.name = "sum_2", .n_args = 2, .answer = sum, .user = (void *)2},
    {.name = "sum_3", .n_args = 3, .answer = sum, .user = (void *)3, .blocks = 1},
};

static void run_asking(cl_kernel kernel)
{
    const uint64_t bytes = 4 * N_GROUPS * group * sizeof(uint64_t);
    stage_set(kernel, 1, sizeof stage->heap, &stage->heap);
    fill(stage->gravel, stage->node, stage->heap, 0, bytes);
    run_together(kernel);
    const uint64_t *answers = read_map(stage->gravel, stage->node, stage->heap, bytes);
    for (uint32_t item = 0; item < N_GROUPS * group; item++)
        for (uint32_t n = 0; n < 4; n++) {
            const uint64_t x = item, terms[] = {0, x, x + (x << 33), x + (x << 33) + 7};
            const uint64_t due = is_active(item) ? 1000 * (1 + n) + terms[n] : 0;
            if (answers[4 * item + n] != due)
                WRONG("item %u's ask of %u arguments is answered by %" PRIu64 ", not %" PRIu64,
                      item, n, answers[4 * item + n], due);
        }
    unmap(stage->gravel, answers);
}

/* ---- the suite --------------------------------------------------------------------------------- */

/* Runs a kernel of one form, in groups of several sizes, or of one: each is compiled again. */
static void run_form(const char *name, const char *type, bool in_all_sizes, cl_mem there)
{
    static const uint32_t sizes[] = {37, 1, 256};
    const bool has_records = !strcmp(name, "records"), has_asks = !strcmp(name, "asks");
    unsigned n_cases = 0, n_failed = 0;
    cl_kernel kernel = stage_kernel(stage, name, form);
    if (!kernel)
        return;
    if (!strcmp(name, "plain"))
        stage_set(kernel, 1, sizeof there, &there);
    n_destinations = has_records ? stage->n_nodes : 1;
    for (; n_cases < (in_all_sizes ? 3u : 1u); n_cases++) {
        char what[64];
        group = sizes[n_cases];
        memset(seen, 0, sizeof seen);
        memset(last, 0, sizeof last);
        stage->why[0] = '\0';
        if (has_asks)
            run_asking(kernel);
        else if (has_records)
            run_together(kernel);
        else
            run_printing(kernel, type);
        if (has_records)
            expect(N_STREAMS, stage->n_origins, stage->node);
        else if (!has_asks && stage->node == 0)
            expect(type && !strcmp(type, "string") ? 3 : 4, 1, 0);
        snprintf(what, sizeof what, "%s%s, groups of %u", name, form_suffixes[form], group);
        n_failed += !stage_judge(stage, what, !*stage->why);
    }
    clReleaseKernel(kernel);
    stage_line(stage, name, form, n_cases, n_failed);
}

/* @param in_all_sizes  of groups. Of singles: in one size, and lines of each type in one form. */
static void run_forms(const char *name, const char *type, bool in_all_sizes, cl_mem there)
{
    for (form = FORM_GROUP; form <= FORM_WI; form++)
        if (!stage->is_of_singles || !type || (strlen(type) + (uint32_t)form) % 3 == 0)
            run_form(name, type, in_all_sizes && !stage->is_of_singles, there);
}

static void run_records(struct stage *given)
{
    static const char *const types[] = {"int",   "uint",   "long",  "ulong",
                                        "float", "double", "string"};
    const char there_text[] = THERE;
    stage = given;
    stage_require_nodes(stage, stage->n_nodes);
    cl_mem there = stage_array(stage, sizeof there_text);
    stage_write(stage, there, there_text, sizeof there_text);
    run_forms("plain", NULL, true, there);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char name[32];
        snprintf(name, sizeof name, "lines_%s", types[i]);
        run_forms(name, types[i], false, NULL);
    }
    run_forms("records", NULL, true, NULL);
    run_forms("asks", NULL, true, NULL);
    clReleaseMemObject(there);
}

static const struct gravel_bindings bindings =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 4, .streams = streams,
                    .n_streams = N_STREAMS);
const struct suite suite_records = {records_cl, 4 * MOST_ITEMS * sizeof(uint64_t), run_records,
                                    &bindings, NULL};
