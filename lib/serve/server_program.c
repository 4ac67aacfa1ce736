/* SPDX-License-Identifier: MIT */
/*
 * Texts of OpenCL C. See server_program.h.
 *
 * Behind the user's text stand a function that calls the handler a message names, the kernel, and a prototype of each
 * handler: the call does not compile if the function is missing, and the prototype not if its parameters are others.
 */
#include "serve/server_program.h"

#include <stdio.h>
#include <stdlib.h>

char *gravel_server_prelude(const struct gravel_handler *handlers, uint32_t n_handlers,
                            uint32_t n_nodes, const struct gravel_servers_shape *servers)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "#define GRAVELP_IS_KEYED(handler) (0");
    for (uint32_t i = 0; i < n_handlers; i++)
        if (handlers[i].n_keys)
            fprintf(out, " || (handler) == %uu", i);
    fprintf(out, ")\n#define GRAVELP_N_SERVERS %uu\n%s%s", servers->n_servers,
            n_nodes == 1 ? "#define GRAVELP_IS_ALONE\n" : "",
            servers->is_resident ? "#define GRAVELP_RESIDENT\n" : "");
    fclose(out);
    return text;
}

static void write_case(FILE *out, const struct gravel_handler *handler, uint32_t number)
{
    fprintf(out,
            "    case %uu:\n#line 1 \"handler %s, as registered\"\n        %s(GRAVELP_SERVER_CALL",
            number, handler->name, handler->name);
    for (uint32_t i = 0; i < handler->n_args; i++)
        fprintf(out, ", GRAVELP_LETTER_ARGUMENT(letter, %u, i)", i);
    fprintf(out, ");\n        break;\n");
}

static void write_prototype(FILE *out, const struct gravel_handler *handler)
{
    fprintf(out, "#line 1 \"handler %s, as registered\"\nvoid %s(struct gravel_call", handler->name,
            handler->name);
    for (uint32_t i = 0; i < handler->n_args; i++)
        fprintf(out, ", ulong");
    fprintf(out, ");\n");
}

char *gravel_server_trailer(const struct gravel_handler *handlers, uint32_t n_handlers)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out,
            "\n#include \"gravel.cl.h\"\n"
            "GRAVELP_INLINE void gravelp_run(GRAVEL_ARENA, struct gravelp_letter letter, uint i)\n"
            "{\n    switch (letter.handler) {\n");
    for (uint32_t i = 0; i < n_handlers; i++)
        if (handlers[i].n_keys)
            write_case(out, &handlers[i], i);
    fprintf(out, "    }\n}\n"
                 "kernel void " GRAVEL_SERVER_KERNEL "(GRAVEL_ARENA)\n"
                 "{\n    GRAVELP_SERVE_INBOX(gravelp_run);\n}\n");
    for (uint32_t i = 0; i < n_handlers; i++)
        if (handlers[i].n_keys)
            write_prototype(out, &handlers[i]);
    fclose(out);
    return text;
}
