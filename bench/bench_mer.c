/* SPDX-License-Identifier: MIT */
/*
 * bench-mer: k-mers counted in plain C, as a peer of apps/mer: its files, k-mers and tables, its report.
 *
 *     bench-mer -f NC_008253.fna.gz -n 5 -v
 *
 *     parts    by OpenMP on all cores (OMP_NUM_THREADS)
 *     serial   on one
 *
 * The check is apps/mer's.
 *
 * Path:    main -> apps/mer/pack.c -> mer_parts.c -> apps/mer/reference.c -> report.
 * Memory:  the text is the whole file's, packed.
 * Threads: the main thread; in a trial OpenMP's.
 * Source:  see mer_parts.h.
 */
#include "mer_parts.h"
#include "peer.h"
#include "frame/die.h"
#include "mer/reference.h"
#include "mer/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mer {
    struct options options;
    const char *path;
    uint64_t k, least_quality;
    enum peer_variant variant;
    struct pack text;
    double read_s; /* reading and packing took [s] */
    struct parts parts;
};

/* ---- options --------------------------------------------------------------------------------- */

#define PARALLEL "parts" /* the variant by OpenMP */

static error_t take_variant(struct argp_state *state, const struct app_option *option,
                            const char *value, void *field)
{
    return peer_take_variant(state, option, value, PARALLEL, field);
}

static const struct app_option own_options[] = {
    {"file", 'f', "FILE", "Read FASTA or FASTQ, plain or gzip", OPTION_WORD(struct mer, path)},
    {"length", 'k', "K", "Bases of a k-mer, up to 63 (31)", OPTION_NUMBER(struct mer, k, 1, MAX_K)},
    {"quality", 0, "Q", "FASTQ: a base of less quality is none (0)",
     OPTION_NUMBER(struct mer, least_quality, 0, 93)},
    {"variant", 0, "NAME",
     "parts, on all cores, if the compiler has OpenMP; serial, on one (parts)", take_variant,
     OPTION_AT(struct mer, variant, enum peer_variant), 0, 0},
    {0}};

static const struct option_group groups[] = {{"K-mers:", 1, own_options, 0},
                                             OPTIONS_RUN_GROUP(offsetof(struct mer, options))};

/* ---- set-up ---------------------------------------------------------------------------------- */

static void set_up(struct mer *self)
{
    char reason[SEQUENCE_REASON_BYTES];
    const struct pack_share all = {
        .n_processes = 1, .k = (unsigned)self->k, .least_quality = (unsigned)self->least_quality};
    if (!self->path)
        die("no sequences: give -f FILE");
    double begin_s = trials_clock();
    if (!pack_file(&self->text, self->path, &all, reason))
        die("%s", reason);
    self->read_s = trials_clock() - begin_s;
    parts_open(&self->parts, &self->text, (unsigned)self->k, peer_threads(self->variant));
}

/* ---- trials ---------------------------------------------------------------------------------- */

static int reset(void *app, unsigned trial)
{
    struct mer *self = app;
    (void)trial;
    parts_reset(&self->parts);
    return 0;
}

static int count(void *app, unsigned trial)
{
    struct mer *self = app;
    (void)trial;
    parts_count(&self->parts);
    return 0;
}

/* ---- main ------------------------------------------------------------------------------------ */

static void describe(const struct mer *self, struct trials *trials)
{
    const uint64_t n_distinct = parts_n_distinct(&self->parts);
    trials_add_number(trials, "k", self->k);
    trials_add_number(trials, "records", self->text.n_records);
    trials_add_number(trials, "bases", self->text.n_bases);
    trials_add_number(trials, "kmers", self->text.n_kmers);
    trials_add_number(trials, "least_quality", self->least_quality);
    trials_add_real(trials, "read_seconds", self->read_s);
    trials_add_number(trials, "distinct", n_distinct);
    trials_add_number(trials, "threads", self->parts.n_threads);
    trials_add_number(trials, "parts", self->parts.n_parts);
    trials_add_number(trials, "batch_places", self->parts.batch_places);
    trials_say(
        trials,
        "  %llu records, %llu bases, read in %.6f s; %llu k-mers, %llu distinct; %u threads, "
        "%u parts\n",
        (unsigned long long)self->text.n_records, (unsigned long long)self->text.n_bases,
        self->read_s, (unsigned long long)self->text.n_kmers, (unsigned long long)n_distinct,
        self->parts.n_threads, self->parts.n_parts);
}

/* @return  k-mers that are wrong [count]. */
static uint64_t check(const struct mer *self, struct trials *trials)
{
    const struct reference asked = {.paths = &self->path,
                                    .n_paths = 1,
                                    .k = (unsigned)self->k,
                                    .least_quality = (unsigned)self->least_quality,
                                    .tables = self->parts.tables,
                                    .n_tables = self->parts.n_parts,
                                    .n_own = self->parts.n_parts};
    double serial_s;
    uint64_t n_wrong = reference_check(&asked, &serial_s);
    trials_add_real(trials, "serial_seconds", serial_s);
    trials_say(trials, "  serial, by sorting, with reading: %.6f s\n", serial_s);
    return n_wrong;
}

static uint64_t run(struct mer *self)
{
    const char *slash = strrchr(self->path, '/');
    struct trials trials = {.name = "bench-mer",
                            .unit = "k-mers/s",
                            .n_nodes = 1,
                            .n_trials = self->options.n_trials,
                            .json = self->options.json,
                            .work = (double)self->text.n_kmers};
    snprintf(trials.variant, sizeof trials.variant, "%s k%u", peer_name(self->variant, PARALLEL),
             (unsigned)self->k);
    snprintf(trials.input, sizeof trials.input, "%s", slash ? slash + 1 : self->path);
    count(self, 0); /* as mer does, once before the trials: tables grow in it */
    peer_run(&trials, reset, count, self);
    describe(self, &trials);
    return peer_report(&trials, self->options.verify,
                       self->options.verify ? check(self, &trials) : 0);
}

int main(int argc, char **argv)
{
    struct mer self = {.options = OPTIONS_DEFAULT, .k = 31, .variant = peer_default()};
    options_parse(groups, sizeof groups / sizeof *groups,
                  "Count the k-mers of sequences in plain C, on all cores, or on one.", &self, argc,
                  argv);
    set_up(&self);
    uint64_t n_wrong = run(&self);
    parts_close(&self.parts);
    pack_free(&self.text);
    return n_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
