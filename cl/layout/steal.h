/* SPDX-License-Identifier: MIT */
/*
 * The memory of work stealing: a control block, a deque for each work-group of a launch, and the deques' rings.
 *
 *     struct gravelp_steal | struct gravelp_deque [n_groups] | block [n_groups][GRAVELP_STEAL_BLOCK] | ring
 *     [n_groups][capacity]; blocks and rings are tasks of task_bytes
 *
 * A deque's ends are in local memory while its group runs, and here between launches. Words that other groups use are
 * on lines of their own. Policy counter has no deques: the rings are one list of n_tasks tasks.
 *
 * Path:    lib/steal lays it out and fills rings -> the kernel's GRAVEL_STEAL argument -> cl/device/schedule.cl.h.
 * Source:  Orr et al. 2015, section 5 (a queue for each work-group).
 */
#ifndef GRAVELP_LAYOUT_STEAL_H
#define GRAVELP_LAYOUT_STEAL_H

#include "base.h"

/* Policies, in the order of the choices of GRAVEL_STEAL_POLICY in config.h. */
#define GRAVELP_STEAL_PROMOTED 0 /* plain accesses; the owner offers tasks when asked */
#define GRAVELP_STEAL_PRIVATE 1  /* plain accesses, no stealing */
#define GRAVELP_STEAL_COUNTER 2  /* a list that all groups count through */

#define GRAVELP_STEAL_MAGIC 0x5354454cu
#define GRAVELP_STEAL_BLOCK 64u /* tasks of an offer at most */
#define GRAVELP_STEAL_LEAST_TASK_BYTES 4u
#define GRAVELP_STEAL_MOST_TASK_BYTES 64u
#define GRAVELP_STEAL_MOST_CAPACITY (1u << 30) /* so that ends that wrap compare by difference */

/* What a group reports to the host; the first one stays. */
#define GRAVELP_STEAL_FAULT_NONE 0u
#define GRAVELP_STEAL_FAULT_FULL 1u    /* a push beyond the capacity */
#define GRAVELP_STEAL_FAULT_LEFT 2u    /* a break out of GRAVEL_STEAL_EACH */
#define GRAVELP_STEAL_FAULT_PROGRAM 3u /* the program is of another layout, policy or task */

/* States of an offer. */
#define GRAVELP_OFFER_EMPTY 0u
#define GRAVELP_OFFER_MADE 1u
#define GRAVELP_OFFER_TAKEN 2u

#define GRAVELP_LINE_WORDS (GRAVELP_CACHELINE / 4)

struct gravelp_steal {
    /* Written by the host while no kernel runs. */
    gravelp_u32 magic;
    gravelp_u32 policy;
    gravelp_u32 n_groups;
    gravelp_u32 capacity; /* [tasks] of a ring, a power of two */
    gravelp_u32 task_bytes;
    gravelp_u32 n_tasks;       /* of the list */
    gravelp_u32 budget;        /* [tasks] of a group in this launch; 0: all */
    gravelp_u32 wait_ms;       /* how long a group without a task waits while nothing changes */
    gravelp_u64 deques_offset; /* [bytes] from here */
    gravelp_u64 blocks_offset;
    gravelp_u64 rings_offset;
    gravelp_u32 poll_ns;   /* least time of a poll of a word [nanoseconds] */
    gravelp_u32 is_sliced; /* groups may find what those of earlier slices have offered */
    /* Written by the host while kernels run. */
    gravelp_u32 abort; /* H7: not 0: no group waits for tasks */
    gravelp_u32 host_padding[GRAVELP_LINE_WORDS - 1];
    /* Written by groups. */
    gravelp_u32 n_started; /* X7: groups of this launch that have begun */
    gravelp_u32 started_padding[GRAVELP_LINE_WORDS - 1];
    gravelp_u32 n_idle; /* X7: those of them that have no task */
    gravelp_u32 idle_padding[GRAVELP_LINE_WORDS - 1];
    gravelp_u32 next; /* X8: first task of the list that no group has */
    gravelp_u32 next_padding[GRAVELP_LINE_WORDS - 1];
    gravelp_u32 fault_claim; /* X9: taken by the first group with a fault */
    gravelp_u32 fault;       /* GRAVELP_STEAL_FAULT_* */
    gravelp_u32 fault_group;
    gravelp_u32 fault_values[2];
    gravelp_u32 fault_padding[GRAVELP_LINE_WORDS - 5];
};

/* What a group counts over all launches since the host last cleared it. */
struct gravelp_steal_counts {
    gravelp_u64 done;   /* tasks that it ran */
    gravelp_u64 stolen; /* of them, or of those it has: taken from other groups */
    gravelp_u64 failed; /* takes that failed: another group was faster */
    gravelp_u64 offers; /* blocks that it offered */
    gravelp_u64 looks;  /* rounds over all deques that found nothing */
};

struct gravelp_deque {
    /* Written by the host between launches, and by the owner as it begins and ends. */
    gravelp_u32 head;    /* oldest task of the ring; free-running */
    gravelp_u32 tail;    /* behind the newest */
    gravelp_u32 n_begun; /* H8: launches that the group has begun, and ended in order */
    gravelp_u32 n_ended; /* H8 */
    struct gravelp_steal_counts counts;
    gravelp_u32 owner_padding[2];
    /* Written by any group. */
    gravelp_u32 wanted; /* X1: another group has no task */
    gravelp_u32 wanted_padding[GRAVELP_LINE_WORDS - 1];
    gravelp_u32 offer; /* X2 to X6: GRAVELP_OFFER_* */
    gravelp_u32 offer_padding[GRAVELP_LINE_WORDS - 1];
    gravelp_u32 n_offered;  /* tasks of the offer, which owns this and the block */
    gravelp_u32 is_waiting; /* H8: the owner has no task, and searches */
    gravelp_u32 offered_padding[GRAVELP_LINE_WORDS - 2];
};

GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_steal) == 6 * GRAVELP_CACHELINE, "one line a writer");
GRAVELP_STATIC_ASSERT(sizeof(struct gravelp_deque) == 4 * GRAVELP_CACHELINE, "one line a writer");

#endif
