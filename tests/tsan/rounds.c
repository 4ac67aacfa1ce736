/* SPDX-License-Identifier: MIT */
/*
 * Rounds that stay on the device as C11 threads, under ThreadSanitizer: what a phase has stored the next one reads, by
 * plain loads, in all groups; counts are of the round before; own words of messages are applied, and a signal is raised
 * behind its word.
 *
 * Path:    this -> cl/rounds.cl.h, device/meeting.cl.h, direct.cl.h, compiled as C11 through host_c11.h.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include "rounds_c11.h"

#define N 64u
#define N_ROUNDS 40u
#define N_LAUNCHES 8

struct heap {
    uint64_t unused[8];
    uint32_t words[N];
    uint32_t counter, signal[N_ROUNDS], sent[N_ROUNDS];
    _Alignas(64) struct gravelp_rounds rounds;
};
struct test {
    _Alignas(GRAVELP_CACHELINE) struct gravelp_arena arena;
    struct gravelp_queue_words queue;
    struct heap heap;
};

static void meet_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    const GRAVEL_ROUND = *(const struct gravelp_rounds_begin *)arguments;
    lanes_start_together(); /* so all groups are members */
    GRAVEL_ROUND_OPEN(r);
    struct heap *heap = (struct heap *)(void *)gravelp_heap(gravel_arena_, 0);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, write)
        {
            const uint number = (uint)gravel_round_number(r);
            uint n = 0;
            for (uint i = gravel_round_item(r); i < N; i += gravel_round_items(r), n++)
                heap->words[i] = number * N + i;
            gravel_round_count_wg(r, n);
            gravel_round_count_wi(r, 1);
        }
        GRAVEL_PHASE(r, read)
        {
            const uint number = (uint)gravel_round_number(r), item = gravel_round_item(r);
            for (uint i = item; i < N; i += gravel_round_items(r))
                expect("a word", heap->words[(i + 7) % N], number * N + (i + 7) % N);
            expect("a sum", gravel_round_sum(r), number ? N + gravel_round_items(r) : 0);
            gravel_inc_uint_wi(r.group, offsetof(struct heap, counter), 0, 0);
            if (item == 0)
                gravel_put_signal_uint_wi(r.group, offsetof(struct heap, sent), number, number + 1,
                                          offsetof(struct heap, signal) + 4 * number, 0);
            else if (item == gravel_round_items(r) - 1) {
                gravel_wait_until_uint_wi(r.group, offsetof(struct heap, signal) + 4 * number,
                                          GRAVEL_CMP_NE, 0);
                expect("what was sent", heap->sent[number], number + 1);
            }
        }
    }
}

/* Counts in the only phase: its groups meet once a round. */
static void count_kernel(struct gravelp_arena *gravel_arena_, const void *arguments)
{
    const GRAVEL_ROUND = *(const struct gravelp_rounds_begin *)arguments;
    lanes_start_together(); /* so all groups are members */
    GRAVEL_ROUND_OPEN(r);
    GRAVEL_EACH_ROUND(r)
    {
        GRAVEL_PHASE(r, count)
        {
            const uint number = (uint)gravel_round_number(r);
            expect("a sum", gravel_round_sum(r), number ? number * gravel_round_items(r) : 0);
            gravel_round_count_wi(r, number + 1);
        }
    }
}

static void run(struct test *test, lanes_kernel *body)
{
    const struct gravelp_rounds *rounds = &test->heap.rounds;
    const struct gravelp_rounds_begin begin = {.words_at = offsetof(struct heap, rounds),
                                               .phase = GRAVELP_PHASE_ALL,
                                               .most = N_ROUNDS,
                                               .n_groups = N_GROUPS,
                                               .wait_ms = WAIT_MS};
    memset(test, 0, sizeof *test);
    make_arena(&test->arena, offsetof(struct test, queue), offsetof(struct test, heap),
               sizeof test->heap, &test->heap.rounds);
    lanes_launch(body, &test->arena, &begin, N_GROUPS, N_ITEMS);
    const uint32_t n_items = rounds->members.n * N_ITEMS;
    if (test->arena.fault || rounds->n_refused || rounds->last.is_sent)
        fail("fault %u, %u refused", test->arena.fault, rounds->n_refused);
    expect("rounds", rounds->n_rounds, N_ROUNDS);
    expect("the last count", rounds->last.count[0],
           body == count_kernel ? N_ROUNDS * n_items : N + n_items);
    expect("the counter", test->heap.counter, body == count_kernel ? 0 : N_ROUNDS * n_items);
    printf("rounds as C11: %u rounds of %u groups\n", N_ROUNDS, rounds->members.n);
}

int main(void)
{
    struct test *test = aligned_alloc(GRAVELP_CACHELINE, sizeof *test);
    if (!test)
        fail("no memory for rounds");
    for (int i = 0; i < N_LAUNCHES; i++)
        run(test, i % 2 ? count_kernel : meet_kernel);
    free(test);
    return 0;
}
