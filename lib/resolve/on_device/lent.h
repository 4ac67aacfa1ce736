/* SPDX-License-Identifier: MIT */
/*
 * Frames that stay with their lender until the device has them: no thread of the host reads or copies a message.
 *
 * A frame of updates and puts that lies in pinned memory is uploaded from there. One queue uploads, another has the
 * kernels, so that a frame travels while the frame before it is applied. When the host sees that an upload has ended,
 * the lender gets the frame back, and the frame's kernels are enqueued, in the order in which frames were lent: they
 * compare every index with its bound, then apply the frame as a whole or, if one index is beyond it, nothing. A read
 * behind them tells which it was, of all frames that were begun before it; the next read begins when it has ended. A
 * part of a block that never left the device (loan->rows) takes the same way without the upload, and its memory is
 * given back when it is applied.
 *
 * No command waits for one of another queue: on NVIDIA such a wait does not end beside a kernel that waits.
 *
 * Path:    resolver.c, decode.h (plan) -> lent.c -> runs.h -> cl/kernels/resolve.cl.
 * Owner:   all its memory; runs are the caller's and outlive it. A frame is the lender's again when give_back is
 *          called.
 * Threads: one at a time; the callbacks are made by it.
 */
#ifndef GRAVEL_RESOLVE_ON_DEVICE_LENT_H
#define GRAVEL_RESOLVE_ON_DEVICE_LENT_H

#include "resolve/loan.h"
#include "resolve/on_device/runs.h"

struct gravel_lent;

/**
 * Allocate room for some frames under way.
 *
 * @param runs     their queue is the one that applies.
 * @param lending  callbacks; none is made before the first frame is taken.
 * @return         0; GRAVEL_ECL; GRAVEL_ENOMEM.
 */
int gravel_lent_create(struct gravel_lent **out, const struct gravel_device_runs *runs,
                       uint64_t max_frame_bytes, const struct gravel_lending *lending);
/** NULL is allowed. @return false if the device may still use it: it stays. */
bool gravel_lent_destroy(struct gravel_lent *lent);

/** Room for one more frame: wait for the oldest if there are many under way. @return 0; GRAVEL_ECL; or given up. */
int gravel_lent_make_room(struct gravel_lent *lent);

/**
 * Take a frame, for which there is room.
 *
 * @param frame        [loan->bytes] in pinned memory.
 * @param plan         of gravel_decode_plan; at least one run.
 * @param heap_offset  of the node's heap in the arena [bytes].
 * @return             0, and both callbacks will be made; GRAVEL_ECL, and the frame is not taken.
 */
int gravel_lent_take(struct gravel_lent *lent, const void *frame, const struct gravel_plan *plan,
                     const struct gravel_loan *loan, uint64_t heap_offset);

/*
 * After a failure of the following, frames are lost: none of them may be called again.
 */

/** Without waiting: begin to apply what has arrived, and end what is applied. @param moved  [out] whether
 * something was. */
int gravel_lent_look(struct gravel_lent *lent, bool *moved);

/** Wait for the uploads: every frame taken so far is applied before what is enqueued to the runs' queue from now on. */
int gravel_lent_begin_all(struct gravel_lent *lent);

/** Wait until every frame is applied or refused, and reported. @return 0; GRAVEL_ECL; or given up. */
int gravel_lent_finish(struct gravel_lent *lent);

#endif
