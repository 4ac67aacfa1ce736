/* SPDX-License-Identifier: MIT */
/*
 * Takes the place of a part of lib/transport/segment.c, so that nodes of one machine cannot map each other's memory, as in
 * containers: of two nodes the one with the lower process number cannot (one_way), or none has any (none).
 *
 * Path:    mpi_process.c, node/open.c -> this -> test_mpi.c
 */
#include <unistd.h>

#include "base/error.h"
#include "transport/segment.h"
#include "wrapped.h"

WRAPPED(int, gravel_segment_map, const struct gravel_segment_card *card,
        struct gravel_segment_head **view)
{
    *view = NULL;
    if (card->process > getpid())
        return gravel_fail(GRAVEL_ESYSTEM, "as if it were in another container");
    return __real_gravel_segment_map(card, view);
}

WRAPPED(int, gravel_segment_create, struct gravel_segment **out)
{
    *out = NULL;
    if (SEGMENTS_ARE_MADE)
        return __real_gravel_segment_create(out);
    return gravel_fail(GRAVEL_ESYSTEM, "as if the system had no such memory");
}
