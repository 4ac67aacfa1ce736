/* SPDX-License-Identifier: MIT */
/*
 * Deques of a node as the host has them.
 *
 * Path:    gravel/steal.h -> create.c, launch.c -> cl/layout/steal.h on the device.
 * Owner:   the caller of gravel_steal_create.
 * Threads: one at a time.
 */
#ifndef GRAVEL_STEAL_STEAL_H
#define GRAVEL_STEAL_STEAL_H

#include "base/error.h"
#include "gravel/steal.h"
#include "layout/steal.h"
#include "node/node.h"
#include "opencl/region.h"

struct gravel_steal {
    struct gravel *gravel;
    struct gravel_steal_options options; /* in force */
    struct gravelp_steal head;    /* constants, and the list's length, as the device gets them */
    struct gravelp_deque *deques; /* [n_groups] a copy that is good while no kernel runs */
    uint64_t bytes;               /* of the device's memory */
    struct gravel_region region;  /* that memory */
    cl_command_queue queue;       /* the node's, of its copies; NULL where the host addresses it */
    cl_kernel kernel;             /* of the launch that may not have ended; NULL: none, retained */
    cl_event end;                 /* its end */
    bool is_stopped;              /* its groups must not wait */
    bool is_stuck;                /* it has not ended within its limit: the memory stays */
};

static inline bool gravel_steal_is_list(const struct gravel_steal *steal)
{
    return steal->head.policy == GRAVELP_STEAL_COUNTER;
}

/** Begins a call that waits. @return 0; GRAVEL_EINVAL: `steal` is NULL, this is a forked child, or a handler calls. */
static inline int gravel_steal_enter(const struct gravel_steal *steal, const char *call)
{
    GRAVEL_TRY(gravel_require(call, "steal", steal));
    return gravel_enter(steal->gravel, call, GRAVEL_WAITS);
}

/* Copies all deques to or from the host's copy. */
static inline int gravel_steal_read_deques(struct gravel_steal *steal)
{
    return gravel_region_read(&steal->region, steal->head.deques_offset, steal->deques,
                              steal->options.n_groups * sizeof *steal->deques);
}

static inline int gravel_steal_write_deques(struct gravel_steal *steal)
{
    return gravel_region_write(&steal->region, steal->head.deques_offset, steal->deques,
                               steal->options.n_groups * sizeof *steal->deques);
}

/** launch.c: wait for the launch to end, and read the deques. @return 0; GRAVEL_EKERNEL, reported once; GRAVEL_ECL. */
int gravel_steal_join(struct gravel_steal *steal);
/** launch.c: release what the last launch is known by. */
void gravel_steal_forget_launch(struct gravel_steal *steal);

#endif
