/* SPDX-License-Identifier: MIT */
/*
 * Handlers and kernels of device_calls.c, in one text: it is both device_code and a program.
 *
 * Path:    device_calls.c -> kernels here -> handlers here, at the destination -> sums in its heap.
 */
#include "gravel.cl.h"

/* As in device_calls.c. */
#define N_SUMS 16u
#define MIX(mixed, word) ((mixed ^ (word)) * 16777619u)

/* Sums of one handler: number, halves of the arguments, node, n_nodes, all of a message taken together. */
void add_up(struct gravel_call call, uint n_args, ulong4 args)
{
    const uint halves[8] = {(uint)args.s0,         (uint)(args.s0 >> 32), (uint)args.s1,
                            (uint)(args.s1 >> 32), (uint)args.s2,         (uint)(args.s2 >> 32),
                            (uint)args.s3,         (uint)(args.s3 >> 32)};
    volatile global uint *sums =
        (volatile global uint *)gravel_call_local(call, 0) + n_args * N_SUMS;
    uint mixed = call.source;
    atomic_inc(&sums[0]);
    for (uint i = 0; i < 8; i++) {
        atomic_add(&sums[1 + i], halves[i]);
        mixed = MIX(mixed, halves[i]);
    }
    atomic_add(&sums[9], call.node);
    atomic_add(&sums[10], call.n_nodes);
    atomic_add(&sums[11], mixed);
}

void take0(struct gravel_call call)
{
    add_up(call, 0, (ulong4)(0, 0, 0, 0));
}
void take1(struct gravel_call call, ulong a)
{
    add_up(call, 1, (ulong4)(a, 0, 0, 0));
}
void take2(struct gravel_call call, ulong a, ulong b)
{
    add_up(call, 2, (ulong4)(a, b, 0, 0));
}
void take3(struct gravel_call call, ulong a, ulong b, ulong c)
{
    add_up(call, 3, (ulong4)(a, b, c, 0));
}
void take4(struct gravel_call call, ulong a, ulong b, ulong c, ulong d)
{
    add_up(call, 4, (ulong4)(a, b, c, d));
}

/* One item a work-item: whether it sends, to whom, and four arguments. */
#define ITEMS \
    GRAVEL_ARENA, global const uint *active, global const uint *nodes, global const ulong *args
#define A(k) args[4 * i + (k)]

#define SENDERS(n, ...)                                                                       \
    kernel void am##n##_group(ITEMS)                                                          \
    {                                                                                         \
        GRAVEL_OPEN(g);                                                                       \
        uint i = (uint)get_global_id(0);                                                      \
        gravel_am##n##_wg(g, GRAVEL_HANDLER(take##n), ##__VA_ARGS__, nodes[i]);               \
    }                                                                                         \
    kernel void am##n##_if(ITEMS)                                                             \
    {                                                                                         \
        GRAVEL_OPEN(g);                                                                       \
        uint i = (uint)get_global_id(0);                                                      \
        gravel_am##n##_wg_if(g, active[i], GRAVEL_HANDLER(take##n), ##__VA_ARGS__, nodes[i]); \
    }                                                                                         \
    kernel void am##n##_wi(ITEMS)                                                             \
    {                                                                                         \
        GRAVEL_OPEN(g);                                                                       \
        uint i = (uint)get_global_id(0);                                                      \
        if (active[i])                                                                        \
            gravel_am##n##_wi(g, GRAVEL_HANDLER(take##n), ##__VA_ARGS__, nodes[i]);           \
    }
SENDERS(0)
SENDERS(1, A(0))
SENDERS(2, A(0), A(1))
SENDERS(3, A(0), A(1), A(2))
SENDERS(4, A(0), A(1), A(2), A(3))
