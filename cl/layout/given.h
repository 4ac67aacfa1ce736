/* SPDX-License-Identifier: MIT */
/*
 * A short frame as a kernel's argument: what a driver sends with the launch it need not copy before.
 *
 * Path:    lib/resolve/on_device/runs.c fills it -> cl/kernels/resolve.cl.
 */
#ifndef GRAVELP_GIVEN_H
#define GRAVELP_GIVEN_H

#include "base.h"

/* 256 messages of 8 bytes and their headers; a device's kernels bear arguments of 4 kB (gravel_device_runs_create). */
#define GRAVELP_GIVEN_BYTES 2560u
#define GRAVELP_GIVEN_LEAST 4096u /* [bytes] of all arguments that a device must bear */

struct gravelp_given {
    gravelp_u32 words[GRAVELP_GIVEN_BYTES / 4u];
};

#endif
