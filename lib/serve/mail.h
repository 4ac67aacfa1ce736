/* SPDX-License-Identifier: MIT */
/*
 * The mailbox: how runs of messages with keys reach resident servers while their launch runs.
 *
 * A launch opens it. The network thread fills slots as long as there is room, each with messages of one run; a run that
 * does not fit waits with the network thread, which never waits for room. A launch closes it before its end, and has
 * what is in it served by one more kernel; what waits then is run without servers, as between launches. Where it is
 * device memory the host fills an image, of which slots are copied (mail_copies.h), and the pump brings the servers'
 * words there.
 *
 * Path:    transactions.c -> mail.c -> cl/device/mail.cl.h.
 * Owner:   the box is the region's (servers.c).
 * Memory:  I5 publishes a slot, I6 gives it back; the lock has post and close one after the other.
 * Threads: the network thread posts, one that launches opens and closes, the pump brings the servers' words.
 * Source:  Wang, Fussell, Lin 2019, section 3.2 (message buffers); there they are a device's own.
 */
#ifndef GRAVEL_SERVE_MAIL_H
#define GRAVEL_SERVE_MAIL_H

#include "serve/mail_copies.h"
#include "transport/wire.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct gravel_mail_shape {
    unsigned char *box; /* layout/mail.h, or an image of it; NULL: there is none */
    uint32_t n_owners, n_slots;
    uint32_t columns, slot_bytes;
};

/* Where the answers of a slot's messages go. The slot itself is memory that kernels can write: it is not asked. */
struct gravel_mail_answers {
    unsigned char *to;   /* NULL: they do not ask */
    uint32_t bytes;      /* of each */
    uint32_t n_messages; /* of the slot */
    uint32_t row;        /* of it, where the answers are */
};

struct gravel_mail {
    struct gravel_mail_shape shape;
    struct gravel_mail_copies copies; /* where the box is an image */
    pthread_mutex_t lock;
    bool is_open;
    _Atomic uint32_t n_posted;           /* slots; written by the network thread */
    uint32_t n_collected;                /* of them; the network thread's */
    struct gravel_mail_answers *answers; /* [n_slots] the same */
};

/** @param copies  of the image; NULL: the box is where servers read it. They become the mailbox's, also on failure.
 * @return 0; GRAVEL_ENOMEM. */
int gravel_mail_init(struct gravel_mail *mail, const struct gravel_mail_shape *shape,
                     const struct gravel_mail_copies *copies);

/** What gravel_mail_init made, but for copies. */
void gravel_mail_destroy(struct gravel_mail *mail);

/** For a launch: servers are about to run. */
void gravel_mail_open(struct gravel_mail *mail);
/** They are about to end: nothing more is posted, and what is, is where servers find it. @return 0; GRAVEL_ECL; or what
 * the limit says. */
int gravel_mail_close(struct gravel_mail *mail, struct gravel_limit limit);
/** Whether servers have not passed all that is posted; on step pump, as of the last look. The mailbox is closed, or the
 * caller posts; else a hint. */
bool gravel_mail_is_unread(const struct gravel_mail *mail);

/** For the network thread: whether a launch runs that takes mail. */
bool gravel_mail_is_open(struct gravel_mail *mail);

/**
 * Post messages of a run, as many as there is room for.
 *
 * @param run       gets answers, if it is of requests: gravel_mail_collect.
 * @param n_posted  [in, out] so many of its messages; as it was if the mailbox is closed or full.
 * @param heap      of the node that the run is for, in the arena [bytes].
 * @return          0; GRAVEL_ECL.
 */
int gravel_mail_post(struct gravel_mail *mail, const struct gravel_frame *frame,
                     struct gravel_run *run, uint32_t *n_posted, uint64_t heap);

/** For the network thread: take the answers of slots that all servers have passed, which are free then. @return 0;
 * GRAVEL_EKERNEL: a server's word is overwritten; GRAVEL_ECL; or given up: opencl/wait.h. */
int gravel_mail_collect(struct gravel_mail *mail);
/** Slots collected so far, free-running; for the thread that posts. */
static inline uint32_t gravel_mail_collected(const struct gravel_mail *mail)
{
    return mail->n_collected;
}

/** Slots posted so far, free-running; for the thread that posts, and as a hint. */
static inline uint32_t gravel_mail_posted(const struct gravel_mail *mail)
{
    return atomic_load_explicit(&mail->n_posted, memory_order_relaxed); /* it orders nothing */
}

/** The servers' words at the start of a mailbox in device memory [bytes]; 0 if it is elsewhere. */
uint32_t gravel_mail_words_bytes(const struct gravel_mail *mail);

#endif
