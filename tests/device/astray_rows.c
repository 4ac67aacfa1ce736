/* SPDX-License-Identifier: MIT */
/*
 * A driver like NVIDIA's 580 over PoCL, with a smaller reach: rows of a buffer that begin behind REACH bytes go to and
 * come from somewhere else, and the call succeeds.
 *
 * The linker sends the calls here (--wrap); see meson.build.
 *
 * Path: meson test -> test_server.c, the library -> this -> OpenCL.
 */
#include <string.h>

#include <CL/cl.h>

#define REACH (4u << 20) /* slots of a queue lie before it, heaps and what is behind them do not */

/* Where rows that begin at `origin` are looked for. */
static void go_astray(const size_t *origin, size_t astray[3])
{
    memcpy(astray, origin, 3 * sizeof *astray);
    astray[0] %= REACH;
}

#define WRAP(name, host_pointer)                                                                  \
    cl_int __real_##name(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *,       \
                         const size_t *, size_t, size_t, size_t, size_t, host_pointer, cl_uint,   \
                         const cl_event *, cl_event *);                                           \
    cl_int __wrap_##name(cl_command_queue, cl_mem, cl_bool, const size_t *, const size_t *,       \
                         const size_t *, size_t, size_t, size_t, size_t, host_pointer, cl_uint,   \
                         const cl_event *, cl_event *);                                           \
    cl_int __wrap_##name(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,              \
                         const size_t *origin, const size_t *host_origin, const size_t *region,   \
                         size_t row, size_t slice, size_t host_row, size_t host_slice,            \
                         host_pointer host, cl_uint n_events, const cl_event *events,             \
                         cl_event *event)                                                         \
    {                                                                                             \
        size_t astray[3];                                                                         \
        go_astray(origin, astray);                                                                \
        return __real_##name(queue, buffer, is_blocking, astray, host_origin, region, row, slice, \
                             host_row, host_slice, host, n_events, events, event);                \
    }
WRAP(clEnqueueReadBufferRect, void *)
WRAP(clEnqueueWriteBufferRect, const void *)
