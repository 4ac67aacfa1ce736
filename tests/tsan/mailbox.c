/* SPDX-License-Identifier: MIT */
/* Posts mail. See mailbox.h. */
#include "mailbox.h"

#include "fail.h"
#include "layout/command.h"
#include "serve/mail.h"

#include <stdatomic.h>
#include <unistd.h>

#define N_ARGS 2u

static struct gravel_mail mail;
static struct mailbox_shape shape;
static pthread_t thread;
static _Atomic bool is_busy;
static struct gravel_signal_run *run; /* that is posted */

/* Value row of the run: an argument, or behind these the answers. */
static uint64_t *row_of(uint32_t row)
{
    return (void *)((char *)run + GRAVEL_RUN_VALUES(run->run.command, shape.n_messages, row));
}

static void make_run(void)
{
    const uint32_t command = GRAVELP_COMMAND_ASK(shape.handler, N_ARGS);
    run = calloc(1, GRAVEL_RUN_BYTES(command, shape.n_messages));
    if (!run)
        fail("no memory for a run");
    run->run = (struct gravel_run){.command = command, .n_messages = shape.n_messages};
    for (uint32_t i = 0; i < shape.n_messages; i++) {
        row_of(0)[i] = i % shape.n_keys;
        row_of(1)[i] = i;
    }
}

static void *post(void *nothing)
{
    const struct gravel_frame frame = {.source = 0};
    uint32_t n_posted = 0;
    while (n_posted < shape.n_messages) {
        if (gravel_mail_collect(&mail) ||
            gravel_mail_post(&mail, &frame, &run->run, &n_posted, shape.heap))
            fail("mail cannot be posted");
        usleep(10);
    }
    atomic_store_explicit(&is_busy, false, memory_order_relaxed); /* joining orders */
    return nothing;
}

void mailbox_begin(const struct mailbox_shape *wanted)
{
    const struct gravel_mail_shape of = {.box = wanted->box,
                                         .n_owners = wanted->n_owners,
                                         .n_slots = wanted->n_slots,
                                         .columns = wanted->columns,
                                         .slot_bytes = wanted->slot_bytes};
    shape = *wanted;
    make_run();
    if (gravel_mail_init(&mail, &of, NULL))
        fail("no memory for the mailbox");
    gravel_mail_open(&mail);
    atomic_store_explicit(&is_busy, true, memory_order_relaxed); /* the thread begins after it */
    if (pthread_create(&thread, NULL, post, NULL))
        fail("no thread for the mailbox");
}

bool mailbox_is_busy(void)
{
    return atomic_load_explicit(&is_busy, memory_order_relaxed); /* another look follows */
}

void mailbox_end(void)
{
    const struct gravel_limit none = {.check = NULL};
    pthread_join(thread, NULL);
    if (gravel_mail_close(&mail, none))
        fail("the mailbox cannot be closed");
}

bool mailbox_is_unread(void)
{
    return gravel_mail_is_unread(&mail);
}

void mailbox_expect_answers(void)
{
    if (gravel_mail_collect(&mail) || gravel_mail_collected(&mail) != gravel_mail_posted(&mail))
        fail("answers are left in the mailbox");
    for (uint32_t i = 0; i < shape.n_messages; i++)
        if (row_of(N_ARGS)[i] != MAILBOX_ANSWER(i % shape.n_keys, i))
            fail("a message has an answer that is not its own");
    gravel_mail_destroy(&mail);
    free(run);
}
