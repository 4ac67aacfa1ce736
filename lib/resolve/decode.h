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
#include "memory/heap_books.h"
#include "transport/wire.h"

#define GRAVEL_REFUSAL_BYTES 256u

/** What the receiver knows about the next buffer. */
struct gravel_expect {
    uint32_t source;      /* node the transport took it from */
    uint32_t destination; /* this node */
    uint64_t sequence;    /* frames accepted from source so far */
    const struct gravel_endpoints *endpoints;
};

/** Why a buffer was refused. */
struct gravel_refusal {
    int code; /* GRAVEL_ECORRUPT, GRAVEL_ERANGE or GRAVEL_EHANDLER; 0 if it was not */
    char text[GRAVEL_REFUSAL_BYTES];
};

/**
 * Decide whether a received buffer may be applied.
 *
 * @param frame    [bytes] received, 8-byte aligned; header and runs of wire.h, or anything else.
 * @param bytes    received length [bytes].
 * @param expect   where it came from, which one is due, and what it may name.
 * @param heap     the receiving node's allocations; its shared lock is held.
 * @param refusal  [out] code and text; code 0 and an empty text if it passed.
 * @return         0; GRAVEL_ECORRUPT (no frame, not the one that is due, or parts that do not fit);
 *                 GRAVEL_ERANGE (a word outside of any allocation, or misaligned);
 *                 GRAVEL_EHANDLER (no such handler, or it takes another number of arguments).
 */
int gravel_decode_check(const void *frame, uint64_t bytes, const struct gravel_expect *expect,
                        const struct gravel_heap *heap, struct gravel_refusal *refusal);

/**
 * Check a frame of records: runs of them, whose text, types and words fit, and of messages that ask handlers that
 * block. It can be taken apart without a further check.
 *
 * @param heap     NULL: no handler is asked.
 * @return         0; GRAVEL_ECORRUPT; as gravel_decode_check if a handler is asked.
 */
int gravel_decode_records(const void *frame, uint64_t bytes, const struct gravel_expect *expect,
                          const struct gravel_heap *heap, struct gravel_refusal *refusal);

/* ---- frames whose indices the device checks --------------------------------------------------- */

#define GRAVEL_PLAN_RUNS 32u

/* A run that has passed but for its indices. A copy: the frame's owner may still write to it. */
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
 * Check as gravel_decode_check, but read neither an index nor, with is_header, what follows the first run's header: the
 * kernels that apply the frame compare each with its run's n_words.
 *
 * @param plan  [out] the runs; n_runs is 0 for a frame that gravel_decode_check must see, which is not refused here.
 */
int gravel_decode_plan(const void *frame, uint64_t bytes, const struct gravel_expect *expect,
                       const struct gravel_heap *heap, bool is_header, struct gravel_plan *plan,
                       struct gravel_refusal *refusal);

/**
 * Why a planned frame is refused.
 *
 * @param message  number in the frame of the first message whose index is beyond its run's words; and that index.
 * @return         GRAVEL_ERANGE.
 */
int gravel_decode_refuse_index(const struct gravel_plan *plan, const struct gravel_expect *expect,
                               uint32_t message, uint32_t index, struct gravel_refusal *refusal);

#endif
