/* SPDX-License-Identifier: MIT */
/*
 * A witness of exclusion: a handler that stores its message's number, works, and finds the number unchanged; and that
 * counts without atomics. Two at once for one key clash, or lose a count.
 *
 * Path: tests of handlers with keys -> this.
 */
#ifndef GRAVEL_TEST_WITNESS_H
#define GRAVEL_TEST_WITNESS_H

#include <stdint.h>

/* What a key has in the heap. */
struct guarded_key {
    uint32_t holder, n_run, n_clashes, work;
};

/* OpenCL C: hold(call, key, number, table, steps, n) holds the key of `table`, an offset of struct guarded_key [], for
 * some steps, and counts n. */
#define WITNESS_CL                                                                                 \
    "void hold(struct gravel_call call, ulong key, ulong number, ulong table, uint steps, uint n)" \
    "{"                                                                                            \
    "    volatile global uint *words ="                                                            \
    "        (volatile global uint *)((global uint4 *)gravel_call_local(call, table) + key);"      \
    "    words[0] = (uint)number;"                                                                 \
    "    for (uint i = 0; i < steps; i++)"                                                         \
    "        words[3] = words[3] * 5 + 1;"                                                         \
    "    if (words[0] != (uint)number)"                                                            \
    "        words[2] = words[2] + 1;"                                                             \
    "    words[1] = words[1] + n;"                                                                 \
    "}\n"

#endif
