/* SPDX-License-Identifier: MIT */
/*
 * Lines of frames. See lines.h.
 */
#include "spool/lines.h"

#include <stdio.h>

#define READY_BYTES (64u << 10) /* as much goes in one write */

/* "[3:128] "; of a launch of more dimensions "[3:128,7,0] ". */
static size_t write_tag(char text[64], uint32_t node, const uint32_t words[GRAVELP_TAG_WORDS])
{
    const unsigned y = words[1] & 0xffffu, z = words[1] >> 16;
    if (words[1])
        return (size_t)snprintf(text, 64, "[%u:%u,%u,%u] ", node, words[0], y, z);
    return (size_t)snprintf(text, 64, "[%u:%u] ", node, words[0]);
}

static void write_line(struct gravel_characters *out, uint32_t node,
                       const struct gravel_signal_run *run, const uint32_t *words)
{
    const uint32_t command = run->run.command;
    char tag[64];
    const size_t n = write_tag(tag, node, words);
    gravel_characters_add(out, tag, n);
    gravel_format_line(out, (const char *)(run + 1), GRAVELP_TEXT_BYTES(command), run->result,
                       words + GRAVELP_TAG_WORDS, GRAVELP_RECORD_WORDS(command) - GRAVELP_TAG_WORDS,
                       tag, n);
}

uint64_t gravel_lines_write(const struct gravel_frame *frame, struct gravel_characters *out,
                            gravel_lines_ready *ready, void *context)
{
    uint64_t n_lines = 0;
    for (uint64_t at = sizeof *frame; at < frame->bytes;) {
        const unsigned char *start = (const unsigned char *)frame + at;
        const struct gravel_signal_run *run = (const void *)start;
        const uint32_t command = run->run.command, n = run->run.n_messages;
        const uint32_t *words = (const void *)(start + GRAVEL_RUN_VALUES(command, n, 0));
        for (uint32_t i = 0; i < n; i++, words += GRAVELP_RECORD_WORDS(command)) {
            write_line(out, frame->source, run, words);
            if (out->n >= READY_BYTES)
                ready(context, out);
        }
        n_lines += n;
        at += GRAVEL_RUN_BYTES(command, (uint64_t)n);
    }
    if (out->n)
        ready(context, out);
    return n_lines;
}
