/* SPDX-License-Identifier: MIT */
/*
 * Reads a FASTA or FASTQ file, and packs its sequences.
 *
 * What is wrong ends the process, with its line. That is also text between records, a FASTQ record without its quality, a base
 * that is no letter.
 *
 * Path:   frame/text.h -> this -> mer.c, chapter5/mer.c -> kmers.cl.h
 * Source: Cock et al., The Sanger FASTQ file format, 2010 (quality is a character less 33).
 */
#include "kmers.h"
#include "frame/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_QUALITY '!'
#define LAST_QUALITY '~'

/* Returns a character as a reason shows it: some are invisible. */
static const char *show(int c)
{
    static char shown[16];
    snprintf(shown, sizeof shown, isgraph(c) && c < 127 ? "'%c'" : "byte 0x%02x", c);
    return shown;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Appends a place to the text. @param base  its number and 1; 0 if it has none */
static void put_base(struct kmers *kmers, unsigned base)
{
    const uint64_t i = kmers->n_places++;
    if (i % 64 == 0) {
        kmers->text =
            app_room(kmers->text, i / 64, &kmers->room, sizeof *kmers->text, "blocks of the text");
        kmers->text[i / 64] = (struct text_block){0};
    }
    if (base == 0)
        return;
    kmers->text[i / 64].valid |= UINT64_C(1) << i % 64;
    kmers->text[i / 64].bases[i / 32 % 2] |= (uint64_t)(base - 1) << (62 - i % 32 * 2);
}

/* Takes a record's mark, behind empty lines, and the rest of its first line. Returns the mark; TEXT_END at the end. */
static int take_header(struct text *text, int mark)
{
    int c = text_take(text);
    while (c == '\n')
        c = text_take(text);
    if (c == TEXT_END && !mark)
        text_fail(text, "holds no sequence");
    if (c == TEXT_END)
        return c;
    if (!mark && c != '>' && c != '@')
        text_fail(text, "begins with %s: neither FASTA ('>') nor FASTQ ('@')", show(c));
    if (mark && c != mark)
        text_fail(text, "%s, where '%c' begins a record", show(c), mark);
    text_skip_line(text);
    return c;
}

/* Takes bases up to a line that begins with a mark. Returns the mark, or TEXT_END. */
static int take_bases(struct kmers *kmers, struct text *text)
{
    static const unsigned char bases[256] = {
        ['A'] = 1, ['a'] = 1, ['C'] = 2, ['c'] = 2, ['G'] = 3, ['g'] = 3, ['T'] = 4, ['t'] = 4};
    bool begins_line = true;
    for (int c; (c = text_byte(text)) != TEXT_END; begins_line = c == '\n', text_take(text)) {
        if (begins_line && (c == '>' || c == '@' || c == '+'))
            return c;
        if (c == '\n')
            continue;
        if (!isalpha(c) && c != '-' && c != '.' && c != '*')
            text_fail(text, "%s is no base", show(c));
        put_base(kmers, bases[c]);
    }
    return TEXT_END;
}

/* Takes the quality of the bases from place `first` on, as many characters, on one line or several. */
static void take_quality(struct kmers *kmers, struct text *text, uint64_t first)
{
    const uint64_t n_bases = kmers->n_places - first;
    uint64_t n = 0;
    text_skip_line(text);
    for (int c; (c = text_byte(text)) != TEXT_END && (c != '\n' || n < n_bases); text_take(text)) {
        if (c == '\n')
            continue;
        if (c < FIRST_QUALITY || c > LAST_QUALITY)
            text_fail(text, "byte 0x%02x is no quality", (unsigned)c);
        if (n < n_bases && (uint64_t)(c - FIRST_QUALITY) < kmers->least_quality)
            kmers->text[(first + n) / 64].valid &= ~(UINT64_C(1) << (first + n) % 64);
        n++;
    }
    if (n == 0 && n_bases)
        text_fail(text, "the file ends before the quality of its last record");
    if (n != n_bases)
        text_fail(text, "%" PRIu64 " bases, and a quality of %" PRIu64, n_bases, n);
    text_take(text);
}

static void read_file(struct kmers *kmers)
{
    struct text *text = text_open(kmers->path);
    for (int mark = 0; (mark = take_header(text, mark)) != TEXT_END; kmers->n_records++) {
        const uint64_t first = kmers->n_places;
        const bool has_quality = take_bases(kmers, text) == '+';
        if (mark == '>' && has_quality)
            text_fail(text, "a quality, in a FASTA file");
        if (mark == '@' && !has_quality)
            text_fail(text, "a record without a quality, in a FASTQ file");
        if (has_quality)
            take_quality(kmers, text, first);
        kmers->n_bases += kmers->n_places - first;
        put_base(kmers, 0);
    }
    kmers->print = text->print;
    text_close(text);
}

/* ---- the text ---------------------------------------------------------------------------------- */

const struct app_option kmers_options[] = {
    {"file", 'f', "FILE", "Read FASTA or FASTQ", OPTION_WORD(struct kmers, path)},
    {"length", 'k', "K", "Bases of a k-mer, up to 63 (31)",
     OPTION_NUMBER(struct kmers, k, 1, MAX_K)},
    {"quality", 0, "Q", "FASTQ: a base of less quality is none (0)",
     OPTION_NUMBER(struct kmers, least_quality, 0, 93)},
    {0}};

void kmers_read(struct kmers *kmers)
{
    const double begin_s = trials_clock();
    if (!kmers->path)
        die("no sequences: give -f FILE");
    put_base(kmers, 0);
    read_file(kmers);
    for (uint64_t i = 0, n_known = 0; i < kmers->n_places; i++) {
        n_known = kmers->text[i / 64].valid >> i % 64 & 1 ? n_known + 1 : 0;
        kmers->n_kmers += n_known >= kmers->k;
    }
    if (kmers->n_kmers > UINT32_MAX)
        die("%" PRIu64 " k-mers: at most 4294967295 are counted", kmers->n_kmers);
    for (int i = 0; i < TEXT_PAD; i++)
        put_base(kmers, 0);
    kmers->n_places -= TEXT_PAD;
    kmers->read_s = trials_clock() - begin_s;
}

void kmers_agree(struct kmers *kmers, struct node *node)
{
    node_agree(node, kmers->path, kmers->print);
    kmers->first = node->number;
    kmers->n_own = node->n_local;
    kmers->n_owners = node->n_nodes;
}

void kmers_add(struct kmers *kmers, const struct kmer_count *count)
{
    kmers->counts = app_room(kmers->counts, kmers->n_counts, &kmers->counts_room, sizeof *count,
                             "different k-mers");
    kmers->counts[kmers->n_counts++] = *count;
}

void kmers_free(struct kmers *kmers)
{
    free(kmers->text);
    free(kmers->counts);
}

void kmers_describe(void *self, struct trials *trials)
{
    const struct kmers *kmers = self;
    const char *slash = strrchr(kmers->path, '/');
    snprintf(trials->input, sizeof trials->input, "%s", slash ? slash + 1 : kmers->path);
    snprintf(trials->variant, sizeof trials->variant, "k%u", (unsigned)kmers->k);
    trials->work = (double)kmers->n_kmers;
    trials_add_number(trials, "k", kmers->k);
    trials_add_number(trials, "records", kmers->n_records);
    trials_add_number(trials, "bases", kmers->n_bases);
    trials_add_number(trials, "kmers", kmers->n_kmers);
    trials_add_number(trials, "least_quality", kmers->least_quality);
    trials_add_real(trials, "read_seconds", kmers->read_s);
}

void kmers_result(const struct kmers *kmers, struct node *node, struct trials *trials)
{
    const uint64_t n_distinct = node_sum(node, kmers->n_counts);
    trials_add_number(trials, "distinct", n_distinct);
    trials_say(trials,
               "  %" PRIu64 " records, %" PRIu64 " bases, read in %.6f s; %" PRIu64
               " k-mers, %" PRIu64 " distinct\n",
               kmers->n_records, kmers->n_bases, kmers->read_s, kmers->n_kmers, n_distinct);
}
