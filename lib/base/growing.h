/* SPDX-License-Identifier: MIT */
/*
 * Structures of the caller, whose header may be older or newer than the library: each begins with its size, and grows
 * at its end.
 *
 * Path:    a call that takes such a structure -> growing.h.
 * Threads: any.
 */
#ifndef GRAVEL_BASE_GROWING_H
#define GRAVEL_BASE_GROWING_H

#include <stddef.h>

struct gravel_growing {
    const char *name;   /* of the member that gives the size, e.g. "bindings.bytes" */
    const char *type;   /* of the structure, e.g. "gravel_bindings" */
    const char *set_by; /* what the caller writes to have the size right */
    size_t now, first;  /* size now, and in the first version that promised to grow it [bytes] */
};

#define GRAVEL_END_OF(type, member) \
    (offsetof(struct type, member) + sizeof((struct type *)0)->member)

/** @param last  member of the first version that promised to grow the type. */
#define GRAVEL_GROWING(name_, type_, set_by_, last)                                    \
    {                                                                                  \
        .name = name_, .type = #type_, .set_by = set_by_, .now = sizeof(struct type_), \
        .first = GRAVEL_END_OF(type_, last)                                            \
    }

/** Checks whether that is the size of a version. @return 0; GRAVEL_EINVAL naming it. */
int gravel_growing_check(const struct gravel_growing *what, size_t bytes);

/**
 * Copy a caller's structure, or an array of them: what the caller's header does not have is 0.
 *
 * @param out    [n][what->now bytes]
 * @param in     [n][bytes]
 * @param bytes  as the caller's header has it.
 * @return       0; GRAVEL_EINVAL: no size of any version, or it sets what this library does not have.
 */
int gravel_growing_read(const struct gravel_growing *what, void *out, const void *in, size_t bytes,
                        size_t n);

/**
 * Give a caller counters, 8 bytes each: those that this library does not have are 0.
 *
 * @param call   whose argument `bytes` is, for the text.
 * @param out    [out] [bytes] as the caller's header has the structure.
 * @param own    [own_bytes]
 * @return       0; GRAVEL_EINVAL: no size of any version.
 */
int gravel_growing_give(const char *call, void *out, size_t bytes, const void *own,
                        size_t own_bytes);

#endif
