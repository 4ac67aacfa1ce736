/* SPDX-License-Identifier: MIT */
/*
 * To give up in one line, which an application may and a library may not.
 *
 * Path: a function that cannot continue -> die.c -> the program's end.
 * Threads: main's; die_alone: any.
 *
 * All processes of a job may have one fault to report: a bad option, a broken file. The first process reports it and
 * ends, and its launcher ends the other processes, which wait for that; a process that found a fault of its own reports
 * it after that wait.
 */
#ifndef APPS_DIE_H
#define APPS_DIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Print "program: text" to stderr and exit with status 1, for a fault that may be this process's alone. What runs at exit
 * does not: it could wait for threads that are stuck (OpenCL, MPI). What runs at quick_exit does. */
_Noreturn void die_alone(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** As die_alone, for what all processes of a job find: the first one prints it. */
#define die(...) (turn_await(), die_alone(__VA_ARGS__))

/** Return at once in the first process of a job, as far as its launcher says, in others after two seconds: below
 * GRAVEL_TIMEOUT, so that no other node takes a waiting process for stuck. */
void turn_await(void);

/** n zeroed elements [bytes each], to be freed; or die, saying that there is no memory for `what`. */
void *app_array(uint64_t n, size_t bytes, const char *what);

/** Make room for one more behind n elements, and for as many again where there is none; or die. @return  the array. */
void *app_room(void *array, uint64_t n, uint64_t *room, size_t bytes, const char *what);

/** Compare two elements by the uint64_t that each is or begins with: for qsort. */
int app_compare(const void *a, const void *b);

#endif
