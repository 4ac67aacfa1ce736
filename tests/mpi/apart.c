/* SPDX-License-Identifier: MIT */
/*
 * Takes the place of a part of lib/transport/segment.c, so that nodes of one machine cannot map each other's memory, as in
 * containers: of two nodes the one with the lower process number cannot (one_way), or none has any (none). Node 0 learns late
 * that a round has ended.
 *
 * Path:    mpi_process.c, node/open.c, rounds/nodes.c -> this -> test_mpi.c, test_objects.c
 */
#include <unistd.h>

#include "base/error.h"
#include "network/network.h"
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

WRAPPED(int, gravel_exchange_run, struct gravel_network *network, uint64_t number, uint64_t sum,
        uint32_t flags, const uint32_t *counts)
{
    const int code = __real_gravel_exchange_run(network, number, sum, flags, counts);
    if (network->node == 0)
        usleep(5000);
    return code;
}
