/* SPDX-License-Identifier: MIT */
/*
 * A frame lent to the resolver, which may keep it for a while, and tells the lender when it is done with the bytes and
 * when the messages are applied.
 *
 * Path:    network thread -> resolver.h -> on_device/lent.h -> back to the network thread.
 * Owner:   the frame stays the lender's; the resolver has it until give_back.
 */
#ifndef GRAVEL_RESOLVE_LOAN_H
#define GRAVEL_RESOLVE_LOAN_H

#include "resolve/decode.h"
#include "transport/buffer.h"

struct gravel_loan {
    uint32_t source, destination; /* nodes */
    uint64_t sequence;            /* of the frame among those from source */
    uint64_t bytes;               /* as received */
    void *buffer;
    /* the lender's: what is given back; NULL: the frame that lies in source's memory */
    const struct gravel_rows *rows; /* where the messages are on the device; NULL: in the frame */
};

/* What the lender wants to know of frames that were kept, in the order in which they were lent. */
struct gravel_lending {
    void *context;
    /* The frame may be written to again, and what rows tells of. */
    void (*give_back)(void *context, const struct gravel_loan *loan);
    /* @param n_messages  applied; 0 if refused. @param refusal  code 0 if it was not. */
    void (*ended)(void *context, const struct gravel_loan *loan, uint64_t n_messages,
                  const struct gravel_refusal *refusal);
};

static inline struct gravel_expect gravel_loan_expects(const struct gravel_loan *loan)
{
    return (struct gravel_expect){
        .source = loan->source, .destination = loan->destination, .sequence = loan->sequence};
}

#endif
