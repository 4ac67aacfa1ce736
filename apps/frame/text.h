/* SPDX-License-Identifier: MIT */
/*
 * A text file, read line by line: the one way in which applications read files.
 *
 * Path:    graph/read.c, mer/kmers.c -> this
 * Owner:   text_open makes what text_close frees.
 * Threads: one at a time.
 *
 * What is wrong ends the process: "PATH:LINE: what is wrong", or "PATH: what is wrong" of a file that cannot be opened.
 *
 * Lines end in LF, or CR LF. Only regular files are read, for each is read at every node: a fingerprint of its contents says
 * whether it was the same.
 */
#ifndef APPS_TEXT_H
#define APPS_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct text {
    char *line; /* the current one [n_bytes], without its end; a 0 follows */
    size_t n_bytes;
    char *at;         /* what is not read of it */
    uint64_t number;  /* of the line, from 1; behind the last one, one more */
    uint64_t print;   /* fingerprint of the lines so far: at the end of all */
    const char *path; /* the caller's */
    FILE *file;
    size_t room; /* of `line` */
};

/** Open a file; or die. @param path  kept until text_close, not copied. */
struct text *text_open(const char *path);

/** Close; NULL is fine. */
void text_close(struct text *text);

/** Die, naming the file and the current line. */
_Noreturn void text_fail(const struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Read the next line; or die. @return  false at the end of the file. */
bool text_next(struct text *text);

/** Go to the next word of the line, if there is one. @return  whether there is. */
bool text_has_word(struct text *text);

/** Read the next line that is neither empty nor a comment, "#", up to its first word. @return  false at the end of the file. */
bool text_next_record(struct text *text);

/** Read a whole number, digits alone, of 0 to max; or die. @param what  what it is, for the reason. */
uint32_t text_uint(struct text *text, const char *what, uint32_t max);

#endif
