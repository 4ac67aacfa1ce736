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

static struct gravel_run *make_run(void)
{
    struct gravel_run *run = calloc(1, sizeof *run + N_ARGS * sizeof(uint64_t) * shape.n_messages);
    if (!run)
        fail("no memory for a run");
    run->command = GRAVELP_COMMAND_AM(shape.handler, N_ARGS);
    run->n_messages = shape.n_messages;
    uint64_t *rows = (void *)(run + 1);
    for (uint32_t i = 0; i < shape.n_messages; i++) {
        rows[i] = i % shape.n_keys;
        rows[shape.n_messages + i] = i;
    }
    return run;
}

static void *post(void *nothing)
{
    const struct gravel_frame frame = {.source = 0};
    struct gravel_run *run = make_run();
    uint32_t n_posted = 0;
    while (n_posted < shape.n_messages) {
        if (gravel_mail_post(&mail, &frame, run, &n_posted, shape.heap))
            fail("mail cannot be posted");
        usleep(10);
    }
    free(run);
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
    gravel_mail_init(&mail, &of, NULL);
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
