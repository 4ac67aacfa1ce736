/* SPDX-License-Identifier: MIT */
/* Asks functions of the host, beside increments. Path: test_answer.c -> this */
#include "gravel.cl.h"

#define ASK(name, handler)                                       \
    kernel void name(GRAVEL_ARENA, ulong wide)                   \
    {                                                            \
        GRAVEL_OPEN(g);                                          \
        const struct gravel_reply reply = {wide, 0};             \
        gravel_ask0_wi(g, GRAVEL_HANDLER(handler), reply, 0, 0); \
    }
ASK(complain, refuse)
ASK(complain_beside, fail)
ASK(stay, late)

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

/* A group that asks for n words, and counts those that are there with the answer. */
kernel void drink(GRAVEL_ARENA, ulong words, ulong answer, ulong signal, ulong found, uint n)
{
    GRAVEL_OPEN(g);
    const struct gravel_reply reply = {answer, signal};
    const uint first = get_local_id(0) == 0;
    gravel_ask1_wg_if(g, first, GRAVEL_HANDLER(pour), words, reply, 0, 0);
    if (!gravel_wait_until_uint_wg(g, signal, GRAVEL_CMP_EQ, 1) || !first)
        return;
    global const uint *poured = (global const uint *)gravel_local(g, words);
    uint i = 0;
    while (i < n && poured[i] == i + 1)
        i++;
    *(global uint *)gravel_local(g, found) = i;
}

/* A group that asks behind all that another call has asked, and, as `wait` says, waits for its own answer, then in vain. */
kernel void doze_behind(GRAVEL_ARENA, ulong answers, ulong signal, uint wait)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0), n = (uint)get_local_size(0);
    const struct gravel_reply unsignalled = {answers, 0}, last = {answers, signal};
    gravel_ask0_wg(g, GRAVEL_HANDLER(doze), unsignalled, i, 0);
    gravel_ask0_wg_if(g, i == 0, GRAVEL_HANDLER(doze), last, n, 0);
    const bool came = wait && gravel_wait_until_uint_wg(g, signal, GRAVEL_CMP_EQ, 1);
    if (i == 0)
        ((global ulong *)gravel_local(g, answers))[n + 1] = came;
    if (wait == 2)
        gravel_wait_until_uint_wg(g, signal, GRAVEL_CMP_EQ, 2);
}

kernel void spoil(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    gravel_am1_wi(g, GRAVEL_HANDLER(pour), 64, 0);
}
