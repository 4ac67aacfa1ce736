/* SPDX-License-Identifier: MIT */
/*
 * How an error finds its way to the caller: a code, and a text that names the thing.
 *
 * A call that fails says why with gravel_fail; the text stays with the calling thread. What goes wrong in the
 * node's own threads is noted in its struct gravel_failure, and the next call that waits returns it.
 *
 * Path:    everywhere -> error.h -> gravel_last_error, gravel_quiet.
 */
#ifndef GRAVEL_BASE_ERROR_H
#define GRAVEL_BASE_ERROR_H

#include "gravel/gravel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAVEL_ERROR_BYTES 1024
#define GRAVEL_LAST_ERROR_BYTES (16 * GRAVEL_ERROR_BYTES) /* of gravel_last_error */

/** Set the calling thread's error text, which may be cut. @return code, for `return gravel_fail(...)`. */
int gravel_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** gravel_fail for memory that there is not. @param what  it is for: "gravel_map: the table of maps". @return
 * GRAVEL_ENOMEM */
int gravel_fail_memory(const char *what, size_t bytes);

/* Ends the calling function with what a step of it fails with, whose text is set. */
#define GRAVEL_TRY(step)           \
    do {                           \
        const int try_code = step; \
        if (try_code)              \
            return try_code;       \
    } while (0)

/** Returns the first failure of two steps of which the second runs even if the first has failed; 0: both succeeded. */
static inline int gravel_first_failure(int first, int second)
{
    return first ? first : second;
}

/* What was met, its text with it: until a clean-up, which may fail too, has ended, or another thread takes it. */
struct gravel_kept {
    int code;
    char text[GRAVEL_LAST_ERROR_BYTES];
};

/** Keeps a code with the calling thread's error text. */
struct gravel_kept gravel_keep(int code);
/** Sets the calling thread's error text again. @return the code */
int gravel_fail_again(const struct gravel_kept *error);

/** Appends to a text of at most `bytes`, which is cut there. */
void gravel_append(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Returns whether a number from elsewhere is one of GRAVEL_ERRORS. */
bool gravel_is_error(int64_t code);

/** 0; GRAVEL_EINVAL if an argument of a public call is NULL, and the text names both. */
int gravel_require(const char *call, const char *name, const void *argument);

/** Name of an OpenCL error code, e.g. "CL_INVALID_VALUE". */
const char *gravel_cl_error(cl_int code);

/** gravel_fail for an OpenCL call that returned `error`. */
int gravel_fail_cl(const char *call, cl_int error);

/** 0 for CL_SUCCESS, else gravel_fail_cl. */
static inline int gravel_check_cl(const char *call, cl_int error)
{
    return error == CL_SUCCESS ? 0 : gravel_fail_cl(call, error);
}

/* What went wrong in a node's threads; zero-filled as it begins. A fatal failure stays; a refusal is reported once. */
struct gravel_failure {
    pthread_mutex_t lock;
    int refusal;     /* 0 or the first refusal not yet reported */
    bool has_cause;  /* there was one when the node ended */
    unsigned n_more; /* refusals after it */
    char fatal_text[GRAVEL_ERROR_BYTES];
    char refusal_text[GRAVEL_ERROR_BYTES];
    _Atomic int fatal; /* H2: 0 or the code that ended the node; apart from the lock */
};

/** Note a failure that ends the node; the first one stays. @return true if this was the first. */
bool gravel_failure_note_fatal(struct gravel_failure *failure, int code, const char *text);
/** Note refused messages. */
void gravel_failure_note_refusal(struct gravel_failure *failure, int code, const char *text);
/** Returns whether the node has failed: every call that waits or sends fails. */
static inline bool gravel_failure_is_fatal(const struct gravel_failure *failure)
{
    return atomic_load_explicit(&failure->fatal, memory_order_relaxed); /* H2 */
}
/** Move what was noted to the calling thread's error text. @return its code; 0 if nothing was noted. */
int gravel_failure_report(struct gravel_failure *failure);

/** Takes what a thread of the node reports: a code, a text, and whether the node fails. */
typedef void gravel_report_function(void *context, int code, bool is_fatal, const char *text);

#endif
