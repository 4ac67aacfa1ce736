/* SPDX-License-Identifier: MIT */
/*
 * The text of a kernel that calls a handler. See call_text.h.
 */
#include "serve/call_text.h"

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
    fprintf(out, ");\n");
}

static void write_simple(FILE *out, const struct gravel_handler *handler,
                         const struct gravel_call_words *words)
{
    fprintf(out, "%s(%s", handler->name, words->call);
    write_arguments(out, handler, words, 0);
}

/* Two equal keys are one datum, with one copy. */
static void write_transaction(FILE *out, const struct gravel_handler *handler,
                              const struct gravel_call_words *words)
{
    const char *datum = handler->datum;
    fprintf(out,
            "{\n    const struct gravel_call at = %s;\n"
            "    const ulong first = %s0%s, second = %s1%s;\n"
            "    ulong one[%u], other[%u];\n"
            "    ulong *const two = first == second ? one : other;\n",
            words->call, words->argument_begin, words->argument_end, words->argument_begin,
            words->argument_end, handler->datum_words, handler->datum_words);
    fprintf(out,
            "    %s_load(at, first, one);\n    if (first != second)\n        %s_load(at, second, "
            "other);\n",
            datum, datum);
    fprintf(out, "    %s(at, one, two", handler->name);
    write_arguments(out, handler, words, 2);
    fprintf(out,
            "    %s_store(at, first, one);\n    if (first != second)\n        %s_store(at, second, "
            "other);\n}\n",
            datum, datum);
}

void gravel_call_text_write(FILE *out, const struct gravel_handler *handler,
                            const struct gravel_call_words *words)
{
    write_place(out, handler);
    if (handler->n_keys == 2)
        write_transaction(out, handler, words);
    else
        write_simple(out, handler, words);
}

void gravel_call_text_prototypes(FILE *out, const struct gravel_handler *handler)
{
    const bool is_pair = handler->n_keys == 2;
    write_place(out, handler);
    fprintf(out, "void %s(struct gravel_call", handler->name);
    for (uint32_t i = 0; i < handler->n_args; i++)
        fprintf(out, is_pair && i < 2 ? ", ulong *" : ", ulong");
    fprintf(out, ");\n");
    if (is_pair)
        fprintf(out,
                "void %s_load(struct gravel_call, ulong, ulong *);\n"
                "void %s_store(struct gravel_call, ulong, const ulong *);\n",
                handler->datum, handler->datum);
}
