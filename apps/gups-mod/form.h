/* SPDX-License-Identifier: MIT */
/*
 * The forms in which the kernels of gups-mod go through divergent code, and whether a device can take one.
 *
 * Path: gups-mod.c -> this -> gups-mod.cl
 * Owner: the kernel is the caller's to release.
 * Threads: main's.
 * Source: Orr 2016, sections 5.3 and 5.6.2.
 */
#ifndef GUPS_MOD_FORM_H
#define GUPS_MOD_FORM_H

#include "frame/node.h"

#include <stddef.h>
#include <stdint.h>

struct form {
    const char *name;   /* as the user writes it */
    const char *kernel; /* of gups-mod.cl */
};

/* Ends with a NULL name. */
extern const struct form forms[];

/** The form of that name; NULL if there is none. */
const struct form *form_find(const char *name);

/**
 * Make the form's kernel, and set the work-items of a group as it wants them. Collective.
 *
 * @param wave_items  of a group of form wave, or 0: what the device runs together.
 * @param reason      [bytes] if it cannot be run: why, the same at all nodes with the same device.
 * @return            the kernel; NULL at all nodes if one of them cannot run it.
 */
cl_kernel form_kernel(const struct form *form, struct node *node, uint32_t wave_items, char *reason,
                      size_t bytes);

#endif
