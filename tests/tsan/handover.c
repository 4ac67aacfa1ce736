/* SPDX-License-Identifier: MIT */
/*
 * Frames handed from one node to another and back, under ThreadSanitizer: two threads are the nodes. What carries notes
 * is here the SPSC queue. The view is the segment itself, for the sanitizer knows addresses, not pages. Of four frames the
 * receiver keeps three, and is done with them one after the other, after later ones have come.
 *
 * Path:    lib/transport/handover.h -> handover.c.
 * Exit:    0; 1 if a frame is wrong or none comes; the sanitizer's own code if it has a report.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "queue/spsc.h"
#include "transport/handover.h"

#define N_FRAMES 4000u
#define N_BUFFERS 4u
#define KEPT 3u
#define FRAME_BYTES GRAVEL_HANDOVER_LEAST_BYTES
#define STUCK 200000000u /* looks */

static struct gravel_segment *segment;
static struct gravel_spsc *notes; /* of struct gravel_note_frame */

static void die(const char *text)
{
    fprintf(stderr, "%s\n", text);
    _Exit(1);
}

static uint64_t *words(struct gravel_frame *frame)
{
    return (uint64_t *)(frame + 1);
}

/* Check what the sender wrote, write something else. */
static void take(struct gravel_frame *frame, uint64_t n)
{
    if (words(frame)[0] != n || words(frame)[1] != ~n)
        die("wrong frame");
    words(frame)[1] = 2 * n;
}

/* Frames that the receiver keeps, oldest first. */
static struct gravel_frame *kept[KEPT];
static uint32_t n_kept;

static void give_all_back(struct gravel_handover *handover, uint64_t next)
{
    for (uint32_t i = 0; i < n_kept; i++) {
        take(kept[i], next - n_kept + i);
        gravel_handover_give_back(handover, 0);
    }
    n_kept = 0;
}

static void take_or_keep(struct gravel_handover *handover, struct gravel_frame *frame, uint64_t n)
{
    if (n_kept < KEPT) {
        kept[n_kept++] = frame;
        gravel_handover_keep(handover);
        return;
    }
    give_all_back(handover, n);
    take(frame, n);
    gravel_handover_done(handover);
}

static void *receiver_main(void *argument)
{
    struct gravel_handover *handover = argument;
    for (uint32_t n = 0, looks = 0; n < N_FRAMES;) {
        const struct gravel_note_frame *arrived = gravel_spsc_peek(notes);
        uint32_t bytes;
        if (!arrived) {
            if (++looks == STUCK)
                die("stuck: no note");
            sched_yield();
            continue;
        }
        const struct gravel_note_frame note = *arrived;
        gravel_spsc_release(notes); /* at once: only W1 and W2 may order the frame's way home */
        struct gravel_frame *frame =
            gravel_handover_open(handover, &note.frame, 0, FRAME_BYTES, &bytes);
        if (!frame || bytes != FRAME_BYTES)
            die("wrong note");
        take_or_keep(handover, frame, n);
        n++;
        looks = 0;
    }
    return NULL;
}

static void send_one(struct gravel_handover *handover, struct gravel_buffer *buffer, uint64_t n)
{
    gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, 0, 1);
    buffer->frame->bytes = FRAME_BYTES;
    words(buffer->frame)[0] = n;
    words(buffer->frame)[1] = ~n;
    struct gravel_buffer *note = gravel_handover_note(handover, buffer);
    struct gravel_note_frame *place;
    if (!note || !gravel_handover_suits(handover, buffer))
        die("not to be handed over");
    while (!(place = gravel_spsc_reserve(notes)))
        sched_yield();
    *place = *(struct gravel_note_frame *)note->frame;
    gravel_handover_lend(handover, buffer);
    gravel_spsc_publish(notes);
    gravel_buffer_destroy(note);
}

/* The next buffer that is home; it has what the receiver wrote. */
static struct gravel_buffer *wait_home(struct gravel_handover *handover)
{
    struct gravel_buffer *buffer;
    for (uint32_t looks = 0; !(buffer = gravel_handover_home(handover)); sched_yield())
        if (++looks == STUCK)
            die("stuck: no buffer comes home");
    if (words(buffer->frame)[1] != 2 * words(buffer->frame)[0])
        die("wrong frame home");
    return buffer;
}

static void sender_main(struct gravel_handover *handover)
{
    unsigned char *frames = gravel_segment_take(segment, N_BUFFERS * (uint64_t)FRAME_BYTES);
    struct gravel_buffer *buffer;
    uint64_t n = 0;
    for (; n < N_BUFFERS; n++) {
        buffer = gravel_buffer_create_in(frames + n * FRAME_BYTES, FRAME_BYTES);
        send_one(handover, buffer, n);
    }
    for (; n < N_FRAMES; n++)
        send_one(handover, wait_home(handover), n);
    for (uint32_t i = 0; i < N_BUFFERS; i++)
        gravel_buffer_destroy(wait_home(handover));
}

int main(void)
{
    struct gravel_handover sender, receiver;
    pthread_t thread;
    if (gravel_segment_create(&segment) ||
        gravel_spsc_create(&notes, N_BUFFERS, sizeof(struct gravel_note_frame), 0) ||
        gravel_handover_create(&sender, segment, 2) || gravel_handover_create(&receiver, NULL, 2))
        die("no memory");
    segment->head->peers[1].n_back = UINT32_MAX - N_FRAMES / 2; /* wraps */
    gravel_handover_take_from(&receiver, 0, 1, segment->head);
    gravel_handover_give_to(&sender, 1, 1);
    if (pthread_create(&thread, NULL, receiver_main, &receiver))
        die("no thread");
    sender_main(&sender);
    pthread_join(thread, NULL);
    receiver.peers[0].view = NULL; /* no mapping of its own */
    gravel_handover_destroy(&receiver);
    gravel_handover_destroy(&sender);
    gravel_spsc_destroy(notes);
    gravel_segment_destroy(segment);
    return 0;
}
