/* SPDX-License-Identifier: MIT */
/*
 * The end of a test program in one line, which says where and what.
 *
 * Path: tests without a framework -> this.
 */
#ifndef GRAVEL_TESTS_MUST_H
#define GRAVEL_TESTS_MUST_H

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/** End the process: print where and what. A node's threads may be in any state, so no destructor runs. */
_Noreturn static inline void __attribute__((format(printf, 3, 4)))
die(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    fflush(NULL);
    _exit(1);
}

/** What must hold, assert or not. */
#define MUST(condition)                                          \
    do {                                                         \
        if (!(condition))                                        \
            die(__FILE__, __LINE__, "not true: %s", #condition); \
    } while (0)

/** A Gravel call that must succeed; with gravel/gravel.h. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        int ok_code_ = (call);                                                                     \
        if (ok_code_)                                                                              \
            die(__FILE__, __LINE__, "%s: %s (%d): %s", #call, gravel_strerror(ok_code_), ok_code_, \
                gravel_last_error());                                                              \
    } while (0)

#endif
