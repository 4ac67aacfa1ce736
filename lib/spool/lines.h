/* SPDX-License-Identifier: MIT */
/*
 * The lines of a frame of records, which has been checked: each begins with the node that sent it and the ids of its
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

/**
 * Write the lines of a frame.
 *
 * @param frame    checked by gravel_decode_records.
 * @param ready    called each time 64 kB are ready, and at the end.
 * @return         lines [count]: records; inner newlines make no more.
 */
uint64_t gravel_lines_write(const struct gravel_frame *frame, struct gravel_characters *out,
                            gravel_lines_ready *ready, void *context);

#endif
