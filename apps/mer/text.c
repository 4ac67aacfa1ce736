/* SPDX-License-Identifier: MIT */
/*
 * Reads FASTA and FASTQ files, plain or gzip, and packs their sequences.
 *
 * What is wrong ends the process: "PATH: record N 'name': reason". That is also text between records, a FASTQ record
 * without its quality, a base that is no letter.
 *
 * Path:   frame/infile.h -> this -> mer.c, chapter5/mer.c -> kmers.cl.h
 * Source: Cock et al., The Sanger FASTQ file format, 2010 (quality is a character less 33).
 */
#include "kmers.h"
#include "frame/infile.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_QUALITY '!'
#define LAST_QUALITY '~'

struct reader {
    struct kmers *kmers;
    const char *path;
    struct infile bytes;
    int mark;           /* that records begin with: '>' or '@'; 0 before the first */
    uint64_t n_records; /* of this file */
    char name[41];      /* of the last record, as much as a reason shows */
    size_t n_read, n_used;
    unsigned char buffer[1 << 16];
};

/* ---- characters ------------------------------------------------------------------------------ */

static _Noreturn void refuse(const struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Dies of "PATH: record N 'name': " and the text, without control characters. */
static _Noreturn void refuse(const struct reader *reader, const char *format, ...)
{
    char line[512];
    va_list arguments;
    int n = snprintf(line, sizeof line, "%s: ", infile_shown_path(reader->path));
    if (reader->n_records)
        n += snprintf(line + n, sizeof line - (size_t)n,
                      "record %" PRIu64 " '%s': ", reader->n_records, reader->name);
    va_start(arguments, format);
    vsnprintf(line + n, sizeof line - (size_t)n, format, arguments);
    va_end(arguments);
    for (char *s = line; *s; s++)
        if (iscntrl((unsigned char)*s) || (unsigned char)*s > 126)
            *s = '?';
    die("%s", line);
}

/* Returns the next character, which stays there; EOF at the end. */
static int peek(struct reader *reader)
{
    if (reader->n_used < reader->n_read)
        return reader->buffer[reader->n_used];
    reader->n_used = 0;
    reader->n_read = infile_read(&reader->bytes, reader->buffer, sizeof reader->buffer);
    if (*reader->bytes.reason)
        refuse(reader, "%s", reader->bytes.reason);
    return reader->n_read ? reader->buffer[0] : EOF;
}

static int take(struct reader *reader)
{
    const int c = peek(reader);
    reader->n_used += c != EOF;
    return c;
}

static void skip_line(struct reader *reader, int c)
{
    while (c != EOF && c != '\n')
        c = take(reader);
}

/* Writes a character as a reason shows it: some are invisible. */
static const char *show(int c, char shown[16])
{
    snprintf(shown, 16, isgraph(c) && c < 127 ? "'%c'" : "byte 0x%02x", c);
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

/* Takes a record's mark, behind empty lines, and the rest of its first line. Returns false at the end. */
static bool take_header(struct reader *reader)
{
    char shown[16];
    int c = take(reader);
    while (c == '\n')
        c = take(reader);
    if (c == EOF && !reader->n_records)
        refuse(reader, "holds no sequence");
    if (c == EOF)
        return false;
    if (!reader->mark && c != '>' && c != '@')
        refuse(reader, "begins with %s: neither FASTA ('>') nor FASTQ ('@')", show(c, shown));
    if (reader->mark && c != reader->mark)
        refuse(reader, "is followed by %s, where '%c' begins a record", show(c, shown),
               reader->mark);
    reader->mark = c;
    reader->n_records++;
    memset(reader->name, 0, sizeof reader->name);
    for (size_t n = 0; (c = take(reader)) != EOF && !isspace(c); n++)
        if (n + 1 < sizeof reader->name)
            reader->name[n] = (char)c;
    skip_line(reader, c);
    return true;
}

/* Takes bases up to a line that begins with a mark. Returns the mark, or EOF. */
static int take_bases(struct reader *reader)
{
    static const unsigned char bases[256] = {
        ['A'] = 1, ['a'] = 1, ['C'] = 2, ['c'] = 2, ['G'] = 3, ['g'] = 3, ['T'] = 4, ['t'] = 4};
    char shown[16];
    bool begins_line = true;
    for (int c; (c = peek(reader)) != EOF; begins_line = c == '\n') {
        if (begins_line && (c == '>' || c == '@' || c == '+'))
            return c;
        reader->n_used++;
        if (c == '\n')
            continue;
        if (!isalpha(c) && c != '-' && c != '.' && c != '*')
            refuse(reader, "%s is no base", show(c, shown));
        put_base(reader->kmers, bases[c]);
    }
    return EOF;
}

/* Takes the quality of the bases from place `first` on, as many characters, on one line or several. */
static void take_quality(struct reader *reader, uint64_t first)
{
    struct kmers *kmers = reader->kmers;
    const uint64_t n_bases = kmers->n_places - first;
    uint64_t n = 0;
    int c;
    skip_line(reader, take(reader));
    while (n < n_bases && (c = take(reader)) != EOF) {
        if (c == '\n')
            continue;
        if (c < FIRST_QUALITY || c > LAST_QUALITY)
            refuse(reader, "byte 0x%02x is no quality", (unsigned)c);
        if ((uint64_t)(c - FIRST_QUALITY) < kmers->least_quality)
            kmers->text[(first + n) / 64].valid &= ~(UINT64_C(1) << (first + n) % 64);
        n++;
    }
    if (n == 0 && n_bases)
        refuse(reader, "the file ends before its quality");
    while ((c = take(reader)) != EOF && c != '\n')
        n++;
    if (n != n_bases)
        refuse(reader, "%" PRIu64 " bases, and a quality of %" PRIu64, n_bases, n);
}

/* Reads a file. Returns a fingerprint of it. */
static uint64_t read_file(struct kmers *kmers, const char *path)
{
    struct reader *reader = app_array(1, sizeof *reader, "a file of sequences");
    reader->kmers = kmers;
    reader->path = path;
    if (!infile_open(&reader->bytes, path))
        refuse(reader, "%s", reader->bytes.reason);
    while (take_header(reader)) {
        const uint64_t first = kmers->n_places;
        const bool has_quality = take_bases(reader) == '+';
        if (reader->mark == '>' && has_quality)
            refuse(reader, "has a quality, in a FASTA file");
        if (reader->mark == '@' && !has_quality)
            refuse(reader, "has no quality");
        if (has_quality)
            take_quality(reader, first);
        kmers->n_bases += kmers->n_places - first;
        put_base(kmers, 0);
    }
    const uint64_t print = reader->bytes.print;
    kmers->n_records += reader->n_records;
    infile_close(&reader->bytes);
    free(reader);
    return print;
}

/* ---- all files ------------------------------------------------------------------------------- */

const struct app_option kmers_options[] = {
    {"file", 'f', "FILE", "Read FASTA or FASTQ, plain or gzip; several files by several -f",
     OPTION_WORDS(struct kmers, paths)},
    {"length", 'k', "K", "Bases of a k-mer, up to 63 (31)",
     OPTION_NUMBER(struct kmers, k, 1, MAX_K)},
    {"quality", 0, "Q", "FASTQ: a base of less quality is none (0)",
     OPTION_NUMBER(struct kmers, least_quality, 0, 93)},
    {0}};

void kmers_read(struct kmers *kmers)
{
    const double begin_s = trials_clock();
    if (kmers->paths.n == 0)
        die("no sequences: give -f FILE");
    put_base(kmers, 0);
    for (unsigned i = 0; i < kmers->paths.n; i++)
        kmers->prints[i] = read_file(kmers, kmers->paths.each[i]);
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
    for (unsigned i = 0; i < kmers->paths.n; i++)
        node_agree(node, kmers->paths.each[i], kmers->prints[i]);
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

void kmers_describe(const struct kmers *kmers, struct trials *trials)
{
    const char *first = kmers->paths.each[0], *slash = strrchr(first, '/');
    const int n =
        snprintf(trials->input, sizeof trials->input, "%.200s", slash ? slash + 1 : first);
    if (kmers->paths.n > 1)
        snprintf(trials->input + n, sizeof trials->input - (size_t)n, " and %u more",
                 kmers->paths.n - 1);
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
