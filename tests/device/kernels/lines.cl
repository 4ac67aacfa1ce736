/* SPDX-License-Identifier: MIT */
/*
 * Kernels that print, and that append records to a stream.
 *
 * Path: test_lines.c -> this -> cl/print.cl.h
 */
#include "gravel.cl.h"
#include "print.cl.h"

#define T16 "0123456789abcdef"
#define T64 T16 T16 T16 T16

kernel void one(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    if (get_global_id(0) == 37)
        gravel_printf_wi(g, "%s by %g", "above", 3.5f);
}

kernel void types(GRAVEL_ARENA, global const char *there, global const char *nowhere)
{
    GRAVEL_OPEN(g);
    char here[3] = {'m', 'e', 0};
    short few = -3;
    gravel_printf_wi(g, "%d|%u|%x|%ld|%5.2f|%c|%%|%s|%s", few, 7u, 255, -5l, 1.25f, 'x', there,
                     here);
    gravel_printf_wi(g, "%d\n%s\n", 1.5f, "a\033b");
    gravel_printf_wi(g, "%n%d", 1, 2);
    gravel_printf_wi(g, "none");
    gravel_printf_wi(g, "%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8,
                     9, 10, 11, 12, 13, 14, 15, 16);
    uint n = 0;
    gravel_printf_wi(g, "%s|%u", nowhere, n++);
    gravel_printf_wi(g, "%u", n);
}

kernel void grid(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    if (get_global_id(0) == 1 && get_global_id(1) == 2 && get_global_id(2) == 3)
        gravel_printf_wi(g, "here");
}

/* Pointers: what they point to may end behind 4 bytes. */
kernel void pointers(GRAVEL_ARENA, global uint *words, local uint *few)
{
    GRAVEL_OPEN(g);
  private
    uint own = 1;
    gravel_printf_wi(g, "%lx|%p|%s|%d|%p", (ulong)words, words, few, (constant float *)0, "text");
    gravel_printf_wi(g, "%u|%1000d|%p", own, 7, (volatile private uint *)0);
}

/* The last work-item of a launch of many in one dimension. */
kernel void last(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    if (get_global_id(1) == 65536 || get_global_id(2) == 65536)
        gravel_printf_wi(g, "last");
}

/* A text of 768 bytes. */
#define WIDE(name, print, ...)                                               \
    kernel void name(GRAVEL_ARENA)                                           \
    {                                                                        \
        GRAVEL_OPEN(g);                                                      \
        print(__VA_ARGS__, T64 T64 T64 T64 T64 T64 T64 T64 T64 T64 T64 T64); \
    }
WIDE(wide, gravel_printf_wi, g)
WIDE(wide_wg, gravel_printf_wg, g)
WIDE(wide_wg_if, gravel_printf_wg_if, g, 1)

kernel void waits(GRAVEL_ARENA, ulong word)
{
    GRAVEL_OPEN(g);
    gravel_printf_wg_if(g, get_local_id(0) == 0, "before");
    gravel_wait_until_uint_wg(g, word, GRAVEL_CMP_EQ, 1);
    gravel_printf_wg_if(g, get_local_id(0) == 0, "behind");
}

kernel void single(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint value = 77;
    if (get_global_id(0) == 3)
        gravel_append_wi(g, single, value, 0);
}

/* A line, and behind it a record. */
kernel void line_ahead(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    const uint i = (uint)get_global_id(0);
    gravel_printf_wg_if(g, i == 0, "ahead");
    gravel_append_wg_if(g, i == 0, single, i, 0);
}
