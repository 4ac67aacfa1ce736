/* SPDX-License-Identifier: MIT */
/*
 * Transactions over keys of two nodes.
 *
 *     message -> node of the lesser key: lock it, load its datum
 *     GRANT   -> node of the greater key: lock it, run, store its datum
 *     UNLOCK  -> node of the lesser key: store the datum that comes back
 *
 * The lesser key is that of the lesser node, so that locks are taken in one order at all nodes. A message that waits
 * for its first lock holds none. A lock is in memory of its node's network thread, which alone asks for it
 * (serve/claims.h), and bodies run on the device (serve/steps.h).
 *
 * Runs of handlers with keys, and the transactions among them, stand in a line while a transaction is under way here.
 * At its head a transaction enters, if fewer than GRAVEL_SERVER_WINDOW are under way; a run of other handlers
 * waits until none is. So what excludes them is the turn of handlers with keys (serve/turn.h), which this thread
 * keeps while one is under way. A launch of servers that wants the turn stops the line too. Then those that have no
 * lock here leave, and enter again behind it.
 *
 * Path:    calls.c -> transactions.c <-> courier.h, incoming.c <-> network/control.c.
 * Owner:   what waits is copied.
 * Threads: the network thread.
 * Source:  Wang, Fussell, Lin 2019, section 3.3; there the client asks the owner of the first lock, which requests
 *          the other: a message more.
 */
#ifndef GRAVEL_SERVE_TRANSACTIONS_H
#define GRAVEL_SERVE_TRANSACTIONS_H

#include "serve/calls.h"
#include "serve/courier.h"
#include "transport/frames.h"

#define GRAVEL_WHY_BYTES 160u

struct gravel_transactions;

/**
 * @param out      [out] NULL on failure, and where no transaction has keys of two nodes and no run waits for servers.
 * @param courier  copied.
 * @param calls    of the node; NULL: there are none.
 * @return         0; or an error.
 */
int gravel_transactions_create(struct gravel_transactions **out,
                               const struct gravel_courier *courier,
                               struct gravel_device_calls *calls);
/** NULL is allowed, here and in all that follow. */
void gravel_transactions_destroy(struct gravel_transactions *transactions);

/** The thread ends: give back the turn. */
void gravel_transactions_end(struct gravel_transactions *transactions);

/** Get them a step further. @param now_ns  the thread's own time: lived.h. @return whether one moved. */
bool gravel_transactions_step(struct gravel_transactions *transactions, uint64_t now_ns);

/** When the network thread has to look at the latest: servers, who pass mail, do not wake it. @return [ns] */
uint64_t gravel_transactions_due_ns(const struct gravel_transactions *transactions,
                                    uint64_t now_ns);

/**
 * A frame of kind GRAVEL_FRAME_TRANSACTIONS, with a header that has been checked.
 *
 * @param why  [out] the field that cannot be right.
 * @return     false: nothing of the frame is done, unless a record comes twice.
 */
bool gravel_transactions_arrive(struct gravel_transactions *transactions,
                                const struct gravel_transactions_frame *frame,
                                char why[GRAVEL_WHY_BYTES]);

/** Whether any that came to this process has not ended. */
bool gravel_transactions_are_open(const struct gravel_transactions *transactions);

/** All that have come so far; and whether these have ended. */
uint64_t gravel_transactions_mark(const struct gravel_transactions *transactions);
bool gravel_transactions_have_passed(const struct gravel_transactions *transactions, uint64_t mark);

/** Whether any of those that wait has got further since a time. Not NULL. */
bool gravel_transactions_have_moved(const struct gravel_transactions *transactions,
                                    uint64_t since_ns);

#endif
