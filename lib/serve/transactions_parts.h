/* SPDX-License-Identifier: MIT */
/*
 * Between transactions.c, which decides, grant.c, which sends, incoming.c, which receives, line.c, in which runs wait,
 * and mail_line.c, which brings runs to servers.
 *
 * Threads: the network thread.
 */
#ifndef GRAVEL_SERVE_TRANSACTIONS_PARTS_H
#define GRAVEL_SERVE_TRANSACTIONS_PARTS_H

#include "serve/transactions.h"
#include "serve/claims.h"
#include "serve/steps.h"

/* Messages with keys that have come, and not all of which have ended. */
struct waiting_run {
    struct waiting_run *next,
        *previous;   /* of all that have not ended, in the order in which they came */
    uint64_t serial; /* its number among all that have come */
    uint32_t heap, handler;
    uint64_t bytes;   /* of all this */
    uint32_t n;       /* messages; of transactions: */
    uint32_t n_taken; /* of them, have left the line, */
    uint32_t n_open;  /* have not ended */
    bool is_transaction;
    uint32_t ticket;           /* of mail: the mailbox's count when the last message was posted */
    struct gravel_frame frame; /* header of the run's frame */
    unsigned char run[];       /* struct gravel_run and its rows */
};

struct transaction {
    struct transaction *next;            /* in a queue */
    struct transaction *after, **before; /* of all that there are */
    struct waiting_run *run;             /* that it came in; NULL: it is a guest */
    uint32_t handler;
    bool is_granted;               /* its guest runs, and will unlock */
    struct gravel_claim claims[2]; /* of the lesser key and of the greater */
    struct gravelp_transaction record;
    uint64_t datum[]; /* of the lesser key */
};

_Static_assert(offsetof(struct transaction, datum) ==
                   offsetof(struct transaction, record) + sizeof(struct gravelp_transaction),
               "a datum follows its record");
_Static_assert(offsetof(struct waiting_run, run) ==
                   offsetof(struct waiting_run, frame) + sizeof(struct gravel_frame),
               "a run follows its frame's header");

struct transaction_queue {
    struct transaction *first, **end;
};

struct gravel_transactions {
    struct gravel_courier courier;
    uint32_t n_nodes; /* of its transport, which ends first */
    struct gravel_device_calls *calls;
    const struct gravel_device_calls_shape *shape; /* of the calls */
    struct gravel_device_steps *steps;             /* NULL: see gravel_device_steps_create */
    struct gravel_mail *mail;                      /* NULL: servers are not resident */
    unsigned char *records;                        /* [GRAVEL_STEP_MOST] of a step */
    struct gravel_buffer **open;                   /* [n_nodes] frames that are being filled */
    struct gravel_claims claims;
    struct transaction *all;
    struct transaction_queue guests;                 /* that wait for admission */
    struct transaction_queue postponed;              /* as well: they had been in, without a lock */
    struct transaction_queue ready[GRAVELP_N_STEPS]; /* that have the locks for a step */
    struct waiting_run *oldest, *newest;             /* runs that have not ended */
    struct waiting_run *head; /* the first that has messages in the line, or NULL */
    uint64_t n_come;          /* runs */
    uint32_t n_under_way;     /* transactions that may have locks, guests among them */
    uint32_t n_in_window;
    /* of them, those that came to this process first; GRAVEL_SERVER_WINDOW at most,
       for on a hot key a guest may wait for all of them, each for a node beyond */
    uint64_t waiting_bytes; /* of runs that have not ended; GRAVEL_SERVER_WAITING at most */
    bool is_draining;       /* those without a lock here have left, until the turn is back */
    bool has_turn;          /* of handlers with keys: while any is under way */
    bool runs_one;          /* the run at hand is not to wait again */
    bool has_moved;         /* since moved_ns: the next step's time is when */
    uint64_t moved_ns;
};

/* Bytes of a record of a handler. */
static inline uint32_t
gravel_transactions_record_bytes(const struct gravel_transactions *transactions, uint32_t handler)
{
    return (uint32_t)GRAVELP_TRANSACTION_BYTES(
        transactions->shape->handlers[handler].serve.datum_words);
}

/* ---- grant.c ----------------------------------------------------------------------------------- */

/** Append a transaction to the frame for a node. @param what  GRAVEL_TRANSACTIONS_*. */
void gravel_transactions_send(struct gravel_transactions *transactions, uint32_t what,
                              uint32_t node, const struct transaction *transaction);
/** Send the frames: they are of one kind and handler. */
void gravel_transactions_flush(struct gravel_transactions *transactions);

/* ---- transactions.c ------------------------------------------------------------------------------ */

/** A transaction that has the lock of its lesser key has come. */
void gravel_transactions_invite(struct gravel_transactions *transactions, uint32_t handler,
                                const struct gravelp_transaction *record);
/** The transaction of a record that was granted and has not come back; NULL: there is none. */
struct transaction *gravel_transactions_granted(const struct gravel_transactions *transactions,
                                                uint32_t handler,
                                                const struct gravelp_transaction *record);
/** It has come back, with its datum. */
void gravel_transactions_return(struct gravel_transactions *transactions,
                                struct transaction *transaction,
                                const struct gravelp_transaction *record);

/* ---- line.c -------------------------------------------------------------------------------------- */

#define GRAVEL_LINE_RUNS_AT_ONCE 16u /* run before the network thread does something else */

/** For gravel_device_calls: a run waits, unless it may be run at once. @return 0: it may; 1; or an error. */
int gravel_line_take(void *transactions, const struct gravel_frame *frame,
                     const struct gravel_run *run, uint32_t heap);
/** Run a run of other handlers, while no transaction is under way. @return 0; or what it returns. */
int gravel_line_run(struct gravel_transactions *transactions, struct waiting_run *run);
/** Send the answers of the first n messages of a run, if it is of requests, and all of them have been run. */
void gravel_line_answer(const struct gravel_transactions *transactions,
                        const struct waiting_run *run, uint32_t n);
/** All messages of a run have been run: it is freed. */
void gravel_line_leave(struct gravel_transactions *transactions, struct waiting_run *run);

/* ---- mail_line.c --------------------------------------------------------------------------------- */

/** The mailbox of the node's servers; NULL: they have none. */
struct gravel_mail *gravel_line_mail(const struct gravel_device_calls *calls);
/** Whether a launch runs that takes mail. */
static inline bool gravel_line_takes_mail(const struct gravel_transactions *transactions)
{
    return transactions->mail && gravel_mail_is_open(transactions->mail);
}
/**
 * Where there is a mailbox: messages go to servers while these run; what waits when a launch has ended is run without.
 *
 * @param moved  [out] set if a message got further.
 * @return       0; GRAVEL_ECL; or what running returns.
 */
int gravel_line_advance_mail(struct gravel_transactions *transactions, bool *moved);

#endif
