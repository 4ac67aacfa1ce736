/* SPDX-License-Identifier: MIT */
/*
 * Gives up in one line. See die.h.
 */
#include "frame/die.h"
#include "frame/process.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void turn_await(void)
{
    if (launched_rank() != 0)
        nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
}

void die_alone(const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    /* One call, so that the lines of several nodes do not mix. */
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
    fflush(NULL);
    quick_exit(EXIT_FAILURE);
}

void *app_array(uint64_t n, size_t bytes, const char *what)
{
    void *array = calloc(n ? n : 1, bytes);
    if (!array)
        die("no memory for %s: %llu times %zu bytes", what, (unsigned long long)n, bytes);
    return array;
}

void *app_room(void *array, uint64_t n, uint64_t *room, size_t bytes, const char *what)
{
    if (n < *room)
        return array;
    while (*room <= n)
        *room = *room ? 2 * *room : 1024;
    array = realloc(array, *room * bytes);
    if (!array)
        die("no memory for %llu %s", (unsigned long long)*room, what);
    return array;
}

int app_compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}
