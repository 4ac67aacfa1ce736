/* SPDX-License-Identifier: MIT */
/*
 * Nodes and kernels that live as long as a test: what it opens or makes here is released and closed behind it, kernels first,
 * nodes in reverse order, so that a test says nothing of it. A test that closes a node itself opens it itself.
 *
 * Path:    tests/device -> this -> gravel_open, gravel_close
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_SCOPE_H
#define GRAVEL_TESTS_SCOPE_H

#include "bodies.h"

/** Opens a node of this test: with these settings; or as open_loopback. */
struct gravel *scoped_node(const struct gravel_config *config,
                           const struct gravel_bindings *bindings);
struct gravel *scoped_loopback(uint32_t n_nodes, const struct gravel_bindings *bindings);

/** Says that closing the node will return this error and a text that contains `part`; ANY_CODE: whatever it returns. */
#define ANY_CODE 1
void closes_with(const struct gravel *gravel, int code, const char *part);

/** Builds a program and makes one of its kernels, arena set. @param options  or NULL */
cl_kernel scoped_kernel(struct gravel *gravel, const char *source, const char *options,
                        const char *name);

/** Makes a kernel of a program that is built, which scoped_program has release. */
cl_kernel scoped_program_kernel(struct gravel *gravel, cl_program program, const char *name);
void scoped_program(cl_program program);

/** Makes a kernel as body_kernel does. */
cl_kernel scoped_body(struct gravel *gravel, const char *body, uint64_t a, uint64_t b, uint64_t c);

/** Sets argument `index` of a kernel to a variable's value. */
#define SET(kernel, index, variable) \
    MUST(clSetKernelArg(kernel, index, sizeof(variable), &(variable)) == CL_SUCCESS)

/** Sets n arguments of 8 bytes each, from argument 1 on: heap offsets. */
void set_offsets(cl_kernel kernel, uint32_t n, const uint64_t *offsets);

/** Ends the scope. @param has_passed  false: a test that failed may have left its nodes in any state, and they stay. */
void end_scope(bool has_passed);

#endif
