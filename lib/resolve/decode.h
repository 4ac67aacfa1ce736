/* SPDX-License-Identifier: MIT */
/*
 * The check of an incoming node buffer: a pure function over bytes that may be anything.
 *
 * A buffer that passes can be applied without looking again: its runs fill it exactly, every word
 * it names lies in a live allocation, and every active message has a handler that takes its
 * arguments.
 *
 * Path:    lib/network receives a buffer -> decode.h -> apply.h.
 * Owner:   the caller owns everything; nothing is written but the refusal, nothing is kept.
 * Threads: any; the caller holds the heap's shared lock, and keeps it until the buffer is applied.
 * Source:  Orr 2016, section 5.2.3 (the receiver resolves messages); the checks are those of
 *          OpenSHMEM implementations built with error checking.
 */
#ifndef GRAVEL_RESOLVE_DECODE_H
#define GRAVEL_RESOLVE_DECODE_H

#include "base/endpoints.h"
#include "gravel/gravel.h"
#include "memory/allocations.h"
#include "transport/wire.h"

#define GRAVEL_REFUSAL_BYTES 256u

/** What the receiver knows about the next buffer, and what it may name. */
struct gravel_expect {
    uint32_t source;      /* node the transport took it from */
    uint32_t destination; /* this node */
    uint64_t sequence;    /* frames accepted from source so far */
    const struct gravel_endpoints *endpoints;
    const struct gravel_heap *heap;
    /* the node's allocations; its shared lock is held; NULL: no handler is asked, and no word is named */
    bool are_records; /* runs of records, and of messages that ask handlers that block */
    bool is_header;   /* the messages of its one run are elsewhere, not behind the run's header */
};

/** Why a buffer was refused. */
struct gravel_refusal {
    int code; /* GRAVEL_ECORRUPT, GRAVEL_ERANGE or GRAVEL_EHANDLER; 0 if it was not */
    char text[GRAVEL_REFUSAL_BYTES];
};

/* ---- frames whose indices the device checks --------------------------------------------------- */

#define GRAVEL_PLAN_RUNS 32u

/* A run that has passed except for its indices. A copy: the frame's owner may still write to it. */
struct gravel_planned_run {
    struct gravel_run run;
    uint64_t at;             /* of the run in the frame [bytes] */
    uint32_t first;          /* messages of the frame before it */
    uint64_t n_words;        /* from index 0 on, in the allocation: every index is less */
    struct gravel_span span; /* the allocation */
};

/* A frame of updates and puts alone, of few runs. */
struct gravel_plan {
    uint32_t n_runs; /* 0: it is another frame */
    uint32_t n_messages;
    struct gravel_planned_run runs[GRAVEL_PLAN_RUNS];
};

/**
 * Decide whether a received buffer may be applied, or its records may be taken apart.
 *
 * @param frame    [bytes] received, 8-byte aligned; header and runs of wire.h, or anything else.
 * @param bytes    received length [bytes].
 * @param plan     NULL; or [out] the runs, of which no index is read: kernels that apply the frame compare each with
 *                 its n_words. n_runs is 0 if the frame is not refused here, and must be checked without a plan.
 * @param refusal  [out] code and text; code 0 and an empty text if it passed.
 * @return         0; GRAVEL_ECORRUPT (no frame, not the one that is due, or parts that do not fit);
 *                 GRAVEL_ERANGE (a word outside of any allocation, or misaligned);
 *                 GRAVEL_EHANDLER (no such handler, or it takes another number of arguments).
 */
int gravel_decode_check(const void *frame, uint64_t bytes, const struct gravel_expect *expect,
                        struct gravel_plan *plan, struct gravel_refusal *refusal);

/**
 * Describes why a planned frame is refused.
 *
 * @param message  number in the frame of the first message whose index is beyond its run's words; and that index.
 * @return         GRAVEL_ERANGE.
 */
int gravel_decode_refuse_index(const struct gravel_plan *plan, const struct gravel_expect *expect,
                               uint32_t message, uint32_t index, struct gravel_refusal *refusal);

#endif
