/* SPDX-License-Identifier: MIT */
/*
 * Writes the program of a random graph. See flow_program.h.
 */
#include "flow_program.h"

#include <stdlib.h>

extern const char flow_books_cl[]; /* flow_books.cl */

static void write_record(FILE *out, const struct random_graph *random, uint32_t c)
{
    fprintf(out, "struct c%u { uint number, check, fuel; gravel_slot to; uint got", c);
    for (uint32_t i = ELEMENT_WORDS; i < n_words(random, c); i++)
        fprintf(out, ", more%u", i);
    fprintf(out, "; };\nGRAVEL_RECORD(c%u)\n", c);
}

/* The value of a record: what is behind the element's words is its check too. */
static void write_value(FILE *out, const struct random_graph *random, uint32_t into, const char *to)
{
    fprintf(out, "(struct c%u){number, check, fuel, %s, 0", into, to);
    for (uint32_t i = ELEMENT_WORDS; i < n_words(random, into); i++)
        fprintf(out, ", check + %u", i);
    fprintf(out, "}");
}

static void write_goodness(FILE *out, const struct random_graph *random, uint32_t c)
{
    fprintf(out, "it.fuel != 0 && it.check == check_of(it.number, %u, f.level)", c);
    for (uint32_t i = ELEMENT_WORDS; i < n_words(random, c); i++)
        fprintf(out, " && it.more%u == it.check + %u", i, i);
}

/* How many elements of each edge: n0, n1 ...; their number and the fuel of each. */
static void write_shares(FILE *out, const struct random_graph *random, uint32_t c)
{
    const struct gravel_channel *channel = &random->channels[c];
    fprintf(out, "    uint rest = good ? it.fuel - 1 : 0, left = rest, all = 0;\n");
    for (uint32_t e = 0; e < channel->n_into; e++) {
        uint32_t into = find_channel(random, channel->into[e].into);
        bool deepens = kind_of(random, into) == GRAVEL_SPAWN && is_stack(random, c);
        fprintf(out, "    uint lives%u = f.level + %u < %u;\n", e, deepens, random->graph.depth);
        fprintf(out, "    uint n%u = lives%u ? some_of(it.number, %u, %u, left) : 0;\n", e, e, e,
                channel->into[e].at_most);
        fprintf(out, "    left -= n%u; all += n%u;\n", e, e);
    }
    for (uint32_t e = 0; e < channel->n_into; e++)
        fprintf(out, "    n%u += rest && !all && lives%u; all += rest && !all && lives%u;\n", e, e,
                e);
    fprintf(out, "    uint each = all ? rest / all : 0, more = rest - each * all;\n"
                 "    if (rest && !all)\n"
                 "        atomic_add(&counts[2], rest);\n"
                 "    uint number = all ? atomic_add(&counts[0], all) : 0;\n"
                 "    gravel_slot to = it.to;\n"
                 "    gravel_barrier_wg(f.group);\n");
}

/* @param slot  whether what is spawned later returns to the first of these. */
static void write_edge(FILE *out, const struct random_graph *random, uint64_t seed, uint32_t c,
                       uint32_t e)
{
    uint32_t into = find_channel(random, random->channels[c].into[e].into);
    uint32_t kind = kind_of(random, into);
    bool deepens = kind == GRAVEL_SPAWN && is_stack(random, c);
    bool by_item = (seed + c + e) % 4 == 0;
    if (by_item)
        fprintf(out,
                "    gravel_ce ce%u = 0;\n    if (n%u)\n"
                "        ce%u = gravel_talloc_wi(f, GRAVEL_CHANNEL(c%u), n%u);\n",
                e, e, e, into, e);
    else
        fprintf(out, "    gravel_ce ce%u = gravel_talloc_wg(f, GRAVEL_CHANNEL(c%u), n%u);\n", e,
                into, e);
    fprintf(out,
            "    for (uint i = 0; i < n%u; i++, number++) {\n"
            "        uint fuel = each + more, check = check_of(number, %u, %s);\n",
            e, into,
            into == c || is_stack(random, into) ? (deepens ? "f.level + 1" : "f.level") : "0");
    if (kind == GRAVEL_HELD)
        fprintf(out, "        gravel_hold_c%u_wi(f, ce%u + i, number %% 3, ", into, e);
    else
        fprintf(out, "        gravel_write_c%u_wi(f, GRAVEL_CHANNEL(c%u), ce%u + i, ", into, into,
                e);
    write_value(out, random, into,
                kind == GRAVEL_SPAWN   ? "to"
                : kind == GRAVEL_AFTER ? "it.to"
                                       : "0");
    fprintf(out, ");\n");
    if (kind == GRAVEL_HELD)
        fprintf(out,
                "        for (uint join = 0; join < number %% 3; join++)\n"
                "            gravel_arrive_wi(f, GRAVEL_CHANNEL(c%u), ce%u + i);\n",
                into, e);
    fprintf(out, "        more = 0;\n    }\n");
    if (kind == GRAVEL_AFTER)
        fprintf(out, "    to = n%u ? GRAVEL_SLOT(f, ce%u, c%u, got) : to;\n", e, e, into);
    if (by_item)
        fprintf(out,
                "    if (n%u)\n        gravel_enq_wi(f, GRAVEL_CHANNEL(c%u));\n"
                "    gravel_barrier_wg(f.group);\n",
                e, into);
    else
        fprintf(out, "    gravel_enq_wg(f, GRAVEL_CHANNEL(c%u));\n", into);
}

/* Continuations first: what is spawned returns to them. */
static void write_task(FILE *out, const struct random_graph *random, uint64_t seed, uint32_t c)
{
    const struct gravel_channel *channel = &random->channels[c];
    fprintf(out,
            "void c%u_task(struct gravel_flow_group f, uint active, struct c%u it, BOOKS)\n{\n", c,
            c);
    fprintf(out, "    uint good = booked(active, it.number, ");
    write_goodness(out, random, c);
    fprintf(out, ", counts, marks, n_marks);\n");
    write_shares(out, random, c);
    for (int after = 1; after >= 0; after--)
        for (uint32_t e = 0; e < channel->n_into; e++)
            if ((kind_of(random, find_channel(random, channel->into[e].into)) == GRAVEL_AFTER) ==
                after)
                write_edge(out, random, seed, c, e);
    if (is_stack(random, c))
        fprintf(out,
                "    if (good)\n        atomic_inc(&counts[3]);\n"
                "    gravel_barrier_wg(f.group);\n"
                "    gravel_return_add_uint_wg_if(f, good, it.to, %s);\n",
                kind_of(random, c) == GRAVEL_AFTER ? "it.got + 1" : "1");
    if (kind_of(random, c) == GRAVEL_HELD)
        fprintf(out,
                "    gravel_tfree_wg_if(f, active, GRAVEL_CHANNEL(c%u), gravel_deq_wi(f, "
                "GRAVEL_CHANNEL(c%u)));\n",
                c, c);
    fprintf(out, "}\n");
}

char *flow_program_write(const struct random_graph *random, uint64_t seed)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    fprintf(out, "%s", flow_books_cl);
    for (uint32_t c = 0; c < random->graph.n_channels; c++)
        write_record(out, random, c);
    for (uint32_t c = 0; c < random->graph.n_channels; c++)
        if (kind_of(random, c) != GRAVEL_OUTPUT)
            write_task(out, random, seed, c);
    fprintf(out, "kernel void ledger(GRAVEL_ARENA, GRAVEL_FLOW, BOOKS)\n{\n"
                 "    GRAVEL_FLOW_OPEN(f);\n    GRAVEL_ROUNDS(f) {\n");
    for (uint32_t c = 0; c < random->graph.n_channels; c++)
        if (kind_of(random, c) != GRAVEL_OUTPUT)
            fprintf(out,
                    "        GRAVEL_NODE(f, c%u) c%u_task(f, f.active, gravel_read_c%u_wi(f), "
                    "counts, marks, n_marks);\n",
                    c, c, c);
    fprintf(out, "    }\n}\n");
    fclose(out);
    return text;
}
