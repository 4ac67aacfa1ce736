/* SPDX-License-Identifier: MIT */
/*
 * A driver like NVIDIA's 580 over PoCL, with a smaller reach: rows of a buffer that begin behind REACH bytes go to and
 * come from somewhere else, and the call succeeds.
 *
 * The linker sends the calls here (--wrap); see meson.build.
 *
 * Path: meson test -> test_server.c, the library -> this -> OpenCL.
 */
#include "wrapped_opencl.h"

#define REACH (4u << 20) /* slots of a queue lie before it, heaps and what is behind them do not */

#define GO_ASTRAY(name)                                                                          \
    WRAP(name)                                                                                   \
    {                                                                                            \
        const size_t astray[3] = {buffer_origin[0] % REACH, buffer_origin[1], buffer_origin[2]}; \
        buffer_origin = astray;                                                                  \
        return PASS_ON(name);                                                                    \
    }
GO_ASTRAY(clEnqueueReadBufferRect)
GO_ASTRAY(clEnqueueWriteBufferRect)
