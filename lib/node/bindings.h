/* SPDX-License-Identifier: MIT */
/*
 * Reads structures of the caller, whose header may be older or newer than the library.
 *
 * Path:    gravel_open -> bindings.h.
 */
#ifndef GRAVEL_NODE_BINDINGS_H
#define GRAVEL_NODE_BINDINGS_H

#include "gravel/gravel.h"

#include <stddef.h>

/* A structure that grows at its end. */
struct gravel_growing {
    const char *name;   /* of the member that tells its size, e.g. "bindings.bytes" */
    const char *set_by; /* what the caller writes to have it right */
    size_t now, first; /* its size now, and in the first version that promised to grow it [bytes] */
};

/** Whether that is the size of a version. @return 0; GRAVEL_EINVAL naming it. */
int gravel_growing_check(const struct gravel_growing *what, size_t bytes);

/**
 * Copy a caller's structure: what the caller's header does not have is 0.
 *
 * @param out    [what->now bytes]
 * @param in     [bytes]
 * @param bytes  as the caller's header has it.
 * @return       0; GRAVEL_EINVAL: no size of any version, or it sets what this library does not have.
 */
int gravel_growing_read(const struct gravel_growing *what, void *out, const void *in, size_t bytes);

/** Copy the caller's bindings. @param bindings  or NULL. @return 0; GRAVEL_EINVAL, and *out is zero-filled. */
int gravel_bindings_read(struct gravel_bindings *out, const struct gravel_bindings *bindings);

/**
 * Replace the caller's table of handlers by a copy, to be freed.
 *
 * @return  0; GRAVEL_EINVAL or GRAVEL_ENOMEM, and there are no handlers.
 */
int gravel_bindings_read_handlers(struct gravel_bindings *bindings);

#endif
