/* SPDX-License-Identifier: MIT */
/*
 * Fuzzer of frames of records: any bytes are refused, or become lines of printable characters, each behind its tag.
 *
 * Input: a byte that says whether the header is made right; then runs as they travel.
 *
 * Path: libFuzzer -> lib/resolve/decode.c -> lib/spool/format.c
 */
#include "resolve/decode.h"
#include "spool/format.h"

#include <stdlib.h>
#include <string.h>

#define SOURCE 3u
#define NODE 1u
#define SEQUENCE 12u
#define MAX_FRAME 4096u

/* A good header, and in each run what a line cannot do without. */
static void mend(unsigned char *frame, size_t bytes)
{
    struct gravel_frame header = {.magic = GRAVEL_FRAME_MAGIC,
                                  .version = GRAVEL_FRAME_VERSION,
                                  .kind = GRAVEL_FRAME_RECORDS,
                                  .source = SOURCE,
                                  .bytes = (uint32_t)bytes,
                                  .sequence = SEQUENCE,
                                  .destination = NODE};
    for (size_t at = sizeof header; at + sizeof(struct gravel_signal_run) <= bytes;) {
        struct gravel_signal_run run;
        memcpy(&run, frame + at, sizeof run);
        uint32_t n_words = GRAVELP_TAG_WORDS;
        uint64_t types = run.result, kept = 0;
        for (uint32_t i = 0; i < 5 && types & 7; i++, types >>= 4) {
            const uint64_t is_pointer = (types & 15) == GRAVELP_ARGUMENT_POINTER;
            kept |= (types & (is_pointer ? 15 : 7)) << 4 * i;
            n_words += GRAVELP_ARGUMENT_WORDS(types);
        }
        run.result = kept;
        run.signal = GRAVEL_NO_SIGNAL;
        run.run.base = 0;
        run.run.n_messages = run.run.n_messages % 4 + 1;
        run.run.command = GRAVELP_COMMAND_RECORD(GRAVELP_LINES, n_words,
                                                 run.run.command % GRAVELP_TEXT_MAX_BYTES);
        memcpy(frame + at, &run, sizeof run);
        header.n_messages += run.run.n_messages;
        at += GRAVEL_RUN_BYTES(run.run.command, (uint64_t)run.run.n_messages);
    }
    memcpy(frame, &header, sizeof header);
}

/* Lines are whole, and hold no character that a terminal obeys. */
static void look(void *context, struct gravel_characters *out)
{
    size_t *n_newlines = context;
    if (out->is_cut || out->n == 0 || out->text[0] != '[' || out->text[out->n - 1] != '\n')
        abort();
    for (size_t i = 0; i < out->n; i++) {
        const unsigned char c = (unsigned char)out->text[i];
        *n_newlines += c == '\n';
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            abort();
    }
    out->n = 0;
}

static void write_frame(const struct gravel_frame *frame)
{
    static struct gravel_characters out;
    const struct gravel_signal_run *run;
    size_t n_lines = 0, n_newlines = 0;
    for (uint64_t at = sizeof *frame; (run = gravel_records_next(frame, &at));) {
        gravel_lines_write(frame->source, run, &out, look, &n_newlines);
        n_lines += run->run.n_messages;
    }
    if (out.n)
        look(&n_newlines, &out);
    if (n_lines > n_newlines)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct gravel_endpoints none; /* there are lines alone */
    const struct gravel_expect expect = {SOURCE, NODE, SEQUENCE, &none, .are_records = true};
    struct gravel_refusal refusal;
    if (size < 1 || size > MAX_FRAME - sizeof(struct gravel_frame))
        return 0;
    const size_t bytes = (sizeof(struct gravel_frame) + size - 1) & ~(size_t)7;
    unsigned char *frame = calloc(1, bytes);
    if (!frame)
        return 0;
    memcpy(frame + sizeof(struct gravel_frame), data + 1, bytes - sizeof(struct gravel_frame));
    if (data[0] & 1)
        mend(frame, bytes);
    else
        memcpy(frame, data + 1, size - 1 < bytes ? size - 1 : bytes);
    if (gravel_decode_check(frame, bytes, &expect, NULL, &refusal) == 0)
        write_frame((const struct gravel_frame *)(const void *)frame);
    free(frame);
    return 0;
}
