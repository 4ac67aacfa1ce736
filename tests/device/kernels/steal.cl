/* SPDX-License-Identifier: MIT */
/*
 * A task is a number. ledger: [tasks] how often each has run. Modes: 0 a tree, where task t has the children 4 t + 1 to
 * 4 t + 4 that are less than n; 1 the same, pushed by single work-items; 2 the same, with looks; 3 task 0 pushes 1 to
 * n - 1, a group's size at a time; 4 a break, 5 a return out of task n - 1; 6 nothing more.
 *
 * Path: test_steal.c -> this -> cl/steal.cl.h
 */
#include "gravel.cl.h"
#include "steal.cl.h"

kernel void work(GRAVEL_STEAL, global volatile uint *ledger, uint n, uint mode)
{
    GRAVEL_STEAL_OPEN(s);
    uint lane = get_local_id(0), size = get_local_size(0);
    GRAVEL_STEAL_EACH (s, task) {
#ifdef HAS_PUSHES
        ulong child = 4 * task + 1 + lane;
        bool has = lane < 4 && child < n;
        if (mode == 0 || mode == 2)
            gravel_steal_push_wg_if(s, has, child);
        if (mode == 1 && has)
            gravel_steal_push_wi(s, child);
        if (mode == 2)
            gravel_steal_look_wg(s);
        for (uint i = 1; mode == 3 && task == 0 && i < n; i += size)
            gravel_steal_push_wg_if(s, i + lane < n, (ulong)(i + lane));
#endif
        if (lane == 0)
            atomic_inc(&ledger[task]);
        if (mode == 4 && task == n - 1)
            break;
        if (mode == 5 && task == n - 1)
            return;
    }
}

kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(GRAVEL_STEAL)
{
}

kernel void spoil(GRAVEL_STEAL, uint word)
{
    global uchar *first = (global uchar *)gravel_steal_ + gravel_steal_->deques_offset;
    global struct gravelp_deque *deque = (global struct gravelp_deque *)first;
    if (get_global_id(0) != 0)
        return;
    if (word == 0)
        deque->tail = 0xdeadbeef;
    else if (word == 1)
        deque->head = 4;
    else if (word == 2)
        deque->offer = 77;
    else
        deque->n_offered = GRAVELP_STEAL_BLOCK + 1;
}

kernel void none(global uint *ledger, uint n)
{
    ledger[n] = 0;
}
