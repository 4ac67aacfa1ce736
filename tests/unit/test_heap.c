/* SPDX-License-Identifier: MIT */
/*
 * The heap's allocation table: first fit, errors with numbers, look-up against a byte map, readers and a writer. Tables without
 * memory are tests/spec/faults'.
 *
 * Path: meson test -> this -> lib/memory/allocations.c
 */
#include "draws.h"
#include "memory/allocations.h"

#include "gravel/gravel.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAP_BYTES 65536u

static uint64_t alloc(struct gravel_heap *heap, uint64_t bytes)
{
    uint64_t offset = UINT64_MAX;
    assert_int_equal(gravel_heap_alloc(heap, bytes, &offset), 0);
    assert_int_equal(offset % 64, 0);
    return offset;
}

/* A history of a heap and of a map that says for each byte whose it is. */
struct history {
    struct gravel_heap *heap;
    uint64_t bytes;
    uint16_t owner[HEAP_BYTES]; /* 0: none */
    struct gravel_span live[256];
    uint32_t n_live;
};

/* First fit by the map: the lowest multiple of 64 whose lines are all nobody's. */
static uint64_t lowest_fit(const struct history *history, uint64_t bytes)
{
    for (uint64_t start = 0; start + bytes <= history->bytes; start += 64) {
        uint64_t line = start;
        while (line < start + bytes && !history->owner[line])
            line += 64;
        if (line >= start + bytes)
            return start;
    }
    return UINT64_MAX;
}

static const char *alloc_some(struct history *history, uint64_t bytes, uint16_t owner)
{
    uint64_t offset = 7, expected = lowest_fit(history, bytes);
    HOLDS(gravel_heap_alloc(history->heap, bytes, &offset) ==
          (expected == UINT64_MAX ? GRAVEL_EHEAP : 0));
    HOLDS(offset == (expected == UINT64_MAX ? 7 : expected));
    if (expected == UINT64_MAX)
        return NULL;
    for (uint64_t i = 0; i < bytes; i++)
        history->owner[offset + i] = owner;
    history->live[history->n_live++] = (struct gravel_span){.offset = offset, .bytes = bytes};
    return NULL;
}

static const char *free_one(struct history *history, uint32_t i)
{
    struct gravel_span gone = history->live[i];
    HOLDS(gravel_heap_free(history->heap, gone.offset) == 0);
    memset(history->owner + gone.offset, 0, gone.bytes * sizeof history->owner[0]);
    history->live[i] = history->live[--history->n_live];
    return NULL;
}

/* Room is in lines that are nobody's. */
static const char *compare_room(const struct history *history)
{
    char text[96];
    uint64_t run = 0, largest = 0, all = 0;
    for (uint64_t line = 0; line < history->bytes; line += 64) {
        const uint64_t bytes = history->bytes - line < 64 ? history->bytes - line : 64;
        run = history->owner[line] ? 0 : run + bytes;
        all += history->owner[line] ? 0 : bytes;
        largest = run > largest ? run : largest;
    }
    snprintf(text, sizeof text, "; %" PRIu64 " of %" PRIu64 " are free, %" PRIu64 " in one piece",
             all, history->bytes, largest);
    HOLDS(alloc_some((struct history *)history, largest + 1, 1) == NULL);
    HOLDS(strstr(gravel_last_error(), text));
    return NULL;
}

static const char *compare_spans(const struct history *history)
{
    for (uint64_t offset = 0; offset < history->bytes + 64; offset++) {
        struct gravel_span span = {.bytes = 0};
        const uint16_t owner = offset < history->bytes ? history->owner[offset] : 0;
        HOLDS(gravel_heap_span(history->heap, offset, &span) == (owner != 0));
        HOLDS(!owner || (history->owner[span.offset] == owner &&
                         history->owner[span.offset + span.bytes - 1] == owner));
    }
    return NULL;
}

static const char *take_steps(struct history *history, struct draws *draws)
{
    const char *failure = NULL;
    for (uint16_t step = 1; step <= 20 * draws->size && !failure; step++)
        if (history->n_live && (history->n_live == 256 || draw_below(draws, 100) < 45))
            failure = free_one(history, draw_below(draws, history->n_live));
        else
            failure = alloc_some(history, 1 + draw_below(draws, 3000), step);
    failure = failure ? failure : compare_room(history);
    return failure ? failure : compare_spans(history);
}

/* Checks heaps of any size, to their last byte. */
static const char *heaps_agree_with_a_byte_map(struct draws *draws)
{
    static struct history history;
    history = (struct history){.bytes = 64 + draw_below(draws, HEAP_BYTES - 128)};
    HOLDS(gravel_heap_create(&history.heap, 0, history.bytes) == 0);
    const char *failure = take_steps(&history, draws);
    gravel_heap_destroy(history.heap);
    return failure;
}

TEST(allocations_agree_with_a_byte_map)
{
    expect_property(heaps_agree_with_a_byte_map, 300, 20);
}

struct readers {
    struct gravel_heap *heap;
    int stop; /* relaxed: only ends the loop */
    uint64_t n_bad;
    int has_begun;
};

/* Keeps the lock except for a moment, again and again, as one that applies frame after frame. The first allocation is there all
 * the time; any other one is whole or not there. */
static void *read_spans(void *argument)
{
    struct readers *readers = argument;
    uint64_t n_bad = 0;
    for (uint32_t n = 0; !__atomic_load_n(&readers->stop, __ATOMIC_RELAXED); n++) {
        struct gravel_span span = {.bytes = 0};
        gravel_heap_lock_shared(readers->heap);
        gravel_heap_lock_shared(readers->heap); /* as a handler would, inside the resolver */
        __atomic_store_n(&readers->has_begun, 1, __ATOMIC_RELAXED);
        n_bad += !gravel_heap_span(readers->heap, 63, &span) || span.bytes != 64;
        if (gravel_heap_span(readers->heap, 1000, &span))
            n_bad += span.bytes != 4096 || span.offset > 1000;
        if (n % 64 == 0)
            usleep(1000);
        gravel_heap_unlock_shared(readers->heap);
        gravel_heap_unlock_shared(readers->heap);
    }
    __atomic_fetch_add(&readers->n_bad, n_bad, __ATOMIC_RELAXED);
    return NULL;
}

TEST(readers_see_whole_allocations_and_starve_no_writer)
{
    struct readers readers = {.heap = NULL};
    pthread_t thread;
    assert_int_equal(gravel_heap_create(&readers.heap, 0, 1 << 20), 0);
    assert_int_equal(alloc(readers.heap, 64), 0);
    assert_int_equal(pthread_create(&thread, NULL, read_spans, &readers), 0);
    while (!__atomic_load_n(&readers.has_begun, __ATOMIC_RELAXED))
        usleep(100);
    for (int round = 0; round < 500; round++) {
        uint64_t offsets[20];
        for (int i = 0; i < 20; i++)
            offsets[i] = alloc(readers.heap, 4096);
        for (int i = 0; i < 20; i++)
            assert_int_equal(gravel_heap_free(readers.heap, offsets[(i * 7) % 20]), 0);
    }
    __atomic_store_n(&readers.stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_int_equal(readers.n_bad, 0);
    gravel_heap_destroy(readers.heap);
}
