/* SPDX-License-Identifier: MIT */
/*
 * Lists OpenCL platforms and devices, in a child; a driver that breaks the list is named and left
 * out.
 *
 * Path:    gravel-info.c -> list.c -> lib/device/select.c; print.c shows the result.
 * Owner:   the caller of what is returned.
 * Threads: main's.
 */
#ifndef TOOLS_INFO_LIST_H
#define TOOLS_INFO_LIST_H

#include <jansson.h>
#include <stdbool.h>

/* Which devices to list. */
struct info_request {
    const char *device; /* as GRAVEL_DEVICE names it; "" for the default */
    const char *step;   /* as GRAVEL_STEP does */
    bool is_alone; /* the caller wants that device only; if it goes by numbers, no other is touched
                    */
};

/**
 * List everything, or as little as the request needs.
 *
 * @param limit_s  for each look at the drivers [seconds].
 * @return         {"platforms": [{number, name, n_devices}], "devices": [{number, identity, name, ...,
 * capabilities, steps, step or reason}], "wanted_step": text, "default": number or null,
 * "defaults": [numbers, in the order in which the nodes of a host take equal devices], "default_error": text or null, "broken_drivers": [{file, error}]}; {"error": text} without any
 * platform; NULL without memory.
 */
json_t *info_list(const struct info_request *request, unsigned limit_s);

#endif
