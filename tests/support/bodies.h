/* SPDX-License-Identifier: MIT */
/*
 * Kernels from their bodies alone. The bodies that a test program marks by BODY are one program for each node, for PoCL
 * takes 0.4 s to build a program, and 0.03 s for a kernel more in it. A body that many test programs have is not marked,
 * so that it is compiled once for all of them.
 *
 * Path:    BODY's texts, which the linker lays side by side -> bodies.c -> the tests in device/ and mpi/.
 * Owner:   the program of the last nodes stays, with their contexts, until other nodes need the place.
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_BODIES_H
#define GRAVEL_TESTS_BODIES_H

#include "support.h"

/** A literal, to be built with all literals of its program: every node that runs one must be able to build all. */
#define BODY(text)                                                                             \
    __extension__({                                                                            \
        static const char *const body_ __attribute__((section("test_bodies"), used)) = (text); \
        body_;                                                                                 \
    })

/**
 * A kernel from the body alone. It sees `g`, `i` (the work-item's linear number) and three ulong arguments
 * `a`, `b` and `c`. Not with BODY on a context of the caller's, where programs of an earlier node may still be.
 */
cl_kernel body_kernel(struct gravel *gravel, const char *body, const uint64_t arguments[3]);

/** Before a launch of two or three dimensions: its first two sizes [work-items]. */
void set_body_size(cl_kernel kernel, uint64_t width, uint64_t height);

/** body_kernel and run_kernel, releasing the kernel. */
int run_body(struct gravel *gravel, const char *body, size_t global_size, size_t local_size,
             uint64_t a, uint64_t b, uint64_t c);

#endif
