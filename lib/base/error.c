/* SPDX-License-Identifier: MIT */
/*
 * Error texts, per thread and per node. See error.h.
 *
 * Threads: any; a node's failure is guarded by its lock.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char last_error[GRAVEL_LAST_ERROR_BYTES];

/* Returns the text of an error; NULL: there is no such error. */
static const char *text_of(int64_t code)
{
    switch (code) {
#define GRAVEL_ERROR(name, number, text) \
    case name:                           \
        return text;
        GRAVEL_ERRORS(GRAVEL_ERROR)
#undef GRAVEL_ERROR
    default:
        return NULL;
    }
}

const char *gravel_strerror(int code)
{
    const char *text = code ? text_of(code) : "success";
    return text ? text : "unknown error";
}

bool gravel_is_error(int64_t code)
{
    return text_of(code);
}

const char *gravel_last_error(void)
{
    return last_error;
}

int gravel_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return code;
}

int gravel_fail_memory(const char *what, size_t bytes)
{
    return gravel_fail(GRAVEL_ENOMEM, "%s: out of memory (%zu bytes)", what, bytes);
}

void gravel_append(char *text, size_t bytes, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, bytes - used, format, arguments);
    va_end(arguments);
}

struct gravel_kept gravel_keep(int code)
{
    struct gravel_kept error;
    error.code = code;
    snprintf(error.text, sizeof error.text, "%s", last_error);
    return error;
}

int gravel_fail_again(const struct gravel_kept *error)
{
    return gravel_fail(error->code, "%s", error->text);
}

int gravel_require(const char *call, const char *name, const void *argument)
{
    return argument ? 0 : gravel_fail(GRAVEL_EINVAL, "%s: %s is NULL", call, name);
}

/* By the number of the error without its sign. */
static const char *const cl_errors[] = {[1] = "CL_DEVICE_NOT_FOUND",
                                        "CL_DEVICE_NOT_AVAILABLE",
                                        "CL_COMPILER_NOT_AVAILABLE",
                                        "CL_MEM_OBJECT_ALLOCATION_FAILURE",
                                        "CL_OUT_OF_RESOURCES",
                                        "CL_OUT_OF_HOST_MEMORY",
                                        "CL_PROFILING_INFO_NOT_AVAILABLE",
                                        "CL_MEM_COPY_OVERLAP",
                                        "CL_IMAGE_FORMAT_MISMATCH",
                                        "CL_IMAGE_FORMAT_NOT_SUPPORTED",
                                        "CL_BUILD_PROGRAM_FAILURE",
                                        "CL_MAP_FAILURE",
                                        "CL_MISALIGNED_SUB_BUFFER_OFFSET",
                                        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
                                        "CL_COMPILE_PROGRAM_FAILURE",
                                        "CL_LINKER_NOT_AVAILABLE",
                                        "CL_LINK_PROGRAM_FAILURE",
                                        "CL_DEVICE_PARTITION_FAILED",
                                        "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
                                        [-CL_INVALID_VALUE] = "CL_INVALID_VALUE",
                                        "CL_INVALID_DEVICE_TYPE",
                                        "CL_INVALID_PLATFORM",
                                        "CL_INVALID_DEVICE",
                                        "CL_INVALID_CONTEXT",
                                        "CL_INVALID_QUEUE_PROPERTIES",
                                        "CL_INVALID_COMMAND_QUEUE",
                                        "CL_INVALID_HOST_PTR",
                                        "CL_INVALID_MEM_OBJECT",
                                        "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
                                        "CL_INVALID_IMAGE_SIZE",
                                        "CL_INVALID_SAMPLER",
                                        "CL_INVALID_BINARY",
                                        "CL_INVALID_BUILD_OPTIONS",
                                        "CL_INVALID_PROGRAM",
                                        "CL_INVALID_PROGRAM_EXECUTABLE",
                                        "CL_INVALID_KERNEL_NAME",
                                        "CL_INVALID_KERNEL_DEFINITION",
                                        "CL_INVALID_KERNEL",
                                        "CL_INVALID_ARG_INDEX",
                                        "CL_INVALID_ARG_VALUE",
                                        "CL_INVALID_ARG_SIZE",
                                        "CL_INVALID_KERNEL_ARGS",
                                        "CL_INVALID_WORK_DIMENSION",
                                        "CL_INVALID_WORK_GROUP_SIZE",
                                        "CL_INVALID_WORK_ITEM_SIZE",
                                        "CL_INVALID_GLOBAL_OFFSET",
                                        "CL_INVALID_EVENT_WAIT_LIST",
                                        "CL_INVALID_EVENT",
                                        "CL_INVALID_OPERATION",
                                        "CL_INVALID_GL_OBJECT",
                                        "CL_INVALID_BUFFER_SIZE",
                                        "CL_INVALID_MIP_LEVEL",
                                        "CL_INVALID_GLOBAL_WORK_SIZE",
                                        "CL_INVALID_PROPERTY",
                                        "CL_INVALID_IMAGE_DESCRIPTOR",
                                        "CL_INVALID_COMPILER_OPTIONS",
                                        "CL_INVALID_LINKER_OPTIONS",
                                        "CL_INVALID_DEVICE_PARTITION_COUNT"};

const char *gravel_cl_error(cl_int code)
{
    const size_t number = 0 - (size_t)code;
    if (code == -1001)
        return "CL_PLATFORM_NOT_FOUND_KHR";
    return number && number < sizeof cl_errors / sizeof *cl_errors && cl_errors[number]
               ? cl_errors[number]
               : "unknown OpenCL error";
}

int gravel_fail_cl(const char *call, cl_int error)
{
    int code = error == CL_OUT_OF_HOST_MEMORY || error == CL_MEM_OBJECT_ALLOCATION_FAILURE
                   ? GRAVEL_ENOMEM
                   : GRAVEL_ECL;
    return gravel_fail(code, "%s: %s (%d)", call, gravel_cl_error(error), (int)error);
}

bool gravel_failure_note_fatal(struct gravel_failure *failure, int code, const char *text)
{
    pthread_mutex_lock(&failure->lock);
    bool is_first = !gravel_failure_is_fatal(failure);
    if (is_first) {
        failure->has_cause = failure->refusal != 0;
        snprintf(failure->fatal_text, sizeof failure->fatal_text, "%s", text);
        atomic_store_explicit(&failure->fatal, code, memory_order_relaxed); /* H2 */
    }
    pthread_mutex_unlock(&failure->lock);
    return is_first;
}

void gravel_failure_note_refusal(struct gravel_failure *failure, int code, const char *text)
{
    pthread_mutex_lock(&failure->lock);
    if (failure->refusal) {
        failure->n_more++;
    } else {
        failure->refusal = code;
        snprintf(failure->refusal_text, sizeof failure->refusal_text, "%s", text);
    }
    pthread_mutex_unlock(&failure->lock);
}

int gravel_failure_report(struct gravel_failure *failure)
{
    pthread_mutex_lock(&failure->lock);
    int code = atomic_load_explicit(&failure->fatal, memory_order_relaxed); /* H2 */
    if (code && failure->has_cause) {
        gravel_fail(code, "%s; before that: %s", failure->fatal_text, failure->refusal_text);
    } else if (code) {
        gravel_fail(code, "%s", failure->fatal_text);
    } else if (failure->refusal) {
        code = gravel_fail(failure->refusal, "%s", failure->refusal_text);
        if (failure->n_more)
            gravel_fail(code, "%s (and %u more refusals)", failure->refusal_text, failure->n_more);
        failure->refusal = 0;
        failure->n_more = 0;
    }
    pthread_mutex_unlock(&failure->lock);
    return code;
}
