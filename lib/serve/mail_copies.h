/* SPDX-License-Identifier: MIT */
/*
 * How the host reaches a mailbox in device memory, on step pump: by copies, from an image of it.
 *
 * The host fills slots of the image. One copy brings them to the device, and the next one of the queue, which is in
 * order, their publish words. How far servers are comes with the looks of the pump, into the image. A
 * slot of the image is filled again when all servers have passed it, and so its copies have ended; slots with answers
 * are fetched then.
 *
 * Path:    mail.c -> mail_copies.c -> cl/device/mail.cl.h; pump/look.c reads the servers' words.
 * Owner:   its queue and the image, which is pinned. The mailbox is the arena's.
 * Memory:  I5 by the second copy, behind the first; I6 by a look.
 * Threads: the network thread begins copies, one that launches waits for them, the pump sees.
 */
#ifndef GRAVEL_SERVE_MAIL_COPIES_H
#define GRAVEL_SERVE_MAIL_COPIES_H

#include "memory/memory.h"

struct gravel_mail_copies {
    const struct gravel_device *device; /* NULL: servers and host share the mailbox */
    cl_mem arena;
    uint64_t at; /* of the mailbox in the arena [bytes] */
    cl_command_queue queue;
    struct gravel_pinned image; /* zeros at first */
};

/** @param copies  [out] to be destroyed, also on failure. @return 0; GRAVEL_ECL; GRAVEL_ENOMEM. */
int gravel_mail_copies_create(struct gravel_mail_copies *copies, const struct gravel_memory *memory,
                              uint64_t at, uint64_t bytes);
/** One without a device is allowed. @return false if copies do not end: it stays, and so must the arena. */
bool gravel_mail_copies_destroy(struct gravel_mail_copies *copies);

/* Slots of the ring, one behind the other, and their publish words. */
struct gravel_mail_piece {
    uint64_t slots_at, published_at; /* in the mailbox [bytes] */
    uint32_t n, slot_bytes;
};

/** Begin to bring slots to the device. @return 0; GRAVEL_ECL. */
int gravel_mail_copies_begin(const struct gravel_mail_copies *copies,
                             const struct gravel_mail_piece *piece);

/** Bring slots back, and wait for them. @return 0; GRAVEL_ECL; or given up: opencl/wait.h. */
int gravel_mail_copies_fetch(const struct gravel_mail_copies *copies,
                             const struct gravel_mail_piece *piece);

/** What a look at the device has found the words of n servers to be. One thread at a time. */
void gravel_mail_copies_see(const struct gravel_mail_copies *copies, const void *words, uint32_t n);

/** Wait until all that has begun is on the device. @return 0; GRAVEL_ECL; or given up: opencl/wait.h. */
int gravel_mail_copies_wait(const struct gravel_mail_copies *copies);

#endif
