/* SPDX-License-Identifier: MIT */
/*
 * Names that programs in OpenCL C have, too.
 *
 * Threads: any.
 */
#ifndef GRAVEL_BASE_IDENTIFIER_H
#define GRAVEL_BASE_IDENTIFIER_H

#include <ctype.h>
#include <stdbool.h>

/** Returns whether a name is an identifier of C. NULL is allowed. */
static inline bool gravel_is_identifier(const char *name)
{
    if (!name || !(isalpha((unsigned char)*name) || *name == '_'))
        return false;
    while (isalnum((unsigned char)*name) || *name == '_')
        name++;
    return !*name;
}

#endif
