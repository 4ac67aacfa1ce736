/* SPDX-License-Identifier: MIT */
/*
 * A node whose host has another version of the library, or of MPI: gravel_open fails at every node, and names both
 * versions with a node of each. And node 0's settings in the other byte order: no node takes them.
 *
 * Path: die.c -> this -> lib/node/agree.c, open.c
 */
#include <byteswap.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/node.h"

#include "die.h"
#include "wrapped.h"

#define LIBRARY (GRAVEL_API_MAJOR * 1000000u + GRAVEL_API_MINOR * 1000u + GRAVEL_API_PATCH)

/* What differs: a version of what nodes compare, 0 the library's and 1 MPI's; MPI's by a name in which a year stands; or the
 * byte order, which a mark in front of settings tells. */
static enum difference { NONE = -1, LIBRARYS, MPIS, YEARS, ORDER } difference = NONE;
static uint64_t ours; /* of the version */
static bool asks_who; /* has which version, by the next reduction */

/* Node 1 brings what a node of the next version would. */
WRAPPED(int, gravel_node_reduce, struct gravel *here, const struct gravel_collective_call *call,
        uint32_t op, uint32_t type, void *values, uint32_t n)
{
    uint64_t *words = values;
    const bool is_other = here->network.transport->node == 1;
    if (asks_who && is_other) {
        words[0] = UINT64_MAX;
        words[1] = 1;
    }
    asks_who = (difference == LIBRARYS || difference == MPIS) && n > 4 && words[0] == LIBRARY &&
               words[1] == ~(uint64_t)LIBRARY;
    if (asks_who) {
        words += 2 * difference;
        ours = words[0];
        words[0] += is_other;
        words[1] = ~words[0];
    }
    return __real_gravel_node_reduce(here, call, op, type, values, n);
}

WRAPPED(void, gravel_transport_mpi_name, char name[GRAVEL_MPI_NAME_BYTES])
{
    if (difference == YEARS)
        snprintf(name, GRAVEL_MPI_NAME_BYTES, "Intel(R) MPI Library 2021.1%d for Linux* OS",
                 rank ? 3 : 0);
    else
        __real_gravel_transport_mpi_name(name);
}

/* Node 1 gets what says that node 0 has the other byte order. */
WRAPPED(int, MPI_Bcast, void *bytes, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    int at = 0, code = __real_MPI_Bcast(bytes, n, type, root, comm);
    uint64_t mark;
    MPI_Comm_rank(comm, &at);
    if (difference != ORDER || at != 1 || type != MPI_BYTE)
        return code;
    memcpy(&mark, bytes, sizeof mark);
    mark = bswap_64(mark);
    memcpy(bytes, &mark, sizeof mark);
    return code;
}

bool run_version(const char *name)
{
    static const char *const names[] = {"library", "mpi", "years", "order"};
    char expected[160];
    for (enum difference d = LIBRARYS; d <= ORDER; d++)
        if (!strcmp(name, names[d]))
            difference = d;
    if (difference == NONE)
        return false;
    if (difference == ORDER && rank == 0)
        setenv("GRAVEL_HEAP", "1M", 1);
    const int code = try_open(NULL);
    if (difference == YEARS)
        ours = 2021010000;
    snprintf(expected, sizeof expected,
             "%s version: %" PRIu64 " at node 0, %" PRIu64 " at node 1; install one version",
             difference == LIBRARYS ? "nodes differ in library" : "MPI's", ours,
             ours + (difference == YEARS ? 3000 : 1));
    expect(code, GRAVEL_EMISMATCH,
           difference == ORDER ? "(GRAVEL_HEAP): 1048576 at node 0, 268435456 at node 1"
                               : expected);
    MUST(ours || difference == ORDER);
    as_expected();
    return true;
}
