/* SPDX-License-Identifier: MIT */
/*
 * How a test survives the die of an application's reader: linked with --wrap=die_alone, which comes here.
 *
 *     if (setjmp(refusal))
 *         return false; // refusal_reason says why
 *
 * Path:    frame/text.c -> die_alone -> this -> tests of apps/graph
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_REFUSED_H
#define GRAVEL_TESTS_REFUSED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static jmp_buf refusal;
static char refusal_reason[1024];

_Noreturn void __wrap_die_alone(const char *format, ...) __attribute__((format(printf, 1, 2)));

_Noreturn void __wrap_die_alone(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal_reason, sizeof refusal_reason, format, arguments);
    va_end(arguments);
    longjmp(refusal, 1);
}

#endif
