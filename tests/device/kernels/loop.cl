/* SPDX-License-Identifier: MIT */
/*
 * Group calls in loops and branches. Global size: GROUPS groups. table: words [N_WORDS] at node 1 that are counted up;
 * result: answers, a group's after another's [work-items]; signal: a uint and, 64 bytes on, a ulong a group, each 128
 * bytes from the next; n: how long the loops are. KERNELS_WAIT: but on step drain. LONG_WAIT: for the ulong, or nothing.
 *
 * Path: test_loop.c -> this -> cl/device/send.cl.h, cl/device/wait.cl.h
 */
#include "gravel.cl.h"

#define PARAMETERS GRAVEL_ARENA, ulong table, ulong result, ulong signal, uint n

/* What all have. */
#define BEGIN                                                                      \
    GRAVEL_OPEN(g);                                                                \
    uint lane = (uint)get_local_id(0), size = (uint)get_local_size(0), got = 0;    \
    uint group = (uint)get_global_id(0) / size, my = gravel_node(g);               \
    struct gravel_reply reply = {result + 4 * size * group, signal + 128 * group}; \
    global uint *own = (global uint *)gravel_local(g, reply.result);               \
    (void)lane, (void)my, (void)own
#define END                 \
    if (got == 0xffffffffu) \
    own[0] = (uint)reply.signal

#ifdef KERNELS_WAIT
#define WAIT(type, at, compare, value) \
    gravel_wait_until_##type##_wg(g, at, GRAVEL_CMP_##compare, value)
#else
#define WAIT(type, at, compare, value) (void)0
#endif
#define SIGNALLED WAIT(uint, reply.signal, GE, got)

kernel void ask(PARAMETERS)
{
    BEGIN;
    for (uint b = 0; b < n; b++) {
        got += gravel_fetch_add_uint_wg_if(g, lane < 8, table, 0, 1, reply, lane, 1);
        SIGNALLED;
    }
    END;
}

kernel void send_two(PARAMETERS)
{
    BEGIN;
    for (uint b = 0; b < n; b++) {
        gravel_inc_uint_wg(g, table, 0, 1);
        gravel_inc_uint_wg_if(g, lane & 1, table, 1, 1);
    }
    if (n) {
        gravel_inc_uint_wg_if(g, lane < 5, table, 2, 1);
        gravel_inc_uint_wg_if(g, lane & 1, table, 3, 1);
    }
    gravel_inc_uint_wg(g, table, 4, 1);
    END;
}

kernel void ask_twice(PARAMETERS)
{
    BEGIN;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = 0; b < n; b++) {
        got += gravel_cas_uint_wg_if(g, lane == 0, table, 7, b, b + 1, reply, lane, my);
        WAIT(int, reply.signal, EQ, (int)got);
        for (uint c = 0; c < b; c++) {
            got += gravel_fetch_add_uint_wg(g, table, 0, 1, reply, lane, 1);
            SIGNALLED;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    gravel_inc_uint_wg(g, table, 1, 1);
    END;
}

kernel void ask_or_send(PARAMETERS)
{
    BEGIN;
    for (uint b = 0; b < n; b++)
        if (n > 1) {
            got += gravel_put_signal_uint_wg_if(g, lane < 5, table, 7, b, reply.signal, my);
            SIGNALLED;
        } else {
            gravel_inc_uint_wg(g, table, 0, 1);
        }
    got += gravel_fetch_add_uint_wg(g, table, 1, got, reply, lane, 1);
    SIGNALLED;
    END;
}

kernel void count(PARAMETERS)
{
    BEGIN;
    ulong seen = 0;
    for (uint b = 0; b < n; b++) {
        GRAVEL_FOR_WG (g, i, active, lane & 3)
            gravel_inc_uint_wg_if(g, active, table, 0, 1);
        gravel_inc_ulong_wg(g, reply.signal + 64, 0, my);
        seen += size;
        LONG_WAIT;
    }
    gravel_inc_uint_wg(g, table, 1, 1);
    END;
}

kernel void part_ways(PARAMETERS)
{
    BEGIN;
    uint is_odd = lane & 1;
    if (is_odd)
        gravel_inc_uint_wi(g, table, 0, 1);
    for (uint b = 0; b < n; b++) {
        if (b < 2) {
            gravel_barrier_wg(g);
            if (is_odd)
                gravel_inc_uint_wi(g, table, 1, 1);
            gravel_inc_uint_wg(g, table, 2, 1);
            gravel_inc_uint_wg_if(g, is_odd, table, 3, 1);
            if (is_odd)
                gravel_inc_uint_wi(g, table, 4, 1);
            gravel_barrier_wg(g);
        }
    }
    gravel_inc_uint_wg(g, table, 5, 1);
    END;
}
