/* SPDX-License-Identifier: MIT */
/*
 * What is so of a program under each model: free of races or not, and what else an execution showed.
 *
 * Path:    gravel-hrf, mutate.c -> verdict.c -> explore.c.
 * Owner:   the caller, by hrf_verdict_free.
 */
#ifndef GRAVEL_HRF_VERDICT_H
#define GRAVEL_HRF_VERDICT_H

#include "checker/execution.h"

#define HRF_DEFAULT_LIMIT UINT64_C(10000000)

enum hrf_engine { HRF_ENGINE_AUTO, HRF_ENGINE_SC, HRF_ENGINE_GRAPHS };

enum hrf_answer {
    HRF_UNDECIDED,
    HRF_IS_FREE,
    HRF_IS_FREE_SC, /* in sequentially consistent executions; no others were looked at */
    HRF_HAS_RACE
};

enum hrf_fault { HRF_NO_FAULT, HRF_FAILED_ASSERT, HRF_DIVERGED, HRF_STUCK };

struct hrf_answer_of_model {
    enum hrf_answer answer;
    struct hrf_execution execution; /* with the race */
    uint32_t pair[2];               /* its events */
    bool exists;                    /* the program's condition held once */
    uint64_t n_graphs;
};

struct hrf_verdict {
    uint32_t models; /* mask of those that were asked for */
    struct hrf_answer_of_model of[HRF_N_MODELS];
    uint64_t n_executions; /* sequentially consistent ones */
    enum hrf_fault fault;
    enum hrf_model
        fault_model; /* HRF_N_MODELS: in a sequentially consistent execution, so in all */
    struct hrf_execution fault_execution;
    int32_t fault_thread; /* of an assert */
    uint32_t fault_line;
    bool is_limited; /* a limit was reached */
    bool is_cut;     /* a loop or an execution was too long */
};

struct hrf_question {
    uint32_t models; /* mask */
    enum hrf_engine engine;
    uint64_t limit;  /* executions, of each engine and model */
    bool is_curious; /* stop at the first race or fault, or when the condition held: for mutants */
    bool ends_at_exists;
};

/** Returns 0; -1 without memory. */
int hrf_judge(const struct hrf_program *program, const struct hrf_question *question,
              struct hrf_verdict *verdict);
void hrf_verdict_free(struct hrf_verdict *verdict);

/**
 * Compares a verdict with what the program says of itself.
 *
 * @param must_be_free  mask of models under which a program that expects nothing should be free.
 * @param what          [n_bytes, out] what is not so, if anything.
 * @return              0 as expected; 1 not so; 3 undecided.
 */
int hrf_compare(const struct hrf_program *program, const struct hrf_verdict *verdict,
                uint32_t must_be_free, char *what, uint32_t n_bytes);

/** Returns the models that the program's `expect` names, as a mask. */
uint32_t hrf_expected_models(const struct hrf_program *program);

#endif
