/* SPDX-License-Identifier: MIT */
/*
 * Records become lines: a line's text and its arguments become characters, behind the node that sent them and the ids
 * of the work-item. Pure functions over bytes that may be anything.
 *
 * Conversions are those of C's printf, except for the length of an argument, whose type comes with it. One that does
 * not fit its argument, one with a number above GRAVEL_WIDTH_MOST, and one that is not supported, is written behind
 * "%!", as "%!d(1.5)"; so are arguments left over. Control characters of arguments, and of the text except newlines and
 * tabs, are written as "\x1b".
 *
 * A text is read once for all lines of a run, as what follows a conversion depends on types alone, which are the run's.
 *
 * Path:    spool.c -> format.c.
 * Owner:   the caller.
 * Threads: any; no state.
 */
#ifndef GRAVEL_SPOOL_FORMAT_H
#define GRAVEL_SPOOL_FORMAT_H

#include "transport/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters; grows. Zeroed it is empty. */
struct gravel_characters {
    char *text; /* [n] without a 0 behind it; freed by its owner */
    size_t n, room;
    bool is_cut; /* memory was out */
};

/** Append. */
void gravel_characters_add(struct gravel_characters *out, const char *text, size_t n);

#define GRAVEL_LINE_ARGUMENTS 16u /* at most: a type has four bits */
#define GRAVEL_WIDTH_MOST 4095u   /* of a width and a precision: as far as C promises */

/* A conversion and the argument that it is for: "%-08.3hhx" of a uint. */
struct gravel_conversion {
    char format
        [20]; /* for printf: "%-+ #0", two numbers of four digits and a '.', "ll" and a letter */
    uint8_t form; /* what printf gets, see format.c */
    uint8_t type; /* GRAVELP_ARGUMENT_* */
    uint8_t bits; /* of an integer, that count; of "hh" 8, of "h" 16 */
    bool is_signed;
    uint16_t word; /* where the argument begins */
    uint32_t at;   /* literals before it */
};

/* What a text makes of arguments of some types. A control character is written as four, and so a text grows. */
struct gravel_line_plan {
    uint32_t n_conversions, n_literals;
    struct gravel_conversion conversions[GRAVEL_LINE_ARGUMENTS];
    char literals[4 * (GRAVELP_TEXT_MAX_BYTES + GRAVEL_LINE_ARGUMENTS) + 1];
};

/**
 * Read a text, for all lines that have it.
 *
 * @param plan        [out]
 * @param text        [text_bytes] ends at the first 0, or there, or at GRAVELP_TEXT_MAX_BYTES.
 * @param types       GRAVELP_ARGUMENT_*, four bits an argument, the first one's lowest; ends at 0.
 */
void gravel_line_read(struct gravel_line_plan *plan, const char *text, size_t text_bytes,
                      uint64_t types);

/**
 * Format one line.
 *
 * @param words       [n_words] the arguments; those that are missing are 0.
 * @param at_newline  written behind each newline inside the text, which ends in none; [at_newline_bytes].
 */
void gravel_line_write(struct gravel_characters *out, const struct gravel_line_plan *plan,
                       const uint32_t *words, uint32_t n_words, const char *at_newline,
                       size_t at_newline_bytes);

/* Takes characters that are ready, and empties the buffer. */
typedef void gravel_lines_ready(void *context, struct gravel_characters *out);

#define GRAVEL_LINES_BARE UINT32_MAX

/** Returns the records of a run that gravel_decode_check has passed: words. */
static inline const uint32_t *gravel_records_of(const struct gravel_signal_run *run)
{
    return (const void *)((const unsigned char *)run +
                          GRAVEL_RUN_VALUES(run->run.command, run->run.n_messages, 0));
}

/** Returns the next run of a checked frame, or NULL. @param at begins at sizeof *frame; then behind the run. */
static inline const struct gravel_signal_run *gravel_records_next(const struct gravel_frame *frame,
                                                                  uint64_t *at)
{
    if (*at >= frame->bytes)
        return NULL;
    const struct gravel_signal_run *run = (const void *)((const unsigned char *)frame + *at);
    *at += GRAVEL_RUN_BYTES(run->run.command, (uint64_t)run->run.n_messages);
    return run;
}

/**
 * Write the lines of a run; a record makes one, and more if its text has inner newlines.
 *
 * @param source  node that sent it, with which lines begin; GRAVEL_LINES_BARE: they begin with no node and work-item.
 * @param ready   called each time 64 kB are ready.
 */
void gravel_lines_write(uint32_t source, const struct gravel_signal_run *run,
                        struct gravel_characters *out, gravel_lines_ready *ready, void *context);

#endif
