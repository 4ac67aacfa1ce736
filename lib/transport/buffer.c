/* SPDX-License-Identifier: MIT */
/*
 * Node buffers. See buffer.h.
 */
#include "transport/buffer.h"

#include "layout/base.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct gravel_buffer *gravel_buffer_create_in(void *memory, uint32_t capacity)
{
    struct gravel_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    buffer->frame = memory;
    buffer->capacity = capacity & ~7u;
    buffer->is_borrowed = true;
    return buffer;
}

struct gravel_buffer *gravel_buffer_create(uint32_t capacity)
{
    size_t bytes = ((size_t)capacity + GRAVELP_CACHELINE - 1) & ~(size_t)(GRAVELP_CACHELINE - 1);
    void *memory = aligned_alloc(GRAVELP_CACHELINE, bytes);
    struct gravel_buffer *buffer = memory ? gravel_buffer_create_in(memory, capacity) : NULL;
    if (buffer)
        buffer->is_borrowed = false;
    else
        free(memory);
    return buffer;
}

void gravel_buffer_destroy(struct gravel_buffer *buffer)
{
    if (!buffer)
        return;
    if (!buffer->is_borrowed)
        free(buffer->frame);
    free(buffer);
}

bool gravel_buffer_exchange(struct gravel_buffer *one, struct gravel_buffer *other)
{
    struct gravel_frame *frame = one->frame;
    if (one->is_borrowed || other->is_borrowed || one->capacity != other->capacity)
        return false;
    one->frame = other->frame;
    other->frame = frame;
    return true;
}

void gravel_buffer_reset(struct gravel_buffer *buffer, uint16_t kind, uint32_t source,
                         uint32_t destination)
{
    *buffer->frame = (struct gravel_frame){
        .magic = GRAVEL_FRAME_MAGIC,
        .version = GRAVEL_FRAME_VERSION,
        .kind = kind,
        .source = source,
        .destination = destination,
    };
    buffer->next = NULL;
    buffer->rows.memory = NULL;
    buffer->used = sizeof *buffer->frame;
    buffer->run_n = 0;
    buffer->run_capacity = 0;
}

/* Returns the messages of a run that fits into `room` bytes. */
static uint32_t run_fits(uint32_t room, uint32_t command)
{
    if (room < GRAVEL_RUN_INDICES(command))
        return 0;
    uint32_t message_bytes = GRAVELP_MESSAGE_BYTES(command);
    if (message_bytes == 0)
        return GRAVEL_FRAME_MAX_MESSAGES;
    uint32_t n = (room - (uint32_t)GRAVEL_RUN_INDICES(command)) / message_bytes;
    while (n && GRAVEL_RUN_BYTES(command, n) > room)
        n--;
    return n;
}

uint32_t gravel_buffer_fits(uint32_t capacity, uint32_t command)
{
    return run_fits((capacity & ~7u) - (uint32_t)sizeof(struct gravel_frame), command);
}

static void write_header(struct gravel_buffer *buffer, unsigned char *start)
{
    const struct gravel_run_key *key = &buffer->run;
    const struct gravel_run run = {key->command, buffer->run_n, key->base};
    if (GRAVELP_HAS_SIGNAL(key->command))
        *(struct gravel_signal_run *)start =
            (struct gravel_signal_run){run, key->result, key->signal};
    else
        *(struct gravel_run *)start = run;
}

/* Move the value rows down to where a run of run_n messages has them, and zero the padding. */
static void close_run(struct gravel_buffer *buffer)
{
    if (buffer->run_n == 0) {
        buffer->run_capacity = 0;
        return;
    }
    uint32_t command = buffer->run.command, n = buffer->run_n;
    unsigned char *start = (unsigned char *)buffer->frame + buffer->used;
    write_header(buffer, start);
    uint64_t end = GRAVEL_RUN_INDICES(command) + (uint64_t)n * GRAVELP_INDEX_BYTES(command);
    for (uint32_t row = 0; row < GRAVELP_N_VALUES(command); row++) {
        uint64_t to = GRAVEL_RUN_VALUES(command, n, row);
        uint64_t from = GRAVEL_RUN_VALUES(command, buffer->run_capacity, row);
        memset(start + end, 0, to - end);
        if (to != from)
            memmove(start + to, start + from, (uint64_t)n * GRAVELP_VALUE_BYTES(command));
        end = to + (uint64_t)n * GRAVELP_VALUE_BYTES(command);
    }
    uint64_t bytes = GRAVEL_RUN_BYTES(command, n);
    memset(start + end, 0, bytes - end);
    buffer->frame->n_messages += n;
    buffer->used += (uint32_t)bytes;
    buffer->run_n = 0;
    buffer->run_capacity = 0;
}

bool gravel_buffer_make_room(struct gravel_buffer *buffer, const struct gravel_run_key *run,
                             uint32_t n)
{
    bool continues = buffer->run_capacity && gravel_run_is_same(&buffer->run, run);
    if (GRAVEL_FRAME_MAX_MESSAGES - buffer->frame->n_messages - buffer->run_n < n)
        return false;
    if (continues)
        return buffer->run_capacity - buffer->run_n >= n;
    close_run(buffer);
    uint32_t fits = run_fits(buffer->capacity - buffer->used, run->command);
    if (fits < n)
        return false;
    buffer->run = *run;
    buffer->run_capacity = fits;
    /* A run of records has its text in the frame from the beginning, to be compared with the next one's. */
    unsigned char *text =
        (unsigned char *)buffer->frame + buffer->used + sizeof(struct gravel_signal_run);
    const uint32_t text_bytes = GRAVELP_TEXT_BYTES(run->command);
    if (text_bytes)
        buffer->run.text = memcpy(text, run->text, text_bytes);
    return true;
}

void gravel_buffer_lay_out(struct gravel_buffer *buffer, const struct gravel_run_key *run,
                           uint32_t n, const struct gravel_rows *rows)
{
    assert(buffer->used == sizeof *buffer->frame && buffer->run_n == 0 &&
           (rows || n <= run_fits(buffer->capacity - buffer->used, run->command)));
    buffer->run = *run;
    buffer->run_capacity = n;
    if (rows)
        buffer->rows = *rows;
}

void gravel_buffer_complete(struct gravel_buffer *buffer)
{
    buffer->run_n = buffer->run_capacity;
    if (!buffer->rows.memory) {
        gravel_buffer_close(buffer);
        return;
    }
    write_header(buffer, (unsigned char *)(buffer->frame + 1));
    buffer->frame->n_messages = buffer->run_n;
    buffer->frame->bytes =
        (uint32_t)(sizeof *buffer->frame + GRAVEL_RUN_BYTES(buffer->run.command, buffer->run_n));
}

void gravel_buffer_close(struct gravel_buffer *buffer)
{
    close_run(buffer);
    assert(buffer->used <= buffer->capacity);
    buffer->frame->bytes = buffer->used;
}
