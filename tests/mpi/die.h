/* SPDX-License-Identifier: MIT */
/*
 * What nodes of a job do until one of them dies. A node does it again and again: the last time, a call says who has died.
 *
 * Path:    die.c -> die.h -> works.c, calls.c, points.c
 * Threads: the test's main thread.
 */
#ifndef GRAVEL_TESTS_DIE_H
#define GRAVEL_TESTS_DIE_H

#include "job.h"

struct work {
    /** Opens `gravel`, which is NULL once a call has closed it, makes what the work needs, and meets the others. */
    void (*begin)(void);
    /** Does some of the work, and meets the others. @return the code of the first call that fails; 0 */
    int (*go_on)(void);
    /** Launches what go_on launches, and waits for nothing; NULL. */
    void (*launch)(void);
    /** Frees what begin made; NULL: nothing. `code` is what calls that know of the others' end return. */
    void (*end)(int code);
};

/** Runs the row of that name of the table of misopened.c, misfits.c, broken_ways.c, other_version.c.
 * @return whether there is one */
bool run_misopening(const char *name), run_misfit(const char *name),
    run_broken_way(const char *name), run_version(const char *name);

/* works.c */
extern const struct work busy, waiting, living, paying, paying_in_a_hurry, printing_to_file,
    printing_to_pipe, rounding, rounding_in_a_hurry;
/** Makes rounds in each of which every node adds to a word of the next one, and meets the others. */
struct gravel_rounds *make_rounds(uint64_t at);
struct death;
/** Keeps this node's rounds in their phase from now on. */
void stay_in_phase(const struct death *death);
/** Prints to a full disk. */
void disk_full(const struct death *death);

/* points.c: the node dies at a point of its own calls, or spoils what leaves from then on. */
extern const struct work sending_runs, putting;
enum point { NOWHERE, COPY, NOTE, SPOILT_NOTE, PART, APPLY };
/** Lets this node die, or spoil what it sends, at a point, once so many have been passed. */
void arm(enum point point, uint32_t n);

/* calls.c */
/** Makes the collective call of that name. */
int make_call(const char *name);
/** Opens the node, and allocates what calls need. */
void prepare_calls(void);
extern const struct work calling;
/** Chooses it. @param is_within  whether the node dies in the call, or before it */
void choose_call(const char *name, bool is_within);
/** Dies in the call, once it waits there. */
void die_in_call(const struct death *death);

#endif
