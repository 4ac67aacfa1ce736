/* SPDX-License-Identifier: MIT */
/*
 * Handlers that send: a message with a key from a handler with a key to the server that owns the key, on this device.
 *
 * It goes to the server's spill ring, which has room for all that may wait there, so that no server waits for another.
 * Resident servers end when all clients have finished, all inboxes are empty, and the messages handled are as many as
 * those sent: the sum of the handled is taken before the sum of the sent, so that equal sums leave no message whose
 * handler could send more.
 *
 * Path:    the user's handler -> server.cl.h (gravel_serve_amN) -> this -> serving.cl.h -> the user's handler.
 * Memory:  O1, a message, whose server acquires it by O2; O4, which pairs with the server's O3, and the end.
 * Source:  Wang, Fussell, Lin 2019, section 4 (MF, whose messages are the worklist); the sums are those of Mattern,
 *          Algorithms for distributed termination detection, Distributed Computing 2, 1987.
 */
#ifndef GRAVELP_SPILL_CL_H
#define GRAVELP_SPILL_CL_H

#include "inbox.cl.h"

GRAVELP_INLINE global struct gravelp_queue_words *
gravelp_spill_words(global struct gravelp_servers *servers, uint owner)
{
    return (global struct gravelp_queue_words *)((global uchar *)servers +
                                                 GRAVELP_SPILL_WORDS(servers, owner));
}
GRAVELP_INLINE global struct gravelp_spilled *
gravelp_spilled(global struct gravelp_servers *servers, uint owner, uint ticket)
{
    return (global struct gravelp_spilled *)((global uchar *)servers +
                                             GRAVELP_SPILLED(servers, owner,
                                                             ticket & (servers->n_spill - 1)));
}

/* Any work-item that runs a handler: a message to a server. It waits for nothing. */
GRAVELP_INLINE void gravelp_spill_send(global struct gravelp_arena *arena, uint owner, uint command,
                                       struct gravelp_values values)
{
    global struct gravelp_servers *servers = gravelp_servers(arena);
    global struct gravelp_queue_words *words = gravelp_spill_words(servers, owner);
    uint ticket = gravelp_device_fetch_add_relaxed(&words->reserved, 1);
    uint in_use = ticket - gravelp_device_load_acquire(&words->consumed); /* O4, pairs with O3 */
    if (in_use >= servers->n_spill) {
        gravelp_store_relaxed(&servers->is_broken, 1); /* relaxed: the kernel's end orders it */
        gravelp_fault(arena, GRAVELP_FAULT_SPILL, owner, servers->n_spill - GRAVELP_SPILL_BATCH,
                      in_use + 1);
        return;
    }
    global struct gravelp_spilled *spilled = gravelp_spilled(servers, owner, ticket);
    for (uint i = 0; i < GRAVELP_COMMAND_N_ARGS(command); i++)
        ((global ulong *)(spilled + 1))[i] = values.value[i];
    spilled->handler = GRAVELP_COMMAND_HANDLER(command);
    gravelp_device_store_release(&spilled->published, ticket + 1); /* O1, pairs with O2 */
}

/*
 * Leader, when all clients have finished (I4): whether no message can come to any server.
 *
 * @param busy  [in, out] a server that had messages at the last poll; there the next begins.
 */
GRAVELP_INLINE bool gravelp_spill_is_over(global struct gravelp_servers *servers,
                                          private uint *busy)
{
    const uint n = servers->n_owners;
    uint n_handled = 0, n_sent = 0;
    for (uint i = 0; i < n; i++, *busy = *busy + 1 < n ? *busy + 1 : 0) {
        global struct gravelp_queue_words *inbox = gravelp_inbox_words(servers, *busy);
        global struct gravelp_queue_words *ring = gravelp_spill_words(servers, *busy);
        uint n_taken = gravelp_device_load_acquire(&inbox->consumed);   /* O4, pairs with I2 */
        uint n_run = gravelp_device_load_acquire(&ring->consumed);      /* O4, pairs with O3 */
        if (n_taken != gravelp_device_load_relaxed(&inbox->reserved) || /* final by I4 */
            n_run != gravelp_device_load_relaxed(&ring->reserved)) /* relaxed: so it may be soon */
            return false;
        n_handled += n_run;
    }
    for (uint owner = 0; owner < n; owner++)
        n_sent += gravelp_device_load_relaxed(
            &gravelp_spill_words(servers, owner)->reserved); /* relaxed: behind all of O4 */
    return n_sent == n_handled;
}

#endif
