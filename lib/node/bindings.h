/* SPDX-License-Identifier: MIT */
/*
 * Reads the caller's bindings, whose header may be older or newer than the library.
 *
 * Path:    gravel_open -> bindings.h.
 */
#ifndef GRAVEL_NODE_BINDINGS_H
#define GRAVEL_NODE_BINDINGS_H

#include "gravel/gravel.h"

/** Copy the caller's bindings. @param bindings  or NULL. @return 0; GRAVEL_EINVAL, and *out is zero-filled. */
int gravel_bindings_read(struct gravel_bindings *out, const struct gravel_bindings *bindings);

/**
 * Replace the caller's table of handlers by a copy, to be freed.
 *
 * @return  0; GRAVEL_EINVAL or GRAVEL_ENOMEM, and there are no handlers.
 */
int gravel_bindings_read_handlers(struct gravel_bindings *bindings);

#endif
