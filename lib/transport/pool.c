/* SPDX-License-Identifier: MIT */
/*
 * Takes node buffers from their pool and returns them. See pool.h.
 */
#include "transport/pool.h"

void gravel_pool_destroy(struct gravel_pool *pool)
{
    struct gravel_buffer *buffer;
    while ((buffer = gravel_list_take(&pool->free)))
        gravel_buffer_destroy(buffer);
}

struct gravel_buffer *gravel_pool_take(struct gravel_pool *pool)
{
    const uint32_t bytes = pool->buffer_bytes;
    unsigned char *frames = pool->frames;
    struct gravel_buffer *buffer = gravel_list_take(&pool->free);
    if (buffer || (pool->n_buffers && pool->n_made == pool->n_buffers))
        return buffer;
    if (frames)
        buffer =
            gravel_buffer_create_in(frames + pool->n_made * gravel_pool_frame_bytes(bytes), bytes);
    else
        buffer = gravel_buffer_create(bytes);
    if (!buffer)
        return NULL;
    buffer->pool = pool->n_buffers ? pool : NULL;
    pool->n_made++;
    return buffer;
}

void gravel_pool_return(struct gravel_buffer *buffer)
{
    struct gravel_pool *pool = buffer->pool;
    if (!pool) {
        gravel_buffer_destroy(buffer);
        return;
    }
    struct gravel_event *returned = pool->returned; /* an owner may end once all are returned */
    gravel_list_push(&pool->free, buffer);
    if (returned)
        gravel_event_signal(returned);
}

bool gravel_pool_is_whole(struct gravel_pool *pool)
{
    struct gravel_buffer *taken = NULL, *buffer;
    uint32_t n = 0;
    for (; (buffer = gravel_list_take(&pool->free)); n++) {
        buffer->next = taken;
        taken = buffer;
    }
    while ((buffer = taken)) {
        taken = buffer->next;
        gravel_list_push(&pool->free, buffer);
    }
    return n == pool->n_made;
}
