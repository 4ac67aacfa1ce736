/* SPDX-License-Identifier: MIT */
/*
 * A pool of node buffers: the thread that fills buffers takes them here, and the network thread returns them.
 *
 * Path:    sender.c takes a buffer -> network thread, or another node -> pool.c.
 * Owner:   the buffers of its free list; a buffer that was taken is its holder's, which returns it.
 * Threads: take: one at a time; gravel_pool_return: one at a time, the network thread's; create, destroy: alone.
 * Memory:  M3 of the free list.
 */
#ifndef GRAVEL_TRANSPORT_POOL_H
#define GRAVEL_TRANSPORT_POOL_H

#include "base/event.h"
#include "layout/base.h"
#include "transport/list.h"

/* Made by its members up to `returned`; zeroed it has no buffers. They are made when they are taken first. */
struct gravel_pool {
    uint32_t buffer_bytes;
    uint32_t n_buffers; /* in all; 0: as many as it takes, each freed when it returns */
    unsigned char *frames;
    /* memory for n_buffers frames, each at a multiple of a cache line; or NULL */
    struct gravel_event *returned; /* signalled when a buffer is returned; or NULL */
    uint32_t n_made;               /* buffers created so far */
    struct gravel_list free;       /* buffers that were returned */
};

/** Returns the bytes from one frame to the next in `frames`. */
static inline uint64_t gravel_pool_frame_bytes(uint32_t buffer_bytes)
{
    return ((uint64_t)buffer_bytes + GRAVELP_CACHELINE - 1) & ~(uint64_t)(GRAVELP_CACHELINE - 1);
}

/** Returns the bytes of `frames`. */
static inline uint64_t gravel_pool_frames_bytes(uint32_t buffer_bytes, uint32_t n_buffers)
{
    return gravel_pool_frame_bytes(buffer_bytes) * n_buffers;
}

/** Frees the buffers of the free list. Buffers in flight stay: another thread or node may still read them. */
void gravel_pool_destroy(struct gravel_pool *pool);

/** Takes a returned buffer, or makes one. Never waits. @return NULL if all are in flight, or no memory is left. */
struct gravel_buffer *gravel_pool_take(struct gravel_pool *pool);

/** Returns whether no buffer is in flight. By the thread that takes them. */
bool gravel_pool_is_whole(struct gravel_pool *pool);

/** Returns a buffer to its pool, or frees it. */
void gravel_pool_return(struct gravel_buffer *buffer);

#endif
