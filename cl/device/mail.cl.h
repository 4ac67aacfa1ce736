/* SPDX-License-Identifier: MIT */
/*
 * How a resident server reads the mailbox: of each slot it runs the messages whose keys it owns.
 *
 * Included by resident.cl.h. Slots that are published when a server has ended are left to the next kernel of the
 * launch, or to the one behind its end, GRAVEL_SERVER_KERNEL.
 *
 * Path:    lib/serve/mail.c -> this -> gravelp_run, by which lib/server/program.c calls the handlers.
 * Memory:  I5 and I6 with the host, which finds the answers of a slot that all have passed; G8 inside the group. What
 *          handlers alone touch has one group for each key, as messages of an inbox go to the owner of their key.
 * Source:  Wang, Fussell, Lin 2019, section 3.2, has message buffers of one device only.
 */
#ifndef GRAVELP_MAIL_CL_H
#define GRAVELP_MAIL_CL_H

#include "inbox.cl.h"
#include "layout/mail.h"

/* What an answering handler returned for message i of a letter; those in inboxes do not ask. */
#if defined(GRAVELP_MAIL_SLOTS)
#define GRAVELP_LETTER_ANSWER(letter, i, answer) gravelp_letter_answer(letter, i, answer)
#else
#define GRAVELP_LETTER_ANSWER(letter, i, answer) (void)(answer)
#endif

#if defined(GRAVELP_MAIL_SLOTS)

GRAVELP_INLINE global uchar *gravelp_mailbox(global struct gravelp_servers *servers)
{
    return (global uchar *)servers + servers->mail_offset;
}
GRAVELP_INLINE global uint *gravelp_mail_passed(global struct gravelp_servers *servers, uint server)
{
    return &((global struct gravelp_mail_words *)gravelp_mailbox(servers))[server].passed;
}

/* The slot of a ticket. */
GRAVELP_INLINE global struct gravelp_mail *gravelp_mail_slot(global struct gravelp_servers *servers,
                                                             uint ticket)
{
    const uint slot_bytes = GRAVELP_MAIL_SLOT_BYTES(servers->columns, servers->n_mail_rows);
    return (global struct gravelp_mail *)(gravelp_mailbox(servers) +
                                          GRAVELP_MAIL_SLOT(servers->n_owners, GRAVELP_MAIL_SLOTS,
                                                            slot_bytes,
                                                            ticket & (GRAVELP_MAIL_SLOTS - 1)));
}
GRAVELP_INLINE global uint *gravelp_mail_published(global struct gravelp_servers *servers,
                                                   uint ticket)
{
    return (global uint *)(gravelp_mailbox(servers) +
                           GRAVELP_MAIL_PUBLISHED(servers->n_owners,
                                                  ticket & (GRAVELP_MAIL_SLOTS - 1)));
}

/* Leader: the next slot of a server, or 0 if the host has filled none. */
GRAVELP_INLINE global struct gravelp_mail *gravelp_mail_next(global struct gravelp_servers *servers,
                                                             uint server)
{
    const uint ticket = gravelp_load_relaxed(gravelp_mail_passed(servers, server)); /* its own */
    const uint published = gravelp_load_acquire(gravelp_mail_published(servers, ticket)); /* I5 */
    return published == ticket + 1 ? gravelp_mail_slot(servers, ticket) : 0;
}

/* Leader: all of the group's messages of the slot have been run. */
GRAVELP_INLINE void gravelp_mail_pass(global struct gravelp_servers *servers, uint server)
{
    global uint *passed = gravelp_mail_passed(servers, server);
    const uint next = gravelp_load_relaxed(passed) + 1; /* its own */
    gravelp_store_release(passed, next);                /* I6 */
}

GRAVELP_INLINE global const ulong *gravelp_mail_keys(global struct gravelp_mail *mail)
{
    return (global const ulong *)(mail + 1);
}
/* Any work-item, of a handler that answers and has been called for a letter: the answer, if it is asked for. */
GRAVELP_INLINE void gravelp_letter_answer(struct gravelp_letter letter, uint i, ulong answer)
{
    if (letter.mail && letter.mail->answer_row != GRAVELP_NO_ANSWERS)
        ((global ulong *)(letter.mail + 1))[letter.mail->answer_row * letter.stride + i] = answer;
}
GRAVELP_INLINE struct gravelp_letter gravelp_mail_letter(global struct gravelp_servers *servers,
                                                         global struct gravelp_mail *mail)
{
    return (struct gravelp_letter){mail->handler, servers->columns, gravelp_mail_keys(mail), mail};
}

#if defined(GRAVELP_SERIAL_GROUP)

/* Leader: serve the next slot. @return  whether there was one. */
GRAVELP_OUT_OF_LINE bool gravelp_mail_serve(global struct gravelp_arena *gravel_arena_, uint server)
{
    global struct gravelp_servers *servers = gravelp_servers(gravel_arena_);
    global struct gravelp_mail *mail = gravelp_mail_next(servers, server);
    uint n_run = 0;
    if (!mail)
        return false;
    const struct gravelp_letter letter = gravelp_mail_letter(servers, mail);
    for (uint i = 0; i < mail->n_messages; i++)
        if (gravelp_owner(letter.argument[i], servers->n_owners) == server) {
            gravelp_run(gravel_arena_, letter, i);
            n_run++;
        }
    gravelp_device_fetch_add_relaxed(&servers->n_served, n_run); /* a sum */
    gravelp_mail_pass(servers, server);
    return true;
}

/* Every work-item of a group behind a launch's end: serve what is left. */
#define GRAVELP_SERVE_MAIL \
    while (gravelp_is_leader() && gravelp_mail_serve(gravel_arena_, gravelp_group_number()))

#else

/* Every work-item of the group, each of which has the slot at hand: serve it. */
GRAVELP_INLINE void gravelp_mail_serve(global struct gravelp_arena *gravel_arena_,
                                       local struct gravelp_service *service,
                                       global struct gravelp_mail *mail, uint server)
{
    global struct gravelp_servers *servers = gravelp_servers(gravel_arena_);
    const struct gravelp_letter letter = gravelp_mail_letter(servers, mail);
    const struct gravelp_share share = {server, servers->n_owners};
    uint at = 0, n_run = 0;
    for (uint n; (n = gravelp_service_gather(service, share, GRAVELP_KEYS(letter.argument),
                                             mail->n_messages, &at)) != 0;
         gravelp_service_clear(service))
        for (struct gravelp_served served =
                 gravelp_served_from(service, n, (uint)gravelp_lane_id());
             served.x != GRAVELP_SERVER_NONE; served = gravelp_served_next(service, n, served)) {
            gravelp_run(gravel_arena_, letter, service->held[served.x]);
            n_run++;
        }
    if (n_run)
        gravelp_device_fetch_add_relaxed(&servers->n_served, n_run); /* a sum */
    gravelp_block_keep(gravel_arena_); /* behind the barrier of the last, empty gathering */
    if (gravelp_is_leader())
        gravelp_mail_pass(servers, server);
}

/* The host has closed the mailbox, so that all work-items see one slot. */
#define GRAVELP_SERVE_MAIL                                                                        \
    for (global struct gravelp_mail * mail;                                                       \
         gravelp_barrier_group(),                                                                 \
         (mail = gravelp_mail_next(gravelp_servers(gravel_arena_), gravelp_group_number())) != 0; \
         gravelp_barrier_group())                                                                 \
    gravelp_mail_serve(gravel_arena_, service, mail, gravelp_group_number())

#endif

#endif

#endif
