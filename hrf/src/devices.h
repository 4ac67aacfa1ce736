/* SPDX-License-Identifier: MIT */
/*
 * Plays litmus programs on OpenCL devices and counts their outcomes.
 *
 * Path:    show.c -> devices.c -> kernel.c; the device.
 */
#ifndef HRF_DEVICES_H
#define HRF_DEVICES_H

#include "kernel.h"

struct devices_wish {
    const char *name; /* as GRAVEL_DEVICE; "": the best */
    double seconds;   /* of playing, for one program */
    uint32_t seed;
};

struct devices_outcome {
    char device[160], driver[128];
    uint64_t n_played, n_dead,
        n_held; /* instances; dead: a wait was too long; held: met the condition */
    uint64_t bins[KERNEL_BINS];
    struct kernel_shape shape;
    bool has_all_devices_scope; /* else scope sys is played as dev, as on Gravel's step svm */
    double seconds;
};

struct devices; /* one, open */

/** @return 0; -1 with why there is no such device. */
int devices_open(const struct devices_wish *wish, struct devices **out, char *why,
                 unsigned n_bytes);
void devices_close(struct devices *devices);

/** @return 0; -1 with why the program was not played. */
int devices_play(struct devices *devices, const struct hrf_program *program,
                 const struct devices_wish *wish, struct devices_outcome *outcome, char *why,
                 unsigned n_bytes);

#endif
