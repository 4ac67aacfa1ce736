/* SPDX-License-Identifier: MIT */
/*
 * Kernels that append records to streams.
 *
 * Path: test_append.c -> this -> cl/print.cl.h
 */
#include "gravel.cl.h"
#include "print.cl.h"

struct hit {
    uint item, form;
    float value;
    uint call;
    ulong wide;
};

struct largest {
    uint words[60];
};

/* Forms 0 to 2. */
kernel void all_forms(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint i = (uint)get_global_id(0);
    for (uint call = 0; call < 3; call++) {
        struct hit hit = {i, 0, 0.5f + (float)i, call, (ulong)i << 33 | call};
        gravel_append_wg(g, hits, hit, 0);
        hit.form = 1;
        gravel_append_wg_if(g, i % 3 == 0, hits, hit, 0);
        hit.form = 2;
        if (i % 5 == 0)
            gravel_append_wi(g, hits, hit, 0);
    }
}

/* Every work-item a record of the largest, to each node in turn. */
kernel void large(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    struct largest record;
    for (uint i = 0; i < 60; i++)
        record.words[i] = (uint)get_global_id(0) + i;
    gravel_append_wg(g, large, record, (uint)get_global_id(0) % gravel_n_nodes(g));
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
