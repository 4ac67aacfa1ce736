/* SPDX-License-Identifier: MIT */
/*
 * A way to colour: its kernels, what it makes at a node, and a trial. All nodes take one way, and each step together.
 *
 * Path:    color.c -> this -> guessed.c, ordered.c, scheduled.c
 * Owner:   each way's file.
 * Threads: main's.
 */
#ifndef APPS_COLOR_WAY_H
#define APPS_COLOR_WAY_H

#include "frame/trials.h"

#include <stdint.h>

struct color;

/* Of a way that does not guess, however many nodes there are. */
#define COLOR_PASSES 1024

struct way {
    const char *file, *source; /* of the kernels */
    unsigned heap_words;       /* for each vertex of the whole graph */

    /* Looks at its vertices after which a group leaves them for the next round: where nodes are several, and where one is
     * alone. */
    unsigned passes, passes_alone;

    void (*list)(struct color *color); /* put lists on the device, while the host has the edges */
    void (*prepare)(struct color *color); /* make kernels, which are built by now */
    void (*reset)(struct color *color);   /* no vertex has a colour */

    /* Round n_rounds, from 1. Collective. @return  vertices without a colour, of all nodes [count] */
    uint64_t (*round)(struct color *color);

    /* Have the colours of a node's own vertices, which is alone; NULL: they are at color->colors of each. */
    void (*fetch)(struct color *color, uint32_t *colors);

    /* Report what only this way has; NULL: nothing. */
    void (*tell)(struct color *color, struct trials *trials);

    /* Free what node_close does not; NULL: nothing. */
    void (*close)(struct color *color);
};

#endif
