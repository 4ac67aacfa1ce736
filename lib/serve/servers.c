/* SPDX-License-Identifier: MIT */
/*
 * The server region. See servers.h.
 *
 * The host writes and reads it while no kernel of a launch runs, by copies where it is device memory.
 */
#include "serve/servers.h"

#include "base/counter.h"
#include "base/error.h"
#include "base/rounding.h"

#include <stddef.h>

uint32_t gravel_servers_n_pairs(const struct gravel_endpoints *endpoints)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < endpoints->n_handlers; i++)
        n += endpoints->handlers[i].serve.n_keys == 2;
    return n;
}

uint64_t gravel_sender_room(const struct gravel_endpoints *endpoints)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < endpoints->n_handlers; i++) {
        const uint64_t most = endpoints->handlers[i].serve.max_pending;
        n += most < GRAVEL_SENDER_MOST_ROOM ? most : 2 * GRAVEL_SENDER_MOST_ROOM;
    }
    return n;
}

uint32_t gravel_sender_ring(const struct gravel_endpoints *endpoints)
{
    const uint64_t room = gravel_sender_room(endpoints);
    return room ? gravel_power_from(room + GRAVELP_SPILL_BATCH) : 0;
}

/* ---- the lock of keys ------------------------------------------------------------------------ */

int gravel_key_lock_take(struct gravel_key_lock *lock, enum gravel_key_side side,
                         struct gravel_limit limit)
{
    struct gravel_wait wait = {.limit = limit,
                               .what = "handlers with keys, which run on another queue",
                               .waited.limit_ns = lock->patience_ns};
    while (atomic_load_explicit(&lock->is_wanted[!side], memory_order_relaxed)) /* H9 */
        GRAVEL_TRY(gravel_wait_pause(&wait));
    atomic_store_explicit(&lock->is_wanted[side], true, memory_order_relaxed); /* H9 */
    int code = gravel_wait_lock(&wait, &lock->mutex);
    atomic_store_explicit(&lock->is_wanted[side], false, memory_order_relaxed); /* H9 */
    return code;
}

/* ---- the region ------------------------------------------------------------------------------ */

/* Messages that a group may have collected when it hands them over: GRAVELP_OUTBOX_MESSAGES of outbox.cl.h; and in the
 * last slot of each of two commands there may be room left. */
#define COLLECTED 1024u
#define PARTLY_FILLED 2u

uint32_t gravel_servers_slots_for(uint32_t n_clients)
{
    return n_clients * ((COLLECTED + GRAVEL_CLIENT_ITEMS) / GRAVEL_INBOX_COLUMNS + PARTLY_FILLED);
}

static uint32_t slot_bytes(const struct gravel_servers_shape *shape)
{
    return GRAVELP_INBOX_SLOT_BYTES(GRAVEL_INBOX_COLUMNS, shape->n_args);
}

/* Returns where spill rings begin. */
static uint64_t inboxes_end(const struct gravel_servers_shape *shape)
{
    return GRAVELP_INBOX_SLOT(shape->n_servers, shape->n_slots, slot_bytes(shape), shape->n_servers,
                              1);
}

static uint64_t rings_bytes(const struct gravel_servers_shape *shape)
{
    const uint64_t ring = sizeof(struct gravelp_queue_words) +
                          shape->n_spill * (uint64_t)GRAVELP_SPILLED_BYTES(shape->n_args);
    return shape->n_spill ? shape->n_owners * ring : 0;
}

uint64_t gravel_servers_bytes(const struct gravel_servers_shape *shape)
{
    return shape->n_args ? inboxes_end(shape) + rings_bytes(shape) : 0;
}

/* Writes to the region, which lies where another heap would. */
static int write(const struct gravel_servers *servers, uint64_t at, const void *from,
                 uint64_t bytes)
{
    return gravel_memory_write(servers->memory, servers->n_heaps, at, from, bytes);
}

/* Empties inboxes: resident servers read publish words, which must not be those of a node before. */
static int empty_inboxes(const struct gravel_servers *servers)
{
    const uint64_t words = GRAVELP_INBOX_WORDS(0),
                   slots = GRAVELP_INBOX_WORDS(servers->shape.n_servers);
    const uint64_t end = servers->shape.is_resident ? gravel_servers_bytes(&servers->shape) : slots;
    int code = gravel_memory_zero(servers->memory, servers->n_heaps, words, end - words);
    if (code || servers->shape.is_resident || servers->shape.n_spill == 0)
        return code;
    return gravel_memory_zero(servers->memory, servers->n_heaps, inboxes_end(&servers->shape),
                              rings_bytes(&servers->shape));
}

void gravel_servers_close(struct gravel_servers *servers)
{
    if (!servers->memory) /* never opened */
        return;
    pthread_mutex_destroy(&servers->keys.mutex);
    pthread_mutex_destroy(&servers->lock);
}

int gravel_servers_open(struct gravel_servers *servers, const struct gravel_servers_shape *shape,
                        const struct gravel_memory *memory, uint32_t n_heaps)
{
    *servers = (struct gravel_servers){
        .shape = *shape, .memory = memory, .n_heaps = n_heaps, .keys.patience_ns = shape->lock_ns};
    pthread_mutex_init(&servers->keys.mutex, NULL);
    pthread_mutex_init(&servers->lock, NULL);
    if (shape->n_args == 0)
        return 0;
    const struct gravelp_servers head = {
        .n_servers = shape->n_servers,
        .n_owners = shape->n_owners,
        .n_slots = shape->n_slots,
        .slot_bytes = slot_bytes(shape),
        .columns = GRAVEL_INBOX_COLUMNS,
        .n_spill = shape->n_spill,
        .n_spill_args = shape->n_args,
        .full_at = shape->n_slots - gravel_servers_slots_for(shape->n_clients),
        .launch = GRAVELP_LAUNCH_NONE,
    };
    GRAVEL_TRY(write(servers, 0, &head, sizeof head));
    return empty_inboxes(servers);
}

int gravel_servers_begin(struct gravel_servers *servers, const struct gravel_servers_order *order)
{
    struct gravelp_servers head = {.n_items = order->n_items,
                                   .launch = order->launch,
                                   .stop_at = order->stop_at,
                                   .next = order->first,
                                   .n_served = servers->n_served_seen};
    const size_t at = offsetof(struct gravelp_servers, n_items);
    servers->first = order->first;
    servers->stop_at = order->stop_at;
    return write(servers, at, (const char *)&head + at, sizeof head - at);
}

/* Returns whether any has a message. After a fault they may have more than there is room for. */
static int poll_at_rings(const struct gravel_servers *servers, bool is_broken, bool *has_sent)
{
    struct gravelp_queue_words words[GRAVELP_MOST_SERVERS];
    const uint32_t n = servers->shape.n_spill ? servers->shape.n_owners : 0;
    int code = n ? gravel_memory_read(servers->memory, servers->n_heaps,
                                      inboxes_end(&servers->shape), words, n * sizeof *words)
                 : 0;
    *has_sent = false;
    for (uint32_t i = 0; !code && i < n; i++) {
        uint32_t n_left = words[i].reserved - words[i].consumed;
        *has_sent |= n_left != 0;
        if (n_left > servers->shape.n_spill && !is_broken)
            code =
                gravel_fail(GRAVEL_EKERNEL,
                            "servers: the ring of what server %u sends has %u messages, of %u: a "
                            "kernel has overwritten its words",
                            i, n_left, servers->shape.n_spill);
    }
    return code;
}

int gravel_servers_poll(struct gravel_servers *servers, struct gravel_servers_state *state)
{
    struct gravelp_servers head;
    const size_t at = offsetof(struct gravelp_servers, next);
    GRAVEL_TRY(gravel_memory_read(servers->memory, servers->n_heaps, at, (char *)&head + at,
                                  sizeof head - at));
    if (head.next < servers->first) /* else launches would never be done */
        return gravel_fail(
            GRAVEL_EKERNEL,
            "servers: clients have taken %u groups, and had taken %u before: a kernel "
            "has overwritten the number",
            head.next, servers->first);
    gravel_counter_add(&servers->n_served, head.n_served - servers->n_served_seen);
    servers->n_served_seen = head.n_served;
    *state = (struct gravel_servers_state){
        .n_taken = head.next < servers->stop_at ? head.next : servers->stop_at,
        .n_arrived = head.arrived,
        .is_broken = head.is_broken != 0};
    return poll_at_rings(servers, state->is_broken, &state->has_sent);
}
