/* SPDX-License-Identifier: MIT */
/*
 * The end of a test program in one line, at once: threads that still run are left where they are.
 *
 * Path:    tests of kernels compiled as C11 -> this.
 */
#ifndef GRAVEL_TSAN_FAIL_H
#define GRAVEL_TSAN_FAIL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    _Exit(1);
}

#endif
