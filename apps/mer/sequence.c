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
    char *reason;
    int mark; /* that records begin with: '>' or '@'; 0 before the first */
    unsigned least_quality;
    uint64_t n_records;
    uint64_t bytes_of_open; /* read since the last whole record */
    bool has_failed;
};

static void drop_control_characters(char *s)
{
    for (; *s; s++)
        if (iscntrl((unsigned char)*s) || (unsigned char)*s > 126)
            *s = '?';
}

static bool fail(struct sequence_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(struct sequence_file *file, const char *format, ...)
{
    if (file->has_failed)
        return false;
    file->has_failed = true;
    int n = snprintf(file->reason, SEQUENCE_REASON_BYTES, "%s: ", infile_shown_path(file->path));
    if (file->n_records)
        n += snprintf(file->reason + n, SEQUENCE_REASON_BYTES - (size_t)n,
                      "record %llu '%.*s': ", (unsigned long long)file->n_records, SHOWN_NAME_BYTES,
                      file->kseq->name.s ? file->kseq->name.s : "");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(file->reason + n, SEQUENCE_REASON_BYTES - (size_t)n, format, arguments);
    va_end(arguments);
    drop_control_characters(file->reason);
    return false;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* For kseq: 0 is the end, of the file or of what can be read of it. */
static int read_some(struct sequence_file *file, void *buffer, unsigned bytes)
{
    if (file->has_failed)
        return 0;
    const size_t n = infile_read(&file->bytes, buffer, bytes);
    if (infile_has_failed(&file->bytes)) {
        fail(file, "%s", file->bytes.reason);
        return 0;
    }
    file->bytes_of_open += n;
    if (file->bytes_of_open <= SEQUENCE_MAX_BYTES)
        return (int)n;
    fail(file, "a record of more than %llu bytes", (unsigned long long)SEQUENCE_MAX_BYTES);
    return 0;
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
    if (c == -1 || file->has_failed)
        return file->n_records || file->has_failed ? false : fail(file, "holds no sequence");
    bool is_mark = file->mark ? c == file->mark : c == '>' || c == '@';
    kseq->last_char = file->mark = is_mark ? c : file->mark;
    if (is_mark)
        return true;
    if (!file->n_records)
        return fail(file, "begins with %s: neither FASTA ('>') nor FASTQ ('@')", show(c, shown));
    return fail(file, "is followed by %s, where '%c' begins a record", show(c, shown), file->mark);
}

static bool check_record(struct sequence_file *file, int code)
{
    const kseq_t *kseq = file->kseq;
    bool has_quality = kseq->last_char == 0; /* kseq's sign that it came past a '+' */
    if (file->has_failed)
        return false;
    if (file->mark == '>' && has_quality)
        return fail(file, "has a quality, in a FASTA file");
    if (code == -1)
        return fail(file, "the file ends in its header");
    if (code == -2 && kseq->qual.l == 0)
        return fail(file, "the file ends before its quality");
    if (code == -2)
        return fail(file, "%zu bases, and a quality of %zu", (size_t)kseq->seq.l,
                    (size_t)kseq->qual.l);
    if (code < 0)
        return fail(file, "more bases than kseq takes");
    if (file->mark == '@' && !has_quality)
        return fail(file, "has no quality");
    return true;
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
static bool encode(struct sequence_file *file)
{
    char shown[SHOWN_BYTES];
    kstring_t *bases = &file->kseq->seq, *quality = &file->kseq->qual;
    for (size_t i = 0; i < bases->l; i++) {
        unsigned char c = (unsigned char)bases->s[i];
        uint8_t code = code_of(c);
        if (code == UINT8_MAX)
            return fail(file, "%s is no base", show(c, shown));
        if (quality->l && (quality->s[i] < FIRST_QUALITY || quality->s[i] > LAST_QUALITY))
            return fail(file, "byte 0x%02x is no quality", (unsigned char)quality->s[i]);
        if (quality->l && (unsigned)(quality->s[i] - FIRST_QUALITY) < file->least_quality)
            code = BASE_NONE;
        bases->s[i] = (char)code;
    }
    return true;
}

bool sequence_next(struct sequence_file *file, struct sequence *sequence)
{
    kseq_t *kseq = file->kseq;
    if (file->has_failed || !find_mark(file))
        return false;
    file->n_records++;
    kseq->last_char = NO_MARK;
    int code = kseq_read(kseq);
    file->bytes_of_open = 0;
    if (!check_record(file, code) || !encode(file))
        return false;
    if (kseq->last_char == NO_MARK)
        kseq->last_char = 0;
    *sequence = (struct sequence){kseq->name.s, kseq->seq.l, (const uint8_t *)kseq->seq.s};
    return true;
}

/* ---- open and close -------------------------------------------------------------------------- */

struct sequence_file *sequence_open(const char *path, unsigned least_quality, char *reason)
{
    struct sequence_file *file = calloc(1, sizeof *file);
    reason[0] = '\0';
    if (!file || !infile_open(&file->bytes, path)) {
        snprintf(reason, SEQUENCE_REASON_BYTES, "%s: %s", infile_shown_path(path),
                 file ? file->bytes.reason : "cannot open: no memory");
        drop_control_characters(reason);
        free(file);
        return NULL;
    }
    file->path = path;
    file->reason = reason;
    file->least_quality = least_quality;
    file->kseq = kseq_init(file);
    return file;
}

bool sequence_has_failed(const struct sequence_file *file)
{
    return file->has_failed;
}

struct fingerprint sequence_print(const struct sequence_file *file)
{
    return file->bytes.print;
}

void sequence_close(struct sequence_file *file)
{
    if (!file)
        return;
    kseq_destroy(file->kseq);
    infile_close(&file->bytes);
    free(file);
}
