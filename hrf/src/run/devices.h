/* SPDX-License-Identifier: MIT */
/*
 * Plays litmus programs on OpenCL devices and counts their outcomes.
 *
 * Path:    play.c -> devices.c -> kernel.c, host.c; the device.
 */
#ifndef HRF_RUN_DEVICES_H
#define HRF_RUN_DEVICES_H

#include "run/kernel.h"

struct devices_wish {
    const char *name; /* as GRAVEL_DEVICE, or NULL: what GRAVEL_DEVICE says */
    double seconds;   /* of playing, for one program */
    uint32_t seed;
};

struct devices_outcome {
    char device[128], driver[128];
    uint64_t n_played, n_dead, n_held; /* instances; dead: given up; held: met the condition */
    uint64_t bins[SHAPE_BINS];
    struct shape shape;
    bool has_scope_sys; /* else it is played as dev, as on Gravel's step svm */
    double seconds;
};

struct devices; /* one, open */

/** Opens the device that a node of Gravel would take. Returns 0, or -1 with why there is none. */
int devices_open(const struct devices_wish *wish, struct devices **out, char *why,
                 unsigned n_bytes);
void devices_close(struct devices *devices);

/** Returns 0, or -1 with why the program was not played. */
int devices_play(struct devices *devices, const struct hrf_program *program,
                 const struct devices_wish *wish, struct devices_outcome *outcome, char *why,
                 unsigned n_bytes);

#endif
