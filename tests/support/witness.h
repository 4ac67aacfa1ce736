/* SPDX-License-Identifier: MIT */
/*
 * A witness of exclusion: a handler that stores its message's number, works, and finds the number unchanged; and that
 * counts without atomics. Two at once for one key clash, or lose a count.
 *
 * Path: tests of handlers with keys -> this; witness.cl.h is the handler's side.
 */
#ifndef GRAVEL_TEST_WITNESS_H
#define GRAVEL_TEST_WITNESS_H

#include <stdint.h>

/* What a key has in the heap. */
struct guarded_key {
    uint32_t holder, n_run, n_clashes, work;
};

#endif
