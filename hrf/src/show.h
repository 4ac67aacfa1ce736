/* SPDX-License-Identifier: MIT */
/*
 * One file: judged, and the verdict shown.
 *
 * Path:    gravel-hrf.c -> show.c -> hrf/src/checker; standard output.
 */
#ifndef HRF_SHOW_H
#define HRF_SHOW_H

#include "checker/verdict.h"

#include <jansson.h>

struct show_wish {
    char **files; /* [n_files] */
    uint32_t n_files;
    uint32_t models; /* mask; 0: the usual ones */
    enum hrf_engine engine;
    uint64_t limit;
    uint32_t rounds; /* of a loop; 0: the usual */
    bool is_verbose, as_dot, has_mutants, is_run;
    const char *device; /* as GRAVEL_DEVICE, or NULL */
    double seconds;     /* of a run */
    uint32_t seed;
    json_t *json; /* an array that takes an object for each file, or NULL: text */
};

enum {
    SHOW_AS_EXPECTED = 0,
    SHOW_NOT_SO = 1,
    SHOW_BAD_FILE = 2,
    SHOW_UNDECIDED = 3,
    SHOW_NO_DEVICE = 77
};

/** Returns the worse of two exit statuses: a bad file, then a wrong verdict, then an undecided one. */
int show_worse(int a, int b);

/** Judges a file and shows the verdict. Returns the exit status. */
int show_file(const struct show_wish *wish, const char *path);

#endif
