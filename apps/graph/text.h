/* SPDX-License-Identifier: MIT */
/*
 * The one tokenizer of all graph readers: a text file, plain or gzip, read word by word, that
 * always knows its line.
 *
 * Path:    read.c -> this -> frame/infile.h
 * Owner:   the caller of open, who closes it. The reason buffer belongs to the caller and outlives the
 *          text.
 * Threads: one at a time.
 *
 * The first failure wins: it writes "PATH:LINE: reason" (one line, no newline) and from then on the
 * text behaves as if it had ended, so that a reader may check at the end of a line and still report
 * the cause.
 */
#ifndef APPS_TEXT_H
#define APPS_TEXT_H

#include "frame/infile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room that every reason fits in [bytes]. */
#define TEXT_REASON_BYTES 512

/* Room for a word as text_quote shows it [bytes]. */
#define TEXT_QUOTED_BYTES 48

/* What text_peek answers when the file has ended or failed. */
#define TEXT_END (-1)

struct text {
    const unsigned char *at;  /* next unread byte */
    const unsigned char *end; /* one past the last byte read from the file */
    uint64_t line;            /* line of `at`, from 1 */
    uint64_t expanded_bytes;  /* read so far, after expansion */
    bool has_failed;          /* `reason` has been written */
    struct infile file;
    const char *path;               /* the caller's; used in reasons */
    char *reason;                   /* the caller's, TEXT_REASON_BYTES */
    char quoted[TEXT_QUOTED_BYTES]; /* text_quote's answer */
    unsigned char *buffer;
};

/** Write "PATH: reason" for a file that was not even opened. */
void text_refuse(const char *path, char *reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/**
 * Open a file, which may be gzip; what it holds decides, not its name.
 *
 * @param path    kept until text_close, not copied.
 * @param reason  [TEXT_REASON_BYTES]; set to "" here, to the first failure later.
 * @return        false if it cannot be opened; then there is nothing to close.
 */
bool text_open(struct text *text, const char *path, char *reason);

/** Close; a text that never opened or was zeroed is fine. */
void text_close(struct text *text);

/**
 * Note a failure at the current line, unless one was noted before; the text ends here.
 *
 * @return  false, always, so that a reader can say `return text_fail(...)`.
 */
bool text_fail(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Skip blanks; the next byte, '\n' at the end of a line, TEXT_END at the end of the file. */
int text_peek(struct text *text);

/** Skip blanks; length of the word that starts at `text->at` [bytes], 0 at the end of a line or
 * file. */
size_t text_word(struct text *text);

/** The word at the cursor, printable and short, for a reason; valid until the next call. */
const char *text_quote(struct text *text);

/** Step over the word at the cursor if it is `word`, in any case of letters; false, and no step, if
 * not. */
bool text_accept(struct text *text, const char *word);

/** Go to the start of the next line, whatever is left of this one. */
void text_skip_line(struct text *text);

/** Skips a line, as text_skip_line, of which only blanks may be left; else fails, naming what is there. */
bool text_end_line(struct text *text);

/**
 * Go to the first word of the next line that is neither empty nor a comment.
 *
 * @param comments  the characters that start a comment line.
 * @return          false at the end of the file.
 */
bool text_next_record(struct text *text, const char *comments);

/**
 * Read a whole number.
 *
 * @param what   what it is, for the reason: "vertex 9 is not in 1..5".
 * @return       false, and failed, if it is missing, is no number, or lies outside [min, max].
 */
bool text_uint(struct text *text, const char *what, uint64_t min, uint64_t max, uint64_t *value);

/** Is the word at the cursor written as a whole number: digits, perhaps after a minus? An empty
 * word is. */
bool text_is_whole(struct text *text);

/**
 * A decimal number of n bytes, with room for one more; false if it is none, as nan and infinity are. One that is too large
 * for a float becomes infinite.
 *
 * Zero has no sign, and what is below it stays so, however little: -1e-50 is the float next to 0.
 */
bool text_parse_float(char *word, size_t n, float *value);

/**
 * Read such a number, as text_uint does; refuses what a float cannot hold.
 *
 * @param refuse_negative  a number below 0 is a failure.
 */
bool text_float(struct text *text, const char *what, bool refuse_negative, float *value);

#endif
