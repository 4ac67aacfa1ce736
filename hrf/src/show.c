/* SPDX-License-Identifier: MIT */
/*
 * Verdicts as text and as JSON. See show.h.
 */
#include "show.h"

#include "checker/mutate.h"
#include "checker/parse.h"
#include "checker/print.h"
#include "run/play.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define USUAL_MODELS (1u << HRF_DIRECT | 1u << HRF_INDIRECT | 1u << HRF_OPENCL)

int show_worse(int a, int b)
{
    static const int from_worst[] = {SHOW_BAD_FILE, SHOW_NOT_SO, SHOW_UNDECIDED, SHOW_NO_DEVICE};
    for (unsigned i = 0; i < sizeof from_worst / sizeof *from_worst; i++)
        if (a == from_worst[i] || b == from_worst[i])
            return from_worst[i];
    return SHOW_AS_EXPECTED;
}

static const char *answer_text(enum hrf_answer answer)
{
    static const char *const texts[] = {[HRF_UNDECIDED] = "undecided",
                                        [HRF_IS_FREE] = "free",
                                        [HRF_IS_FREE_SC] = "free (SC executions)",
                                        [HRF_HAS_RACE] = "RACE"};
    return texts[answer];
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_exists(const struct hrf_program *program, const struct hrf_verdict *verdict)
{
    uint32_t sometimes = 0;
    if (program->exists < 0)
        return;
    for (int m = 0; m < HRF_N_MODELS; m++)
        sometimes |= verdict->of[m].exists ? 1u << m : 0;
    printf("    exists %s", sometimes ? "sometimes" : "never");
    if (sometimes && sometimes != verdict->models) {
        const char *comma = " (";
        for (int m = 0; m < HRF_N_MODELS; m++)
            if (sometimes >> m & 1) {
                printf("%s%s", comma, hrf_rules[m].name);
                comma = ", ";
            }
        putchar(')');
    }
}

static void print_line(const struct hrf_program *program, const struct hrf_verdict *verdict)
{
    printf("%s", program->name);
    for (int m = 0; m < HRF_N_MODELS; m++)
        if (verdict->models >> m & 1)
            printf("    %s %s", hrf_rules[m].name, answer_text(verdict->of[m].answer));
    print_exists(program, verdict);
    if (verdict->is_limited)
        printf("    undecided after %" PRIu64 " executions", verdict->n_executions);
    else if (verdict->is_cut)
        printf("    undecided after %u rounds of a loop", program->max_rounds);
    putchar('\n');
}

static void print_text(const struct show_wish *wish, const struct hrf_program *program,
                       const struct hrf_verdict *verdict, const char *wrong)
{
    print_line(program, verdict);
    for (int m = 0; m < HRF_N_MODELS; m++) {
        const struct hrf_answer_of_model *of = &verdict->of[m];
        hrf_print_race(stdout, verdict, (enum hrf_model)m);
        if (wish->is_verbose && of->answer == HRF_HAS_RACE)
            hrf_print_execution(stdout, &of->execution, of->pair, 2);
    }
    hrf_print_fault(stdout, verdict);
    if (*wrong)
        printf("  NOT AS EXPECTED: %s\n", wrong);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_of_event(const struct hrf_execution *execution, uint32_t number)
{
    const struct hrf_event *event = &execution->events[number];
    const struct hrf_instruction *i = event->instruction;
    return json_pack("{s:s, s:i, s:s%, s:I}", "thread",
                     execution->program->threads[event->thread].name, "line", (int)i->line,
                     "statement", i->text, (size_t)i->n_text, "value", (json_int_t)event->value);
}

static json_t *json_of_execution(const struct hrf_execution *execution)
{
    json_t *events = json_array();
    for (uint32_t e = 0; e < execution->n; e++)
        json_array_append_new(events, json_of_event(execution, e));
    return events;
}

static json_t *json_of_model(const struct hrf_program *program, const struct hrf_verdict *verdict,
                             int model)
{
    const struct hrf_answer_of_model *of = &verdict->of[model];
    json_t *object = json_pack("{s:s, s:s, s:I}", "model", hrf_rules[model].name, "verdict",
                               answer_text(of->answer), "graphs", (json_int_t)of->n_graphs);
    if (program->exists >= 0)
        json_object_set_new(object, "exists", json_boolean(of->exists));
    if (of->answer == HRF_HAS_RACE) {
        json_object_set_new(object, "race",
                            json_pack("[o, o]", json_of_event(&of->execution, of->pair[0]),
                                      json_of_event(&of->execution, of->pair[1])));
        json_object_set_new(object, "execution", json_of_execution(&of->execution));
    }
    return object;
}

static json_t *add_json(const struct show_wish *wish, const char *path,
                        const struct hrf_program *program, const struct hrf_verdict *verdict,
                        const char *wrong, int status)
{
    json_t *models = json_array();
    for (int m = 0; m < HRF_N_MODELS; m++)
        if (verdict->models >> m & 1)
            json_array_append_new(models, json_of_model(program, verdict, m));
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:I, s:s, s:b, s:s, s:i}", "file", path, "program", program->name,
        "models", models, "executions", (json_int_t)verdict->n_executions, "fault",
        hrf_fault_text(verdict->fault), "undecided", verdict->is_limited || verdict->is_cut,
        "not_as_expected", wrong, "status", status);
    if (verdict->fault)
        json_object_set_new(object, "fault_execution",
                            json_of_execution(&verdict->fault_execution));
    json_array_append_new(wish->json, object);
    return object;
}

/* ---- mutants --------------------------------------------------------------------------------- */

struct mutant_list {
    const struct show_wish *wish;
    json_t *json; /* or NULL: text */
};

static void see_mutant(void *context, const struct hrf_mutant *mutant, enum hrf_fate fate)
{
    static const char *const texts[] = {[HRF_SPARED] = "spared",
                                        [HRF_SURVIVES] = "SURVIVES",
                                        [HRF_FATE_UNKNOWN] = "undecided",
                                        [HRF_SPARED_FOR_NOTHING] =
                                            "SPARED, but every mutant of the statement is caught"};
    const struct mutant_list *list = context;
    const struct hrf_instruction *i = &mutant->before;
    if (list->json)
        json_array_append_new(list->json, json_pack("{s:s, s:s, s:s%}", "mutant", mutant->text,
                                                    "fate", texts[fate], "reason",
                                                    i->spare ? i->spare : "", (size_t)i->n_spare));
    else if (fate == HRF_SPARED && list->wish->is_verbose)
        printf("  %s: spared: %.*s\n", mutant->text, (int)i->n_spare, i->spare);
    else if (fate != HRF_SPARED)
        printf("  %s: %s\n", mutant->text, texts[fate]);
}

static void print_counts(const struct hrf_mutant_counts *counts, enum hrf_model model)
{
    printf("  %s: %u mutants, %u caught", hrf_rules[model].name, counts->n, counts->n_caught);
    if (counts->n_spared)
        printf(", %u spared", counts->n_spared);
    if (counts->n_survivors)
        printf(", %u SURVIVE", counts->n_survivors);
    if (counts->n_unknown)
        printf(", %u undecided", counts->n_unknown);
    putchar('\n');
}

/* Under each model for which the program is free. @param object  [in, out] of the file, or NULL. */
static int show_mutants(const struct show_wish *wish, struct hrf_program *program,
                        const struct hrf_verdict *verdict, json_t *object)
{
    int status = SHOW_AS_EXPECTED;
    for (int m = 0; m < HRF_N_MODELS; m++) {
        struct mutant_list list = {wish, object ? json_array() : NULL};
        struct hrf_mutant_counts counts;
        if (!(verdict->models >> m & 1) || verdict->of[m].answer != HRF_IS_FREE)
            continue;
        if (hrf_judge_mutants(program, (enum hrf_model)m, wish->limit, verdict->of[m].exists,
                              see_mutant, &list, &counts))
            return SHOW_UNDECIDED;
        status = show_worse(status, counts.n_survivors ? SHOW_NOT_SO
                                    : counts.n_unknown ? SHOW_UNDECIDED
                                                       : SHOW_AS_EXPECTED);
        if (object)
            json_object_set_new(object, "mutants",
                                json_pack("{s:s, s:i, s:i, s:i, s:o}", "model", hrf_rules[m].name,
                                          "n", (int)counts.n, "caught", (int)counts.n_caught,
                                          "spared", (int)counts.n_spared, "not_caught", list.json));
        else
            print_counts(&counts, (enum hrf_model)m);
    }
    return status;
}

/* ---- one file -------------------------------------------------------------------------------- */

/* Says what is wrong with a file: "file:line: what". Returns the exit status. */
static int complain(const struct show_wish *wish, const char *path, const char *what)
{
    if (wish->json)
        json_array_append_new(wish->json, json_pack("{s:s, s:s, s:i}", "file", path, "error", what,
                                                    "status", SHOW_BAD_FILE));
    else
        fprintf(stderr, "%s\n", what);
    return SHOW_BAD_FILE;
}

static uint32_t models_of(const struct show_wish *wish, uint32_t expected)
{
    if (wish->models)
        return wish->models;
    return wish->has_mutants || wish->is_run ? 1u << HRF_OPENCL : USUAL_MODELS | expected;
}

static int show_program(const struct show_wish *wish, const char *path, struct hrf_program *program)
{
    const uint32_t expected = hrf_expected_models(program);
    const struct hrf_question question = {
        .models = models_of(wish, expected), .engine = wish->engine, .limit = wish->limit};
    json_t *object = NULL;
    const uint32_t must_be_free = wish->models ? wish->models : expected ? 0 : question.models;
    struct hrf_verdict verdict;
    char wrong[128];
    if (hrf_judge(program, &question, &verdict)) {
        hrf_verdict_free(&verdict);
        return complain(wish, path, "out of memory");
    }
    int status = hrf_compare(program, &verdict, must_be_free, wrong, sizeof wrong);
    if (wish->json)
        object = add_json(wish, path, program, &verdict, wrong, status);
    else if (!wish->as_dot)
        print_text(wish, program, &verdict, wrong);
    for (int m = 0; m < HRF_N_MODELS && wish->as_dot; m++)
        hrf_print_dot(stdout, &verdict, (enum hrf_model)m);
    if (wish->is_run)
        status = show_worse(status, play_program(wish, program, &verdict, object));
    else if (wish->has_mutants)
        status = show_worse(status, show_mutants(wish, program, &verdict, object));
    hrf_verdict_free(&verdict);
    return status;
}

int show_file(const struct show_wish *wish, const char *path)
{
    char error[HRF_ERROR_BYTES];
    struct hrf_program *program = hrf_parse_file(path, error);
    if (!program)
        return complain(wish, path, error);
    if (wish->rounds)
        program->max_rounds = wish->rounds;
    int status = show_program(wish, path, program);
    hrf_program_free(program);
    return status;
}
