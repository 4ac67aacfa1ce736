/* SPDX-License-Identifier: MIT */
/*
 * The lines of a run of records, which has been checked: each begins with the node that sent it and the ids of its
 * work-item in the launch.
 *
 * Path:    writer.c -> lines.c -> format.c.
 * Owner:   the caller.
 * Threads: any; no state.
 */
#ifndef GRAVEL_SPOOL_LINES_H
#define GRAVEL_SPOOL_LINES_H

#include "spool/format.h"
#include "transport/wire.h"

/* Hears of characters that are ready; the caller's buffer is empty again when it returns. */
typedef void gravel_lines_ready(void *context, struct gravel_characters *out);

#define GRAVEL_LINES_BARE UINT32_MAX

/** The records of a run that gravel_decode_records has checked: words. */
static inline const uint32_t *gravel_records_of(const struct gravel_signal_run *run)
{
    return (const void *)((const unsigned char *)run +
                          GRAVEL_RUN_VALUES(run->run.command, run->run.n_messages, 0));
}

/** The next run of a checked frame, or NULL. @param at  begins at sizeof *frame; is behind the run afterwards. */
static inline const struct gravel_signal_run *gravel_records_next(const struct gravel_frame *frame,
                                                                  uint64_t *at)
{
    if (*at >= frame->bytes)
        return NULL;
    const struct gravel_signal_run *run = (const void *)((const unsigned char *)frame + *at);
    *at += GRAVEL_RUN_BYTES(run->run.command, (uint64_t)run->run.n_messages);
    return run;
}

/**
 * Write the lines of a run; a record makes one, and more if its text has inner newlines.
 *
 * @param source  node that sent it, with which lines begin; GRAVEL_LINES_BARE: they begin with no node and work-item.
 * @param ready   called each time 64 kB are ready.
 */
void gravel_lines_write(uint32_t source, const struct gravel_signal_run *run,
                        struct gravel_characters *out, gravel_lines_ready *ready, void *context);

#endif
