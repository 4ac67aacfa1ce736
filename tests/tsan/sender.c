/* SPDX-License-Identifier: MIT */
/*
 * Handlers that send, as C11 threads, under ThreadSanitizer: every message is run once, handlers with equal keys are
 * ordered, and each runs behind what its sender stored; for they count and mark without atomics. Rings are small, so that
 * places are filled again.
 *
 * With GRAVELP_RESIDENT clients and servers run side by side, else in turns.
 *
 * Path:    this -> cl/device/spill.cl.h, inbox.cl.h, resident.cl.h, compiled as C11 through host_c11.h.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#define GRAVELP_SENDS
#define GRAVELP_IS_KEYED(handler) 1
#define GRAVELP_IS_ALONE
#define GRAVEL_HANDLER_hop 0

#include <stdio.h>

#include "gravel.cl.h"
#include "lanes.h"

#include "server_half.h"

#define N_KEYS 7u
#define MOST_CHAINS 40u
#define N_HOPS 100u /* messages of a client's: itself, and those that handlers send */

struct test {
    uint32_t n_items, n_servers, client_items, server_items, n_clients;
};

/* The heap: plain words. */
struct heap {
    uint32_t count[N_KEYS], ledger[MOST_CHAINS * N_HOPS], mark[MOST_CHAINS * N_HOPS];
};

static struct heap *heap_of(struct gravelp_arena *arena)
{
    return (struct heap *)((unsigned char *)arena + arena->heap_offset);
}

static ulong key_of(ulong message)
{
    return (message + message / 5) % N_KEYS;
}

/* Each message of a chain but the last sends the next, which looks at its sender's mark. */
static void hop(struct gravel_call call, ulong key, ulong message)
{
    struct heap *heap = gravel_call_local(call, 0);
    const bool is_first = message % N_HOPS == 0;
    heap->count[key]++;
    heap->ledger[message] += is_first || heap->mark[message - 1] == message;
    heap->mark[message] = (uint32_t)message + 1;
    if (message % N_HOPS + 1 < N_HOPS)
        gravel_serve_am2(call, GRAVEL_HANDLER(hop), key_of(message + 1), message + 1);
}

/* ---- kernels --------------------------------------------------------------------------------------- */

static void clients(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    (void)arguments;
    GRAVEL_SERVER_OPEN(g);
    GRAVEL_SERVE(g, item, active)
    {
        gravel_am2_wg_if(g, (uint)active, GRAVEL_HANDLER(hop), key_of(item * N_HOPS), item * N_HOPS,
                         0);
    }
}

static void run_letter(struct gravelp_arena *gravel_arena_, struct gravelp_letter letter, uint i)
{
    hop(GRAVELP_SENDER_CALL, GRAVELP_LETTER_ARGUMENT(letter, 0, i),
        GRAVELP_LETTER_ARGUMENT(letter, 1, i));
}

/* ---- the arena ------------------------------------------------------------------------------------- */

#define N_SLOTS 64u
#define COLUMNS 32u
#define N_SPILL 128u /* all chains have a message that waits, and one that is run */

static struct gravelp_arena *make_arena(const struct test *test)
{
    const struct gravelp_servers head = {
        .n_servers = test->n_servers,
        .n_owners = test->n_servers,
        .n_slots = N_SLOTS,
        .slot_bytes = GRAVELP_INBOX_SLOT_BYTES(COLUMNS, 2),
        .columns = COLUMNS,
        .n_spill = N_SPILL,
        .n_spill_args = 2,
        .full_at = N_SLOTS / 4,
        .n_items = test->n_items,
        .stop_at = UINT32_MAX,
        .launch = SERVER_LAUNCH,
    };
    return make_server_arena(sizeof(struct heap), &head,
                             GRAVELP_SPILLED(&head, test->n_servers, 0));
}

/* Tickets near the end of their numbers; places have been used long before. */
static void begin_near_the_wrap(struct gravelp_arena *arena)
{
    struct gravelp_servers *region = gravelp_servers(arena);
    for (uint32_t server = 0; server < region->n_servers; server++) {
        struct gravelp_queue_words *ring = gravelp_spill_words(region, server);
        ring->reserved = ring->consumed = UINT32_MAX - 5;
        for (uint32_t place = 0; place < N_SPILL; place++)
            gravelp_spilled(region, server, place)->published = UINT32_MAX / 2;
    }
}

/* ---- tests ----------------------------------------------------------------------------------------- */

static void check(const struct test *test, struct gravelp_arena *arena, uint32_t n_phases)
{
    const struct heap *heap = heap_of(arena);
    uint32_t sum = 0;
    if (arena->fault)
        fail("fault %u", arena->fault);
    for (uint32_t i = 0; i < MOST_CHAINS * N_HOPS; i++)
        if (heap->ledger[i] != (i < test->n_items * N_HOPS))
            fail("message %u of %u: %u", i, test->n_items * N_HOPS, heap->ledger[i]);
    for (uint32_t key = 0; key < N_KEYS; key++)
        sum += heap->count[key];
    if (sum != test->n_items * N_HOPS)
        fail("%u messages were counted, of %u", sum, test->n_items * N_HOPS);
    printf("%u chains, %u servers of %u, %u clients of %u: %u phases\n", test->n_items,
           test->n_servers, test->server_items, test->n_clients, test->client_items, n_phases);
}

#if !defined(GRAVELP_RESIDENT)
static bool has_sent(struct gravelp_arena *arena)
{
    struct gravelp_servers *region = gravelp_servers(arena);
    bool has = false;
    for (uint32_t server = 0; server < region->n_servers; server++) {
        const struct gravelp_queue_words *ring = gravelp_spill_words(region, server);
        has |= ring->reserved != ring->consumed;
    }
    return has;
}
#endif

static void run_test(const struct test *test)
{
    struct gravelp_arena *arena = make_arena(test);
    uint32_t n_phases = 0;
    begin_near_the_wrap(arena);
#if defined(GRAVELP_RESIDENT)
    lanes_launch(clients, arena, test, test->n_servers + test->n_clients, test->client_items);
#else
    const uint32_t n_virtual = (test->n_items + test->client_items - 1) / test->client_items;
    while (gravelp_servers(arena)->next < n_virtual || has_sent(arena)) {
        lanes_launch(clients, arena, test, test->n_clients, test->client_items);
        lanes_launch(servers, arena, test, test->n_servers, test->server_items);
        if (++n_phases > n_virtual + test->n_items * N_HOPS)
            fail("%u phases", n_phases);
    }
#endif
    check(test, arena, n_phases);
    free(arena);
}

int main(void)
{
    const struct test tests[] = {
        {.n_items = 1, .n_servers = 1, .client_items = 4, .server_items = 4, .n_clients = 1},
        {.n_items = 30, .n_servers = 3, .client_items = 8, .server_items = 4, .n_clients = 2},
        {.n_items = MOST_CHAINS,
         .n_servers = 4,
         .client_items = 5,
         .server_items = 3,
         .n_clients = 2},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        run_test(&tests[i]);
    return 0;
}
