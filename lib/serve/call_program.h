/* SPDX-License-Identifier: MIT */
/*
 * The program of a node's handlers written in OpenCL C: the user's text, and a kernel for each
 * handler.
 *
 * Path:    the bindings' device_code -> call_program.c -> calls.c.
 * Threads: the one that opens the node.
 */
#ifndef GRAVEL_SERVE_CALL_PROGRAM_H
#define GRAVEL_SERVE_CALL_PROGRAM_H

#include "device/device.h"

/** The function, in a node's table, of a handler that the device runs. Never called. */
gravel_handler_function gravel_on_device;

/** Whether the device runs it. @param handler  of a node's own table. */
static inline bool gravel_is_on_device(const struct gravel_handler *handler)
{
    return handler->function == gravel_on_device;
}

struct gravel_call_program {
    const struct gravel_bindings *bindings; /* device_code */
    const struct gravel_handler *handlers;  /* [n_handlers] the node's */
    uint32_t n_handlers;
    const char *extra_options; /* GRAVEL_BUILD_OPTIONS */
    bool is_checked;           /* GRAVEL_CHECK */
};

/** Build it: a kernel gravel_call_NAME for every handler of the device's. @return as
 * gravel_device_build. */
int gravel_call_program_build(const struct gravel_device *device,
                              const struct gravel_call_program *request, cl_program *program);

#endif
