/* SPDX-License-Identifier: MIT */
/*
 * A node whose host has another version of the library, or of MPI: gravel_open fails at every node, and names both
 * versions with a node of each. And node 0's settings in the other byte order: no node takes them.
 *
 * usage: mpirun ... other_version MODE    library, mpi, years or order; fault.sh counts the nodes that print "as expected"
 *
 * Path: fault.sh -> mpirun -> this -> lib/node/agree.c, open.c
 */
#include <byteswap.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/node.h"
#include "support.h"
#include "wrapped.h"

#define LIBRARY (GRAVEL_API_MAJOR * 1000000u + GRAVEL_API_MINOR * 1000u + GRAVEL_API_PATCH)

static uint32_t compared; /* which of what nodes compare: 0 the library's version, 1 MPI's */
static uint64_t ours;     /* of it */
static bool asks_who;     /* has which version, by the next reduction */
static bool swaps;        /* instead: the mark in front of settings */
static bool has_years;    /* instead: MPI's name, in whose version a year stands */

/* Node 1 brings what a node of the next version would. */
WRAPPED(int, gravel_node_reduce, struct gravel *gravel, const struct gravel_collective_call *call,
        uint32_t op, uint32_t type, void *values, uint32_t n)
{
    uint64_t *words = values;
    const bool is_other = gravel->network.transport->node == 1;
    if (asks_who && is_other) {
        words[0] = UINT64_MAX;
        words[1] = 1;
    }
    asks_who =
        !swaps && !has_years && n > 4 && words[0] == LIBRARY && words[1] == ~(uint64_t)LIBRARY;
    if (asks_who) {
        words += 2 * compared;
        ours = words[0];
        words[0] += is_other;
        words[1] = ~words[0];
    }
    return __real_gravel_node_reduce(gravel, call, op, type, values, n);
}

WRAPPED(void, gravel_transport_mpi_name, char name[GRAVEL_MPI_NAME_BYTES])
{
    if (has_years)
        snprintf(name, GRAVEL_MPI_NAME_BYTES, "Intel(R) MPI Library 2021.1%d for Linux* OS",
                 launched_rank() ? 3 : 0);
    else
        __real_gravel_transport_mpi_name(name);
}

/* Node 1 gets what says that node 0 has the other byte order. */
WRAPPED(int, MPI_Bcast, void *bytes, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    int node = 0, code = __real_MPI_Bcast(bytes, n, type, root, comm);
    uint64_t mark;
    MPI_Comm_rank(comm, &node);
    if (!swaps || node != 1 || type != MPI_BYTE)
        return code;
    memcpy(&mark, bytes, sizeof mark);
    mark = bswap_64(mark);
    memcpy(bytes, &mark, sizeof mark);
    return code;
}

int main(int argc, char **argv)
{
    char expected[160];
    struct gravel *gravel;
    watch(40, "another version");
    MUST(argc == 2);
    compared = !strcmp(argv[1], "mpi");
    swaps = !strcmp(argv[1], "order");
    has_years = !strcmp(argv[1], "years");
    if (swaps && launched_rank() == 0)
        setenv("GRAVEL_HEAP", "1M", 1);
    MUST(gravel_open(&gravel, NULL, NULL) == GRAVEL_EMISMATCH);
    if (has_years)
        ours = 2021010000;
    if (swaps)
        snprintf(expected, sizeof expected,
                 "(GRAVEL_HEAP): 1048576 at node 0, 268435456 at node 1");
    else
        snprintf(expected, sizeof expected,
                 "%s version: %" PRIu64 " at node 0, %" PRIu64 " at node 1; install one version",
                 compared || has_years ? "MPI's" : "nodes differ in library", ours,
                 ours + (has_years ? 3000 : 1));
    MUST(strstr(gravel_last_error(), expected));
    MUST(ours || swaps);
    printf("as expected: %s\n", gravel_last_error());
    return 0;
}
