/* SPDX-License-Identifier: MIT */
/*
 * Requests of the C11 kernels: what is asked, and what the kernel makes of the answers.
 *
 * Path:    ask.c -> cl/device/wait.cl.h -> whole_path.c, which checks.
 */
#ifndef GRAVEL_TSAN_ASK_H
#define GRAVEL_TSAN_ASK_H

#include <stdint.h>

struct gravelp_arena;

#define ASK_ROUNDS 4u
#define ASK_MAX_GROUP 8u

/* Heap offsets [bytes]. */
struct ask {
    uint32_t n_nodes;
    uint64_t counter; /* uint at every node: each work-item draws a number there, each round */
    uint64_t answers; /* uint [n_groups * ASK_MAX_GROUP] */
    uint64_t data;    /* uint [n_groups * ASK_MAX_GROUP], put to the own node */
    uint64_t signals; /* uint [n_groups][2]: answers, and puts */
    uint64_t marks;   /* struct ask_mark [n_groups] */
    uint64_t sum;     /* ulong at node 0: what the kernel made of it */
};

/* Put and counted by the group's own messages. */
struct ask_mark {
    uint64_t n;        /* grows by ASK_STEP, once the round's data is put */
    uint32_t data[14]; /* of ASK_MAX_GROUP */
};
#define ASK_STEP ((UINT64_C(1) << 40) + 1)

/** The kernel: a lanes_kernel whose arguments are a struct ask. */
void ask_kernel(struct gravelp_arena *gravel_arena_, const void *arguments);

#endif
