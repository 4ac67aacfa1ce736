/* SPDX-License-Identifier: MIT */
/*
 * Signals and answers. See requests.h.
 */
#include "resolve/requests.h"

#include "resolve/heap_words.h"

void gravel_requests_finish(const void *frame, unsigned char *heap, gravel_apply_reply *reply,
                            void *context)
{
    const struct gravel_frame *header = frame;
    const unsigned char *start = (const unsigned char *)frame + sizeof *header;
    const unsigned char *end = (const unsigned char *)frame + header->bytes;
    while (start < end) {
        const struct gravel_signal_run *run = (const void *)start;
        uint32_t command = run->run.command, n = run->run.n_messages;
        if (GRAVELP_IS_REQUEST(command)) {
            reply(context, run, header->source, (const void *)(run + 1),
                  start + GRAVEL_RUN_VALUES(command, n, GRAVELP_ANSWER_ROW(command)));
        } else if (GRAVELP_HAS_SIGNAL(command) && !GRAVELP_IS_REQUEST(command) && heap &&
                   run->signal != GRAVEL_NO_SIGNAL) {
            unsigned char *word = heap + run->signal; /* which has one writer; the sum wraps */
            store_uint(word, load_uint(word) + n);    /* Q1, pairs with Q2; R1 too */
        }
        start += GRAVEL_RUN_BYTES(command, (gravelp_u64)n);
    }
}
