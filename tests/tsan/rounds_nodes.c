/* SPDX-License-Identifier: MIT */
/*
 * Rounds of several nodes as C11 threads, under ThreadSanitizer: groups of node 0 meet, report and apply what an answer
 * brings, next to a thread that is the host, in whose frames node 1's messages come, and which reads what was applied. Numbers of rounds pass 2^32. With
 * the last answer a message comes for no word; and in the first round of a launch more than 2^32 messages are for node 1.
 *
 * Path:    this -> cl/rounds.cl.h, device/meeting.cl.h, exchange.cl.h, compiled as C11 through host_c11.h.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include "rounds_c11.h"

#include <pthread.h>
#include <unistd.h>

#define N_NODES 2u
#define ROOM 24u /* messages of a frame: one for each work-item, and some */
#define N 16u    /* words that node 1 adds to in each round */
#define N_ROUNDS 30u
#define N_LAUNCHES 6
#define MOST_MS 60000u                    /* for a report */
#define FIRST (UINT32_MAX - N_ROUNDS / 2) /* a round's number */
#define SLOT_BYTES 512u
#define N_SLOTS 16u

struct heap {
    uint64_t unused[8];
    uint32_t words[N], there; /* `there`: of node 1, who has none here */
    _Alignas(64) struct gravelp_rounds rounds;
    _Alignas(64) unsigned char nodes[GRAVELP_ROUNDS_BYTES(N_NODES, ROOM)];
};
struct test {
    _Alignas(GRAVELP_CACHELINE) struct gravelp_arena arena;
    struct gravelp_queue_words queue;
    _Alignas(GRAVELP_CACHELINE) unsigned char slots[N_SLOTS * SLOT_BYTES];
    struct heap heap;
    bool is_full; /* node 1's frame, in the first round */
};

/* Each work-item sends one message to node 1, and finds what node 1 has sent in all rounds before. */
static void exchange_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    const GRAVEL_ROUND = *(const struct gravelp_rounds_begin *)arguments;
    lanes_start_together(); /* so all groups are members */
    GRAVEL_ROUND_OPEN(r);
    struct heap *heap = (struct heap *)(void *)gravelp_heap(gravel_arena_, 0);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, all)
        {
            const uint number = (uint)gravel_round_number(r);
            for (uint i = gravel_round_item(r); i < N; i += gravel_round_items(r))
                expect("a word", heap->words[i], number);
            expect("a sum", gravel_round_sum(r), number ? 100000000000 + number : 0);
            gravel_inc_uint_wi(r.group, offsetof(struct heap, there), 0, 1);
            gravel_round_count_wi(r, 1);
        }
    }
}

/* ---- the host ---------------------------------------------------------------------------------- */

/* Waits until a report's flags are so, or frames of a round are applied: the next report says that too. */
static void await_report(uint32_t *report, uint32_t flags, uint32_t applied)
{
    _Atomic uint32_t *words = (_Atomic uint32_t *)report;
    for (uint32_t ms = 0;; ms++) {
        if (atomic_load_explicit(words + GRAVELP_ROUNDS_FLAGS, memory_order_acquire) ==
                flags || /* Y4 */
            atomic_load_explicit(words + GRAVELP_ROUNDS_APPLIED, memory_order_acquire) ==
                applied) /* Y7 */
            return;
        if (ms == MOST_MS)
            fail("a report has no flags 0x%x: stuck", flags);
        usleep(50);
    }
}

static void take_report(uint32_t *report, uint32_t number, bool is_full, uint32_t *n_sent)
{
    uint32_t sum = 0;
    await_report(report, GRAVELP_ROUNDS_WORD(number, is_full ? GRAVELP_ROUNDS_SENT : 0),
                 UINT32_MAX);
    for (uint32_t i = 0; i < GRAVELP_ROUNDS_WORDS(N_NODES); i++) {
        const uint32_t word =
            atomic_load_explicit((_Atomic uint32_t *)report + i, memory_order_relaxed); /* Y4 */
        expect("the number of a word's report", word >> 16, number & 0xffff);
        sum += i == 0 ? word & 0xffff : 0;
    }
    *n_sent = GRAVELP_ROUNDS_COUNT(report, 1);
    if (is_full)
        expect("messages of a full frame", *n_sent, ROOM);
    else
        expect("the count", sum, *n_sent);
}

/* Brings node 1's messages of a round, the number-th, and answers. */
static void give_answer(struct heap *heap, uint32_t number, bool goes_on)
{
    const uint32_t n = N + !goes_on; /* the last one is to no word */
    uint32_t *answer = (uint32_t *)(void *)(heap->nodes + GRAVELP_ROUNDS_ANSWER(N_NODES));
    struct gravelp_round_message *frame =
        (struct gravelp_round_message *)(void *)(heap->nodes + GRAVELP_ROUNDS_IN(N_NODES, ROOM)) +
        ROOM;
    const uint64_t sum = 100000000000 + number;
    for (uint32_t i = 0; i < n; i++)
        frame[i] = (struct gravelp_round_message){
            GRAVELP_ROUND_TO(GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT),
                             i < N ? offsetof(struct heap, words) + 4 * i : sizeof *heap),
            0};
    for (uint32_t i = GRAVELP_ROUNDS_WORDS(N_NODES); i--;) {
        const uint32_t part = i < GRAVELP_ROUNDS_FLAGS        ? (uint32_t)(sum >> 16 * i)
                              : i == GRAVELP_ROUNDS_FLAGS     ? goes_on
                              : i == GRAVELP_ROUNDS_PARTS + 2 ? n
                                                              : 0;
        atomic_store_explicit((_Atomic uint32_t *)(answer + i),
                              GRAVELP_ROUNDS_WORD(FIRST + number, part),
                              memory_order_release); /* Y5 */
    }
}

static void *be_host(void *context)
{
    struct test *test = context;
    struct heap *heap = &test->heap;
    const struct gravelp_round_message *frame =
        (struct gravelp_round_message *)(void *)(heap->nodes + GRAVELP_ROUNDS_OUT(N_NODES)) + ROOM;
    for (uint32_t number = 1; number <= N_ROUNDS; number++) {
        const bool is_full = test->is_full && number == 1;
        uint32_t n_sent;
        take_report((uint32_t *)(void *)heap->nodes, FIRST + number, is_full, &n_sent);
        for (uint32_t i = 0; i < n_sent; i++)
            expect("a message's word", GRAVELP_ROUND_OFFSET(frame[i]),
                   is_full ? 0 : offsetof(struct heap, there));
        give_answer(heap, number, number < N_ROUNDS);
        await_report((uint32_t *)(void *)heap->nodes, GRAVELP_ROUNDS_WORD(FIRST + number + 1, 0),
                     GRAVELP_ROUNDS_WORD(FIRST + number, 1));
        for (uint32_t i = 0; i < N; i++)
            expect("a word that is applied", heap->words[i], number);
    }
    return NULL;
}

static void run(struct test *test, bool is_full)
{
    const struct gravelp_rounds_begin begin = {.words_at = offsetof(struct heap, rounds),
                                               .phase = GRAVELP_PHASE_ALL,
                                               .most = UINT32_MAX,
                                               .n_groups = N_GROUPS,
                                               .wait_ms = WAIT_MS,
                                               .nodes_at = offsetof(struct heap, nodes),
                                               .n_met = FIRST,
                                               .room = ROOM};
    uint32_t *counts = (uint32_t *)(void *)(test->heap.nodes + GRAVELP_ROUNDS_COUNTS(N_NODES));
    pthread_t host;
    memset(test, 0, sizeof *test);
    make_arena(&test->arena, offsetof(struct test, queue), offsetof(struct test, heap),
               sizeof test->heap, &test->heap.rounds);
    test->arena.slots_offset = offsetof(struct test, slots) - offsetof(struct test, arena);
    test->arena.slot_bytes = SLOT_BYTES;
    test->arena.n_slots = N_SLOTS;
    test->is_full = is_full;
    counts[(FIRST + 1) % 2 * N_NODES + 1] = is_full ? UINT32_MAX - 3 : 0;
    test->arena.n_nodes = N_NODES;
    if (pthread_create(&host, NULL, be_host, test))
        fail("no thread for the host");
    lanes_launch(exchange_kernel, &test->arena, &begin, N_GROUPS, N_ITEMS);
    pthread_join(host, NULL);
    const struct gravelp_rounds *rounds = &test->heap.rounds;
    expect("fault", test->arena.fault, 0);
    expect("messages refused", rounds->n_refused, 1);
    expect("where", rounds->refused_base, sizeof test->heap);
    expect("packages", test->queue.reserved, is_full ? rounds->members.n * N_ITEMS : 0);
    expect("rounds", rounds->n_rounds, N_ROUNDS);
    for (uint32_t i = 0; i < N; i++)
        expect("a word at the end", test->heap.words[i], N_ROUNDS);
    printf("rounds of nodes as C11: %u rounds of %u groups\n", N_ROUNDS, rounds->members.n);
}

int main(void)
{
    struct test *test = aligned_alloc(GRAVELP_CACHELINE, sizeof *test);
    if (!test)
        fail("no memory for rounds");
    for (int i = 0; i < N_LAUNCHES; i++)
        run(test, i % 2);
    free(test);
    return 0;
}
