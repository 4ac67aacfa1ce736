/* SPDX-License-Identifier: MIT */
/*
 * Frames in memory that others map: what can be mapped and what cannot, the way of a frame to a peer and home, and
 * notes that cannot be right. Two nodes of one machine, both in this process, and a third far away.
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
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"

#define N_NODES 3u
#define NEAR 1u
#define FAR 2u
#define MOST_BYTES 65536u
#define N_BUFFERS 8u

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
    /* nobody shrinks what peers map, and a view outlives its owner */
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
    struct rlimit before;
    assert_int_equal(getrlimit(resource, &before), 0);
    const struct rlimit limit = {most, before.rlim_max};
    assert_int_equal(setrlimit(resource, &limit), 0);
    int code = gravel_segment_create(&segment);
    assert_int_equal(setrlimit(resource, &before), 0);
    assert_int_equal(code, GRAVEL_ESYSTEM);
    assert_null(segment);
    assert_non_null(strstr(gravel_last_error(), part));
}

/* A longer file would end the process by a signal. */
TEST(segment_beyond_a_limit_is_refused_by_name)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld", &pages), 1);
    fclose(file);
    expect_limited(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (512u << 20),
                   "RLIMIT_AS");
    expect_limited(RLIMIT_FSIZE, GRAVEL_SEGMENT_BYTES - 1, "RLIMIT_FSIZE");
}

/* ---- handing over ---------------------------------------------------------------------------- */

struct pair {
    struct gravel_segment *segment; /* node 0's; node 1 has none */
    struct gravel_handover sender, receiver;
    unsigned char *frames;
};

/* Counters begin at `start`: they wrap on the way. */
static void open_pair(struct pair *pair, uint32_t start)
{
    assert_int_equal(gravel_segment_create(&pair->segment), 0);
    pair->frames = gravel_segment_take(pair->segment, N_BUFFERS * MOST_BYTES);
    assert_int_equal(gravel_handover_create(&pair->sender, pair->segment, N_NODES), 0);
    assert_int_equal(gravel_handover_create(&pair->receiver, NULL, N_NODES), 0);
    struct gravel_segment_card card = gravel_segment_card(pair->segment);
    atomic_store(&pair->segment->head->peers[NEAR].n_back, start);
    assert_true(gravel_handover_take_from(&pair->receiver, 0, NEAR, &card));
    gravel_handover_give_to(&pair->sender, NEAR, NEAR);
}

static void close_pair(struct pair *pair)
{
    gravel_handover_destroy(&pair->sender);
    gravel_handover_destroy(&pair->receiver);
    gravel_segment_destroy(pair->segment);
}

static struct gravel_buffer *fill(struct pair *pair, uint32_t number, uint32_t node, uint32_t bytes)
{
    struct gravel_buffer *buffer =
        gravel_buffer_create_in(pair->frames + (size_t)number * MOST_BYTES, MOST_BYTES);
    assert_non_null(buffer);
    gravel_buffer_reset(buffer, GRAVEL_FRAME_MESSAGES, 0, node);
    buffer->frame->bytes = bytes;
    buffer->frame->sequence = number;
    return buffer;
}

static struct gravel_buffer *lend(struct pair *pair, uint32_t number)
{
    struct gravel_buffer *buffer = fill(pair, number, NEAR, MOST_BYTES);
    assert_true(gravel_handover_suits(&pair->sender, buffer));
    struct gravel_buffer *note = gravel_handover_note(&pair->sender, buffer);
    assert_non_null(note);
    gravel_handover_lend(&pair->sender, buffer);
    return note;
}

TEST(only_long_frames_for_who_maps_them_are_handed_over)
{
    struct pair pair;
    open_pair(&pair, 0);
    const struct {
        uint32_t node, bytes;
        bool suits;
    } cases[] = {
        {NEAR, MOST_BYTES, true},
        {NEAR, GRAVEL_HANDOVER_LEAST_BYTES, true},
        {NEAR, GRAVEL_HANDOVER_LEAST_BYTES - 8, false},
        {FAR, MOST_BYTES, false},
        {0, MOST_BYTES, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gravel_buffer *buffer = fill(&pair, 0, cases[i].node, cases[i].bytes);
        assert_int_equal(gravel_handover_suits(&pair.sender, buffer), cases[i].suits);
        gravel_buffer_destroy(buffer);
    }
    struct gravel_buffer *elsewhere = gravel_buffer_create(MOST_BYTES);
    gravel_buffer_reset(elsewhere, GRAVEL_FRAME_MESSAGES, 0, NEAR);
    elsewhere->frame->bytes = MOST_BYTES;
    assert_false(gravel_handover_suits(&pair.sender, elsewhere));
    assert_false(gravel_handover_suits(&pair.receiver, elsewhere));
    gravel_buffer_destroy(elsewhere);
    close_pair(&pair);
}

static void expect_bad(struct pair *pair, uint32_t source, uint64_t offset, uint64_t bytes)
{
    const struct gravel_note_frame note = {
        .frame = {.magic = GRAVEL_FRAME_MAGIC, .kind = GRAVEL_FRAME_NOTE, .bytes = sizeof note},
        .offset = offset,
        .bytes = bytes,
    };
    uint32_t length;
    char part[128];
    assert_true(gravel_handover_is_note(&note.frame, sizeof note));
    assert_null(gravel_handover_open(&pair->receiver, &note.frame, source, MOST_BYTES, &length));
    snprintf(part, sizeof part, "note from node %u: %llu bytes at %llu", source,
             (unsigned long long)bytes, (unsigned long long)offset);
    assert_non_null(strstr(gravel_last_error(), part));
    assert_int_equal(pair->receiver.at_hand, N_NODES);
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
    struct pair pair;
    open_pair(&pair, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_bad(&pair, rows[i].source, rows[i].offset, rows[i].bytes);
    assert_int_equal(atomic_load(&pair.segment->head->peers[NEAR].n_back), 0);
    close_pair(&pair);
}

/* A peer that died with buffers: nothing waits for them. */
TEST(buffers_that_never_come_home_keep_nothing)
{
    struct pair pair;
    open_pair(&pair, 0);
    struct gravel_buffer *note = lend(&pair, 0), *buffer = pair.sender.peers[NEAR].lent.first;
    gravel_buffer_destroy(note);
    assert_null(gravel_handover_home(&pair.sender));
    close_pair(&pair);
    gravel_buffer_destroy(buffer);
    struct gravel_handover never = {.peers = NULL};
    gravel_handover_destroy(&never);
}
