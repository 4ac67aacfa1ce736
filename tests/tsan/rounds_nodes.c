/* SPDX-License-Identifier: MIT */
/*
 * Rounds of several nodes as C11 threads, under ThreadSanitizer: groups of node 0 meet, report and apply what an answer
 * brings, next to a thread that is the host, and in whose frames node 1's messages come.
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
#define MOST_MS 60000u /* for a report */

struct heap {
    uint64_t unused[8];
    uint32_t words[N], there; /* `there`: of node 1, who has none here */
    _Alignas(64) struct gravelp_rounds rounds;
    _Alignas(64) unsigned char nodes[GRAVELP_ROUNDS_BYTES(N_NODES, ROOM)];
};
struct test {
    _Alignas(GRAVELP_CACHELINE) struct gravelp_arena arena;
    struct gravelp_queue_words queue;
    struct heap heap;
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

/* Reads a word as the library does, and says whether it is of this round. */
static bool read_word(uint32_t *word, uint32_t number, memory_order order, uint32_t *part)
{
    *part = atomic_load_explicit((_Atomic uint32_t *)word, order) & 0xffff;
    return atomic_load_explicit((_Atomic uint32_t *)word, memory_order_relaxed) >> 16 == number;
}

static void take_report(uint32_t *report, uint32_t number, uint32_t *n_sent)
{
    uint32_t flags, part, sum = 0;
    for (uint32_t ms = 0;
         !read_word(report + GRAVELP_ROUNDS_FLAGS, number, memory_order_acquire, &flags);
         ms++) { /* Y4 */
        if (ms == MOST_MS)
            fail("round %u has not been reported: stuck", number);
        usleep(50);
    }
    for (uint32_t i = 0; i < GRAVELP_ROUNDS_WORDS(N_NODES); i++) {
        if (!read_word(report + i, number, memory_order_relaxed, &part))
            fail("word %u of report %u is another one's", i, number);
        sum += i == 0 ? part : 0;
    }
    expect("flags", flags, 0);
    *n_sent = GRAVELP_ROUNDS_COUNT(report, 1);
    expect("the count", sum, *n_sent);
}

/* Brings node 1's messages of a round, and answers. */
static void give_answer(struct heap *heap, uint32_t number, bool goes_on)
{
    uint32_t *answer = (uint32_t *)(void *)(heap->nodes + GRAVELP_ROUNDS_ANSWER(N_NODES));
    struct gravelp_round_message *frame =
        (struct gravelp_round_message *)(void *)(heap->nodes + GRAVELP_ROUNDS_IN(N_NODES, ROOM)) +
        ROOM;
    const uint64_t sum = 100000000000 + number;
    for (uint32_t i = 0; i < N; i++)
        frame[i] = (struct gravelp_round_message){
            GRAVELP_ROUND_TO(GRAVELP_COMMAND(GRAVEL_INC, GRAVEL_UINT),
                             offsetof(struct heap, words) + 4 * i),
            0};
    for (uint32_t i = GRAVELP_ROUNDS_WORDS(N_NODES); i--;) {
        const uint32_t part = i < GRAVELP_ROUNDS_FLAGS        ? (uint32_t)(sum >> 16 * i)
                              : i == GRAVELP_ROUNDS_FLAGS     ? goes_on
                              : i == GRAVELP_ROUNDS_PARTS + 2 ? N
                                                              : 0;
        atomic_store_explicit((_Atomic uint32_t *)(answer + i), GRAVELP_ROUNDS_WORD(number, part),
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
        uint32_t n_sent;
        take_report((uint32_t *)(void *)heap->nodes, number, &n_sent);
        for (uint32_t i = 0; i < n_sent; i++)
            expect("a message's word", GRAVELP_ROUND_OFFSET(frame[i]),
                   offsetof(struct heap, there));
        give_answer(heap, number, number < N_ROUNDS);
    }
    return NULL;
}

static void run(struct test *test)
{
    const struct gravelp_rounds_begin begin = {.words_at = offsetof(struct heap, rounds),
                                               .phase = GRAVELP_PHASE_ALL,
                                               .most = UINT32_MAX,
                                               .n_groups = N_GROUPS,
                                               .wait_ms = WAIT_MS,
                                               .nodes_at = offsetof(struct heap, nodes),
                                               .room = ROOM};
    pthread_t host;
    memset(test, 0, sizeof *test);
    make_arena(&test->arena, offsetof(struct test, queue), offsetof(struct test, heap),
               sizeof test->heap, &test->heap.rounds);
    test->arena.n_nodes = N_NODES;
    if (pthread_create(&host, NULL, be_host, test))
        fail("no thread for the host");
    lanes_launch(exchange_kernel, &test->arena, &begin, N_GROUPS, N_ITEMS);
    pthread_join(host, NULL);
    const struct gravelp_rounds *rounds = &test->heap.rounds;
    if (test->arena.fault || rounds->n_refused)
        fail("fault %u, %u refused", test->arena.fault, rounds->n_refused);
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
        run(test);
    free(test);
    return 0;
}
