/* SPDX-License-Identifier: MIT */
/*
 * A tree of tasks that send; task 0 waits for a word at `stop`, unless that is 0. table: heap offset of uint [65].
 *
 * Path: test_steal_messages.c -> this -> cl/steal.cl.h
 */
struct pair {
    uint number, parent, filler[4];
};
#define GRAVEL_STEAL_TASK struct pair
#include "gravel.cl.h"
#include "steal.cl.h"

kernel void work(GRAVEL_ARENA, GRAVEL_STEAL, ulong table, uint n, ulong stop)
{
    GRAVEL_OPEN(g);
    GRAVEL_STEAL_OPEN(s);
    uint lane = get_local_id(0), polls = 0;
    volatile global uint *word = gravel_local(g, stop);
    GRAVEL_STEAL_EACH (s, task) {
        struct pair child = {3 * task.number + 1 + lane, task.number, {7, 7, 7, 7}};
        while (stop && task.number == 0 && *word == 0)
            gravel_pause_wi(polls++);
        gravel_steal_push_wg_if(s, lane < 3 && child.number < n, child);
        gravel_inc_uint_wg(g, table, (task.number + lane) % 64, 1);
        bool is_whole = task.number == 0 || (task.number - 1) / 3 == task.parent;
        gravel_inc_uint_wg_if(g, lane == 0 && is_whole, table, 64, 1);
    }
}
