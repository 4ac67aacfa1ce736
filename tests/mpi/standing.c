/* SPDX-License-Identifier: MIT */
/*
 * A thread of one node stands in a call of the driver that does not return: every node of the job ends in time, with the
 * call's name where it stands, and that node's elsewhere.
 *
 * usage: mpirun ... standing MODE      launch, network, pump; fault.sh counts the nodes that print
 *
 * Path: fault.sh -> mpirun -> this -> standing.h, failing_opencl.h -> lib/node/watch.c
 */
#include <stdio.h>

#include "device/standing.h"

#define TIMEOUT_MS 750u /* times patience */

static void stand(struct standing *standing, const char *mode)
{
    if (!strcmp(mode, "launch"))
        stand_in_launch(standing);
    else if (!strcmp(mode, "network"))
        stand_in_network_thread(standing);
    else
        stand_in_pump(standing);
}

static int meet_until_failure(struct gravel *gravel)
{
    int code = 0;
    while (!code)
        code = gravel_barrier(gravel);
    return code;
}

int main(int argc, char **argv)
{
    const struct gravel_bindings bindings = STANDING_BINDINGS;
    struct gravel *gravel;
    char timeout[16];
    MUST(argc == 2);
    watch(45, argv[1]);
    snprintf(timeout, sizeof timeout, "%u", TIMEOUT_MS * patience());
    setenv("GRAVEL_TIMEOUT", timeout, 1);
    OK(gravel_open(&gravel, NULL, &bindings));
    struct standing standing = make_standing(gravel);
    OK(gravel_barrier(gravel));
    double begin = seconds_now();
    bool stands = gravel_node(gravel) == 1;
    if (stands)
        stand(&standing, argv[1]);
    int code = meet_until_failure(gravel);
    MUST(is_within(begin, 1e-3 * TIMEOUT_MS * patience() + 4));
    MUST(code == (stands ? GRAVEL_ETIMEOUT : GRAVEL_EPEER));
    MUST(strstr(gravel_last_error(), stands ? "in a call of the driver: cl" : "node 1"));
    printf("node %u: as expected: %s\n", gravel_node(gravel), gravel_last_error());
    fflush(stdout);
    MUST(gravel_close(gravel) == code);
    _exit(0);
}
