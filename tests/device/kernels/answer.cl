/* SPDX-License-Identifier: MIT */
/* Asks functions of the host, beside increments. Path: test_answer.c -> this */
#include "gravel.cl.h"

/* Work-item i asks node i % n; the answers go to places i. */
kernel void ask(GRAVEL_ARENA, ulong words, ulong wide, ulong narrow, ulong signal, uint n)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0), node = i % gravel_n_nodes(g);
    const struct gravel_reply of_wide = {wide, signal}, of_narrow = {narrow, signal};
    gravel_inc_uint_wg(g, words, 0, node);
    gravel_ask2_wg(g, GRAVEL_HANDLER(weigh), (ulong)i, 7ul, of_wide, i, node);
    gravel_ask1_wg_if(g, i % 3 == 0, GRAVEL_HANDLER(negate), i, of_narrow, i, node);
    if (i % 5 == 0)
        gravel_ask0_wi(g, GRAVEL_HANDLER(count), of_wide, i + n, node);
    gravel_am2_wg(g, GRAVEL_HANDLER(weigh), (ulong)i, 7ul, node);
}
kernel void complain(GRAVEL_ARENA, ulong wide)
{
    GRAVEL_OPEN(g);
    const struct gravel_reply reply = {wide, 0};
    gravel_ask0_wi(g, GRAVEL_HANDLER(refuse), reply, 0, 0);
}

/* Work-item 0 asks and the group waits, before it writes what it has read: the answer, and whether that had come. */
kernel void await(GRAVEL_ARENA, ulong answer, ulong signal, ulong read)
{
    GRAVEL_OPEN(g);
    const struct gravel_reply reply = {answer, signal};
    const uint first = get_local_id(0) == 0;
    gravel_ask0_wg_if(g, first, GRAVEL_HANDLER(late), reply, 0, 0);
    const bool came = gravel_wait_until_uint_wg(g, signal, GRAVEL_CMP_EQ, 1);
    if (first) {
        global ulong *words = (global ulong *)gravel_local(g, read);
        words[0] = *(global const ulong *)gravel_local(g, answer);
        words[1] = came;
    }
}
