/* SPDX-License-Identifier: MIT */
/*
 * Count the k-mers of sequences, and the bases beside them, in a hash table that is spread over all
 * nodes.
 *
 * It is the first step of the assembler Meraculous. Every k-mer is an active message to the node
 * that its hash names, where a handler counts it.
 *
 * Path: main -> count.c -> reference.c -> report
 * Source: Chapman et al., Meraculous: de novo genome assembly with short paired-end reads, 2011;
 * Orr 2016, section 5.4.
 */
#include "mer.h"
#include "node_app.h"

#include <string.h>

enum { KEY_QUALITY = 0x3000, KEY_PER_ITEM };

static const struct argp_option own_options[] = {
    {NULL, 0, NULL, 0, "K-mers:", 1},
    {"file", 'f', "FILE", 0, "Read FASTA or FASTQ, plain or gzip", 0},
    {"length", 'k', "K", 0, "Bases of a k-mer, up to 63 (31)", 0},
    {"quality", KEY_QUALITY, "Q", 0, "FASTQ: a base of less quality is none (0)", 0},
    {"output", 'o', "FILE", 0, "Write FILE.0, FILE.1 ...: k-mer, count, A C G T before, and after",
     0},
    {"per-item", KEY_PER_ITEM, "N", 0,
     "Places of a work-item (1; on step pump up to 1024, so that a launch is a few slices)", 0},
    {0}};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct mer *mer = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        node_app_inputs(state, node_app_children, &mer->options, &mer->node);
        return 0;
    case 'f':
        mer->path = value;
        return 0;
    case 'k':
        return options_number(state, "-k", value, 1, MAX_K, &mer->k);
    case KEY_QUALITY:
        return options_number(state, "--quality", value, 0, 93, &mer->least_quality);
    case 'o':
        mer->output = value;
        return 0;
    case KEY_PER_ITEM:
        return options_number(state, "--per-item", value, 1, 1 << 20, &mer->per_item);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {.options = own_options,
                                 .parser = parse,
                                 .doc = "Count the k-mers of sequences in a table that is spread "
                                        "over all nodes, and say how many a second were counted.",
                                 .children = node_app_children};

static void reset(void *app)
{
    mer_reset(app);
}

static void count(void *app)
{
    mer_count(app);
}

static json_t *parameters(const struct mer *mer)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:i}", "k", (json_int_t)mer->k, "records",
                     (json_int_t)mer->n_records, "bases", (json_int_t)mer->n_bases, "kmers",
                     (json_int_t)mer->n_kmers, "least_quality", (json_int_t)mer->least_quality,
                     "places_per_item", (json_int_t)mer->per_item, "read_seconds", mer->read_s,
                     "group_items", (int)mer->node.group_items);
}

static void result(void *app, struct trials *trials)
{
    struct mer *mer = app;
    mer_sum(mer);
    if (mer->output)
        mer_write(mer);
    app_add_number(trials->parameters, "distinct", mer->n_distinct);
    if (mer->node.number != 0 || trials->json)
        return;
    printf("  %llu records, %llu bases, read in %.6f s; %llu k-mers, %llu distinct\n",
           (unsigned long long)mer->n_records, (unsigned long long)mer->n_bases, mer->read_s,
           (unsigned long long)mer->n_kmers, (unsigned long long)mer->n_distinct);
}

static uint64_t check(void *app, struct trials *trials)
{
    struct mer *mer = app;
    double serial_s;
    uint64_t n_wrong = mer_check(mer, &serial_s);
    json_object_set_new(trials->parameters, "serial_seconds", json_real(serial_s));
    if (mer->node.number == 0 && !trials->json)
        printf("  serial, of node 0's k-mers, with reading: %.6f s\n", serial_s);
    return n_wrong;
}

static int run(struct mer *mer)
{
    static const struct node_app_steps steps = {reset, count, result, check};
    char variant[16];
    snprintf(variant, sizeof variant, "k%u", (unsigned)mer->k);
    const char *slash = strrchr(mer->path, '/');
    struct trials trials = {.name = "mer",
                            .variant = variant,
                            .input = slash ? slash + 1 : mer->path,
                            .unit = "k-mers/s",
                            .work = (double)mer->n_kmers,
                            .parameters = parameters(mer)};
    return node_app_run(&trials, &steps, &mer->node, &mer->options, mer);
}

int main(int argc, char **argv)
{
    struct mer mer = {.options = OPTIONS_DEFAULT, .node = NODE_DEFAULT, .k = 31};
    options_parse(&argp, argc, argv, &mer);
    if (!mer.path)
        die("no sequences: give -f FILE");
    mer_open(&mer);
    mer_count(&mer); /* so that the device's compiler has done its work before the clock runs */
    int status = run(&mer);
    mer_close(&mer);
    return status;
}
