/* SPDX-License-Identifier: MIT */
/*
 * A text file, read byte by byte: the one way in which applications read files.
 *
 * Path:    graph/read.c, mer/text.c -> this
 * Owner:   text_open makes what text_close frees.
 * Threads: one at a time.
 *
 * What is wrong ends the process: "PATH:LINE: what is wrong", or "PATH: what is wrong" of a file that cannot be opened.
 *
 * Lines end in '\n' alone: CR LF and CR become that. Only regular files are read, for each is read at every node: a
 * fingerprint of its contents says whether it was the same.
 */
#ifndef APPS_TEXT_H
#define APPS_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What is read behind the end of a file. */
#define TEXT_END EOF

struct text {
    int next;         /* unread byte */
    bool ended_in_cr; /* the byte before, which became '\n' */
    uint64_t line;    /* of `next`, from 1 */
    uint64_t print;   /* fingerprint of the bytes read so far: at the end of all */
    const char *path; /* the caller's */
    FILE *file;
};

/** Open a file; or die. @param path  kept until text_close, not copied. */
struct text *text_open(const char *path);

/** Close; NULL is fine. */
void text_close(struct text *text);

/** Die, naming the file and the current line. */
_Noreturn void text_fail(const struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Return the next byte, which stays there; TEXT_END at the end of the file. */
static inline int text_byte(const struct text *text)
{
    return text->next;
}

/** Return the next byte, and step over it. */
int text_take(struct text *text);

/** Go to the start of the next line, whatever is left of this one. */
void text_skip_line(struct text *text);

/** Go to the next word of the line, if there is one. @return  whether there is. */
bool text_has_word(struct text *text);

/** Go to the first word of the next line that is neither empty nor a comment, "#". @return  false at the end of the file. */
bool text_next_record(struct text *text);

/** Read a whole number, digits alone, of 0 to max; or die. @param what  what it is, for the reason. */
uint32_t text_uint(struct text *text, const char *what, uint32_t max);

#endif
