/* SPDX-License-Identifier: MIT */
/*
 * The mailbox. See mail.h.
 */
#include "serve/mail.h"

#include "base/error.h"
#include "base/word.h"
#include "layout/mail.h"
#include "opencl/wait.h"

#include <stdlib.h>
#include <string.h>

int gravel_mail_init(struct gravel_mail *mail, const struct gravel_mail_shape *shape,
                     const struct gravel_mail_copies *copies)
{
    *mail = (struct gravel_mail){.shape = *shape};
    if (copies)
        mail->copies = *copies;
    pthread_mutex_init(&mail->lock, NULL);
    mail->answers = calloc(shape->n_slots + 1, sizeof *mail->answers);
    return mail->answers ? 0 : gravel_fail(GRAVEL_ENOMEM, "a mailbox of %u slots", shape->n_slots);
}

void gravel_mail_destroy(struct gravel_mail *mail)
{
    free(mail->answers);
    mail->answers = NULL;
    pthread_mutex_destroy(&mail->lock);
}

void gravel_mail_open(struct gravel_mail *mail)
{
    pthread_mutex_lock(&mail->lock);
    mail->is_open = mail->shape.box != NULL;
    pthread_mutex_unlock(&mail->lock);
}

/* Who posts may be in a call of the driver. */
int gravel_mail_close(struct gravel_mail *mail, struct gravel_limit limit)
{
    struct gravel_wait wait = {.limit = limit, .what = "the network thread, which posts mail"};
    int code = gravel_wait_lock(&wait, &mail->lock);
    if (code)
        return code;
    mail->is_open = false;
    pthread_mutex_unlock(&mail->lock);
    return mail->copies.device ? gravel_mail_copies_wait(&mail->copies) : 0;
}

bool gravel_mail_is_open(struct gravel_mail *mail)
{
    pthread_mutex_lock(&mail->lock);
    bool is_open = mail->is_open;
    pthread_mutex_unlock(&mail->lock);
    return is_open;
}

static uint32_t passed_by(const struct gravel_mail *mail, uint32_t server)
{
    const struct gravelp_mail_words *words = (const void *)mail->shape.box;
    return gravel_word_load(&words[server].passed, memory_order_acquire); /* I6 */
}

bool gravel_mail_is_unread(const struct gravel_mail *mail)
{
    const uint32_t n_posted = gravel_mail_posted(mail);
    bool is_unread = false;
    for (uint32_t i = 0; mail->shape.box && i < mail->shape.n_owners; i++)
        is_unread |= passed_by(mail, i) != n_posted;
    return is_unread;
}

/* ---- the servers' words in device memory ------------------------------------------------------ */

uint32_t gravel_mail_words_bytes(const struct gravel_mail *mail)
{
    return mail->copies.device ? mail->shape.n_owners * (uint32_t)sizeof(struct gravelp_mail_words)
                               : 0;
}

/* ---- posting ---------------------------------------------------------------------------------- */

static uint64_t slot_at(const struct gravel_mail *mail, uint32_t ticket)
{
    const struct gravel_mail_shape *shape = &mail->shape;
    return GRAVELP_MAIL_SLOT(shape->n_owners, shape->n_slots, shape->slot_bytes,
                             ticket & (shape->n_slots - 1));
}

static uint64_t published_at(const struct gravel_mail *mail, uint32_t ticket)
{
    return GRAVELP_MAIL_PUBLISHED(mail->shape.n_owners, ticket & (mail->shape.n_slots - 1));
}

static struct gravelp_mail *slot_of(const struct gravel_mail *mail, uint32_t ticket)
{
    return (void *)(mail->shape.box + slot_at(mail, ticket));
}

static struct gravel_mail_answers *answers_of(const struct gravel_mail *mail, uint32_t ticket)
{
    return &mail->answers[ticket & (mail->shape.n_slots - 1)];
}

/* Message i of a value row of a run. */
static unsigned char *value_at(struct gravel_run *run, uint32_t row, uint32_t i)
{
    return (unsigned char *)run + GRAVEL_RUN_VALUES(run->command, (uint64_t)run->n_messages, row) +
           (size_t)i * GRAVELP_VALUE_BYTES(run->command);
}

/* Words of a slot are ulong, those of a run of `bytes`. */
static void to_slot(uint64_t *to, const unsigned char *from, uint32_t bytes, uint32_t n)
{
    if (bytes == 8)
        memcpy(to, from, n * sizeof *to);
    else
        for (uint32_t i = 0; i < n; i++)
            to[i] = ((const uint32_t *)(const void *)from)[i];
}
static void from_slot(unsigned char *to, const uint64_t *from, uint32_t bytes, uint32_t n)
{
    if (bytes == 8)
        memcpy(to, from, n * sizeof *from);
    else
        for (uint32_t i = 0; i < n; i++)
            ((uint32_t *)(void *)to)[i] = (uint32_t)from[i];
}

/* Messages of one slot. */
static void fill_slot(struct gravel_mail *mail, const struct gravel_frame *frame,
                      struct gravel_run *run, uint32_t first, uint32_t n, uint64_t heap)
{
    const struct gravel_mail_shape *shape = &mail->shape;
    const uint32_t n_args = GRAVELP_COMMAND_N_ARGS(run->command);
    const uint32_t ticket = gravel_mail_posted(mail);
    const uint32_t bytes = GRAVELP_VALUE_BYTES(run->command);
    const bool asks = GRAVELP_IS_REQUEST(run->command);
    struct gravelp_mail *slot = slot_of(mail, ticket);
    uint64_t *to = (void *)(slot + 1);
    slot->handler = GRAVELP_COMMAND_HANDLER(run->command);
    slot->n_messages = n;
    slot->source = frame->source;
    slot->node = frame->destination;
    slot->answer_row = asks ? n_args : GRAVELP_NO_ANSWERS;
    slot->heap = heap;
    for (uint32_t row = 0; row < n_args; row++)
        to_slot(to + (size_t)row * shape->columns, value_at(run, row, first), bytes, n);
    *answers_of(mail, ticket) = (struct gravel_mail_answers){
        .to = asks ? value_at(run, n_args, first) : NULL,
        .bytes = bytes,
        .n_messages = n,
        .row = n_args,
    };
    uint32_t *published = (void *)(shape->box + published_at(mail, ticket));
    gravel_word_store(published, ticket + 1, memory_order_release);           /* I5 */
    atomic_store_explicit(&mail->n_posted, ticket + 1, memory_order_relaxed); /* a hint */
}

typedef int copy_piece(const struct gravel_mail_copies *copies,
                       const struct gravel_mail_piece *piece);

/* Copies slots of the image from a ticket on, in one piece or, around the ring's end, in two. @return as `copy`. */
static int copy_slots(struct gravel_mail *mail, uint32_t ticket, uint32_t n, copy_piece *copy)
{
    int code = 0;
    while (n && !code) {
        const uint32_t to_end = mail->shape.n_slots - (ticket & (mail->shape.n_slots - 1));
        const struct gravel_mail_piece piece = {.slots_at = slot_at(mail, ticket),
                                                .published_at = published_at(mail, ticket),
                                                .n = n < to_end ? n : to_end,
                                                .slot_bytes = mail->shape.slot_bytes};
        code = copy(&mail->copies, &piece);
        ticket += piece.n;
        n -= piece.n;
    }
    return code;
}

int gravel_mail_post(struct gravel_mail *mail, const struct gravel_frame *frame,
                     struct gravel_run *run, uint32_t *n_posted, uint64_t heap)
{
    pthread_mutex_lock(&mail->lock);
    const uint32_t ticket = gravel_mail_posted(mail);
    const uint32_t n_free = mail->is_open ? mail->shape.n_slots - (ticket - mail->n_collected) : 0;
    uint32_t n_slots = 0;
    int code = 0;
    for (; n_slots < n_free && *n_posted < run->n_messages; n_slots++) {
        const uint32_t left = run->n_messages - *n_posted;
        const uint32_t n = left < mail->shape.columns ? left : mail->shape.columns;
        fill_slot(mail, frame, run, *n_posted, n, heap);
        *n_posted += n;
    }
    if (n_slots && mail->copies.device)
        code = copy_slots(mail, ticket, n_slots, gravel_mail_copies_begin);
    pthread_mutex_unlock(&mail->lock);
    return code;
}

/* ---- answers ---------------------------------------------------------------------------------- */

static void take_answers(const struct gravel_mail *mail, uint32_t ticket)
{
    const struct gravelp_mail *slot = slot_of(mail, ticket);
    const struct gravel_mail_answers *answers = answers_of(mail, ticket);
    const uint64_t *rows = (const uint64_t *)(const void *)(slot + 1);
    if (answers->to)
        from_slot(answers->to, rows + (size_t)answers->row * mail->shape.columns, answers->bytes,
                  answers->n_messages);
}

/*
 * How far all servers are. Each has passed what was collected, and nothing that is not posted; another number would be
 * an index beyond the slots.
 */
static int find_passed(const struct gravel_mail *mail, uint32_t *passed)
{
    const uint32_t first = mail->n_collected, n_posted = gravel_mail_posted(mail);
    uint32_t n_least = n_posted - first;
    for (uint32_t i = 0; mail->shape.box && i < mail->shape.n_owners; i++) {
        const uint32_t n = passed_by(mail, i) - first;
        if (n > n_posted - first)
            return gravel_fail(GRAVEL_EKERNEL,
                               "mailbox of the servers: server %u has passed slot %u, of %u to %u: "
                               "a kernel has overwritten its word",
                               i, first + n, first, n_posted);
        n_least = n < n_least ? n : n_least;
    }
    *passed = first + n_least;
    return 0;
}

int gravel_mail_collect(struct gravel_mail *mail)
{
    uint32_t passed = 0, first = mail->n_collected;
    int code = find_passed(mail, &passed);
    if (code)
        return code;
    while (first != passed && !answers_of(mail, first)->to)
        first++;
    if (first != passed && mail->copies.device)
        code = copy_slots(mail, first, passed - first, gravel_mail_copies_fetch);
    for (uint32_t ticket = first; ticket != passed && !code; ticket++)
        take_answers(mail, ticket);
    mail->n_collected = code ? mail->n_collected : passed;
    return code;
}
