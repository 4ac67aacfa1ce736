/* SPDX-License-Identifier: MIT */
/*
 * Mutants. See mutate.h.
 */
#include "checker/mutate.h"

#include <stdio.h>

struct hrf_mutant hrf_before_mutants(void)
{
    return (struct hrf_mutant){.mutation = HRF_N_MUTATIONS, .number = UINT32_MAX};
}

/* Returns the next smaller scope in which the thread is with fewer. */
static uint8_t smaller_scope(const struct hrf_program *program, uint32_t thread, uint8_t level)
{
    const struct hrf_thread *t = &program->threads[thread];
    const bool has_subgroups = program->instances[t->instances[HRF_SG]].mask !=
                               program->instances[t->instances[HRF_WG]].mask;
    if (level == HRF_WG && !has_subgroups)
        return HRF_WI;
    return level ? (uint8_t)(level - 1) : level;
}

/* Returns what an operation without seq_cst can do: a load acquires, a store releases. */
static uint8_t without_sc(const struct hrf_instruction *i)
{
    if (i->op == HRF_LOAD || i->op == HRF_AWAIT)
        return HRF_ACQUIRE;
    return i->op == HRF_STORE ? HRF_RELEASE : HRF_ACQ_REL;
}

static void set_order(struct hrf_instruction *i, uint8_t order)
{
    i->order = order;
    if (!i->names_failed_order)
        i->failed_order = hrf_order_of_failure(order);
}

static bool weaken_order(struct hrf_instruction *i, enum hrf_mutation mutation)
{
    const bool is_both = i->order == HRF_ACQ_REL;
    if (mutation == HRF_ONLY_ACQUIRE || mutation == HRF_ONLY_RELEASE) {
        set_order(i, mutation == HRF_ONLY_ACQUIRE ? HRF_ACQUIRE : HRF_RELEASE);
        return is_both;
    }
    if (i->order == HRF_RELAXED || is_both)
        return false;
    set_order(i, i->order == HRF_SEQ_CST ? without_sc(i) : HRF_RELAXED);
    return true;
}

static bool weaken_failed_order(struct hrf_instruction *i)
{
    if (i->op != HRF_CAS || !i->names_failed_order || i->failed_order == HRF_RELAXED)
        return false;
    i->failed_order = i->failed_order == HRF_SEQ_CST ? HRF_ACQUIRE : HRF_RELAXED;
    return true;
}

/* Returns whether the instruction has that mutation. */
static bool mutate(const struct hrf_program *program, uint32_t thread, struct hrf_instruction *i,
                   enum hrf_mutation mutation)
{
    if (mutation == HRF_NO_BARRIER) {
        i->regions = 0;
        return i->op == HRF_BARRIER;
    }
    if (!hrf_is_sync(i->op))
        return false;
    if (mutation == HRF_NOT_REMOTE) {
        bool was_remote = i->is_remote;
        i->is_remote = false;
        return was_remote;
    }
    if (mutation == HRF_SMALLER_SCOPE) {
        uint8_t level = i->level;
        i->level = smaller_scope(program, thread, level);
        return level != i->level;
    }
    return mutation == HRF_WEAKER_FAILED_ORDER ? weaken_failed_order(i) : weaken_order(i, mutation);
}

static void describe(const struct hrf_program *program, struct hrf_mutant *mutant,
                     const struct hrf_instruction *now)
{
    const struct hrf_instruction *before = &mutant->before;
    char what[64];
    switch (mutant->mutation) {
    case HRF_NO_BARRIER:
        snprintf(what, sizeof what, "barrier -> no order");
        break;
    case HRF_NOT_REMOTE:
        snprintf(what, sizeof what, "remote -> own");
        break;
    case HRF_SMALLER_SCOPE:
        snprintf(what, sizeof what, "%s -> %s", hrf_level_names[before->level],
                 hrf_level_names[now->level]);
        break;
    case HRF_WEAKER_FAILED_ORDER:
        snprintf(what, sizeof what, "failed %s -> %s", hrf_order_name(before->failed_order),
                 hrf_order_name(now->failed_order));
        break;
    default:
        snprintf(what, sizeof what, "%s -> %s", hrf_order_name(before->order),
                 hrf_order_name(now->order));
    }
    snprintf(mutant->text, sizeof mutant->text, "%.24s:%u %s",
             program->threads[mutant->thread].name, now->line, what);
}

bool hrf_mutant_next(struct hrf_program *program, struct hrf_mutant *mutant)
{
    for (;;) {
        mutant->mutation++;
        if (mutant->mutation >= HRF_N_MUTATIONS) {
            mutant->mutation = HRF_WEAKER_ORDER;
            mutant->number++;
        }
        while (mutant->thread < program->n_threads &&
               mutant->number >= program->threads[mutant->thread].n_code) {
            mutant->thread++;
            mutant->number = 0;
        }
        if (mutant->thread == program->n_threads)
            return false;
        struct hrf_instruction *i = &program->threads[mutant->thread].code[mutant->number];
        mutant->before = *i;
        if (mutate(program, mutant->thread, i, mutant->mutation)) {
            describe(program, mutant, i);
            return true;
        }
        *i = mutant->before;
    }
}

void hrf_mutant_undo(struct hrf_program *program, const struct hrf_mutant *mutant)
{
    program->threads[mutant->thread].code[mutant->number] = mutant->before;
}

/* ---- fates ----------------------------------------------------------------------------------- */

static int judge_one(const struct hrf_program *program, const struct hrf_mutant *mutant,
                     const struct hrf_question *question, enum hrf_fate *fate)
{
    struct hrf_verdict verdict;
    int code = hrf_judge(program, question, &verdict);
    bool has_race = false, exists = false, is_open = verdict.is_limited || verdict.is_cut;
    for (int m = 0; m < HRF_N_MODELS; m++) {
        has_race |= verdict.of[m].answer == HRF_HAS_RACE;
        exists |= verdict.of[m].exists;
    }
    if (has_race || verdict.fault || (exists && question->ends_at_exists))
        *fate = HRF_CAUGHT;
    else if (is_open)
        *fate = HRF_FATE_UNKNOWN;
    else
        *fate = mutant->before.spare ? HRF_SPARED : HRF_SURVIVES;
    hrf_verdict_free(&verdict);
    return code;
}

static void count(struct hrf_mutant_counts *counts, enum hrf_fate fate)
{
    counts->n++;
    counts->n_caught += fate == HRF_CAUGHT;
    counts->n_spared += fate == HRF_SPARED;
    counts->n_survivors += fate == HRF_SURVIVES;
    counts->n_unknown += fate == HRF_FATE_UNKNOWN;
}

int hrf_judge_mutants(struct hrf_program *program, enum hrf_model model, uint64_t limit,
                      bool exists, hrf_see_mutant *see, void *context,
                      struct hrf_mutant_counts *counts)
{
    const struct hrf_question question = {.models = UINT32_C(1) << model,
                                          .limit = limit,
                                          .is_curious = true,
                                          .ends_at_exists = program->exists >= 0 && !exists};
    struct hrf_mutant mutant = hrf_before_mutants(), last = mutant;
    bool was_spared = true; /* the last statement that is to be spared was */
    int code = 0;
    *counts = (struct hrf_mutant_counts){0};
    while (!code && hrf_mutant_next(program, &mutant)) {
        enum hrf_fate fate;
        if (mutant.thread != last.thread || mutant.number != last.number) {
            if (!was_spared)
                see(context, &last, HRF_SPARED_FOR_NOTHING);
            counts->n_survivors += !was_spared;
            was_spared = !mutant.before.spare;
        }
        code = judge_one(program, &mutant, &question, &fate);
        hrf_mutant_undo(program, &mutant);
        was_spared |= fate == HRF_SPARED;
        count(counts, fate);
        if (fate != HRF_CAUGHT)
            see(context, &mutant, fate);
        last = mutant;
    }
    if (!was_spared)
        see(context, &last, HRF_SPARED_FOR_NOTHING);
    counts->n_survivors += !was_spared;
    return code;
}
