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

#include "gravel/gravel.h"
#include "memory/heap_books.h"
#include "transport/wire.h"

#define GRAVEL_REFUSAL_BYTES 256u

/** What the receiver knows about the next buffer. */
struct gravel_expect {
    uint32_t source;                       /* node the transport took it from */
    uint32_t destination;                  /* this node */
    uint64_t sequence;                     /* frames accepted from source so far */
    const struct gravel_handler *handlers; /* [n_handlers] as registered */
    uint32_t n_handlers;
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
 * @param expect   where it came from, which one is due, and the handlers.
 * @param heap     the receiving node's allocations; its shared lock is held.
 * @param refusal  [out] code and text; code 0 and an empty text if it passed.
 * @return         0; GRAVEL_ECORRUPT (no frame, not the one that is due, or parts that do not fit);
 *                 GRAVEL_ERANGE (a word outside of any allocation, or misaligned);
 *                 GRAVEL_EHANDLER (no such handler, or it takes another number of arguments).
 */
int gravel_decode_check(const void *frame, uint64_t bytes, const struct gravel_expect *expect,
                        const struct gravel_heap *heap, struct gravel_refusal *refusal);

#endif
