/* SPDX-License-Identifier: MIT */
/*
 * Verdicts. See verdict.h.
 *
 * Sequentially consistent executions come first: they are executions of every model, most races show in one, and for
 * some programs and models there are no others.
 */
#include "checker/verdict.h"

#include "checker/explore.h"
#include "checker/expression.h"
#include "checker/race.h"

#include <stdio.h>
#include <string.h>

struct judge {
    const struct hrf_program *program;
    const struct hrf_question *question;
    struct hrf_verdict *verdict;
    struct hrf_orders orders[HRF_N_MODELS]; /* of the models that are asked for */
    enum hrf_model model;                   /* whose graphs are searched */
    bool is_stopped;                        /* that search ended before its end */
    bool is_out_of_memory;
};

static bool is_asked(const struct judge *judge, int model)
{
    return judge->question->models >> model & 1;
}

/* ---- what one execution shows ---------------------------------------------------------------- */

static void keep_fault(struct judge *judge, enum hrf_model model,
                       const struct hrf_execution *execution, const struct hrf_outcome *outcome)
{
    struct hrf_verdict *verdict = judge->verdict;
    verdict->is_cut |= outcome->is_cut;
    if (verdict->fault)
        return;
    verdict->fault = outcome->failed_thread >= 0 ? HRF_FAILED_ASSERT
                     : outcome->has_diverged     ? HRF_DIVERGED
                     : outcome->is_stuck         ? HRF_STUCK
                                                 : HRF_NO_FAULT;
    if (!verdict->fault)
        return;
    verdict->fault_model = model;
    verdict->fault_thread = outcome->failed_thread;
    verdict->fault_line = outcome->failed_line;
    judge->is_out_of_memory |= hrf_execution_copy(&verdict->fault_execution, execution) != 0;
}

static bool condition_holds(const struct hrf_program *program, const struct hrf_outcome *outcome)
{
    const struct hrf_values values = {.locals = outcome->locals, .memory = outcome->memory};
    return program->exists >= 0 && !outcome->is_stuck && !outcome->is_cut &&
           hrf_evaluate(program, program->exists, &values);
}

/* Returns whether another execution could still change the verdict. */
static bool is_open(const struct judge *judge, int model)
{
    const struct hrf_answer_of_model *of = &judge->verdict->of[model];
    return of->answer != HRF_HAS_RACE || (judge->program->exists >= 0 && !of->exists);
}

static bool has_enough(const struct judge *judge)
{
    const struct hrf_verdict *verdict = judge->verdict;
    bool is_any_open = false;
    for (int m = 0; m < HRF_N_MODELS; m++) {
        const struct hrf_answer_of_model *of = &verdict->of[m];
        if (is_asked(judge, m) && judge->question->is_curious &&
            (of->answer == HRF_HAS_RACE || (of->exists && judge->question->ends_at_exists)))
            return true;
        is_any_open |= is_asked(judge, m) && is_open(judge, m);
    }
    return !is_any_open || judge->is_out_of_memory ||
           (judge->question->is_curious && verdict->fault);
}

static void look_for_race(struct judge *judge, enum hrf_model model,
                          const struct hrf_execution *execution)
{
    struct hrf_answer_of_model *of = &judge->verdict->of[model];
    if (of->answer == HRF_HAS_RACE)
        return;
    hrf_order(&judge->orders[model], execution);
    if (!hrf_find_race(&judge->orders[model], of->pair))
        return;
    of->answer = HRF_HAS_RACE;
    judge->is_out_of_memory |= hrf_execution_copy(&of->execution, execution) != 0;
}

/* Sees a sequentially consistent execution, which counts under every model. */
static bool see_execution(void *context, const struct hrf_execution *execution,
                          const struct hrf_outcome *outcome)
{
    struct judge *judge = context;
    bool holds = condition_holds(judge->program, outcome);
    keep_fault(judge, HRF_N_MODELS, execution, outcome);
    for (int m = 0; m < HRF_N_MODELS; m++) {
        if (!is_asked(judge, m))
            continue;
        judge->verdict->of[m].exists |= holds;
        look_for_race(judge, (enum hrf_model)m, execution);
    }
    return !has_enough(judge);
}

/* ---- weak executions ------------------------------------------------------------------------- */

/* Returns whether all synchronization is seq_cst at one instance: a free program then has no weak executions. */
static bool is_all_seq_cst(const struct hrf_program *program)
{
    int32_t instance = HRF_NONE;
    for (uint32_t t = 0; t < program->n_threads; t++)
        for (uint32_t k = 0; k < program->threads[t].n_code; k++) {
            const struct hrf_instruction *i = &program->threads[t].code[k];
            if (!hrf_is_sync(i->op))
                continue;
            if (i->order != HRF_SEQ_CST || (i->op == HRF_CAS && i->failed_order != HRF_SEQ_CST) ||
                (instance >= 0 && instance != hrf_instance_of(program, t, i)))
                return false;
            instance = hrf_instance_of(program, t, i);
        }
    return true;
}

/* Sees an execution that the model allows, weak or not. */
static bool see_graph(void *context, const struct hrf_execution *execution,
                      const struct hrf_outcome *outcome)
{
    struct judge *judge = context;
    struct hrf_answer_of_model *of = &judge->verdict->of[judge->model];
    of->n_graphs++;
    of->exists |= condition_holds(judge->program, outcome);
    keep_fault(judge, judge->model, execution, outcome);
    look_for_race(judge, judge->model, execution);
    judge->is_stopped = has_enough(judge) || !is_open(judge, judge->model);
    return !judge->is_stopped;
}

static int search_graphs(struct judge *judge, enum hrf_model model)
{
    struct hrf_search search = {.program = judge->program,
                                .rules = &hrf_rules[model],
                                .visit = see_graph,
                                .context = judge,
                                .limit = judge->question->limit};
    struct hrf_answer_of_model *of = &judge->verdict->of[model];
    judge->model = model;
    judge->is_stopped = false;
    int code = hrf_explore(&search);
    judge->verdict->is_limited |= search.is_limited;
    if (of->answer != HRF_HAS_RACE && !search.is_limited && !judge->is_stopped)
        of->answer = HRF_IS_FREE;
    return code;
}

static int decide(struct judge *judge, enum hrf_model model, bool is_complete)
{
    struct hrf_answer_of_model *of = &judge->verdict->of[model];
    if (of->answer == HRF_HAS_RACE)
        return 0;
    bool needs_graphs = judge->question->engine == HRF_ENGINE_GRAPHS ||
                        (hrf_rules[model].has_weak && !is_all_seq_cst(judge->program));
    if (needs_graphs && judge->question->engine != HRF_ENGINE_SC)
        return has_enough(judge) ? 0 : search_graphs(judge, model);
    if (is_complete)
        of->answer = needs_graphs ? HRF_IS_FREE_SC : HRF_IS_FREE;
    return 0;
}

int hrf_judge(const struct hrf_program *program, const struct hrf_question *question,
              struct hrf_verdict *verdict)
{
    struct judge judge = {.program = program, .question = question, .verdict = verdict};
    struct hrf_search search = {.program = program,
                                .rules = &hrf_rules_sc,
                                .visit = see_execution,
                                .context = &judge,
                                .limit = question->limit};
    *verdict = (struct hrf_verdict){.models = question->models};
    int code = 0;
    for (int m = 0; m < HRF_N_MODELS; m++)
        if (is_asked(&judge, m))
            code |= hrf_orders_init(&judge.orders[m], program, &hrf_rules[m], false);
    if (!code && question->engine != HRF_ENGINE_GRAPHS)
        code = hrf_explore(&search);
    verdict->n_executions = search.n;
    verdict->is_limited = search.is_limited;
    for (int m = 0; m < HRF_N_MODELS && !code; m++)
        if (is_asked(&judge, m))
            code = decide(&judge, (enum hrf_model)m, !search.is_limited);
    for (int m = 0; m < HRF_N_MODELS; m++)
        hrf_orders_free(&judge.orders[m]);
    return judge.is_out_of_memory ? -1 : code;
}

void hrf_verdict_free(struct hrf_verdict *verdict)
{
    for (int m = 0; m < HRF_N_MODELS; m++)
        hrf_execution_free(&verdict->of[m].execution);
    hrf_execution_free(&verdict->fault_execution);
}

/* ---- as expected ----------------------------------------------------------------------------- */

uint32_t hrf_expected_models(const struct hrf_program *program)
{
    uint32_t models = 0;
    for (int m = 0; m < HRF_N_MODELS; m++)
        if (program->expected.verdict[m] || program->expected.exists[m])
            models |= UINT32_C(1) << m;
    return models;
}

/* Returns what the model's answer should have been, or NULL. */
static const char *wrong_answer(const struct hrf_program *program,
                                const struct hrf_verdict *verdict, enum hrf_model model,
                                uint32_t must_be_free)
{
    const enum hrf_wish wish = program->expected.verdict[model];
    const bool has_race = verdict->of[model].answer == HRF_HAS_RACE;
    if (has_race && (wish == HRF_FREE || (wish == HRF_ANY && must_be_free >> model & 1)))
        return "should be free";
    if (!has_race && wish == HRF_RACE)
        return "should have a race";
    return NULL;
}

static const char *wrong_exists(const struct hrf_program *program,
                                const struct hrf_verdict *verdict, enum hrf_model model)
{
    const enum hrf_wish wish = program->expected.exists[model]
                                   ? program->expected.exists[model]
                                   : program->expected.exists_everywhere;
    const bool exists = verdict->of[model].exists;
    if (wish == HRF_NEVER && exists)
        return "should never meet `exists`";
    if (wish == HRF_SOMETIMES && !exists)
        return "should meet `exists`";
    return NULL;
}

int hrf_compare(const struct hrf_program *program, const struct hrf_verdict *verdict,
                uint32_t must_be_free, char *what, uint32_t n_bytes)
{
    bool is_undecided = verdict->is_cut;
    *what = '\0';
    for (int m = 0; m < HRF_N_MODELS; m++) {
        if (!(verdict->models >> m & 1))
            continue;
        const char *wrong = wrong_answer(program, verdict, (enum hrf_model)m, must_be_free);
        if (!wrong)
            wrong = wrong_exists(program, verdict, (enum hrf_model)m);
        is_undecided |= verdict->of[m].answer == HRF_UNDECIDED;
        if (wrong && (!is_undecided || verdict->of[m].answer == HRF_HAS_RACE)) {
            snprintf(what, n_bytes, "%s %s", hrf_rules[m].name, wrong);
            return 1;
        }
    }
    if (verdict->fault)
        return 1;
    return is_undecided ? 3 : 0;
}
