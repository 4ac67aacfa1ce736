/* SPDX-License-Identifier: MIT */
/*
 * The allocation table of the symmetric heap: which byte ranges of it are allocated.
 *
 * The heap's memory is elsewhere (in the arena); here are only offsets. Allocation is first fit at
 * multiples of GRAVEL_HEAP_ALIGNMENT, so nodes that make the same calls in the same order get the
 * same offsets.
 *
 * Path:    gravel_alloc -> allocations.h -> decode.c asks it whether a message's words are allocated.
 * Owner:   the node; the table of allocations is the heap's own.
 * Threads: one thread allocates and frees; any thread reads. gravel_heap_span wants the shared lock
 *          to be held; the other calls take the lock themselves.
 */
#ifndef GRAVEL_MEMORY_ALLOCATIONS_H
#define GRAVEL_MEMORY_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAVEL_HEAP_ALIGNMENT 64u /* [bytes] of every allocation's offset */
/* Lowest offset of a node's allocations [bytes]: offset 0 says that there is no signal (GRAVEL_NO_SIGNAL). */
#define GRAVEL_HEAP_FIRST GRAVEL_HEAP_ALIGNMENT

/** A live allocation: heap offsets offset to offset + bytes - 1. `bytes` is what was asked for. */
struct gravel_span {
    uint64_t offset;
    uint64_t bytes;
    uint64_t serial; /* of this heap's allocations: no other has had it */
};

/** Opaque; made by gravel_heap_create. */
struct gravel_heap;

/**
 * Makes the allocation table of an empty heap.
 *
 * @param out    [out] the heap, or NULL on failure.
 * @param first  lowest offset that an allocation may have [bytes], a multiple of GRAVEL_HEAP_ALIGNMENT.
 * @param bytes  that allocations share, from `first` on, 1 to 2^63.
 * @return       0; GRAVEL_EINVAL; GRAVEL_ENOMEM, its text set.
 */
int gravel_heap_create(struct gravel_heap **out, uint64_t first, uint64_t bytes);

/** Frees the table. NULL is allowed. */
void gravel_heap_destroy(struct gravel_heap *heap);

/**
 * Allocate the lowest range that fits.
 *
 * @param bytes   size [bytes], not 0.
 * @param offset  [out] start [bytes], a multiple of GRAVEL_HEAP_ALIGNMENT; untouched on failure.
 * @return        0; GRAVEL_EHEAP or GRAVEL_ENOMEM, text set; GRAVEL_EINVAL; GRAVEL_ETIMEOUT: gravel_heap_give_up.
 */
int gravel_heap_alloc(struct gravel_heap *heap, uint64_t bytes, uint64_t *offset);

/** Free the allocation that starts at offset. @return 0; GRAVEL_EINVAL if none starts there; GRAVEL_ETIMEOUT. */
int gravel_heap_free(struct gravel_heap *heap, uint64_t offset);

/** Copy the live allocations, by rising offset, unless there are more than `most`. @return how many there are. */
size_t gravel_heap_copy_spans(struct gravel_heap *heap, struct gravel_span *spans, size_t most);

/** Returns how many allocations were made and freed so far. The caller holds the shared lock. */
uint64_t gravel_heap_changes(const struct gravel_heap *heap);

/** Makes changes fail from now on instead of waiting: a thread that may hold the table does not come back. */
void gravel_heap_give_up(struct gravel_heap *heap);

/**
 * Keep allocations as they are until unlocked: readers share, alloc and free wait. Take it once per
 * buffer and hold it until the buffer is applied. The holding thread may take it again, but must
 * not alloc or free.
 */
void gravel_heap_lock_shared(struct gravel_heap *heap);
void gravel_heap_unlock_shared(struct gravel_heap *heap);

/**
 * Find the live allocation that contains a byte. The caller holds the shared lock.
 *
 * @param offset  heap offset [bytes], any value.
 * @param span    [out] the allocation; untouched if there is none.
 * @return        whether there is one.
 */
bool gravel_heap_span(const struct gravel_heap *heap, uint64_t offset, struct gravel_span *span);

/* Room for why bytes are in no allocation. */
#define GRAVEL_HEAP_TEXT_BYTES 192

/**
 * Returns whether a range of bytes lies in one live allocation. Takes the shared lock.
 *
 * @param offset  heap offset [bytes], any value.
 * @param bytes   any value; 0 lies where a byte would.
 * @param text    [out] [GRAVEL_HEAP_TEXT_BYTES] if not: the range, and the allocation that it leaves.
 */
bool gravel_heap_has(struct gravel_heap *heap, uint64_t offset, uint64_t bytes, char *text);

#endif
