/* SPDX-License-Identifier: MIT */
/*
 * Programs that a node has built, by options and text: a driver takes 20 ms and more to find one in its cache, for it
 * reads the whole text again.
 *
 * Path:    program.c -> this.
 * Owner:   holds each program once; gravel_built_release gives them back.
 * Threads: any.
 */
#include "opencl/program.h"

#include <stdlib.h>
#include <string.h>

/* A node that builds more keeps the first: what is here stays, so that a program is retained without the lock. */
#define MOST (sizeof((struct gravel_built *)0)->programs / sizeof(struct gravel_built_program))

cl_program gravel_built_find(struct gravel_built *built, const char *options, const char *text)
{
    cl_program found = NULL;
    pthread_mutex_lock(&built->lock);
    for (uint32_t i = 0; i < built->n && !found; i++)
        if (!strcmp(built->programs[i].options, options) && !strcmp(built->programs[i].text, text))
            found = built->programs[i].program;
    pthread_mutex_unlock(&built->lock);
    return found && clRetainProgram(found) == CL_SUCCESS ? found : NULL;
}

void gravel_built_keep(struct gravel_built *built, char **options, char **text, cl_program program)
{
    if (clRetainProgram(program) != CL_SUCCESS)
        return;
    pthread_mutex_lock(&built->lock);
    const bool has_room = built->n < MOST;
    if (has_room) {
        built->programs[built->n++] = (struct gravel_built_program){*options, *text, program};
        *options = *text = NULL;
    }
    pthread_mutex_unlock(&built->lock);
    if (!has_room)
        clReleaseProgram(program);
}

void gravel_built_release(struct gravel_built *built)
{
    for (; built->n; built->n--) {
        const struct gravel_built_program *last = &built->programs[built->n - 1];
        clReleaseProgram(last->program);
        free(last->options);
        free(last->text);
    }
}
