/* SPDX-License-Identifier: MIT */
/*
 * To give up in one line, which an application may and a library may not.
 *
 * Path: whoever finds that it cannot go on -> die.c -> the program's end.
 * Threads: main's.
 */
#ifndef APPS_DIE_H
#define APPS_DIE_H

#include <stddef.h>
#include <stdint.h>

/**
 * Print "program: text" to stderr and exit with status 1. Applications may; libraries may not. For
 * what all processes of a job find: the first one prints it, see turn.h.
 */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same at once, for what may be this process's alone. */
_Noreturn void die_alone(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** n zeroed elements [bytes each], to be freed; or die, saying that there is no memory for `what`. */
void *app_array(uint64_t n, size_t bytes, const char *what);

#endif
