/* SPDX-License-Identifier: MIT */
/*
 * The arena: the one allocation a kernel needs. Control block, queues and symmetric heap, by offset.
 *
 *     arena = struct gravel_arena | one struct gravel_queue_words a queue | slots | heap
 *
 * Every word has one writing side. Words that change while kernels run stand on a cache line that only
 * one side writes, so the layout needs coherent visibility but never a cross-device read-modify-write.
 *
 * Path:    lib/device/arena.c lays it out -> the kernel's GRAVEL_ARENA argument -> queue.cl.h.
 */
#ifndef GRAVEL_SHARED_ARENA_H
#define GRAVEL_SHARED_ARENA_H

#include "base.h"

#define GRAVEL_ARENA_MAGIC 0x4752564cu
#define GRAVEL_ARENA_VERSION \
    3u /* of this layout; checked when a program is built and when it runs */

/* A full queue of so many slots [count] keeps its consumer busy for longer than a leader sleeps. */
#define GRAVEL_LONG_QUEUE 1024u

/* Faults a kernel reports in `fault`. */
#define GRAVEL_FAULT_NONE 0u
#define GRAVEL_FAULT_STALLED \
    1u /* no room in a queue, of which the host took nothing, within the wait time */
#define GRAVEL_FAULT_VERSION 2u /* the program was built for another arena layout */
#define GRAVEL_FAULT_GROUP 3u   /* the work-group is larger than GRAVEL_MAX_GROUP */
#define GRAVEL_FAULT_QUEUE 4u   /* one call of a work-group needs more slots than the queue has */
#define GRAVEL_FAULT_WAIT \
    5u /* a word that a work-group waits for did not change within the wait time */
#define GRAVEL_FAULT_FBAR \
    6u /* members of a fine-grain barrier did not arrive within the wait time */
#define GRAVEL_FAULT_CUT_OFF 0x100u /* or-ed to one of these waits: the host's clock stood */

/*
 * Waits of kernels. A limit is in milliseconds by the host's clock, `beat`, of which a tick counts for an eighth of
 * wait_ms at most (lib/wait/lived.h). While the clock stands, looks are counted, each for the least time that it takes,
 * and a wait is cut off when that makes so many times its limit.
 */
#define GRAVEL_ROOM_WAITS \
    2u /* times wait_ms for room: the host, which knows more, gives up first */
#define GRAVEL_CUT_OFF 8u

struct gravel_arena {
    /* Written by the host before any kernel runs, constant afterwards. */
    gravel_u32 magic;
    gravel_u32 version;
    gravel_u32 node; /* this node, 0 <= node < n_nodes */
    gravel_u32 n_nodes;
    gravel_u32 n_queues;      /* one consumer each */
    gravel_u32 n_slots;       /* in each queue, a power of two */
    gravel_u32 slot_bytes;    /* a multiple of GRAVEL_CACHELINE */
    gravel_u32 wait_ms;       /* how long a kernel waits for what does not change; 0: not at all */
    gravel_u64 queues_offset; /* [bytes] from the arena to struct gravel_queue_words [n_queues] */
    gravel_u64
        slots_offset; /* [bytes] from the arena to slot 0 of queue 0; queue q follows queue q-1 */
    gravel_u64 heap_offset; /* [bytes] from the arena to this node's symmetric heap */
    gravel_u64 heap_bytes;

    /* Written by the host while kernels run; atomic. */
    gravel_u32
        abort; /* H1: not 0 once the node has failed: leaves every wait, drops every message */
    gravel_u32 look_ns; /* constant: least time that a waiter's look takes [nanoseconds] */
    gravel_u32 host_padding[14];

    /* Written by the device while kernels run; atomic. First fault wins. */
    gravel_u32 fault;       /* GRAVEL_FAULT_*, published last (F1) */
    gravel_u32 fault_claim; /* taken by the first work-group with a fault */
    gravel_u32 fault_queue;
    gravel_u32 fault_ticket;
    gravel_u32 fault_dimensions; /* of the launch, 1 to 3 */
    gravel_u32 fault_value; /* the number at fault: group size, version, slots, word waited for */
    gravel_u64
        fault_offset; /* [bytes] heap offset of the word waited for; fault_ticket is what it was compared with */
    gravel_u64 fault_item
        [3]; /* global ids of the work-group's first work-item: the launch's, not a slice's */
    gravel_u32
        fault_high[2]; /* upper halves of fault_ticket and fault_value, of a word of 64 bits */
};

struct gravel_queue_words {
    /* Device line: read-modify-writes by leaders of this node's device only. */
    gravel_u32 reserved; /* tickets taken so far; free-running */
    gravel_u32
        consumed_cache; /* a recent value of `consumed`, so that most leaders leave that line alone */
    gravel_u32 waits;   /* leaders that found the queue full (back-pressure) */
    gravel_u32 device_padding[13];
    /* Host line: written by this queue's one consumer. */
    gravel_u32 consumed; /* C2: tickets whose slots are free again; free-running */
    gravel_u32
        beat; /* H6: [milliseconds] the consumer's clock, which stands while it gets no turn; 0: not yet */
    gravel_u32 host_padding[14];
};

GRAVEL_STATIC_ASSERT(sizeof(struct gravel_arena) == 3 * GRAVEL_CACHELINE, "one line a writer");
GRAVEL_STATIC_ASSERT(sizeof(struct gravel_queue_words) == 2 * GRAVEL_CACHELINE,
                     "one line a writer");

#endif
