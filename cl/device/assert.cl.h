/* SPDX-License-Identifier: MIT */
/*
 * How a work-item reports a condition that does not hold: as a fault, which ends the node. The kernel runs on, and its
 * messages are dropped once the host has seen the fault.
 *
 * Path:    cl/print.cl.h (gravel_assert, gravel_trap) -> this -> the arena -> lib/aggregate/fault.c.
 * Memory:  F1 and F3, as any fault.
 */
#ifndef GRAVELP_ASSERT_CL_H
#define GRAVELP_ASSERT_CL_H

#include "workgroup.cl.h"

/* Literals, and their sizes [bytes], the end included. */
struct gravelp_assertion {
    GRAVELP_LITERAL *file, *text;
    uint file_bytes, text_bytes;
    uint line;
};

/* Any work-item, in any divergent code. */
GRAVELP_OUT_OF_LINE void gravelp_trap_at(global struct gravelp_arena *arena,
                                         struct gravelp_origin origin,
                                         struct gravelp_assertion assertion)
{
    const uint n = assertion.file_bytes, room = GRAVELP_FAULT_FILE_BYTES;
    if (!gravelp_fault_claim(arena))
        return;
    for (uint i = n > room ? n - room : 0, to = 0; i < n; i++, to++)
        arena->fault_file[to] = (uchar)assertion.file[i];
    for (uint i = 0; i < assertion.text_bytes && i < GRAVELP_FAULT_TEXT_BYTES; i++)
        arena->fault_text[i] = (uchar)assertion.text[i];
    arena->fault_value = assertion.line;
    gravelp_fault_publish(arena, origin, GRAVELP_FAULT_ASSERT);
}

/* Any work-item, in any divergent code. @return whether it holds. */
GRAVELP_INLINE bool gravelp_assert(global struct gravelp_arena *arena, bool holds,
                                   struct gravelp_assertion assertion)
{
    if (!holds)
        gravelp_trap_at(arena, gravelp_origin_of_item(), assertion);
    return holds;
}

/* Stands for gravelp_assert where NDEBUG is defined. */
GRAVELP_INLINE bool gravelp_assert_nothing(bool holds)
{
    return holds;
}

#endif
