/* SPDX-License-Identifier: MIT */
/*
 * This process's part: its text, and the table's place, which does the rest.
 *
 * Path: mer.c -> pack.c -> this -> on_host.c or on_device.c
 * Owner: see mer.h.
 * Threads: main's.
 */
#include "mer.h"
#include "frame/agree.h"
#include "pack.h"
#include "sequence.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- open and close -------------------------------------------------------------------------- */

static void read_input(struct mer *mer, struct pack *pack)
{
    char reason[SEQUENCE_REASON_BYTES];
    struct pack_share share = {.number = mer->node.number,
                               .n_processes = mer->node.n_processes,
                               .k = (unsigned)mer->k,
                               .least_quality = (unsigned)mer->least_quality};
    double begin_s = trials_clock();
    for (unsigned i = 0; i < mer->paths.n; i++) {
        if (!pack_file(pack, mer->paths.each[i], &share, reason))
            die("%s", reason);
        mer->prints[i] = pack->print;
    }
    for (unsigned i = 0; i < mer->paths.n; i++)
        agree_on_input(&mer->node, (struct node_input){mer->paths.each[i], mer->prints[i]});
    mer->read_s = trials_clock() - begin_s;
    mer->n_places = pack->n_places;
    mer->n_records = pack->n_records;
    mer->n_bases = pack->n_bases;
    mer->n_kmers = node_sum(&mer->node, pack->n_kmers);
}

static void upload(struct mer *mer, const struct pack *pack)
{
    struct node *node = &mer->node;
    size_t bits_bytes = pack_bit_words(pack) * sizeof(cl_ulong);
    mer->bases = node_array(node, pack_base_words(pack) * sizeof(cl_ulong), pack->bases);
    mer->starts = node_array(node, bits_bytes, pack->starts);
    mer->valid = node_array(node, bits_bytes, pack->valid);
}

void mer_set_text(const struct mer *mer, cl_kernel kernel, cl_uint first)
{
    NODE_SET(kernel, first, cl_mem, mer->bases);
    NODE_SET(kernel, first + 1, cl_mem, mer->starts);
    NODE_SET(kernel, first + 2, cl_mem, mer->valid);
}

const char *mer_options(const struct mer *mer, const char *more, char options[MER_OPTIONS_BYTES])
{
    snprintf(options, MER_OPTIONS_BYTES, "-DK=%u -DN_WORDS=%u%s", (unsigned)mer->k,
             words_of((unsigned)mer->k), more);
    return options;
}

static void check_options(const struct mer *mer)
{
    if (mer->paths.n == 0)
        die("no sequences: give -f FILE");
    if (mer->place == &on_device && mer->per_item)
        die("--per-item: of --table host");
    if (mer->place == &on_device && mer->node.model != model_gravel)
        die("--table device: its messages are Gravel's, not those of --model %s",
            mer->node.model->name);
    if (mer->place == &on_host && mer->n_expected)
        die("--distinct: of --table device");
}

/* On the device where that is at every node a GPU with memory of its own: there it outruns the network thread. */
static const struct place *choose_place(struct mer *mer)
{
    bool is_possible = mer->node.model == model_gravel && mer->per_item == 0;
    if (mer->place)
        return mer->place;
    return node_least(&mer->node, is_possible && node_is_discrete(&mer->node)) ? &on_device
                                                                               : &on_host;
}

void mer_open(void *self)
{
    struct mer *mer = self;
    struct pack pack = {0};
    check_options(mer);
    on_host.open(mer);
    read_input(mer, &pack);
    mer->place = choose_place(mer);
    if (mer->place != &on_host)
        mer->place->open(mer);
    upload(mer, &pack);
    pack_free(&pack);
    mer->tables = app_array(mer->node.n_nodes, sizeof *mer->tables, "the tables");
    mer->place->build(mer);
}

static void free_tables(struct mer *mer)
{
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        table_free(&mer->tables[i]);
}

void mer_close(void *self)
{
    struct mer *mer = self;
    node_close(&mer->node);
    free_tables(mer);
    free(mer->tables);
}

/* ---- counting -------------------------------------------------------------------------------- */

void mer_reset(void *self)
{
    struct mer *mer = self;
    free_tables(mer);
    if (mer->place->reset)
        mer->place->reset(mer);
    node_barrier(&mer->node);
}

void mer_count(void *self)
{
    struct mer *mer = self;
    mer->place->count(mer);
}

void mer_sum(struct mer *mer)
{
    uint64_t n = 0;
    if (mer->place->fetch)
        mer->place->fetch(mer);
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        n += table_n_used(&mer->tables[i]);
    mer->n_distinct = node_sum(&mer->node, n);
}
