/* SPDX-License-Identifier: MIT */
/*
 * Count the k-mers of sequences, and the bases beside them, in a hash table that is spread over all
 * nodes.
 *
 * It is the first step of the assembler Meraculous. Every k-mer is an active message to the node
 * that its hash names, where a handler counts it, on the host or on the device.
 *
 * Path: main -> count.c -> reference.c -> report
 * Source: Chapman et al., Meraculous: de novo genome assembly with short paired-end reads, 2011;
 * Orr 2016, section 5.4.
 */
#include "mer.h"
#include "reference.h"

#include <stdio.h>
#include <string.h>

static error_t take_place(struct argp_state *state, const struct app_option *option,
                          const char *value, void *field)
{
    static const struct place *const places[] = {&on_host, &on_device};
    const struct place **chosen = field;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *chosen = places[i];
        if (!strcmp(places[i]->name, value))
            return 0;
    }
    return option_refuse(state, option, "'%s' is neither host nor device", value);
}

static const struct app_option own_options[] = {
    {"file", 'f', "FILE", "Read FASTA or FASTQ, plain or gzip; several files by several -f",
     OPTION_WORDS(struct mer, paths)},
    {"length", 'k', "K", "Bases of a k-mer, up to 63 (31)", OPTION_NUMBER(struct mer, k, 1, MAX_K)},
    {"quality", 0, "Q", "FASTQ: a base of less quality is none (0)",
     OPTION_NUMBER(struct mer, least_quality, 0, 93)},
    {"output", 'o', "FILE", "Write FILE.0, FILE.1 ...: k-mer, count, A C G T before, and after",
     OPTION_WORD(struct mer, output)},
    {"table", 0, "PLACE",
     "Where k-mers are counted: host, or device (device if that is a GPU with its own memory)",
     take_place, OPTION_AT(struct mer, place, const struct place *), 0, 0},
    {"distinct", 0, "N",
     "Table on the device: room for N different k-mers of all nodes (as many as the input may "
     "have)",
     OPTION_NUMBER(struct mer, n_expected, 1, UINT64_C(1) << 40)},
    {"per-item", 0, "N",
     "Table on the host: places of a work-item (1; on step pump up to 1024, so that a launch is a "
     "few slices)",
     OPTION_NUMBER(struct mer, per_item, 1, 1 << 20)},
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
    mer->place->describe(mer, trials);
}

static void result(void *self, struct trials *trials)
{
    struct mer *mer = self;
    mer_sum(mer);
    if (mer->output)
        mer_write(mer);
    trials_add_number(trials, "distinct", mer->n_distinct);
    trials_say(trials, "  %llu records, %llu bases, read in %.6f s; %llu k-mers, %llu distinct\n",
               (unsigned long long)mer->n_records, (unsigned long long)mer->n_bases, mer->read_s,
               (unsigned long long)mer->n_kmers, (unsigned long long)mer->n_distinct);
}

static uint64_t check(void *self, struct trials *trials)
{
    const struct mer *mer = self;
    const bool has_all = mer->node.n_processes == 1;
    const struct reference asked = {.paths = mer->paths.each,
                                    .prints = mer->prints,
                                    .n_paths = mer->paths.n,
                                    .k = (unsigned)mer->k,
                                    .least_quality = (unsigned)mer->least_quality,
                                    .tables = mer->tables,
                                    .n_tables = mer->node.n_nodes,
                                    .first = has_all ? 0 : mer->node.number,
                                    .n_own = has_all ? mer->node.n_nodes : 1};
    double serial_s;
    uint64_t n_wrong = reference_check(&asked, &serial_s);
    trials_add_real(trials, "serial_seconds", serial_s);
    trials_say(trials, "  serial, of node 0's k-mers, with reading: %.6f s\n", serial_s);
    return n_wrong;
}

static const struct app app = {.name = "mer",
                               .unit = "k-mers/s",
                               .doc = "Count the k-mers of sequences in a table that is spread "
                                      "over all nodes, and say how many a second were counted.",
                               .groups = {{"K-mers:", 1, own_options, 0}},
                               .has_models = true,
                               APP_FIELDS(struct mer),
                               .open = mer_open,
                               .reset = mer_reset,
                               .run = mer_count,
                               .describe = describe,
                               .result = result,
                               .check = check,
                               .close = mer_close};

int main(int argc, char **argv)
{
    struct mer mer = {.k = 31};
    return app_main(&app, &mer, argc, argv);
}
