/* SPDX-License-Identifier: MIT */
/*
 * How the line's runs reach resident servers. See transactions_parts.h.
 *
 * While a launch runs, messages at the head are posted to its mailbox as there is room (serve/mail.c). A run leaves
 * when servers have passed its last message. What waits when the launch has ended is run without servers.
 */
#include "serve/transactions_parts.h"

#include <string.h>

#define MAIL_LOOK_NS UINT64_C(50000) /* between looks whether servers have passed mail */

struct gravel_mail *gravel_line_mail(const struct gravel_device_calls *calls)
{
    struct gravel_mail *mail = calls ? gravel_device_calls_shape_of(calls)->mail : NULL;
    return mail && mail->shape.box ? mail : NULL;
}

/* Servers have run all messages of these. */
static void end_mail(struct gravel_transactions *transactions, bool *moved)
{
    const uint32_t passed = gravel_mail_collected(transactions->mail);
    struct waiting_run *run;
    while ((run = transactions->oldest) && run != transactions->head &&
           (int32_t)(passed - run->ticket) >= 0) {
        gravel_line_answer(transactions, run, run->n);
        gravel_line_leave(transactions, run);
        *moved = true;
    }
}

/* Post what there is room for. @return 0; GRAVEL_ECL. */
static int post_mail(struct gravel_transactions *transactions, bool *moved)
{
    struct waiting_run *run;
    int code = 0;
    while (!code && (run = transactions->head)) {
        const uint32_t before = run->n_taken;
        code = gravel_mail_post(transactions->mail, &run->frame, (void *)run->run, &run->n_taken,
                                gravel_memory_heap_offset(transactions->shape->memory, run->heap));
        *moved |= run->n_taken != before;
        if (run->n_taken != run->n)
            break;
        run->ticket = gravel_mail_posted(transactions->mail);
        transactions->head = run->next;
    }
    return code;
}

/* A launch has ended when a part of a run was posted, and has served it: leave the other part. */
static void shorten(struct gravel_transactions *transactions, struct waiting_run *waiting)
{
    struct gravel_run *run = (void *)waiting->run;
    const uint32_t command = run->command, n = waiting->n - waiting->n_taken;
    const uint64_t n_before = waiting->n, bytes = GRAVELP_VALUE_BYTES(command);
    const uint64_t index_bytes = GRAVELP_INDEX_BYTES(command);
    unsigned char *indices = waiting->run + GRAVEL_RUN_INDICES(command);
    gravel_line_answer(transactions, waiting, waiting->n_taken);
    memmove(indices, indices + waiting->n_taken * index_bytes, n * index_bytes);
    for (uint32_t row = 0; row < GRAVELP_N_VALUES(command); row++)
        memmove(waiting->run + GRAVEL_RUN_VALUES(command, (uint64_t)n, row),
                waiting->run + GRAVEL_RUN_VALUES(command, n_before, row) + waiting->n_taken * bytes,
                n * bytes);
    run->n_messages = waiting->n = waiting->n_open = n;
    waiting->n_taken = 0;
}

int gravel_line_advance_mail(struct gravel_transactions *transactions, bool *moved)
{
    int code = gravel_mail_collect(transactions->mail);
    if (!code)
        code = post_mail(transactions, moved);
    end_mail(transactions, moved);
    for (uint32_t n = 0;
         n < GRAVEL_LINE_RUNS_AT_ONCE && !code && transactions->head &&
         transactions->head == transactions->oldest && !gravel_line_takes_mail(transactions) &&
         gravel_mail_collected(transactions->mail) == gravel_mail_posted(transactions->mail);
         n++) {
        *moved = true;
        shorten(transactions, transactions->head);
        code = gravel_line_run(transactions, transactions->head);
    }
    return code;
}

uint64_t gravel_transactions_due_ns(const struct gravel_transactions *transactions, uint64_t now_ns)
{
    return transactions && transactions->mail && transactions->oldest ? now_ns + MAIL_LOOK_NS
                                                                      : UINT64_MAX;
}
