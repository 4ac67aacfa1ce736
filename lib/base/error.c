/* SPDX-License-Identifier: MIT */
/*
 * Error texts, per thread and per node. See error.h.
 *
 * Threads: any; a node's failure is guarded by its lock.
 */
#include "base/error.h"

#include <CL/cl_ext.h>
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

int gravel_set_error(int code, const char *text)
{
    char copy[GRAVEL_LAST_ERROR_BYTES]; /* the text may be the one that is replaced */
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    return gravel_fail(code, "%s", copy);
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

/* clang-format off */
#define CL_ERRORS(X) \
    X(DEVICE_NOT_FOUND) X(DEVICE_NOT_AVAILABLE) X(COMPILER_NOT_AVAILABLE) \
    X(MEM_OBJECT_ALLOCATION_FAILURE) X(OUT_OF_RESOURCES) X(OUT_OF_HOST_MEMORY) \
    X(PROFILING_INFO_NOT_AVAILABLE) X(MEM_COPY_OVERLAP) X(IMAGE_FORMAT_MISMATCH) \
    X(IMAGE_FORMAT_NOT_SUPPORTED) X(BUILD_PROGRAM_FAILURE) X(MAP_FAILURE) \
    X(MISALIGNED_SUB_BUFFER_OFFSET) X(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) \
    X(COMPILE_PROGRAM_FAILURE) X(LINKER_NOT_AVAILABLE) X(LINK_PROGRAM_FAILURE) \
    X(DEVICE_PARTITION_FAILED) X(KERNEL_ARG_INFO_NOT_AVAILABLE) X(INVALID_VALUE) \
    X(INVALID_DEVICE_TYPE) X(INVALID_PLATFORM) X(INVALID_DEVICE) X(INVALID_CONTEXT) \
    X(INVALID_QUEUE_PROPERTIES) X(INVALID_COMMAND_QUEUE) X(INVALID_HOST_PTR) X(INVALID_MEM_OBJECT) \
    X(INVALID_IMAGE_FORMAT_DESCRIPTOR) X(INVALID_IMAGE_SIZE) X(INVALID_SAMPLER) X(INVALID_BINARY) \
    X(INVALID_BUILD_OPTIONS) X(INVALID_PROGRAM) X(INVALID_PROGRAM_EXECUTABLE) \
    X(INVALID_KERNEL_NAME) X(INVALID_KERNEL_DEFINITION) X(INVALID_KERNEL) X(INVALID_ARG_INDEX) \
    X(INVALID_ARG_VALUE) X(INVALID_ARG_SIZE) X(INVALID_KERNEL_ARGS) X(INVALID_WORK_DIMENSION) \
    X(INVALID_WORK_GROUP_SIZE) X(INVALID_WORK_ITEM_SIZE) X(INVALID_GLOBAL_OFFSET) \
    X(INVALID_EVENT_WAIT_LIST) X(INVALID_EVENT) X(INVALID_OPERATION) X(INVALID_GL_OBJECT) \
    X(INVALID_BUFFER_SIZE) X(INVALID_MIP_LEVEL) X(INVALID_GLOBAL_WORK_SIZE) X(INVALID_PROPERTY) \
    X(INVALID_IMAGE_DESCRIPTOR) X(INVALID_COMPILER_OPTIONS) X(INVALID_LINKER_OPTIONS) \
    X(INVALID_DEVICE_PARTITION_COUNT) X(PLATFORM_NOT_FOUND_KHR)
/* clang-format on */

const char *gravel_cl_error(cl_int code)
{
    switch (code) {
#define CL_ERROR(name) \
    case CL_##name:    \
        return "CL_" #name;
        CL_ERRORS(CL_ERROR)
#undef CL_ERROR
    default:
        return "unknown OpenCL error";
    }
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
