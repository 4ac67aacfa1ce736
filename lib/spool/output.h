/* SPDX-License-Identifier: MIT */
/*
 * Writes lines to a descriptor that may be slow, full or gone.
 *
 * Path:    writer.c -> output.c -> the system.
 * Threads: the writer, which blocks SIGPIPE and SIGXFSZ.
 */
#ifndef GRAVEL_SPOOL_OUTPUT_H
#define GRAVEL_SPOOL_OUTPUT_H

#include "base/thread.h"

#include <stddef.h>

/**
 * Write all of a text.
 *
 * @param n_written  [out] bytes of it that were, all unless it fails.
 * @param thread     the caller's: where its state is GIVES_UP, a descriptor that takes nothing is given up.
 * @param n_bytes    counter, increased by what is written.
 * @return           0; the system's error; ECANCELED: given up.
 */
int gravel_output_write(int descriptor, const char *text, size_t bytes, size_t *n_written,
                        const struct gravel_thread *thread, _Atomic uint64_t *n_bytes);

#endif
