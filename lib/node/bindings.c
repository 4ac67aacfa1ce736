/* SPDX-License-Identifier: MIT */
/*
 * Reads the caller's structures by the sizes that the caller's header gave them.
 *
 * Threads: any.
 */
#include "node/node.h"

#include "base/error.h"
#include "base/growing.h"

#include <stdlib.h>
#include <string.h>

static const struct gravel_growing of_bindings =
    GRAVEL_GROWING("bindings.bytes", gravel_bindings, "GRAVEL_BINDINGS()", mpi_comm);
static const struct gravel_growing of_handler =
    GRAVEL_GROWING("bindings.handler_bytes", gravel_handler, "GRAVEL_BINDINGS()", serve);

int gravel_bindings_read(struct gravel_bindings *out, const struct gravel_bindings *bindings)
{
    memset(out, 0, sizeof *out);
    return bindings ? gravel_growing_read(&of_bindings, out, bindings, bindings->bytes) : 0;
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
        return gravel_fail(GRAVEL_EINVAL,
                           "bindings: %u handlers at %p (a table of 1 to %u allowed)", n, table,
                           GRAVEL_MAX_HANDLERS);
    struct gravel_handler *handlers = calloc(n, sizeof *handlers);
    if (!handlers)
        return gravel_fail_memory("bindings: handlers", n * sizeof *handlers);
    int code = gravel_growing_read_rows(&of_handler, handlers, table, bindings->handler_bytes, n);
    if (code) {
        free(handlers);
        return code;
    }
    bindings->handlers = handlers;
    bindings->n_handlers = n;
    return 0;
}
