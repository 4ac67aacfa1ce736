/* SPDX-License-Identifier: MIT */
/*
 * The text of a kernel that calls a handler. See call_text.h.
 */
#include "serve/call_text.h"

#include "base/handler.h"

/* Messages of the compiler are about this. */
static void write_place(FILE *out, const struct gravel_handler *handler)
{
    fprintf(out, "#line 1 \"handler %s, as registered\"\n", handler->name);
}

static void write_arguments(FILE *out, const struct gravel_handler *handler,
                            const struct gravel_call_words *words, uint32_t first)
{
    for (uint32_t i = first; i < handler->n_args; i++)
        fprintf(out, ", %s%u%s", words->argument_begin, i, words->argument_end);
    fprintf(out, ")");
}

static void write_simple(FILE *out, const struct gravel_handler *handler,
                         const struct gravel_call_words *words)
{
    fprintf(out, "%s%s(%s", handler->n_answers ? words->answer : "", handler->name, words->call);
    write_arguments(out, handler, words, 0);
    fprintf(out, "%s;\n", handler->n_answers ? ")" : "");
}

/* Two equal keys are one datum, with one copy. */
static void write_transaction(FILE *out, const struct gravel_handler *handler,
                              const struct gravel_call_words *words)
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

void gravel_call_text_write(FILE *out, const struct gravel_handler *handler,
                            const struct gravel_call_words *words)
{
    write_place(out, handler);
    if (handler->serve.n_keys == 2)
        write_transaction(out, handler, words);
    else
        write_simple(out, handler, words);
}

void gravel_call_text_prototypes(FILE *out, const struct gravel_handler *handler)
{
    const bool is_pair = handler->serve.n_keys == 2;
    const char *const word = gravel_handler_word(handler);
    write_place(out, handler);
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
