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
    const char *datum = handler->serve.datum;
    fprintf(out,
            "{\n    const struct gravel_call at = %s;\n"
            "    const ulong first = %s0%s, second = %s1%s;\n"
            "    ulong one[%u], other[%u];\n"
            "    ulong *const two = first == second ? one : other;\n",
            words->call, words->argument_begin, words->argument_end, words->argument_begin,
            words->argument_end, handler->serve.datum_words, handler->serve.datum_words);
    fprintf(out,
            "    %s_load(at, first, one);\n    if (first != second)\n        %s_load(at, second, "
            "other);\n",
            datum, datum);
    fprintf(out, "    %s(at, one, two", handler->name);
    write_arguments(out, handler, words, 2);
    fprintf(
        out,
        ";\n    %s_store(at, first, one);\n    if (first != second)\n        %s_store(at, second, "
        "other);\n}\n",
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

/* The lesser key's datum comes with the record and leaves with it, unless its node is this one. */
static void write_step(FILE *out, const struct gravel_handler *handler)
{
    static const struct gravel_call_words words = {.call = "gravelp_call",
                                                   .argument_begin = "gravelp_record->argument[",
                                                   .argument_end = " - 2]"};
    const char *datum = handler->serve.datum;
    fprintf(out,
            "    if (gravelp_step == GRAVELP_STEP_LOAD || gravelp_step == GRAVELP_STEP_WHOLE)\n"
            "        %s_load(gravelp_call, gravelp_key, gravelp_one);\n"
            "    else\n"
            "        gravelp_transaction_copy_in(gravelp_record, gravelp_one, %u);\n"
            "    if (gravelp_step == GRAVELP_STEP_RUN || gravelp_step == GRAVELP_STEP_WHOLE) {\n"
            "        if (gravelp_key != gravelp_second)\n"
            "            %s_load(gravelp_call, gravelp_second, gravelp_other);\n"
            "        %s(gravelp_call, gravelp_record->lesser ? gravelp_two : gravelp_one, "
            "gravelp_record->lesser ? gravelp_one : gravelp_two",
            datum, handler->serve.datum_words, datum, handler->name);
    write_arguments(out, handler, &words, 2);
    fprintf(out,
            ";\n        if (gravelp_key != gravelp_second)\n"
            "            %s_store(gravelp_call, gravelp_second, gravelp_other);\n    }\n"
            "    if (gravelp_step == GRAVELP_STEP_STORE || gravelp_step == GRAVELP_STEP_WHOLE)\n"
            "        %s_store(gravelp_call, gravelp_key, gravelp_one);\n"
            "    else\n"
            "        gravelp_transaction_copy_out(gravelp_record, gravelp_one, %u);\n",
            datum, datum, handler->serve.datum_words);
}

void gravel_call_text_steps(FILE *out, const struct gravel_handler *handler)
{
    fprintf(out, "#if defined(GRAVEL_NODE_OF)\n");
    write_place(out, handler);
    fprintf(out,
            "kernel void " GRAVEL_STEP_KERNEL "%s(GRAVELP_STEP)\n{\n"
            "    global struct gravelp_transaction *gravelp_record = GRAVELP_STEP_RECORD(%u);\n"
            "    ulong gravelp_one[%u], gravelp_other[%u];\n"
            "    if (get_global_id(0) >= gravelp_n)\n        return;\n"
            "    const struct gravel_call gravelp_call = GRAVELP_STEP_CALL(gravelp_record);\n"
            "    if (gravelp_step == GRAVELP_STEP_ROUTE) {\n"
            "        gravelp_transaction_route(gravelp_record, gravelp_call.n_nodes);\n"
            "        return;\n    }\n"
            "    const ulong gravelp_key = gravelp_record->key[gravelp_record->lesser];\n"
            "    const ulong gravelp_second = gravelp_record->key[1 - gravelp_record->lesser];\n"
            "    ulong *const gravelp_two = gravelp_key == gravelp_second ? gravelp_one : "
            "gravelp_other;\n",
            handler->name, handler->serve.datum_words, handler->serve.datum_words,
            handler->serve.datum_words);
    write_step(out, handler);
    fprintf(out, "}\n#endif\n");
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
