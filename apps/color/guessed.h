/* SPDX-License-Identifier: MIT */
/*
 * What a node has on its device to guess colours, beside what each way has.
 *
 * Path:    color.h -> this -> guessed.c
 * Owner:   guessed.c makes it; the mirror is destroyed there, the rest by node_close.
 * Threads: main's.
 */
#ifndef APPS_COLOR_GUESSED_H
#define APPS_COLOR_GUESSED_H

#include "color/way.h"
#include "frame/node.h"

#include <gravel/mirror.h>

/* Words of a row on the device: where each kind of a vertex's neighbours begins, see guessed.cl. */
#define COLOR_ROW 4

struct guessed {
    cl_kernel survey, guess, mend;
    struct gravel_mirror *mirror; /* of ghosts' colours; NULL if no node has any */
    cl_mem rows, neighbours, waited, ends, bases, rounds;
};

extern const struct way color_guessed;

#endif
