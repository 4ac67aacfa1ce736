/* SPDX-License-Identifier: MIT */
/*
 * The end of a benchmark whose call of the library, or of OpenCL, fails: one line that names program, call and reason.
 *
 * Path:    bench_request.c, bench_round.c -> this -> gravel/gravel.h
 */
#ifndef GRAVEL_BENCH_GRAVEL_H
#define GRAVEL_BENCH_GRAVEL_H

#include "gravel/gravel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static inline void must(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "%s: %s: %s: %s\n", program_invocation_short_name, what, gravel_strerror(code),
            gravel_last_error());
    exit(1);
}

/** As must, for a call of OpenCL. */
static inline void must_cl(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %s: OpenCL error %d\n", program_invocation_short_name, what, error);
    exit(1);
}

#endif
