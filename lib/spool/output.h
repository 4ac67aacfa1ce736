/* SPDX-License-Identifier: MIT */
/*
 * Standard output, of a thread that may be given up while no reader takes it.
 *
 * Path:    spool.c -> this -> the system.
 * Threads: the writer's.
 */
#ifndef GRAVEL_SPOOL_OUTPUT_H
#define GRAVEL_SPOOL_OUTPUT_H

#include "base/thread.h"

#include <stddef.h>
#include <stdint.h>

/**
 * Write all of a text.
 *
 * @param writer     this thread: it stops once the thread's state says that it gives up.
 * @param count      [in, out] counter: grows by each byte as it is written.
 * @param n_written  [out] bytes of the text.
 * @return           0; the system's error; ECANCELED: it gives up.
 */
int gravel_output_write(const char *text, size_t bytes, const struct gravel_thread *writer,
                        _Atomic uint64_t *count, size_t *n_written);

#endif
