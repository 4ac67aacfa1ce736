/* SPDX-License-Identifier: MIT */
/*
 * Structures that grow. See growing.h.
 *
 * Threads: any.
 */
#include "base/growing.h"

#include "base/error.h"

#include <stdint.h>
#include <string.h>

#define MOST_BYTES 65536u /* a larger size is garbage, and would have us read anywhere */

int gravel_growing_check(const struct gravel_growing *what, size_t bytes)
{
    if (bytes >= what->first && bytes <= MOST_BYTES && bytes % sizeof(void *) == 0)
        return 0;
    return gravel_fail(GRAVEL_EINVAL, "%s is %zu, and struct %s has %zu bytes here: %s sets it",
                       what->name, bytes, what->type, what->now, what->set_by);
}

int gravel_growing_read(const struct gravel_growing *what, void *out, const void *in, size_t bytes,
                        size_t n)
{
    const size_t common = bytes < what->now ? bytes : what->now;
    const unsigned char *from = in;
    GRAVEL_TRY(gravel_growing_check(what, bytes));
    for (unsigned char *to = out; n--; to += what->now, from += bytes) {
        for (size_t i = what->now; i < bytes; i++) /* members that only a newer header has */
            if (from[i])
                return gravel_fail(GRAVEL_EINVAL,
                                   "%s is %zu, and this library, version %d.%d.%d, knows %zu "
                                   "bytes: it has no member at byte %zu, which is set",
                                   what->name, bytes, GRAVEL_API_MAJOR, GRAVEL_API_MINOR,
                                   GRAVEL_API_PATCH, what->now, i);
        memcpy(to, from, common);
        memset(to + common, 0, what->now - common);
    }
    return 0;
}

int gravel_growing_give(const char *call, void *out, size_t bytes, const void *own,
                        size_t own_bytes)
{
    if (bytes == 0 || bytes > MOST_BYTES || bytes % sizeof(uint64_t))
        return gravel_fail(GRAVEL_EINVAL,
                           "%s: %zu bytes of statistics, and the structure has %zu here", call,
                           bytes, own_bytes);
    memset(out, 0, bytes);
    memcpy(out, own, bytes < own_bytes ? bytes : own_bytes);
    return 0;
}
