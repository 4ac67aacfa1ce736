/* SPDX-License-Identifier: MIT */
/*
 * The servers' half of a program, as the library writes it behind the text of the handlers, and an arena for both
 * halves. The including file has `run_letter`, which runs a handler, and says what it is made of:
 *
 *     GRAVELP_RESIDENT   servers run beside clients, in their launch; else in launches of their own, `servers`
 *
 * Path:  servers.c -> this -> cl/device/serving.cl.h; lib/serve/text.c.
 * Owner: the caller, of the arena.
 */
#ifndef GRAVEL_TESTS_SERVER_HALF_H
#define GRAVEL_TESTS_SERVER_HALF_H

#include "fail.h"
#include "gravel.cl.h"

#include <stdlib.h>
#include <string.h>

static void run_letter(struct gravelp_arena *gravel_arena_, struct gravelp_letter letter, uint i);

static inline void gravelp_run(struct gravelp_arena *gravel_arena_, struct gravelp_letter letter,
                               uint i)
{
    run_letter(gravel_arena_, letter, i);
}

#if defined(GRAVELP_RESIDENT)
#define SERVER_LAUNCH GRAVELP_LAUNCH_RESIDENT
#else
#define SERVER_LAUNCH GRAVELP_LAUNCH_PHASES
static void servers(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    (void)arguments;
    GRAVELP_SERVE_INBOX;
}
#endif

/* Control block, one queue's words, the heap, the server region of so many bytes, which begins as `head`. */
static inline struct gravelp_arena *
make_server_arena(size_t heap_bytes, const struct gravelp_servers *head, size_t region_bytes)
{
    const size_t heap_at = sizeof(struct gravelp_arena) + sizeof(struct gravelp_queue_words);
    const size_t servers_at = (heap_at + heap_bytes + 63) / 64 * 64;
    const size_t bytes = (servers_at + region_bytes + 63) / 64 * 64;
    struct gravelp_arena *arena = aligned_alloc(64, bytes);
    if (!arena)
        fail("no memory for an arena");
    memset(arena, 0, bytes);
    arena->n_nodes = arena->n_queues = arena->n_slots = 1;
    arena->wait_ms = 100000;
    arena->queues_offset = sizeof *arena;
    arena->heap_offset = heap_at;
    arena->servers_offset = servers_at;
    *gravelp_servers(arena) = *head;
    return arena;
}

#endif
