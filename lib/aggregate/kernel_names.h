/* SPDX-License-Identifier: MIT */
/*
 * The names of kernels that have been built, for checked mode: a package brings the hash of its kernel's name.
 *
 * Path:    lib/node/launch.c (programs) -> kernel_names.c -> check.c.
 * Owner:   the node.
 * Threads: any; under the lock.
 */
#ifndef GRAVEL_AGGREGATE_KERNEL_NAMES_H
#define GRAVEL_AGGREGATE_KERNEL_NAMES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-filled: none; lock is initialised by its owner. */
struct gravel_kernel_names {
    pthread_mutex_t lock;
    char **names; /* [n] */
    uint32_t n;
};

/** Add the kernels of a program: names separated by semicolons, as OpenCL gives them. False if memory is out. */
bool gravel_kernel_names_add(struct gravel_kernel_names *names, const char *list);
void gravel_kernel_names_free(struct gravel_kernel_names *names);

/** Return the number that kernels and handlers say instead of a name. */
uint32_t gravel_kernel_names_hash(const char *name);

/** "kernel NAME" into text [bytes], by the name's GRAVELP_HASH; "a kernel" if it is none of them. */
void gravel_kernel_names_write(struct gravel_kernel_names *names, uint32_t hash, char *text,
                               size_t bytes);

#endif
