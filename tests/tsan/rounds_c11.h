/* SPDX-License-Identifier: MIT */
/*
 * What the programs of rounds share: how messages are applied, a node's arena, and what must be as expected.
 *
 * Path:  rounds.c, rounds_nodes.c -> this -> cl/rounds.cl.h, compiled as C11 through host_c11.h.
 */
#ifndef GRAVEL_TESTS_ROUNDS_C11_H
#define GRAVEL_TESTS_ROUNDS_C11_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "portable.cl.h"

/* Applies those of OpenCL's operations that these programs send. */
static inline ulong gravelp_apply(uint command, uchar *word, ulong value, ulong expected);

#include "gravel.cl.h"
#include "rounds.cl.h"
#include "lanes.h"

#include "fail.h"

#define N_GROUPS 3u
#define N_ITEMS 5u /* of a group */
#define WAIT_MS 1000000u

static inline ulong gravelp_apply(uint command, uchar *word, ulong value, ulong expected)
{
    (void)expected;
    if (GRAVELP_COMMAND_OP(command) == GRAVEL_INC)
        return gravelp_device_fetch_add_relaxed((uint *)(void *)word, 1); /* Y2 */
    const uint old =
        *(uint *)(void *)word; /* plain: the sanitizer sees a reader that does not wait */
    *(uint *)(void *)word = (uint)value;
    return old;
}

static inline void expect(const char *what, uint64_t found, uint64_t expected)
{
    if (found != expected)
        fail("%s is %llu, not %llu", what, (unsigned long long)found, (unsigned long long)expected);
}

/* Makes the arena of a node whose heap and queue lie so far behind it; all of the heap but its first words is allocated. */
static inline void make_arena(struct gravelp_arena *arena, size_t queue_at, size_t heap_at,
                              size_t heap_bytes, struct gravelp_rounds *rounds)
{
    arena->heap_offset = heap_at;
    arena->queues_offset = queue_at;
    arena->n_slots = arena->n_queues = 1;
    arena->poll_ns = 1000;
    arena->wait_ms = WAIT_MS;
    rounds->n_spans = 1;
    rounds->spans[0] = (struct gravelp_bounds_span){64, heap_bytes - 64};
}

#endif
