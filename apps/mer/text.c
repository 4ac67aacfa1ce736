/* SPDX-License-Identifier: MIT */
/*
 * Reads a FASTA file, and packs its sequences.
 *
 * What is wrong ends the process, with its line: what is before the first record, or a base that is no letter.
 *
 * Path:   frame/text.h -> this -> mer.c, chapter5/mer.c -> kmers.cl.h
 */
#include "kmers.h"
#include "frame/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    kmers->n_known = base ? kmers->n_known + 1 : 0;
    if (base == 0)
        return;
    kmers->n_kmers += kmers->n_known >= kmers->k;
    kmers->text[i / 64].valid |= UINT64_C(1) << i % 64;
    kmers->text[i / 64].bases[i / 32 % 2] |= (uint64_t)(base - 1) << (62 - i % 32 * 2);
}

/* Reads records: a line that begins with '>', and lines of bases, of which letters other than A, C, G, T are none. */
static void read_file(struct kmers *kmers)
{
    static const unsigned char bases[256] = {
        ['A'] = 1, ['a'] = 1, ['C'] = 2, ['c'] = 2, ['G'] = 3, ['g'] = 3, ['T'] = 4, ['t'] = 4};
    struct text *text = text_open(kmers->path);
    while (text_next(text)) {
        const bool is_head = *text->line == '>';
        if (is_head && memchr(text->line, '\r', text->n_bytes))
            text_fail(text, "lines end in CR, and not in LF or CR LF");
        if (is_head) {
            kmers->n_records++;
            put_base(kmers, 0);
        } else if (text->n_bytes && !kmers->n_records) {
            text_fail(text, "begins with %s, and FASTA with '>'", show((unsigned char)*text->line));
        }
        for (size_t i = 0; i < text->n_bytes && !is_head; i++) {
            const int c = (unsigned char)text->line[i];
            if (!isalpha(c) && c != '-' && c != '.' && c != '*')
                text_fail(text, "%s is no base", show(c));
            kmers->n_bases++;
            put_base(kmers, bases[c]);
        }
    }
    if (!kmers->n_records)
        text_fail(text, "holds no sequence");
    kmers->print = text->print;
    text_close(text);
}

/* ---- the text ---------------------------------------------------------------------------------- */

const struct app_option kmers_options[] = {
    {"file", 'f', "FILE", "Read FASTA", OPTION_WORD(struct kmers, path)},
    {"length", 'k', "K", "Bases of a k-mer, up to 31 (31)",
     OPTION_NUMBER(struct kmers, k, 1, MAX_K)},
    {0}};

void kmers_read(struct kmers *kmers)
{
    if (!kmers->path)
        die("no sequences: give -f FILE");
    read_file(kmers);
    if (kmers->n_kmers > UINT32_MAX)
        die("%" PRIu64 " k-mers: at most 4294967295 are counted", kmers->n_kmers);
    for (int i = 0; i < TEXT_PAD; i++)
        put_base(kmers, 0);
    kmers->n_places -= TEXT_PAD;
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
    trials_add_number(trials, "records", kmers->n_records);
    trials_add_number(trials, "bases", kmers->n_bases);
    trials_add_number(trials, "kmers", kmers->n_kmers);
}

void kmers_result(const struct kmers *kmers, struct node *node, struct trials *trials)
{
    const uint64_t n_distinct = node_sum(node, kmers->n_counts);
    trials_add_number(trials, "distinct", n_distinct);
    trials_say(trials,
               "  %" PRIu64 " records, %" PRIu64 " bases, %" PRIu64 " k-mers, %" PRIu64
               " distinct\n",
               kmers->n_records, kmers->n_bases, kmers->n_kmers, n_distinct);
}
