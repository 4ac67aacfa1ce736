/* SPDX-License-Identifier: MIT */
/*
 * Clients and servers as C11 threads, under ThreadSanitizer: every message is run once, and handlers with equal keys are
 * ordered, for they count without atomics. Behind the handlers are the servers as the library writes them (lib/serve/text.c).
 *
 * So are messages of a run that came by the network, and transactions, which count for both of their keys. With
 * GRAVELP_RESIDENT clients and servers run side by side, without transactions, else in turns.
 *
 * Path:    this -> cl/server.cl.h, cl/device/outbox.cl.h, serve.cl.h, serving.cl.h and transaction.cl.h, compiled as C11
 *          through host_c11.h.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#define GRAVELP_SERVES
#define GRAVELP_IS_KEYED(handler) ((handler) != 2u)
#define GRAVELP_IS_PAIR(handler) ((handler) == 3u)
#define GRAVELP_IS_ALONE
#define GRAVEL_HANDLER_count 0
#define GRAVEL_HANDLER_note 1
#define GRAVEL_HANDLER_move 3

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "gravel.cl.h"
#include "lanes.h"

#define MOST_ITEMS 4000u
#define MOST_KEYS 50u

struct test {
    uint32_t n_items, n_keys, n_servers, client_items, server_items, n_clients;
};

/* The heap: plain words. */
struct heap {
    uint32_t count[MOST_KEYS], noted[MOST_KEYS], ledger[MOST_ITEMS];
    uint64_t moved[MOST_KEYS]; /* of all keys together 0 */
    uint32_t n_moves[MOST_KEYS];
};

static struct heap *heap_of(struct gravelp_arena *arena)
{
    return (struct heap *)((unsigned char *)arena + arena->heap_offset);
}

static void count(struct gravel_call call, ulong key, ulong item)
{
    struct heap *heap = gravel_call_local(call, 0);
    heap->count[key]++;
    heap->ledger[item]++;
}

static void note(struct gravel_call call, ulong key)
{
    struct heap *heap = gravel_call_local(call, 0);
    heap->noted[key] += heap->count[key] + 1; /* both are the key's */
}

/* A transaction: its data are loaded and stored, and it counts for both. */
static void move(struct gravel_call call, ulong first, ulong second)
{
    struct heap *heap = gravel_call_local(call, 0);
    const uint64_t from = heap->moved[first] - first - 1;
    heap->moved[first] = from;
    heap->moved[second] = heap->moved[second] + first + 1;
    heap->n_moves[first]++;
    heap->n_moves[second]++;
}
static ulong second_of(const struct test *test, ulong item)
{
    return (item * 5 + item / 3) % test->n_keys;
}

/* ---- kernels --------------------------------------------------------------------------------------- */

static void clients(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    const struct test *test = arguments;
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(count), item % test->n_keys, item, 0);
        if (test->n_keys > 1) /* else a client collects more than an inbox has room for */
            gravel_am1_wg_if(g, active && item % 3 == 0, GRAVEL_HANDLER(note), item % test->n_keys,
                             0);
#if !defined(GRAVELP_RESIDENT)
        gravel_am2_wg_if(g, (uint)active, GRAVEL_HANDLER(move), item % test->n_keys,
                         second_of(test, item), 0);
#endif
    }
}

static inline void gravelp_run(struct gravelp_arena *gravel_arena_, struct gravelp_message message,
                               uint i)
{
    if (message.handler == GRAVEL_HANDLER_count)
        count(GRAVELP_SERVER_CALL(0), GRAVELP_MESSAGE_ARGUMENT(message, 0, i),
              GRAVELP_MESSAGE_ARGUMENT(message, 1, i));
    else
        note(GRAVELP_SERVER_CALL(0), GRAVELP_MESSAGE_ARGUMENT(message, 0, i));
}

#if defined(GRAVELP_RESIDENT)
#define SERVER_LAUNCH GRAVELP_LAUNCH_RESIDENT
#else
#define SERVER_LAUNCH GRAVELP_LAUNCH_PHASES
static void servers(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    (void)arguments;
    GRAVELP_SERVE_INBOX;
}

static void run_pair(struct gravelp_arena *gravel_arena_, struct gravelp_message message, uint i)
{
    move(GRAVELP_SERVER_CALL(0), GRAVELP_MESSAGE_ARGUMENT(message, 0, i),
         GRAVELP_MESSAGE_ARGUMENT(message, 1, i));
}

static void pair_server(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    (void)arguments;
    GRAVELP_SERVE_INBOX_PAIRS(run_pair);
}
#endif

/* A run of a frame: arguments of n messages, row after row. All groups read all keys. */
struct frame {
    uint32_t n;
    ulong *rows;
};

static void serve_run(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    const struct frame *frame = arguments;
    GRAVELP_SERVICE;
    GRAVELP_SERVE(message, GRAVELP_KEYS(frame->rows), frame->n)
    count(GRAVELP_SERVER_CALL(0), frame->rows[message], frame->rows[frame->n + message]);
}

static void serve_pairs(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    const struct frame *frame = arguments;
    GRAVELP_TRANSACTIONS;
    GRAVELP_SERVE_PAIRS(message, frame->rows, frame->rows + 2 * frame->n, frame->n)
    move(GRAVELP_SERVER_CALL(0), frame->rows[message], frame->rows[2 * frame->n + message]);
}

/* ---- the arena ------------------------------------------------------------------------------------- */

#if defined(GRAVELP_RESIDENT)
#define N_SLOTS 1u
#define N_PAIRS 0u /* inboxes of transactions */
#else
#define N_SLOTS 64u
#define N_PAIRS 1u
#endif
#define COLUMNS 32u

/* Control block, one queue's words, the heap, and the servers' region. */
static struct gravelp_arena *make_arena(const struct test *test)
{
    const uint32_t slot_bytes = GRAVELP_INBOX_SLOT_BYTES(COLUMNS, 2);
    const uint32_t n_inboxes = test->n_servers + N_PAIRS;
    const size_t heap_at = sizeof(struct gravelp_arena) + sizeof(struct gravelp_queue_words),
                 servers_at = (heap_at + sizeof(struct heap) + 63) / 64 * 64,
                 region = GRAVELP_INBOX_SLOT(n_inboxes, N_SLOTS, slot_bytes, n_inboxes, 1),
                 bytes = (servers_at + region + 63) / 64 * 64;
    struct gravelp_arena *arena = aligned_alloc(64, bytes);
    if (!arena)
        fail("no memory for an arena");
    memset(arena, 0, bytes);
    arena->n_nodes = arena->n_queues = arena->n_slots = 1;
    arena->wait_ms = 100000;
    arena->queues_offset = sizeof *arena;
    arena->heap_offset = heap_at;
    arena->servers_offset = servers_at;
    *gravelp_servers(arena) = (struct gravelp_servers){.n_servers = n_inboxes,
                                                       .n_owners = test->n_servers,
                                                       .n_slots = N_SLOTS,
                                                       .slot_bytes = slot_bytes,
                                                       .columns = COLUMNS,
                                                       .full_at = N_SLOTS / 4,
                                                       .n_items = test->n_items,
                                                       .stop_at = UINT32_MAX,
                                                       .n_spill_args = 2,
                                                       .launch = SERVER_LAUNCH};
    return arena;
}

/* Tickets near the end of their numbers. */
static void begin_near_the_wrap(struct gravelp_arena *arena)
{
    for (uint32_t server = 0; server < gravelp_servers(arena)->n_servers; server++) {
        struct gravelp_queue_words *words = gravelp_inbox_words(gravelp_servers(arena), server);
        words->reserved = words->consumed = UINT32_MAX - 5;
    }
}

/* ---- tests ----------------------------------------------------------------------------------------- */

static void check_moves(const struct test *test, const struct heap *heap, uint32_t n_messages)
{
    uint32_t expected[MOST_KEYS] = {0};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n_messages; i++) {
        expected[i % test->n_keys]++;
        expected[second_of(test, i)]++;
    }
    for (uint32_t key = 0; key < MOST_KEYS; key++) {
        sum += heap->moved[key];
        if (heap->n_moves[key] != expected[key])
            fail("%u transactions of key %u, not %u", heap->n_moves[key], key, expected[key]);
    }
    if (sum)
        fail("transactions made %llu", (unsigned long long)sum);
}

static void check(const struct test *test, struct gravelp_arena *arena, uint32_t n_phases)
{
    const struct heap *heap = heap_of(arena);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < MOST_ITEMS; i++)
        if (heap->ledger[i] != (i < test->n_items))
            fail("message %u of %u has been run %u times", i, test->n_items, heap->ledger[i]);
    for (uint32_t key = 0; key < MOST_KEYS; key++)
        sum += heap->count[key];
    check_moves(test, heap, N_PAIRS || n_phases == 0 ? test->n_items : 0);
    if (sum != test->n_items)
        fail("%u messages were counted, of %u", sum, test->n_items);
    if (arena->fault)
        fail("fault %u", arena->fault);
    printf("%u items, %u keys, %u servers of %u, %u clients of %u: %u phases\n", test->n_items,
           test->n_keys, test->n_servers, test->server_items, test->n_clients, test->client_items,
           n_phases);
}

static void run_test(const struct test *test)
{
    struct gravelp_arena *arena = make_arena(test);
    const uint32_t n_virtual = (test->n_items + test->client_items - 1) / test->client_items;
    uint32_t n_phases = 0;
    begin_near_the_wrap(arena);
    while (gravelp_servers(arena)->next < n_virtual) {
#if defined(GRAVELP_RESIDENT)
        lanes_launch(clients, arena, test, test->n_servers + test->n_clients, test->client_items);
#else
        lanes_launch(clients, arena, test, test->n_clients, test->client_items);
        lanes_launch(servers, arena, test, test->n_servers, test->server_items);
        lanes_launch(pair_server, arena, test, 1, 2 * test->server_items);
#endif
        if (++n_phases > n_virtual)
            fail("%u phases, and %u virtual groups taken of %u", n_phases,
                 gravelp_servers(arena)->next, n_virtual);
    }
    check(test, arena, n_phases);
    free(arena);
}

static void run_frame(const struct test *test)
{
    struct gravelp_arena *arena = make_arena(test);
    struct frame frame = {.n = test->n_items, .rows = calloc(3 * test->n_items, sizeof(ulong))};
    if (!frame.rows)
        fail("no memory for a frame");
    for (uint32_t i = 0; i < frame.n; i++) {
        frame.rows[i] = i % test->n_keys;
        frame.rows[frame.n + i] = i;
        frame.rows[2 * frame.n + i] = second_of(test, i);
    }
    lanes_launch(serve_run, arena, &frame, test->n_servers, test->server_items);
    lanes_launch(serve_pairs, arena, &frame, 1, 2 * test->server_items);
    check(test, arena, 0);
    free(frame.rows);
    free(arena);
}

int main(void)
{
    static const struct test tests[] = {
        {1, 1, 1, 4, 4, 2}, {600, 1, 2, 8, 4, 3}, {1500, 7, 3, 16, 8, 2}, {1001, 50, 4, 5, 3, 3}};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        run_test(&tests[i]), run_frame(&tests[i]);
    return 0;
}
