/* SPDX-License-Identifier: MIT */
/*
 * Functions that stand in for others: the linker sends calls of `name` to them (--wrap).
 *
 * Path: tests that break what the library calls -> this.
 */
#ifndef GRAVEL_TESTS_WRAPPED_H
#define GRAVEL_TESTS_WRAPPED_H

/** Begins the function instead, which may call __real_name. */
#define WRAPPED(result, name, ...)     \
    result __real_##name(__VA_ARGS__); \
    result __wrap_##name(__VA_ARGS__); \
    result __wrap_##name(__VA_ARGS__)

#endif
