/* SPDX-License-Identifier: MIT */
/*
 * A text file, plain or gzip whatever its name says, read word by word or byte by byte: the one way in which applications
 * read files.
 *
 * Path:    graph/read.c, mer/text.c -> this -> zlib
 * Owner:   text_open makes what text_close frees.
 * Threads: one at a time.
 *
 * What is wrong ends the process: "PATH:LINE: what is wrong", or "PATH: what is wrong" of a file that cannot be opened.
 *
 * Lines end in '\n' alone: CR LF and CR become that. A file that begins with a byte of no text is refused: other
 * compressions, binary data, marks of byte order. What follows compressed data is compressed data, or zeros, which pad a
 * file to a tape's or a disk's block. Only regular files are read, for each is read at every node: a fingerprint of its
 * contents says whether it was the same.
 */
#ifndef APPS_TEXT_H
#define APPS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What is read behind the end of a file. */
#define TEXT_END (-1)

struct text {
    const unsigned char *at;  /* next unread byte */
    const unsigned char *end; /* one past the last byte read from the file */
    uint64_t line;            /* line of `at`, from 1 */
    uint64_t n_given;         /* bytes read so far, expanded, before line ends became one */
    uint64_t print;           /* fingerprint of these: of the whole file at its end */
    const char *path;         /* the caller's */
    FILE *file;
    struct z_stream_s *packed; /* zlib's state; NULL of a plain file */
    bool is_between;           /* members of compressed data */
    bool ended_in_cr;          /* the last byte that was read, which became '\n' */
    char quoted[48];           /* text_quote's answer */
    unsigned char *buffer, *raw;
};

/** Open a file; or die. @param path  kept until text_close, not copied. */
struct text *text_open(const char *path);

/** Close; NULL is fine. */
void text_close(struct text *text);

/** Die, naming the file and the current line. */
_Noreturn void text_fail(const struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Read on behind the unread bytes, which move. @return  false at the end of the file. */
bool text_refill(struct text *text);

/** Return the next byte, which stays there; TEXT_END at the end of the file. */
static inline int text_byte(struct text *text)
{
    return text->at < text->end || text_refill(text) ? *text->at : TEXT_END;
}

/** Return the next byte, and step over it. */
static inline int text_take(struct text *text)
{
    const int c = text_byte(text);
    text->at += c != TEXT_END;
    text->line += c == '\n';
    return c;
}

/** Go to the start of the next line, whatever is left of this one. */
void text_skip_line(struct text *text);

/* ---- words ------------------------------------------------------------------------------------- */

/** Skip blanks. @return  the next byte: '\n' at the end of a line, TEXT_END at the end of the file. */
int text_peek(struct text *text);

/** Skip blanks. @return  length of the word that starts at `text->at` [bytes]; 0 at the end of a line or file. */
size_t text_word(struct text *text);

/** Return the word at the cursor, printable and short, for a reason; valid until the next call. */
const char *text_quote(struct text *text);

/** Step over the word at the cursor if it is `word`, in any case of letters. @return  whether it is. */
bool text_accept(struct text *text, const char *word);

/** Go to the next line, or die unless only blanks are left of this one. */
void text_end_line(struct text *text);

/**
 * Go to the first word of the next line that is neither empty nor a comment.
 *
 * @param comments  the characters that start a comment line.
 * @return          false at the end of the file.
 */
bool text_next_record(struct text *text, const char *comments);

/** Return whether the word at the cursor is a whole number: digits, perhaps after a minus. An empty word is. */
bool text_is_whole(struct text *text);

/** Read a whole number in [min, max]; or die. @param what  what it is, for the reason: "vertex 9 is not in 1..5". */
uint64_t text_uint(struct text *text, const char *what, uint64_t min, uint64_t max);

/**
 * Read a decimal number that a float can hold, as text_uint does: neither nan nor infinity.
 *
 * Zero has no sign, and what is below it stays so, however little: -1e-50 is the float next to 0.
 *
 * @param refuse_negative  die of a number below 0.
 */
float text_float(struct text *text, const char *what, bool refuse_negative);

#endif
