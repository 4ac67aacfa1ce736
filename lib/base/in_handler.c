/* SPDX-License-Identifier: MIT */
/*
 * Whether a thread runs a handler. See in_handler.h.
 */
#include "base/in_handler.h"

#include "base/error.h"

#include <stddef.h>

static _Thread_local const void *handler_of;
static _Thread_local bool is_beside;

void gravel_in_handler_of(const void *node)
{
    handler_of = node;
    is_beside = false;
}

void gravel_in_handler_beside(const void *node)
{
    handler_of = node;
    is_beside = true;
}

bool gravel_in_handler_is_beside(void)
{
    return is_beside;
}

const void *gravel_in_handler(void)
{
    return handler_of;
}

int gravel_in_handler_refuse(const char *call)
{
    return handler_of
               ? gravel_fail(GRAVEL_EINVAL, "%s waits and cannot be called by a handler", call)
               : 0;
}
