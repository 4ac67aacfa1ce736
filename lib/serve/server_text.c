/* SPDX-License-Identifier: MIT */
/*
 * Texts of OpenCL C. See server_text.h.
 *
 * Behind the user's text stand a function that calls the handler a message names, the kernel, and a prototype of each
 * handler: the call does not compile if the function is missing, and the prototype not if its parameters are others.
 */
#include "serve/server_text.h"

#include "serve/call_text.h"
#include "serve/sender.h"

#include <stdio.h>
#include <stdlib.h>

/* A macro: whether a handler has so many keys, or more. */
static void write_predicate(FILE *out, const char *name, const struct gravel_handler *handlers,
                            uint32_t n_handlers, uint32_t n_keys)
{
    fprintf(out, "#define %s(handler) (0", name);
    for (uint32_t i = 0; i < n_handlers; i++)
        if (handlers[i].serve.n_keys >= n_keys)
            fprintf(out, " || (handler) == %uu", i);
    fprintf(out, ")\n");
}

char *gravel_server_prelude(const struct gravel_handler *handlers, uint32_t n_handlers,
                            uint32_t n_nodes, const struct gravel_servers_shape *servers)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    write_predicate(out, "GRAVELP_IS_KEYED", handlers, n_handlers, 1);
    write_predicate(out, "GRAVELP_IS_PAIR", handlers, n_handlers, 2);
    gravel_sender_prelude(out, handlers, n_handlers);
    fprintf(out, "#define GRAVELP_N_SERVERS %uu\n#define GRAVELP_N_OWNERS %uu\n%s%s",
            servers->n_servers, servers->n_owners, n_nodes == 1 ? "#define GRAVELP_IS_ALONE\n" : "",
            servers->is_resident ? "#define GRAVELP_RESIDENT\n" : "");
    fclose(out);
    return text;
}

/* A message of an inbox asks for no answer. */
static void write_case(FILE *out, const struct gravel_handler *handler, uint32_t number)
{
    const struct gravel_call_words words = {handler->serve.max_pending ? "GRAVELP_SENDER_CALL"
                                                                       : "GRAVELP_SERVER_CALL",
                                            "GRAVELP_LETTER_ARGUMENT(letter, ", ", i)", "(void)("};
    fprintf(out, "    case %uu:\n", number);
    gravel_call_text_write(out, handler, &words);
    fprintf(out, "        break;\n");
}

/* The function that calls the handler which a message names, of those with so many keys. */
static void write_run(FILE *out, const char *name, const struct gravel_handler *handlers,
                      uint32_t n_handlers, uint32_t n_keys)
{
    fprintf(out,
            "GRAVELP_INLINE void %s(GRAVEL_ARENA, struct gravelp_letter letter, uint i)\n"
            "{\n    switch (letter.handler) {\n",
            name);
    for (uint32_t i = 0; i < n_handlers; i++)
        if (handlers[i].serve.n_keys == n_keys)
            write_case(out, &handlers[i], i);
    fprintf(out, "    default:\n        break;\n    }\n}\n");
}

static void write_pairs(FILE *out, const struct gravel_handler *handlers, uint32_t n_handlers)
{
    if (gravel_servers_n_pairs(handlers, n_handlers) == 0)
        return;
    write_run(out, "gravelp_run_pair", handlers, n_handlers, 2);
    fprintf(out, "kernel void " GRAVEL_PAIRS_KERNEL "(GRAVEL_ARENA)\n"
                 "{\n    GRAVELP_SERVE_INBOX_PAIRS(gravelp_run_pair);\n}\n");
}

char *gravel_server_trailer(const struct gravel_handler *handlers, uint32_t n_handlers)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "\n#include \"gravel.cl.h\"\n");
    write_run(out, "gravelp_run", handlers, n_handlers, 1);
    fprintf(out,
            "kernel void " GRAVEL_SERVER_KERNEL "(GRAVEL_ARENA)\n"
            "{\n    GRAVELP_SERVE_INBOX(gravelp_run);\n%s}\n",
            gravel_sender_room(handlers, n_handlers) ? "    GRAVELP_SERVE_SPILL(gravelp_run);\n"
                                                     : "");
    write_pairs(out, handlers, n_handlers);
    for (uint32_t i = 0; i < n_handlers; i++)
        if (handlers[i].serve.n_keys)
            gravel_call_text_prototypes(out, &handlers[i]);
    fclose(out);
    return text;
}
