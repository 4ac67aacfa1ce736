/* SPDX-License-Identifier: MIT */
/*
 * What a node that lives expects. See survivor.h.
 */
#include "survivor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The error of a death, which names `part`. Over TCP Open MPI may keep a network thread in a call: that is told, and the node
 * counts as silent. */
static void expect_end(struct gravel *gravel, int code, const char *part)
{
    const char *ways = getenv("OMPI_MCA_btl");
    bool is_tcp = ways && !strcmp(ways, "tcp,self");
    if (is_tcp && code == GRAVEL_ETIMEOUT)
        expect(code, GRAVEL_ETIMEOUT, "in a call of MPI: ");
    else
        expect(code, GRAVEL_EPEER, is_tcp ? "node " : part);
    as_expected();
    MUST(gravel_quiet(gravel) == code);
    MUST(gravel_close(gravel) == code);
}

_Noreturn void expect_death(struct gravel *gravel, cl_kernel kernel, const char *part)
{
    double begin = seconds_now();
    int code;
    do {
        begin = seconds_now();
        code = send_some(gravel, kernel);
        if (!code)
            code = gravel_barrier(gravel);
    } while (!code);
    MUST(is_in_time(begin));
    expect_end(gravel, code, part);
    _exit(0);
}
