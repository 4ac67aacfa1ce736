/* SPDX-License-Identifier: MIT */
/*
 * Lines of runs. See lines.h.
 */
#include "spool/lines.h"

#define READY_BYTES (64u << 10) /* as much goes in one write */
#define TAG_BYTES (4 * (GRAVEL_MOST_DIGITS + 1) + 2)

/* "[3:128] "; of a launch of more dimensions "[3:128,7,0] ". */
static size_t write_tag(char text[TAG_BYTES], uint32_t node,
                        const uint32_t words[GRAVELP_TAG_WORDS])
{
    const uint64_t numbers[] = {node, words[0] | (uint64_t)words[1] << 32, words[2], words[3]};
    size_t n = 0;
    for (uint32_t i = 0; i < (words[2] || words[3] ? 4 : 2); i++) {
        text[n++] = "[:,,"[i];
        n += gravel_write_digits(text + n, numbers[i]);
    }
    text[n++] = ']';
    text[n++] = ' ';
    return n;
}

void gravel_lines_write(uint32_t source, const struct gravel_signal_run *run,
                        struct gravel_characters *out, gravel_lines_ready *ready, void *context)
{
    const uint32_t *words = gravel_records_of(run);
    const uint32_t command = run->run.command, n_words = GRAVELP_RECORD_WORDS(command);
    struct gravel_line_plan plan;
    gravel_line_read(&plan, (const char *)(run + 1), GRAVELP_TEXT_BYTES(command), run->result);
    for (uint32_t i = 0; i < run->run.n_messages; i++, words += n_words) {
        char tag[TAG_BYTES];
        const size_t n = source == GRAVEL_LINES_BARE ? 0 : write_tag(tag, source, words);
        gravel_characters_add(out, tag, n);
        gravel_line_write(out, &plan, words + GRAVELP_TAG_WORDS, n_words - GRAVELP_TAG_WORDS, tag,
                          n);
        if (out->n >= READY_BYTES)
            ready(context, out);
    }
}
