/* SPDX-License-Identifier: MIT */
/*
 * The models: which releases and acquires make a pair, and how pairs add up to happens-before.
 *
 * Path:    orders.c, race.c, consistent.c ask models.c about two events.
 * Source:  Hower et al. 2014 (direct, indirect); Gaster et al. 2015, "HRF-Relaxed"; Orr et al. 2015, "Synchronization
 *          Using Remote-Scope Promotion" (rsp); Wickerson et al. 2015 (rsp-pair); OpenCL 3.0, section 3.3.6.
 *
 * What these texts leave open is decided so:
 * - Pairs of HRF are on one location, a release with every acquire that reads from it or from a later store in
 *   coherence order. Pairs of OpenCL are by reads-from and release sequence.
 * - The relaxed forms take a pair if each scope holds both agents; so a group's release and another group's device
 *   acquire are none.
 * - Where the scope of a remote operation holds the other agent, two atomics do not race, whichever comes first.
 * - rsp widens the partner of a remote operation for all agents, rsp-pair for these two. Where acquires of two threads
 *   could each be the next one, none is widened.
 * - HRF orders all seq_cst operations whose scopes meet, OpenCL those of one scope.
 */
#ifndef GRAVEL_HRF_MODELS_H
#define GRAVEL_HRF_MODELS_H

#include <stdbool.h>
#include <stdint.h>

enum hrf_model {
    HRF_DIRECT,
    HRF_INDIRECT,
    HRF_DIRECT_RELAXED,
    HRF_INDIRECT_RELAXED,
    HRF_RSP,
    HRF_RSP_PAIR,
    HRF_OPENCL,
    HRF_N_MODELS
};

struct hrf_rules {
    const char *name;
    bool by_scope;       /* orders of two scopes never combine */
    bool is_inclusive;   /* a pair may have two scopes */
    bool pairs_remotely; /* a remote operation widens its partner for itself */
    bool promotes;       /* it widens its partner for all */
    bool by_reads_from;  /* pairs are by release sequence */
    bool by_region;      /* local and global memory are ordered apart */
    bool is_sc;          /* executions are sequentially consistent */
    bool has_weak;       /* executions that are not sequentially consistent count too */
};
extern const struct hrf_rules hrf_rules[HRF_N_MODELS];
extern const struct hrf_rules hrf_rules_sc; /* of no model: what is sequentially consistent */

struct hrf_program;
struct hrf_event;

/** A model by its name. @return false if there is none. */
bool hrf_model_of(const char *name, uint32_t n_bytes, enum hrf_model *model);

/**
 * Returns whether operations a and b, acting at instances `at_a` and `at_b`, synchronize if their orders do.
 *
 * @param may_promote  also where a remote operation comes before its partner: for conflicts.
 */
bool hrf_scopes_meet(const struct hrf_rules *rules, const struct hrf_program *program,
                     const struct hrf_event *a, uint16_t at_a, const struct hrf_event *b,
                     uint16_t at_b, bool may_promote);

#endif
