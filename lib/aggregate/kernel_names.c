/* SPDX-License-Identifier: MIT */
/* The names of kernels that have been built. See kernel_names.h. */
#include "aggregate/kernel_names.h"

#include "layout/package.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t gravel_kernel_names_hash(const char *name)
{
    uint32_t hash = GRAVELP_HASH_BEGIN;
    while (*name)
        hash = GRAVELP_HASH(hash, *name++);
    return hash;
}

static bool add_name(struct gravel_kernel_names *names, const char *name, size_t length)
{
    char **more = realloc(names->names, (names->n + 1) * sizeof *more);
    if (!more)
        return false;
    names->names = more;
    more[names->n] = strndup(name, length);
    return more[names->n] && ++names->n;
}

bool gravel_kernel_names_add(struct gravel_kernel_names *names, const char *list)
{
    bool has_room = true;
    pthread_mutex_lock(&names->lock);
    while (*list && has_room) {
        size_t length = strcspn(list, ";");
        has_room = add_name(names, list, length);
        list += length + (list[length] == ';');
    }
    pthread_mutex_unlock(&names->lock);
    return has_room;
}

void gravel_kernel_names_free(struct gravel_kernel_names *names)
{
    for (uint32_t i = 0; i < names->n; i++)
        free(names->names[i]);
    free(names->names);
    names->names = NULL;
    names->n = 0;
}

void gravel_kernel_names_write(struct gravel_kernel_names *names, uint32_t hash, char *text,
                               size_t bytes)
{
    snprintf(text, bytes, "a kernel");
    pthread_mutex_lock(&names->lock);
    for (uint32_t i = 0; i < names->n; i++)
        if (gravel_kernel_names_hash(names->names[i]) == hash)
            snprintf(text, bytes, "kernel %s", names->names[i]);
    pthread_mutex_unlock(&names->lock);
}
