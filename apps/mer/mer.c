/* SPDX-License-Identifier: MIT */
/*
 * Count the k-mers of sequences, and the bases beside them, in a hash table that is spread over all
 * nodes.
 *
 * It is the first step of the assembler Meraculous. Every k-mer is an active message to the node
 * that its hash names, where a handler counts it, on the host or on the device.
 *
 * Path: main -> pack.c (this process's text) -> on_host.c or on_device.c (the table's place, which counts) -> table.c ->
 *       reference.c -> report, OUTPUT.NUMBER
 * Owner: open_all makes what close_all frees.
 * Threads: main's.
 * Source: Chapman et al., Meraculous: de novo genome assembly with short paired-end reads, 2011;
 * Orr 2016, section 5.4.
 */
#include "mer.h"
#include "pack.h"
#include "sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- open and close -------------------------------------------------------------------------- */

static void read_input(struct mer *mer, struct pack *pack)
{
    struct pack_share share = {.number = mer->node.number,
                               .n_processes = mer->node.n_processes,
                               .k = (unsigned)mer->k,
                               .least_quality = (unsigned)mer->least_quality};
    double begin_s = trials_clock();
    for (unsigned i = 0; i < mer->paths.n; i++) {
        mer->prints[i] = pack_file(pack, mer->paths.each[i], &share);
        node_agree(&mer->node, mer->paths.each[i], mer->prints[i]);
    }
    mer->read_s = trials_clock() - begin_s;
    mer->n_places = pack->n_places;
    mer->n_records = pack->n_records;
    mer->n_bases = pack->n_bases;
    mer->n_kmers = node_sum(&mer->node, pack->n_kmers);
}

void set_text(const struct mer *mer, cl_kernel kernel, cl_uint first)
{
    NODE_SET(kernel, first, ARRAY(mer->bases), ARRAY(mer->starts), ARRAY(mer->valid));
}

const char *compiler_options(const struct mer *mer, const char *more,
                             char options[MER_OPTIONS_BYTES])
{
    snprintf(options, MER_OPTIONS_BYTES, "-DK=%u -DN_WORDS=%u%s", (unsigned)mer->k,
             words_of((unsigned)mer->k), more);
    return options;
}

static void check_options(const struct mer *mer)
{
    if (mer->paths.n == 0)
        die("no sequences: give -f FILE");
    if (mer->place == &on_device && mer->node.model != model_gravel)
        die("--table device: its messages are Gravel's, not those of --model %s",
            mer->node.model->name);
    if (mer->place == &on_host && mer->n_expected)
        die("--distinct: of --table device");
}

/* Whether the device has memory of its own, and is no CPU made to copy as if it had. */
static bool is_discrete(const struct node *node)
{
    const char *step = gravel_step(node->gravel);
    cl_device_type type = 0;
    TRY_CL(
        clGetDeviceInfo(gravel_cl_device(node->gravel), CL_DEVICE_TYPE, sizeof type, &type, NULL));
    return (!strcmp(step, "pump") || !strcmp(step, "drain")) && !(type & CL_DEVICE_TYPE_CPU);
}

/* On the device where that is at every node a GPU with memory of its own: there it outruns the network thread. */
static const struct place *choose_place(struct mer *mer)
{
    const bool is_possible = mer->node.model == model_gravel && is_discrete(&mer->node);
    if (mer->place)
        return mer->place;
    return node_least(&mer->node, is_possible) ? &on_device : &on_host;
}

static void open_all(void *self)
{
    struct mer *mer = self;
    struct pack pack = {0};
    check_options(mer);
    on_host.open(mer);
    if (mer->output)
        output_open(mer);
    read_input(mer, &pack);
    mer->place = choose_place(mer);
    if (mer->place != &on_host)
        mer->place->open(mer);
    size_t bits_bytes = pack_bit_words(&pack) * sizeof(cl_ulong);
    mer->bases = node_array(&mer->node, pack_base_words(&pack) * sizeof(cl_ulong), pack.bases);
    mer->starts = node_array(&mer->node, bits_bytes, pack.starts);
    mer->valid = node_array(&mer->node, bits_bytes, pack.valid);
    pack_free(&pack);
    mer->tables = app_array(mer->node.n_nodes, sizeof *mer->tables, "the tables");
    mer->place->build(mer);
}

static void free_tables(struct mer *mer)
{
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        table_free(&mer->tables[i]);
}

static void close_all(void *self)
{
    struct mer *mer = self;
    free_tables(mer);
    free(mer->tables);
}

/* ---- counting -------------------------------------------------------------------------------- */

static void reset(void *self)
{
    struct mer *mer = self;
    free_tables(mer);
    if (mer->place->reset)
        mer->place->reset(mer);
    TRY(gravel_barrier(mer->node.gravel));
}

static void count(void *self)
{
    struct mer *mer = self;
    mer->place->count(mer);
}

/* ---- the program ------------------------------------------------------------------------------ */

static void take_place(const struct app_option *option, const char *value, void *field)
{
    static const struct place *const places[] = {&on_host, &on_device};
    uint32_t index = 0;
    option_index(option, value, &index);
    *(const struct place **)field = places[index];
}

static const struct app_option own_options[] = {
    {"file", 'f', "FILE", "Read FASTA or FASTQ, plain or gzip; several files by several -f",
     OPTION_WORDS(struct mer, paths)},
    {"length", 'k', "K", "Bases of a k-mer, up to 63 (31)", OPTION_NUMBER(struct mer, k, 1, MAX_K)},
    {"quality", 0, "Q", "FASTQ: a base of less quality is none (0)",
     OPTION_NUMBER(struct mer, least_quality, 0, 93)},
    {"output", 'o', "FILE", "Write FILE.0, FILE.1 ...: k-mer, count, A C G T before, and after",
     OPTION_WORD(struct mer, output)},
    {"table", 0, "host|device",
     "Where k-mers are counted (device if that is a GPU with its own memory)",
     OPTION_OF(take_place, struct mer, place, const struct place *)},
    {"distinct", 0, "N",
     "Table on the device: room for N different k-mers of all nodes (as many as the input may "
     "have)",
     OPTION_NUMBER(struct mer, n_expected, 1, UINT64_C(1) << 40)},
    {0}};

static void name_input(const struct mer *mer, struct trials *trials)
{
    const char *first = mer->paths.each[0], *slash = strrchr(first, '/');
    const int n =
        snprintf(trials->input, sizeof trials->input, "%.200s", slash ? slash + 1 : first);
    if (mer->paths.n > 1)
        snprintf(trials->input + n, sizeof trials->input - (size_t)n, " and %u more",
                 mer->paths.n - 1);
}

static void describe(void *self, struct trials *trials)
{
    const struct mer *mer = self;
    snprintf(trials->variant, sizeof trials->variant, "k%u", (unsigned)mer->k);
    name_input(mer, trials);
    trials->work = (double)mer->n_kmers;
    trials_add_number(trials, "k", mer->k);
    trials_add_number(trials, "records", mer->n_records);
    trials_add_number(trials, "bases", mer->n_bases);
    trials_add_number(trials, "kmers", mer->n_kmers);
    trials_add_number(trials, "least_quality", mer->least_quality);
    trials_add_real(trials, "read_seconds", mer->read_s);
    trials_add_word(trials, "table", mer->place->name);
    if (mer->place->describe)
        mer->place->describe(mer, trials);
}

static void result(void *self, struct trials *trials)
{
    struct mer *mer = self;
    uint64_t n = 0;
    if (mer->place->fetch)
        mer->place->fetch(mer);
    for (uint32_t i = 0; i < mer->node.n_nodes; i++)
        n += table_n_used(&mer->tables[i]);
    mer->n_distinct = node_sum(&mer->node, n);
    if (mer->output)
        output_write(mer);
    trials_add_number(trials, "distinct", mer->n_distinct);
    trials_say(trials, "  %llu records, %llu bases, read in %.6f s; %llu k-mers, %llu distinct\n",
               (unsigned long long)mer->n_records, (unsigned long long)mer->n_bases, mer->read_s,
               (unsigned long long)mer->n_kmers, (unsigned long long)mer->n_distinct);
}

static const struct app app = {.name = "mer",
                               .unit = "k-mers/s",
                               .doc = "Count the k-mers of sequences in a table that is spread "
                                      "over all nodes, and say how many a second were counted.",
                               .groups = {{"K-mers:", 1, own_options, 0}},
                               .has_models = true,
                               APP_FIELDS(struct mer),
                               .open = open_all,
                               .reset = reset,
                               .run = count,
                               .describe = describe,
                               .result = result,
                               .check = reference_check,
                               .close = close_all};

int main(int argc, char **argv)
{
    struct mer mer = {.k = 31};
    return app_main(&app, &mer, argc, argv);
}
