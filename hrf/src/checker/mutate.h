/* SPDX-License-Identifier: MIT */
/*
 * Mutants of a program: each order, scope, barrier and `remote` weakened, one at a time. A mutant that nothing catches
 * means that the program does not need what was taken, or does not show that it does.
 *
 * Path:    gravel-hrf -> mutate.c -> verdict.c.
 * Owner:   the program is changed, judged and changed back.
 */
#ifndef GRAVEL_HRF_MUTATE_H
#define GRAVEL_HRF_MUTATE_H

#include "checker/verdict.h"

enum hrf_mutation {
    HRF_WEAKER_ORDER,
    HRF_ONLY_ACQUIRE, /* of acquire and release, the first is left */
    HRF_ONLY_RELEASE,
    HRF_WEAKER_FAILED_ORDER,
    HRF_SMALLER_SCOPE,
    HRF_NOT_REMOTE,
    HRF_NO_BARRIER, /* the work-item waits there, and orders no memory */
    HRF_N_MUTATIONS
};

enum hrf_fate { HRF_CAUGHT, HRF_SPARED, HRF_SURVIVES, HRF_FATE_UNKNOWN, HRF_SPARED_FOR_NOTHING };

struct hrf_mutant {
    uint32_t thread, number;       /* of the instruction */
    struct hrf_instruction before; /* as the program has it */
    enum hrf_mutation mutation;
    char text[96]; /* writer:3 release -> relaxed */
};

/** Starts before the first mutant. */
struct hrf_mutant hrf_before_mutants(void);
/** Changes the program to its next mutant, if there is one: then hrf_mutant_undo. */
bool hrf_mutant_next(struct hrf_program *program, struct hrf_mutant *mutant);
void hrf_mutant_undo(struct hrf_program *program, const struct hrf_mutant *mutant);

struct hrf_mutant_counts {
    uint32_t n, n_caught, n_spared, n_survivors, n_unknown;
};
/** Sees each mutant that is not caught, and each statement that is spared though its mutants are caught. */
typedef void hrf_see_mutant(void *context, const struct hrf_mutant *mutant, enum hrf_fate fate);

/**
 * Judge all mutants under one model.
 *
 * @param exists  whether the program's condition holds sometimes without a mutation.
 * @return        0; -1 without memory.
 */
int hrf_judge_mutants(struct hrf_program *program, enum hrf_model model, uint64_t limit,
                      bool exists, hrf_see_mutant *see, void *context,
                      struct hrf_mutant_counts *counts);

#endif
