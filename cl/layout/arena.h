/* SPDX-License-Identifier: MIT */
/*
 * The arena: the one allocation a kernel needs. Control block, queues and symmetric heap, by offset.
 *
 *     arena = struct gravelp_arena | one struct gravelp_queue_words a queue | struct gravelp_bounds, in checked mode |
 *             slots |
 *             heap | server region (server.h)
 *
 * Every word has one writing side. Words that change while kernels run stand on a cache line that only
 * one side writes, so the layout needs coherent visibility but never a cross-device read-modify-write.
 *
 * Path:    lib/memory/arena.c lays it out -> the kernel's GRAVEL_ARENA argument -> queue.cl.h.
 */
#ifndef GRAVELP_ARENA_H
#define GRAVELP_ARENA_H

#include "base.h"
#include "gravel/operation.h"

#define GRAVELP_ARENA_MAGIC 0x4752564cu
#define GRAVELP_ARENA_VERSION 11u /* of this layout; programs are checked for it */

/* Slots of a queue [count] that, if full, keeps its consumer busy for longer than a leader sleeps. */
#define GRAVELP_LONG_QUEUE 1024u

/* Faults a kernel reports in `fault`. `late`: it waited for longer than the wait time. */
#define GRAVELP_FAULT_NONE 0u
#define GRAVELP_FAULT_STALLED 1u /* late: the host takes nothing from a full queue */
#define GRAVELP_FAULT_VERSION 2u /* the program was built for another arena layout */
#define GRAVELP_FAULT_GROUP 3u   /* the work-group is larger than GRAVEL_MAX_GROUP */
#define GRAVELP_FAULT_QUEUE 4u   /* one call of a work-group needs more slots than the queue has */
#define GRAVELP_FAULT_WAIT 5u    /* late: a word that a kernel waits for does not change */
#define GRAVELP_FAULT_FBAR 6u    /* late: members of a fine-grain barrier do not arrive */
#define GRAVELP_FAULT_INBOX 7u /* no room in a server's inbox for what clients had begun to send */
#define GRAVELP_FAULT_ROLE 8u  /* a kernel with servers, not by gravel_server_launch */
#define GRAVELP_FAULT_ALONE 9u /* late: no client of its launch joins a server */
#define GRAVELP_FAULT_SILENT 10u /* late: a server takes nothing from a full inbox */
#define GRAVELP_FAULT_SPILL 11u  /* no room in a server's ring for what handlers send */
#define GRAVELP_FAULT_SENDER 12u /* a handler that may not send does */
#define GRAVELP_FAULT_RECORD 13u /* a record, with its text, that no slot holds */
#define GRAVELP_FAULT_ASSERT 14u /* a condition that a kernel asserts does not hold, or a trap */
#define GRAVELP_FAULT_POOL 15u   /* what is freed is no block of the pool, or free already */
#define GRAVELP_FAULT_BOUNDS 16u /* checked mode: an element of gravel_local_at is outside */
#define GRAVELP_FAULT_KEYS 17u   /* a transaction whose keys are not both of its node */
#define GRAVELP_FAULT_CALL_BOUNDS 18u /* the same of gravel_call_at; fault_item[0]: the node */
#define GRAVELP_FAULT_MEET 19u        /* groups of a launch did not meet within the wait time */
#define GRAVELP_FAULT_CUT_OFF 0x100u  /* or-ed to one of these waits: the host's clock stopped */

#define GRAVELP_FAULT_FILE_BYTES 64u /* of a file's name: the last ones */
#define GRAVELP_FAULT_TEXT_BYTES 128u

/* Waits of kernels. A limit is in milliseconds by the host's clock, `beat`, of which a tick counts for an eighth of
 * wait_ms at most (lib/base/clock.h). While the clock does not advance, polls count, each for the least time that it
 * takes, and a wait is cut off after many times its limit. When `renewed` changes, limits begin anew. */
#define GRAVELP_ROOM_WAITS 2u /* times wait_ms for room: the host gives up first */
#define GRAVELP_CUT_OFF 8u

struct gravelp_arena {
    /* Written by the host before any kernel runs, constant afterwards. */
    gravelp_u32 magic;
    gravelp_u32 version;
    gravelp_u32 node; /* this node, 0 <= node < n_nodes */
    gravelp_u32 n_nodes;
    gravelp_u32 n_queues;      /* one consumer each */
    gravelp_u32 n_slots;       /* in each queue, a power of two */
    gravelp_u32 slot_bytes;    /* a multiple of GRAVELP_CACHELINE */
    gravelp_u32 wait_ms;       /* how long a kernel waits for what does not change; 0: not at all */
    gravelp_u64 queues_offset; /* [bytes] from the arena to struct gravelp_queue_words [n_queues] */
    gravelp_u64 slots_offset;  /* [bytes] from the arena to all slots, queue by queue */
    gravelp_u64 heap_offset;   /* [bytes] from the arena to this node's symmetric heap */
    gravelp_u64 heap_bytes;

    /* Written by the host while kernels run; atomic. */
    gravelp_u32 abort; /* H1: not 0: the node has failed; ends waits, drops messages */
    /* Constant from here on. Offsets are in bytes from the arena; 0: there is none. */
    gravelp_u32 poll_ns;        /* least time that a waiter's poll takes [nanoseconds] */
    gravelp_u64 servers_offset; /* struct gravelp_servers */
    gravelp_u64 bounds_offset;  /* struct gravelp_bounds */
    gravelp_u32 print_node;     /* lines go there */
    gravelp_u32 host_padding[9];
    /* Of handlers; written by the host before their messages are sent. */
    gravelp_u64 constants[GRAVEL_N_CONSTANTS];

    /* Written by the device while kernels run; atomic. First fault wins. */
    gravelp_u32 fault;       /* GRAVELP_FAULT_*, published last (F1) */
    gravelp_u32 fault_claim; /* taken by the first work-group or work-item with a fault */
    gravelp_u32 fault_queue;
    gravelp_u32 fault_ticket;     /* also what a word was compared with */
    gravelp_u32 fault_dimensions; /* of the launch, 1 to 3 */
    gravelp_u32 fault_value;      /* group size, version, slots, word, line */
    gravelp_u64 fault_offset;     /* [bytes] heap offset of the word that was waited for */
    gravelp_u64 fault_item[3];    /* global ids of the work-item, or its group's first */
    gravelp_u32 fault_high[2];    /* upper halves of fault_ticket and fault_value */
    gravelp_u8 fault_file[GRAVELP_FAULT_FILE_BYTES]; /* of an assertion, or a name; ends with a 0 */
    gravelp_u8 fault_text[GRAVELP_FAULT_TEXT_BYTES]; /* of an assertion; without a 0 it is cut */
};

struct gravelp_queue_words {
    /* Device line: read-modify-writes by leaders of this node's device only. */
    gravelp_u32 reserved;         /* tickets taken so far; free-running */
    gravelp_u32 consumed_cache;   /* a recent `consumed`, so that leaders leave that line alone */
    gravelp_u32 waits;            /* leaders that found the queue full (back-pressure) */
    gravelp_u32 groups;           /* work-groups begun in checked mode, G6 */
    gravelp_u32 sessions;         /* A8: that groups have begun, less those ended */
    gravelp_u32 applied;          /* U11: ticket behind what apply_in_place took; free-running */
    gravelp_u32 applied_messages; /* in all of those; free-running */
    gravelp_u32 device_padding[9];
    /* Host line: written by this queue's one consumer. */
    gravelp_u32 consumed; /* C2: tickets whose slots are free again; free-running */
    gravelp_u32 beat;     /* H6: [milliseconds] the consumer's clock, while it runs; 0: not yet */
    gravelp_u32 renewed;  /* H14: changes while the node waits for what has limits of its own */
    gravelp_u32 host_padding[13];
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_arena) == 7 * GRAVELP_CACHELINE, "one line a writer");
GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_queue_words) == 2 * GRAVELP_CACHELINE,
                      "one line a writer");

/*
 * Checked mode's table of allocations, for handlers and kernels that ask whether an index is inside (gravel_call_at,
 * gravel_local_at); there is none without checked mode.
 *
 * The host writes the oldest of its tables, and makes it `current`. A handler searches the table that was current when
 * it began. gravel_free writes one behind its barrier, gravel_alloc one in front of its own, so an alloc behind a free
 * has no barrier between the two: of two tables it would write the one that such a handler searches. Of three tables
 * that one comes next, behind the barrier.
 */
#define GRAVELP_BOUNDS_MOST 1024u /* allocations; of more only the heap's end is a bound */
#define GRAVELP_BOUNDS_TABLES 3u
#define GRAVELP_SPARE_BYTES 1024u

struct gravelp_bounds_span {
    gravelp_u64 offset, bytes; /* heap offsets offset to offset + bytes - 1 */
};

struct gravelp_bounds {
    /* Host line. */
    gravelp_u32 current; /* V1, V2: which of the tables counts */
    /* Of each table: spans; more than GRAVELP_BOUNDS_MOST: it is not filled. */
    gravelp_u32 n[GRAVELP_BOUNDS_TABLES];
    gravelp_u32 padding[12];

    gravelp_u8 spare[GRAVELP_SPARE_BYTES]; /* what a handler gets instead of an element outside */
    /* By rising offset. */
    struct gravelp_bounds_span spans[GRAVELP_BOUNDS_TABLES][GRAVELP_BOUNDS_MOST];
};

#endif
