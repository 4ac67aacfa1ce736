/* SPDX-License-Identifier: MIT */
/*
 * Calls of the driver that a test stands in for: the linker sends the library's there (--wrap; see meson.build), and not the
 * driver's own.
 *
 *     WRAP(clFlush)
 *     {
 *         n_flushes++;              parameters have the names of the Khronos headers
 *         return PASS_ON(clFlush);  with the parameters as they are then
 *     }
 *
 * Path:    lib -> a test's WRAP -> PASS_ON -> OpenCL.
 * Threads: any.
 */
#ifndef GRAVEL_TESTS_WRAPPED_OPENCL_H
#define GRAVEL_TESTS_WRAPPED_OPENCL_H

#include <CL/cl.h>

#include "opencl_calls.h" /* wrapped_opencl.py */

/** Begins the function that takes the place of a call. Behind it __real_NAME can be called with other arguments. */
#define WRAP(name) CALL_##name(DRIVER_WRAP)
/** Makes the call that the function of WRAP takes the place of. */
#define PASS_ON(name) CALL_##name(DRIVER_REAL)

#define DRIVER_WRAP(type, name, parameters, arguments) \
    type __real_##name parameters;                     \
    type __wrap_##name parameters;                     \
    type __wrap_##name parameters
#define DRIVER_REAL(type, name, parameters, arguments) __real_##name arguments

#endif
