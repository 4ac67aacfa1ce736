/* SPDX-License-Identifier: MIT */
/*
 * A node whose host has another version of the library, or of MPI: gravel_open fails at every node, and names both
 * versions with a node of each.
 *
 * usage: mpirun ... other_version MODE    library or mpi; fault.sh counts the nodes that print "as expected"
 *
 * Path: fault.sh -> mpirun -> this -> lib/node/agree.c
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "node/node.h"
#include "support.h"

#define LIBRARY (GRAVEL_API_MAJOR * 1000000u + GRAVEL_API_MINOR * 1000u + GRAVEL_API_PATCH)

static uint32_t compared; /* which of what nodes compare: 0 the library's version, 1 MPI's */
static uint64_t ours;     /* of it */
static bool asks_who;     /* has which version, by the next reduction */

int __real_gravel_node_reduce(struct gravel *gravel, const struct gravel_collective_call *call,
                              uint32_t op, uint32_t type, void *values, uint32_t n);
int __wrap_gravel_node_reduce(struct gravel *gravel, const struct gravel_collective_call *call,
                              uint32_t op, uint32_t type, void *values, uint32_t n);

/* Node 1 brings what a node of the next version would. */
int __wrap_gravel_node_reduce(struct gravel *gravel, const struct gravel_collective_call *call,
                              uint32_t op, uint32_t type, void *values, uint32_t n)
{
    uint64_t *words = values;
    const bool is_other = gravel->network.transport->node == 1;
    if (asks_who && is_other) {
        words[0] = UINT64_MAX;
        words[1] = 1;
    }
    asks_who = n > 4 && words[0] == LIBRARY && words[1] == ~(uint64_t)LIBRARY;
    if (asks_who) {
        words += 2 * compared;
        ours = words[0];
        words[0] += is_other;
        words[1] = ~words[0];
    }
    return __real_gravel_node_reduce(gravel, call, op, type, values, n);
}

int main(int argc, char **argv)
{
    char expected[160];
    struct gravel *gravel;
    watch(40, "another version");
    MUST(argc == 2);
    compared = !strcmp(argv[1], "mpi");
    MUST(gravel_open(&gravel, NULL, NULL) == GRAVEL_EMISMATCH);
    snprintf(expected, sizeof expected,
             "nodes differ in %s version: %" PRIu64 " at node 0, %" PRIu64
             " at node 1; install one version",
             compared ? "MPI's" : "library", ours, ours + 1);
    MUST(strstr(gravel_last_error(), expected));
    MUST(ours);
    printf("as expected: %s\n", gravel_last_error());
    return 0;
}
