/* SPDX-License-Identifier: MIT */
/*
 * Memory that others map: what can be mapped and what cannot, and notes of frames that cannot be right. Two nodes of one
 * machine, both in this process, and a third far away.
 *
 * Path:    lib/transport/segment.h, lib/transport/handover.h.
 */
#include "cases.h"
#include "transport/handover.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "resident.h"

#define N_NODES 3u
#define NEAR 1u
#define FAR 2u
#define MOST_BYTES 65536u

/* ---- segments -------------------------------------------------------------------------------- */

TEST(segment_is_seen_by_whoever_maps_it)
{
    struct gravel_segment *segment;
    struct gravel_segment_head *view;
    assert_int_equal(gravel_segment_create(&segment), 0);
    const uint64_t all = GRAVEL_SEGMENT_BYTES - GRAVEL_SEGMENT_FRAMES;
    unsigned char *memory = gravel_segment_take(segment, 1);
    struct gravel_segment_card card = gravel_segment_card(segment);
    assert_int_equal(gravel_segment_map(&card, &view), 0);
    assert_ptr_not_equal(view, segment->head);
    uint64_t offset = gravel_segment_offset(segment, memory);
    assert_int_equal(offset, GRAVEL_SEGMENT_FRAMES);
    strcpy((char *)memory, "seen");
    assert_string_equal((char *)view + offset, "seen");
    /* it gives out as much as it has, and has no offset for what lies elsewhere */
    assert_null(gravel_segment_take(segment, all - 4095));
    assert_int_equal(gravel_segment_take(segment, 5000) - memory, 4096);
    assert_non_null(gravel_segment_take(segment, all - 4096 - 8192));
    assert_null(gravel_segment_take(segment, 1));
    assert_null(gravel_segment_take(segment, UINT64_MAX));
    assert_null(gravel_segment_take(NULL, 1));
    const unsigned char *start = (const unsigned char *)segment->head;
    assert_int_equal(gravel_segment_offset(segment, start - 64), 0);
    assert_int_equal(gravel_segment_offset(segment, start + GRAVEL_SEGMENT_BYTES), 0);
    assert_int_equal(gravel_segment_offset(NULL, start), 0);
    /* no owner shrinks what peers map, and a view outlives its owner */
    assert_int_equal(ftruncate(segment->descriptor, 4096), -1);
    gravel_segment_destroy(segment);
    assert_string_equal((char *)view + offset, "seen");
    gravel_segment_unmap(view);
}

static void expect_unmappable(const struct gravel_segment_card *card, const char *part)
{
    struct gravel_segment_head *view;
    assert_int_equal(gravel_segment_map(card, &view), GRAVEL_ESYSTEM);
    assert_null(view);
    if (!strstr(gravel_last_error(), part))
        fail_msg("\"%s\" does not name \"%s\"", gravel_last_error(), part);
}

/* A process of another container may have the same number, and anything under the same descriptor. */
TEST(what_is_not_the_segment_meant_is_not_mapped)
{
    struct gravel_segment *segment;
    assert_int_equal(gravel_segment_create(&segment), 0);
    const struct gravel_segment_card right = gravel_segment_card(segment);
    struct gravel_segment_card card = right;
    card.token[1]++;
    expect_unmappable(&card, "is another node's");
    card = right;
    card.descriptor = 1 << 20;
    expect_unmappable(&card, "No such file");
    card = right;
    card.process = INT64_C(1) << 40;
    expect_unmappable(&card, "No such file");
    card = gravel_segment_card(NULL);
    expect_unmappable(&card, "has no shared memory");
    int descriptors[3] = {memfd_create("small", MFD_CLOEXEC), open("/dev/null", O_RDWR),
                          memfd_create("unsealed", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    assert_int_equal(ftruncate(descriptors[2], (off_t)GRAVEL_SEGMENT_BYTES), 0);
    for (size_t i = 0; i < 3; i++) {
        card = right;
        card.descriptor = descriptors[i];
        expect_unmappable(&card, "is something else");
        close(descriptors[i]);
    }
    gravel_segment_destroy(segment);
}

/* A segment under a limit of the process, which the error names. */
static void expect_limited(int resource, rlim_t most, const char *part)
{
    struct gravel_segment *segment;
    const rlim_t before = set_limit(resource, most);
    int code = gravel_segment_create(&segment);
    set_limit(resource, before);
    assert_int_equal(code, GRAVEL_ESYSTEM);
    assert_null(segment);
    assert_non_null(strstr(gravel_last_error(), part));
}

/* A longer file would end the process by a signal. */
TEST(segment_beyond_a_limit_is_refused_by_name)
{
    expect_limited(RLIMIT_AS, (rlim_t)process_bytes(false) + (512u << 20), "RLIMIT_AS");
    expect_limited(RLIMIT_FSIZE, GRAVEL_SEGMENT_BYTES - 1, "RLIMIT_FSIZE");
}

/* ---- notes ----------------------------------------------------------------------------------- */

static void expect_bad(struct gravel_handover *receiver, uint32_t source, uint64_t offset,
                       uint64_t bytes)
{
    const struct gravel_note_frame note = {
        .frame = {.magic = GRAVEL_FRAME_MAGIC, .kind = GRAVEL_FRAME_NOTE, .bytes = sizeof note},
        .offset = offset,
        .bytes = bytes,
    };
    uint32_t length;
    char part[128];
    assert_true(gravel_handover_is_note(&note.frame, sizeof note));
    assert_null(gravel_handover_open(receiver, &note.frame, source, MOST_BYTES, &length));
    snprintf(part, sizeof part, "note from node %u: %llu bytes at %llu", source,
             (unsigned long long)bytes, (unsigned long long)offset);
    assert_non_null(strstr(gravel_last_error(), part));
    assert_int_equal(receiver->at_hand, N_NODES);
}

TEST(notes_that_cannot_be_right_are_refused_by_name)
{
    static const struct {
        uint64_t offset, bytes;
        uint32_t source;
    } rows[] = {
        {0, 4096, 0},
        {GRAVEL_SEGMENT_FRAMES - 64, 4096, 0},
        {GRAVEL_SEGMENT_FRAMES + 8, 4096, 0},
        {GRAVEL_SEGMENT_FRAMES, sizeof(struct gravel_frame) - 1, 0},
        {GRAVEL_SEGMENT_FRAMES, MOST_BYTES + 1, 0},
        {GRAVEL_SEGMENT_FRAMES, UINT64_MAX, 0},
        {GRAVEL_SEGMENT_FRAMES, UINT64_C(1) << 32 | 4096, 0},
        {GRAVEL_SEGMENT_BYTES, 64, 0},
        {GRAVEL_SEGMENT_BYTES - 64, 65, 0},
        {UINT64_MAX - 63, 4096, 0},
        {GRAVEL_SEGMENT_FRAMES, 4096, FAR}, /* nobody's segment is mapped here */
    };
    struct gravel_segment *segment; /* node 0's */
    struct gravel_handover receiver;
    assert_int_equal(gravel_segment_create(&segment), 0);
    assert_int_equal(gravel_handover_create(&receiver, NULL, N_NODES), 0);
    const struct gravel_segment_card card = gravel_segment_card(segment);
    assert_true(gravel_handover_take_from(&receiver, 0, NEAR, &card));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_bad(&receiver, rows[i].source, rows[i].offset, rows[i].bytes);
    assert_int_equal(atomic_load(&segment->head->peers[NEAR].n_back), 0);
    gravel_handover_destroy(&receiver);
    gravel_segment_destroy(segment);
}
