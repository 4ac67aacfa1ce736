/* SPDX-License-Identifier: MIT */
/*
 * How a thread of the library begins if other threads wait for the end of its sleeps.
 *
 * Path:    aggregators, network thread, pump -> thread.c.
 * Threads: the one that begins.
 */
#ifndef GRAVEL_BASE_THREAD_H
#define GRAVEL_BASE_THREAD_H

/**
 * Name the calling thread, and ask the system to end its sleeps on time.
 *
 * Linux lets a sleep last 50 us longer than asked, to end several at once. The shortest of ours are 20 us (idle.h), so
 * they would take 70, and a barrier is a chain of them: on 16 cores with eight ranks 0.25 ms instead of 0.8.
 *
 * @param name  at most 15 bytes.
 */
void gravel_thread_begin(const char *name);

/**
 * Make writes of the calling thread, and of threads that it makes, fail with EPIPE if the reader has closed, and with
 * EFBIG beyond RLIMIT_FSIZE: else they would end the process without a word, as MPI's to the socket of a dead node do.
 */
void gravel_thread_block_write_signals(void);

#endif
