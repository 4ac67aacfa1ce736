/* SPDX-License-Identifier: MIT */
/*
 * Opens and tests one device in a child: what it says it can do is not always so.
 *
 * Path:    gravel-info.c -> probe.c -> lib/device, and for the whole test node_test.c.
 * Owner:   the caller of what is returned.
 * Threads: main's.
 */
#ifndef TOOLS_INFO_PROBE_H
#define TOOLS_INFO_PROBE_H

#include <jansson.h>
#include <stdint.h>

struct info_probe {
    const char *device; /* as GRAVEL_DEVICE takes it */
    uint32_t n_rounds; /* hand-overs between host and kernel [count]; 0: as GRAVEL_SELF_TEST says */
    int with_node;     /* also open a node and send messages */
};

/**
 * Probe a device.
 *
 * @param limit_s  the child is killed after this [seconds].
 * @return         {step, cores, kernel_units, can_yield, rounds, round_us, increments,
 * capabilities, steps, flows, messages, seconds}, messages if a node was tested;
 *                 {..., "error": text} if anything failed; NULL without memory.
 */
json_t *info_probe_run(const struct info_probe *probe, unsigned limit_s);

#endif
