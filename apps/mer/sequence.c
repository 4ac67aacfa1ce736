/* SPDX-License-Identifier: MIT */
/*
 * kseq, and the checks it leaves out.
 *
 * Path: pack.c, reference.c -> this -> <htslib/kseq.h> -> frame/infile.c
 * Owner: see sequence.h.
 * Threads: one at a time.
 * Source: Cock et al., The Sanger FASTQ file format, 2010 (quality is a character less 33).
 */
#include "sequence.h"
#include "frame/die.h"
#include "frame/infile.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_some(struct sequence_file *file, void *buffer, unsigned bytes);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#include <htslib/kseq.h>
KSEQ_INIT(struct sequence_file *, read_some)
#pragma GCC diagnostic pop

/* A quality is one of these characters. */
#define FIRST_QUALITY '!'
#define LAST_QUALITY '~'

/* For kseq: the mark has been read. It is still there after the last record, where kseq has seen no
 * other. */
#define NO_MARK 1

/* The longest name that a reason shows [bytes]. */
#define SHOWN_NAME_BYTES 40

struct sequence_file {
    struct infile bytes;
    kseq_t *kseq;
    const char *path;
    int mark; /* that records begin with: '>' or '@'; 0 before the first */
    unsigned least_quality;
    uint64_t n_records;
    uint64_t bytes_of_open; /* read since the last whole record */
};

static _Noreturn void refuse(const struct sequence_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Dies of "PATH: record N 'name': " and the text, without control characters. */
static _Noreturn void refuse(const struct sequence_file *file, const char *format, ...)
{
    char line[512];
    va_list arguments;
    int n = snprintf(line, sizeof line, "%s: ", infile_shown_path(file->path));
    if (file->n_records)
        n += snprintf(line + n, sizeof line - (size_t)n,
                      "record %llu '%.*s': ", (unsigned long long)file->n_records, SHOWN_NAME_BYTES,
                      file->kseq->name.s ? file->kseq->name.s : "");
    va_start(arguments, format);
    vsnprintf(line + n, sizeof line - (size_t)n, format, arguments);
    va_end(arguments);
    for (char *s = line; *s; s++)
        if (iscntrl((unsigned char)*s) || (unsigned char)*s > 126)
            *s = '?';
    die("%s", line);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* For kseq: 0 is the end of the file. */
static int read_some(struct sequence_file *file, void *buffer, unsigned bytes)
{
    const size_t n = infile_read(&file->bytes, buffer, bytes);
    file->bytes_of_open += n;
    if (*file->bytes.reason)
        refuse(file, "%s", file->bytes.reason);
    if (file->bytes_of_open > SEQUENCE_MAX_BYTES)
        refuse(file, "a record of more than %llu bytes", (unsigned long long)SEQUENCE_MAX_BYTES);
    return (int)n;
}

/* ---- records --------------------------------------------------------------------------------- */

/* A character as a reason shows it: some are invisible, and 0 would end the text. */
#define SHOWN_BYTES 16
static const char *show(int c, char shown[SHOWN_BYTES])
{
    snprintf(shown, SHOWN_BYTES, isgraph(c) && c < 127 ? "'%c'" : "byte 0x%02x", c);
    return shown;
}

/* Step over empty lines to the character that the next record begins with; false at the end. */
static bool find_mark(struct sequence_file *file)
{
    char shown[SHOWN_BYTES];
    kseq_t *kseq = file->kseq;
    int c = kseq->last_char ? kseq->last_char : ks_getc(kseq->f);
    while (c == '\n')
        c = ks_getc(kseq->f);
    if (c == -1 && !file->n_records)
        refuse(file, "holds no sequence");
    if (c == -1)
        return false;
    bool is_mark = file->mark ? c == file->mark : c == '>' || c == '@';
    if (!is_mark && !file->n_records)
        refuse(file, "begins with %s: neither FASTA ('>') nor FASTQ ('@')", show(c, shown));
    if (!is_mark)
        refuse(file, "is followed by %s, where '%c' begins a record", show(c, shown), file->mark);
    kseq->last_char = file->mark = c;
    return true;
}

static void check_record(const struct sequence_file *file, int code)
{
    const kseq_t *kseq = file->kseq;
    bool has_quality = kseq->last_char == 0; /* kseq's sign that it came past a '+' */
    if (file->mark == '>' && has_quality)
        refuse(file, "has a quality, in a FASTA file");
    if (code == -1)
        refuse(file, "the file ends in its header");
    if (code == -2 && kseq->qual.l == 0)
        refuse(file, "the file ends before its quality");
    if (code == -2)
        refuse(file, "%zu bases, and a quality of %zu", (size_t)kseq->seq.l, (size_t)kseq->qual.l);
    if (code < 0)
        refuse(file, "more bases than kseq takes");
    if (file->mark == '@' && !has_quality)
        refuse(file, "has no quality");
}

static uint8_t code_of(unsigned char c)
{
    switch (c) {
    case 'A':
    case 'a':
        return 0;
    case 'C':
    case 'c':
        return 1;
    case 'G':
    case 'g':
        return 2;
    case 'T':
    case 't':
        return 3;
    default:
        return isalpha(c) || c == '-' || c == '.' || c == '*' ? BASE_NONE : UINT8_MAX;
    }
}

/* Letters become codes, in place. */
static void encode(struct sequence_file *file)
{
    char shown[SHOWN_BYTES];
    kstring_t *bases = &file->kseq->seq, *quality = &file->kseq->qual;
    for (size_t i = 0; i < bases->l; i++) {
        unsigned char c = (unsigned char)bases->s[i];
        uint8_t code = code_of(c);
        if (code == UINT8_MAX)
            refuse(file, "%s is no base", show(c, shown));
        if (quality->l && (quality->s[i] < FIRST_QUALITY || quality->s[i] > LAST_QUALITY))
            refuse(file, "byte 0x%02x is no quality", (unsigned char)quality->s[i]);
        if (quality->l && (unsigned)(quality->s[i] - FIRST_QUALITY) < file->least_quality)
            code = BASE_NONE;
        bases->s[i] = (char)code;
    }
}

bool sequence_next(struct sequence_file *file, struct sequence *sequence)
{
    kseq_t *kseq = file->kseq;
    if (!find_mark(file))
        return false;
    file->n_records++;
    kseq->last_char = NO_MARK;
    int code = kseq_read(kseq);
    file->bytes_of_open = 0;
    check_record(file, code);
    encode(file);
    if (kseq->last_char == NO_MARK)
        kseq->last_char = 0;
    *sequence = (struct sequence){kseq->name.s, kseq->seq.l, (const uint8_t *)kseq->seq.s};
    return true;
}

/* ---- open and close -------------------------------------------------------------------------- */

struct sequence_file *sequence_open(const char *path, unsigned least_quality)
{
    struct sequence_file *file = app_array(1, sizeof *file, "a file of sequences");
    file->path = path;
    file->least_quality = least_quality;
    if (!infile_open(&file->bytes, path))
        refuse(file, "%s", file->bytes.reason);
    file->kseq = kseq_init(file);
    return file;
}

uint64_t sequence_print(const struct sequence_file *file)
{
    return file->bytes.print;
}

void sequence_close(struct sequence_file *file)
{
    kseq_destroy(file->kseq);
    infile_close(&file->bytes);
    free(file);
}
