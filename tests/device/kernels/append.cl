/* SPDX-License-Identifier: MIT */
/*
 * Kernels that append records to streams.
 *
 * Path: test_append.c -> this -> cl/print.cl.h
 */
#include "gravel.cl.h"
#include "print.cl.h"

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
