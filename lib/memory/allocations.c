/* SPDX-License-Identifier: MIT */
/*
 * The symmetric heap's allocation table: a sorted array of live allocations under a readers/writer lock.
 *
 * Path:    gravel_alloc -> allocations.c -> decode.c.
 * Owner:   the array belongs to struct gravel_heap; it grows by doubling and never shrinks.
 * Threads: see allocations.h. The lock prefers readers (the C library's default), so a handler that runs
 *          while the resolver holds it may look up offsets too.
 */
#include "memory/allocations.h"

#include "base/clock.h"
#include "base/error.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAUSE_NS \
    (10 * (long)GRAVEL_NS_PER_MS) /* between two polls of whether a reader has been given up */

struct gravel_heap {
    pthread_rwlock_t lock;
    _Atomic bool is_given_up;  /* H11: by a reader that does not come back */
    uint64_t first, end;       /* [bytes] allocations lie at offsets from `first` to `end` - 1 */
    struct gravel_span *spans; /* [capacity] n_spans in use, by rising offset, not overlapping */
    size_t n_spans;
    size_t capacity;
    uint64_t n_changes; /* allocations made and freed */
};

/* A reader may be in a call of the driver; and one that takes the lock again and again leaves it to a thread that waits
 * for it, not to one that polls now and then. @return false if a reader does not come back. */
static bool lock_exclusive(struct gravel_heap *heap)
{
    struct timespec until;
    do {
        if (atomic_load_explicit(&heap->is_given_up, memory_order_relaxed)) /* H11 */
            return false;
        clock_gettime(CLOCK_REALTIME, &until); /* the clock of pthread_rwlock_timedwrlock */
        until.tv_nsec += PAUSE_NS;
        until.tv_sec += until.tv_nsec / (long)GRAVEL_NS_PER_S;
        until.tv_nsec %= (long)GRAVEL_NS_PER_S;
    } while (pthread_rwlock_timedwrlock(&heap->lock, &until));
    return true;
}

static void unlock(struct gravel_heap *heap)
{
    int error = pthread_rwlock_unlock(&heap->lock);
    assert(!error);
    (void)error;
}

/* Returns the number of allocations that start at or before an offset. */
static size_t count_up_to(const struct gravel_heap *heap, uint64_t offset)
{
    size_t low = 0, high = heap->n_spans;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (heap->spans[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the gap before allocation `position`; position n_spans is the gap at the end. It may be empty. */
static struct gravel_span gap_before(const struct gravel_heap *heap, size_t position)
{
    uint64_t start = heap->first;
    uint64_t end = position < heap->n_spans ? heap->spans[position].offset : heap->end;
    if (position > 0) {
        const struct gravel_span *left = &heap->spans[position - 1];
        uint64_t used = left->bytes + (-left->bytes & (GRAVEL_HEAP_ALIGNMENT - 1u));
        /* Only the last allocation of a heap of odd size can round up past its end. */
        start = used < end - left->offset ? left->offset + used : end;
    }
    return (struct gravel_span){.offset = start, .bytes = end - start};
}

static int insert_first_fit(struct gravel_heap *heap, uint64_t bytes, uint64_t *offset)
{
    size_t position = 0;
    struct gravel_span gap = gap_before(heap, 0);
    uint64_t free_bytes = gap.bytes, largest = gap.bytes; /* the loss by alignment counts as used */
    while (gap.bytes < bytes) {
        if (position == heap->n_spans)
            return gravel_fail(GRAVEL_EHEAP,
                               "gravel_alloc: asked %" PRIu64 " bytes; %" PRIu64 " of %" PRIu64
                               " are free, %" PRIu64 " in one piece (GRAVEL_HEAP sets the size)",
                               bytes, free_bytes, heap->end - heap->first, largest);
        gap = gap_before(heap, ++position);
        free_bytes += gap.bytes;
        largest = gap.bytes > largest ? gap.bytes : largest;
    }
    if (heap->n_spans == heap->capacity) {
        const size_t capacity = heap->capacity ? 2 * heap->capacity : 16;
        struct gravel_span *spans = realloc(heap->spans, capacity * sizeof *spans);
        if (!spans)
            return gravel_fail_memory("gravel_alloc: the allocation table",
                                      capacity * sizeof *spans);
        heap->spans = spans;
        heap->capacity = capacity;
    }
    struct gravel_span *span = heap->spans + position;
    memmove(span + 1, span, (heap->n_spans - position) * sizeof *span);
    *span = (struct gravel_span){gap.offset, bytes, ++heap->n_changes};
    heap->n_spans++;
    *offset = gap.offset;
    return 0;
}

int gravel_heap_create(struct gravel_heap **out, uint64_t first, uint64_t bytes)
{
    if (!out)
        return GRAVEL_EINVAL;
    *out = NULL;
    if (!bytes || bytes > 1ull << 63 || first % GRAVEL_HEAP_ALIGNMENT)
        return GRAVEL_EINVAL;
    struct gravel_heap *heap = calloc(1, sizeof *heap);
    if (!heap || pthread_rwlock_init(&heap->lock, NULL)) {
        free(heap);
        return gravel_fail_memory("gravel_open: the allocation table", sizeof *heap);
    }
    heap->first = first;
    heap->end = first + bytes;
    *out = heap;
    return 0;
}

int gravel_heap_alloc(struct gravel_heap *heap, uint64_t bytes, uint64_t *offset)
{
    if (!heap || !bytes || !offset)
        return GRAVEL_EINVAL;
    if (!lock_exclusive(heap))
        return GRAVEL_ETIMEOUT;
    int error = insert_first_fit(heap, bytes, offset);
    unlock(heap);
    return error;
}

int gravel_heap_free(struct gravel_heap *heap, uint64_t offset)
{
    if (!heap)
        return GRAVEL_EINVAL;
    if (!lock_exclusive(heap))
        return GRAVEL_ETIMEOUT;
    const size_t n = count_up_to(heap, offset);
    struct gravel_span *span = n ? heap->spans + n - 1 : NULL;
    const bool is_there = span && span->offset == offset;
    if (is_there) {
        memmove(span, span + 1, (heap->n_spans - n) * sizeof *span);
        heap->n_spans--;
        heap->n_changes++;
    }
    unlock(heap);
    return is_there ? 0 : GRAVEL_EINVAL;
}

void gravel_heap_give_up(struct gravel_heap *heap)
{
    atomic_store_explicit(&heap->is_given_up, true, memory_order_relaxed); /* H11 */
}

uint64_t gravel_heap_changes(const struct gravel_heap *heap)
{
    return heap->n_changes;
}

size_t gravel_heap_copy_spans(struct gravel_heap *heap, struct gravel_span *spans, size_t most)
{
    gravel_heap_lock_shared(heap);
    const size_t n = heap->n_spans;
    if (n && n <= most)
        memcpy(spans, heap->spans, n * sizeof *spans);
    gravel_heap_unlock_shared(heap);
    return n;
}

void gravel_heap_lock_shared(struct gravel_heap *heap)
{
    int error = pthread_rwlock_rdlock(&heap->lock);
    assert(!error);
    (void)error;
}

void gravel_heap_unlock_shared(struct gravel_heap *heap)
{
    unlock(heap);
}

bool gravel_heap_span(const struct gravel_heap *heap, uint64_t offset, struct gravel_span *span)
{
    size_t n = count_up_to(heap, offset);
    if (n == 0 || offset - heap->spans[n - 1].offset >= heap->spans[n - 1].bytes)
        return false;
    *span = heap->spans[n - 1];
    return true;
}

bool gravel_heap_has(struct gravel_heap *heap, uint64_t offset, uint64_t bytes, char *text)
{
    struct gravel_span span = {.bytes = 0};
    gravel_heap_lock_shared(heap);
    bool is_any = gravel_heap_span(heap, offset, &span);
    gravel_heap_unlock_shared(heap);
    if (is_any && bytes <= span.bytes - (offset - span.offset))
        return true;
    int n = snprintf(text, GRAVEL_HEAP_TEXT_BYTES,
                     "%" PRIu64 " bytes from offset %" PRIu64 " on are not in one allocation",
                     bytes, offset);
    if (is_any)
        snprintf(text + n, GRAVEL_HEAP_TEXT_BYTES - (size_t)n,
                 ": theirs is of %" PRIu64 " from %" PRIu64 " on", span.bytes, span.offset);
    return false;
}

void gravel_heap_destroy(struct gravel_heap *heap)
{
    if (!heap)
        return;
    pthread_rwlock_destroy(&heap->lock);
    free(heap->spans);
    free(heap);
}
