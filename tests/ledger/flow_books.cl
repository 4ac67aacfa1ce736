/* SPDX-License-Identifier: MIT */
/*
 * What programs of random graphs begin with: the books of elements that were made and found.
 *
 * Path: flow_program.c -> this
 */
#include "gravel.cl.h"

#define BOOKS global uint *counts, global uint *marks, uint n_marks

uint mixed(uint a, uint b)
{
    uint x = (a ^ b * 0x9e3779b9u) * 0x85ebca6bu;
    return (x ^ x >> 15) * 0xc2b2ae35u;
}

uint check_of(uint number, uint channel, uint level)
{
    return mixed(number, channel * 64 + level + 1);
}

/* How many of an edge that makes `most`, of what is left. */
uint some_of(uint number, uint edge, uint most, uint left)
{
    uint n = mixed(number, edge + 77) % (most + 1);
    return n < left ? n : left;
}

uint booked(uint active, uint number, uint is_good, BOOKS)
{
    if (active && is_good && number < n_marks)
        atomic_inc(&marks[number]);
    else if (active)
        atomic_inc(&counts[1]);
    return active && is_good;
}
