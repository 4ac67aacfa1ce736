/* SPDX-License-Identifier: MIT */
/*
 * The network's half of a mailbox: a thread that posts messages by lib/serve/mail.c while servers run.
 *
 * The messages have two arguments: the number n from 0 on modulo n_keys, and n.
 *
 * Path:    servers.c -> this -> lib/serve/mail.c
 * Owner:   the box is the caller's; one mailbox at a time.
 * Threads: the caller's, and one that posts.
 */
#ifndef GRAVEL_TSAN_MAILBOX_H
#define GRAVEL_TSAN_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

struct mailbox_shape {
    unsigned char *box; /* layout/mail.h */
    uint32_t n_owners, n_slots, columns, slot_bytes;
    uint32_t handler, n_messages, n_keys;
    uint64_t heap; /* in the arena [bytes] */
};

/* What a message of key and number, which asks, is answered. */
#define MAILBOX_ANSWER(key, number) (3 * (uint64_t)(number) + (uint64_t)(key) + 1)

/** Open the mailbox, and begin to post. */
void mailbox_begin(const struct mailbox_shape *shape);
/** Whether messages are left to post. */
bool mailbox_is_busy(void);
/** All has been posted: close the mailbox. */
void mailbox_end(void);
/** Whether servers have not passed all. The mailbox is closed. */
bool mailbox_is_unread(void);
/** They have: each message has got its answer. */
void mailbox_expect_answers(void);

#endif
