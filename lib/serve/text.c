/* SPDX-License-Identifier: MIT */
/*
 * The text of OpenCL C around the user's: of a node's handlers, a kernel for each; of a program of clients and servers,
 * which handlers have keys, and the kernels that empty inboxes.
 *
 * Behind the user's text are kernels that call the handlers, and a prototype of each handler: the call does not
 * compile if the function is missing, and the prototype not if its parameters are others.
 *
 * Path:    calls.c, server/launch.c -> this -> opencl/program.h.
 */
#include "serve/servers.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- a call of a handler --------------------------------------------------------------------- */

/* What the text around a call names: the struct gravel_call; argument i, as `argument_begin i argument_end`; and what
 * takes the answer of a handler that has one, `answer` before it and a parenthesis behind it. */
struct words {
    const char *call, *argument_begin, *argument_end, *answer;
};

/* Writes what messages of the compiler name. */
static void write_line_directive(FILE *out, const struct gravel_handler *handler)
{
    fprintf(out, "#line 1 \"handler %s, as registered\"\n", handler->name);
}

static void write_arguments(FILE *out, const struct gravel_handler *handler,
                            const struct words *words, uint32_t first)
{
    for (uint32_t i = first; i < handler->n_args; i++)
        fprintf(out, ", %s%u%s", words->argument_begin, i, words->argument_end);
    fprintf(out, ")");
}

/* Writes the call of a handler with two keys. Two equal keys are one datum, with one copy. */
static void write_transaction(FILE *out, const struct gravel_handler *handler,
                              const struct words *words)
{
    const char *datum = handler->serve.datum, *name = handler->name;
    const uint32_t n_words = handler->serve.datum_words;
    fprintf(out,
            "{\n    const struct gravel_call at = %s;\n"
            "    const ulong first = %s0%s, second = %s1%s;\n"
            "    ulong one[%u], other[%u];\n"
            "    ulong *const two = first == second ? one : other;\n"
            "    if (gravelp_has_both_keys(at.arena, at.node, at.n_nodes, first, second, \"%s\", "
            "sizeof \"%s\")) {\n",
            words->call, words->argument_begin, words->argument_end, words->argument_begin,
            words->argument_end, n_words, n_words, name, name);
    fprintf(out,
            "        %s_load(at, first, one);\n        if (first != second)\n"
            "            %s_load(at, second, other);\n        %s(at, one, two",
            datum, datum, name);
    write_arguments(out, handler, words, 2);
    fprintf(out,
            ";\n        %s_store(at, first, one);\n        if (first != second)\n"
            "            %s_store(at, second, other);\n    }\n}\n",
            datum, datum);
}

/* Writes the statement that calls a handler. Compilers name the handler if it is missing. */
static void write_call(FILE *out, const struct gravel_handler *handler, const struct words *words)
{
    write_line_directive(out, handler);
    if (handler->serve.n_keys == 2) {
        write_transaction(out, handler, words);
        return;
    }
    fprintf(out, "%s%s(%s", handler->n_answers ? words->answer : "", handler->name, words->call);
    write_arguments(out, handler, words, 0);
    fprintf(out, "%s;\n", handler->n_answers ? ")" : "");
}

/* Writes prototypes, which do not compile if the functions' parameters are others. */
static void write_prototypes(FILE *out, const struct gravel_handler *handler)
{
    const bool is_pair = handler->serve.n_keys == 2;
    const char *const word = gravel_handler_word(handler);
    write_line_directive(out, handler);
    fprintf(out, "%s %s(struct gravel_call", handler->n_answers ? word : "void", handler->name);
    for (uint32_t i = 0; i < handler->n_args; i++)
        fprintf(out, ", %s%s", word, is_pair && i < 2 ? " *" : "");
    fprintf(out, ");\n");
    if (is_pair)
        fprintf(out,
                "void %s_load(struct gravel_call, ulong, ulong *);\n"
                "void %s_store(struct gravel_call, ulong, const ulong *);\n",
                handler->serve.datum, handler->serve.datum);
}

/* ---- handlers of a node ---------------------------------------------------------------------- */

static void write_kernel(FILE *out, const struct gravel_handler *handler)
{
    static const char *const each[] = {"GRAVELP_CALL_EACH", "GRAVELP_CALL_SERVED",
                                       "GRAVELP_CALL_PAIRS"};
    static const struct words words = {"GRAVELP_CALL", "GRAVELP_CALL_ARGUMENT(", ", number)",
                                       "GRAVELP_CALL_ANSWER(number, "};
    fprintf(out, "#undef GRAVELP_CALL_WORD\n#define GRAVELP_CALL_WORD %s\n",
            gravel_handler_word(handler));
    fprintf(out, "kernel void gravel_call_%s(GRAVELP_CALL_RUN)\n{\n    %s(number)\n", handler->name,
            each[handler->serve.n_keys]);
    write_call(out, handler, &words);
    fprintf(out, "}\n");
    write_prototypes(out, handler);
}

char *gravel_handlers_trailer(const struct gravel_endpoints *endpoints)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "\n#include \"gravel.cl.h\"\n");
    for (uint32_t i = 0; i < endpoints->n_handlers; i++)
        if (!gravel_handler_is_host(&endpoints->handlers[i]))
            write_kernel(out, &endpoints->handlers[i]);
    fclose(out);
    return text;
}

/* ---- clients and servers --------------------------------------------------------------------- */

/* Writes a macro: whether a handler has n_keys keys, or more. */
static void write_predicate(FILE *out, const char *name, const struct gravel_endpoints *endpoints,
                            uint32_t n_keys)
{
    fprintf(out, "#define %s(handler) (0", name);
    for (uint32_t i = 0; i < endpoints->n_handlers; i++)
        if (endpoints->handlers[i].serve.n_keys >= n_keys)
            fprintf(out, " || (handler) == %uu", i);
    fprintf(out, ")\n");
}

/* Writes the macro GRAVELP_IS_SERVED: whether a handler has one key, and n_args arguments; nothing if none sends. */
static void write_senders(FILE *out, const struct gravel_endpoints *endpoints)
{
    if (gravel_sender_room(endpoints) == 0)
        return;
    fprintf(out, "#define GRAVELP_HANDLERS_SEND 1\n#define GRAVELP_IS_SERVED(handler, n_args) (0");
    for (uint32_t i = 0; i < endpoints->n_handlers; i++)
        if (endpoints->handlers[i].serve.n_keys == 1)
            fprintf(out, " || ((handler) == %uu && (n_args) == %u)",
                    gravel_handler_number(&endpoints->handlers[i], i),
                    endpoints->handlers[i].n_args);
    fprintf(out, ")\n");
}

char *gravel_server_prelude(const struct gravel_endpoints *endpoints, uint32_t n_nodes,
                            const struct gravel_servers_shape *servers)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "#define GRAVELP_SERVES\n");
    write_predicate(out, "GRAVELP_IS_KEYED", endpoints, 1);
    write_predicate(out, "GRAVELP_IS_PAIR", endpoints, 2);
    write_senders(out, endpoints);
    fprintf(out, "#define GRAVELP_N_OWNERS %uu\n%s%s", servers->n_owners,
            n_nodes == 1 ? "#define GRAVELP_IS_ALONE\n" : "",
            servers->is_resident ? "#define GRAVELP_RESIDENT\n" : "");
    fclose(out);
    return text;
}

/* Writes the function that calls the handler which a message names, of those with n_keys keys. */
static void write_run(FILE *out, const char *name, const struct gravel_endpoints *endpoints,
                      uint32_t n_keys)
{
    fprintf(out,
            "GRAVELP_INLINE void %s(GRAVEL_ARENA, struct gravelp_message message, uint i)\n"
            "{\n    switch (message.handler) {\n",
            name);
    for (uint32_t i = 0; i < endpoints->n_handlers; i++) {
        const struct gravel_handler *handler = &endpoints->handlers[i];
        const struct words words = {handler->serve.max_pending ? "GRAVELP_SERVER_CALL(1)"
                                                               : "GRAVELP_SERVER_CALL(0)",
                                    "GRAVELP_MESSAGE_ARGUMENT(message, ", ", i)", "(void)("};
        if (handler->serve.n_keys != n_keys)
            continue;
        fprintf(out, "    case %uu:\n", i);
        write_call(out, handler, &words); /* no answer is asked for */
        fprintf(out, "        break;\n");
    }
    fprintf(out, "    default:\n        break;\n    }\n}\n");
}

char *gravel_server_trailer(const struct gravel_endpoints *endpoints)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "\n#include \"gravel.cl.h\"\n");
    write_run(out, "gravelp_run", endpoints, 1);
    fprintf(out, "kernel void " GRAVEL_SERVER_KERNEL "(GRAVEL_ARENA)\n"
                 "{\n    GRAVELP_SERVE_INBOX;\n}\n");
    if (gravel_servers_n_pairs(endpoints)) {
        write_run(out, "gravelp_run_pair", endpoints, 2);
        fprintf(out, "kernel void " GRAVEL_PAIRS_KERNEL "(GRAVEL_ARENA)\n"
                     "{\n    GRAVELP_SERVE_INBOX_PAIRS(gravelp_run_pair);\n}\n");
    }
    for (uint32_t i = 0; i < endpoints->n_handlers; i++)
        if (endpoints->handlers[i].serve.n_keys)
            write_prototypes(out, &endpoints->handlers[i]);
    fclose(out);
    return text;
}
