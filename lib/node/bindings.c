/* SPDX-License-Identifier: MIT */
/*
 * Reads the caller's structures by the sizes that the caller's header gave them. See bindings.h.
 *
 * Threads: any.
 */
#include "node/bindings.h"

#include "base/error.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 65536u /* a larger size is garbage, and would have us read anywhere */
#define END_OF(type, member) (offsetof(struct type, member) + sizeof((struct type *)0)->member)

static const struct gravel_growing of_bindings = {.name = "bindings.bytes",
                                                  .set_by = "GRAVEL_BINDINGS()",
                                                  .now = sizeof(struct gravel_bindings),
                                                  .first = END_OF(gravel_bindings, mpi_comm)};
static const struct gravel_growing of_handler = {.name = "bindings.handler_bytes",
                                                 .set_by = "GRAVEL_BINDINGS()",
                                                 .now = sizeof(struct gravel_handler),
                                                 .first = END_OF(gravel_handler, user)};

int gravel_growing_check(const struct gravel_growing *what, size_t bytes)
{
    if (bytes >= what->first && bytes <= MOST_BYTES && bytes % sizeof(void *) == 0)
        return 0;
    return gravel_fail(GRAVEL_EINVAL, "%s is %zu, and the structure has %zu bytes here: %s sets it",
                       what->name, bytes, what->now, what->set_by);
}

/* Members that only a newer header has. */
static int check_rest(const struct gravel_growing *what, const unsigned char *in, size_t bytes)
{
    for (size_t i = what->now; i < bytes; i++)
        if (in[i])
            return gravel_fail(GRAVEL_EINVAL,
                               "%s is %zu, and this library, version %d.%d.%d, knows %zu bytes: it "
                               "has no member at byte %zu, which is set",
                               what->name, bytes, GRAVEL_API_MAJOR, GRAVEL_API_MINOR,
                               GRAVEL_API_PATCH, what->now, i);
    return 0;
}

int gravel_growing_read(const struct gravel_growing *what, void *out, const void *in, size_t bytes)
{
    int code = gravel_growing_check(what, bytes);
    if (!code)
        code = check_rest(what, in, bytes);
    if (code)
        return code;
    size_t common = bytes < what->now ? bytes : what->now;
    memcpy(out, in, common);
    memset((unsigned char *)out + common, 0, what->now - common);
    return 0;
}

int gravel_bindings_read(struct gravel_bindings *out, const struct gravel_bindings *bindings)
{
    memset(out, 0, sizeof *out);
    return bindings ? gravel_growing_read(&of_bindings, out, bindings, bindings->bytes) : 0;
}

/* Rows are as long as the caller's header has them. */
static int copy_rows(struct gravel_handler *handlers, const void *table, size_t bytes, uint32_t n)
{
    const unsigned char *row = table;
    int code = 0;
    for (uint32_t i = 0; i < n && !code; i++, row += bytes)
        code = gravel_growing_read(&of_handler, &handlers[i], row, bytes);
    return code;
}

int gravel_bindings_read_handlers(struct gravel_bindings *bindings)
{
    const void *table = bindings->handlers;
    uint32_t n = bindings->n_handlers;
    bindings->handlers = NULL;
    bindings->n_handlers = 0;
    if (n == 0)
        return 0;
    if (!table || n > GRAVEL_MAX_HANDLERS)
        return gravel_fail(GRAVEL_EINVAL, "bindings: %u handlers at %p", n, table);
    struct gravel_handler *handlers = calloc(n, sizeof *handlers);
    if (!handlers)
        return gravel_fail(GRAVEL_ENOMEM, "%u handlers", n);
    int code = copy_rows(handlers, table, bindings->handler_bytes, n);
    if (code) {
        free(handlers);
        return code;
    }
    bindings->handlers = handlers;
    bindings->n_handlers = n;
    return 0;
}
