/* SPDX-License-Identifier: MIT */
/*
 * Rounds: phases see what the one before has stored, on all groups; counts are known in the next round; every operation,
 * in the kernel that stays and phase by phase, at this node and at another one; requests; handlers; runs that go on where
 * the last one ended; what is refused, and that the node is of use afterwards.
 *
 * Path: meson test -> kernels/rounds.cl -> cl/rounds.cl.h, lib/rounds
 */
#include "expect.h"

#include <gravel/rounds.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define N 1000u
#define N_ROUNDS 7u
#define N_UPDATES 3u /* rounds of many messages */
#define WORDS_BYTES 2048u

extern const char rounds_cl[];

static struct gravel *open_by(const char *scheduler, uint32_t n_nodes,
                              const struct gravel_bindings *bindings)
{
    struct gravel_config config = loopback_config(n_nodes);
    snprintf(config.scheduler, sizeof config.scheduler, "%s", scheduler);
    return scoped_node(&config, bindings);
}

static struct gravel_rounds *make(struct gravel *gravel, const char *function)
{
    char options[32];
    struct gravel_rounds *rounds;
    snprintf(options, sizeof options, "-DN=%uu", N);
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "rounds.cl", .source = rounds_cl, .options = options,
                              .function = function, .group_items = 64);
    OK(gravel_rounds_create(&rounds, gravel, &program));
    return rounds;
}

static void set_bytes(struct gravel_rounds *rounds, cl_uint index, size_t bytes, const void *value)
{
    cl_kernel kernel;
    OK(gravel_rounds_kernel(rounds, &kernel));
    assert_int_equal(clSetKernelArg(kernel, index, bytes, value), CL_SUCCESS);
    clReleaseKernel(kernel);
}

#define SET_ROUNDS(rounds, index, variable) set_bytes(rounds, index, sizeof(variable), &(variable))

static struct gravel_rounds_ended run(struct gravel_rounds *rounds, uint32_t until, uint64_t most)
{
    struct gravel_rounds_ended ended;
    OK(gravel_rounds_run(rounds, until, most, &ended, sizeof ended));
    return ended;
}

static struct gravel_rounds_stats stats(const struct gravel_rounds *rounds)
{
    struct gravel_rounds_stats stats;
    OK(gravel_rounds_stats_read(rounds, &stats, sizeof stats));
    return stats;
}

/* ---- phases and counts ----------------------------------------------------------------------- */

static void meet(const char *scheduler, uint32_t n_nodes)
{
    struct gravel *gravel = open_by(scheduler, n_nodes, NULL);
    struct gravel_rounds *rounds = make(gravel, "meet");
    const uint64_t own = alloc_or_die(gravel, N * sizeof(uint32_t)),
                   wrong = alloc_or_die(gravel, 8);
    const uint32_t node = n_nodes - 1;
    SET_ROUNDS(rounds, 2, own);
    SET_ROUNDS(rounds, 3, wrong);
    SET_ROUNDS(rounds, 4, node);
    const struct gravel_rounds_ended ended = run(rounds, GRAVEL_UNTIL_MOST, N_ROUNDS);
    assert_int_equal(ended.n_rounds, N_ROUNDS);
    assert_int_equal(ended.sum, N / 4 * ((6ul << 30) + (1ul << 33) + 1) + 2 * N); /* COUNTED */
    expect_words(gravel, node, wrong, 0, 2);
    const struct gravel_rounds_stats seen = stats(rounds);
    assert_int_equal(seen.rounds, N_ROUNDS);
    assert_true(seen.stayed == 0 || seen.stayed == N_ROUNDS);
    assert_true(seen.launches <= 2 * N_ROUNDS + 1 && seen.launches > 0);
    if (n_nodes > 1 || !strcmp(scheduler, "host"))
        assert_int_equal(seen.stayed, 0);
    OK(gravel_rounds_destroy(rounds));
}

TEST(phases_see_the_phase_before_and_sums_are_of_the_round_before)
{
    meet("auto", 1);
}
TEST(a_launch_may_be_a_phase)
{
    meet("host", 1);
}
TEST(nodes_run_rounds_together)
{
    meet("auto", 3);
}

TEST(a_run_goes_on_where_the_last_one_ended_and_ends_when_nothing_counts)
{
    struct gravel *gravel = open_by("auto", 1, NULL);
    struct gravel_rounds *rounds = make(gravel, "astray");
    const uint64_t words = alloc_or_die(gravel, 64);
    const uint32_t zero = 0;
    SET_ROUNDS(rounds, 2, words);
    SET_ROUNDS(rounds, 3, zero);
    SET_ROUNDS(rounds, 4, zero);
    const struct gravel_rounds_ended counting = run(rounds, GRAVEL_UNTIL_ZERO, 300);
    assert_int_equal(counting.n_rounds, 300);
    assert_true(counting.sum > 0 && counting.sum % 64 == 0);
    OK(gravel_rounds_destroy(rounds));
    rounds = make(gravel, "stay");
    const uint32_t one = 1;
    OK(gravel_put(gravel, words + 32, &one, sizeof one, 0));
    OK(gravel_quiet(gravel));
    const uint64_t stop = words + 32;
    SET_ROUNDS(rounds, 2, stop);
    assert_int_equal(run(rounds, GRAVEL_UNTIL_ZERO, UINT64_MAX).n_rounds, 1);
    OK(gravel_rounds_destroy(rounds));
}

/* ---- messages -------------------------------------------------------------------------------- */

static void update(const char *scheduler, uint32_t n_nodes, unsigned char seen[WORDS_BYTES])
{
    struct gravel *gravel = open_by(scheduler, n_nodes, NULL);
    struct gravel_rounds *rounds = make(gravel, "update");
    const uint64_t words = alloc_or_die(gravel, WORDS_BYTES);
    const uint32_t node = n_nodes - 1;
    SET_ROUNDS(rounds, 2, words);
    SET_ROUNDS(rounds, 3, node);
    run(rounds, GRAVEL_UNTIL_MOST, N_UPDATES);
    const void *mapped = read_map(gravel, node, words, WORDS_BYTES);
    memcpy(seen, mapped, WORDS_BYTES);
    unmap(gravel, mapped);
    OK(gravel_rounds_destroy(rounds));
}

TEST(every_operation_comes_to_the_same_in_both_forms_and_at_another_node)
{
    unsigned char staying[WORDS_BYTES], by_phase[WORDS_BYTES], elsewhere[WORDS_BYTES];
    uint32_t sum;
    float halves;
    update("auto", 1, staying);
    update("host", 1, by_phase);
    update("auto", 2, elsewhere);
    assert_memory_equal(staying, by_phase, WORDS_BYTES);
    assert_memory_equal(staying, elsewhere, WORDS_BYTES);
    memcpy(&sum, staying + 17 * sizeof sum, sizeof sum);
    memcpy(&halves, staying + 96 * sizeof halves, sizeof halves);
    assert_int_equal(sum, N_UPDATES * (N * (N + 1) / 2));
    assert_true(halves == 0.5f * N_UPDATES * N);
}

static void request(const char *scheduler, uint32_t n_nodes)
{
    struct gravel *gravel = open_by(scheduler, n_nodes, NULL);
    struct gravel_rounds *rounds = make(gravel, "request");
    const uint64_t words = alloc_or_die(gravel, (1 + 3 * N) * sizeof(uint32_t)),
                   answers = alloc_or_die(gravel, 3 * N * sizeof(uint32_t)),
                   signals = alloc_or_die(gravel, 64), wrong = alloc_or_die(gravel, 64);
    const uint32_t node = n_nodes - 1;
    SET_ROUNDS(rounds, 2, words);
    SET_ROUNDS(rounds, 3, answers);
    SET_ROUNDS(rounds, 4, signals);
    SET_ROUNDS(rounds, 5, wrong);
    SET_ROUNDS(rounds, 6, node);
    run(rounds, GRAVEL_UNTIL_MOST, N_ROUNDS);
    assert_int_equal(word32(gravel, node, wrong), 0);
    assert_int_equal(word32(gravel, node, words), N_ROUNDS * N);
    assert_int_equal(word32(gravel, 0, signals), N_ROUNDS * 3 * N);
    assert_int_equal(word32(gravel, node, signals + 4), N_ROUNDS * N);
    expect_words(gravel, node, words + 4, N_ROUNDS, 2 * N);
    expect_words(gravel, node, words + 4 + 8 * N, N_ROUNDS - 1, N);
    OK(gravel_rounds_destroy(rounds));
}

TEST(requests_are_answered_in_their_round)
{
    request("auto", 1);
    request("auto", 2);
}

/* ---- handlers -------------------------------------------------------------------------------- */

static _Atomic uint64_t n_tallied[N_ROUNDS], n_early;

static int tally(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    (void)gravel, (void)user, (void)source;
    n_early += args[0] && n_tallied[args[0] - 1] != N;
    n_tallied[args[0]]++;
    return 0;
}

TEST(handlers_of_a_round_have_run_before_the_next)
{
    const struct gravel_handler handler = {.name = "tally", .n_args = 2, .function = tally};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    const uint32_t node = 0;
    struct gravel *gravel = open_by("auto", 1, &bindings);
    struct gravel_rounds *rounds = make(gravel, "call");
    SET_ROUNDS(rounds, 2, node);
    run(rounds, GRAVEL_UNTIL_MOST, N_ROUNDS);
    for (uint32_t i = 0; i < N_ROUNDS; i++)
        assert_int_equal(n_tallied[i], N);
    assert_int_equal(n_early, 0);
    OK(gravel_rounds_destroy(rounds));
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST(a_message_to_no_word_is_refused_and_the_next_run_goes_on)
{
    struct gravel *gravel = open_by("auto", 1, NULL);
    struct gravel_rounds *rounds = make(gravel, "astray");
    struct gravel_rounds_ended ended;
    const uint64_t words = alloc_or_die(gravel, 64);
    const uint32_t index = 16, zero = 0, one = 1;
    SET_ROUNDS(rounds, 2, words);
    SET_ROUNDS(rounds, 3, index);
    SET_ROUNDS(rounds, 4, zero);
    expect_error(gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, 9, &ended, sizeof ended),
                 GRAVEL_ERANGE, "16");
    SET_ROUNDS(rounds, 3, zero);
    SET_ROUNDS(rounds, 4, one);
    expect_error(gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, 9, &ended, sizeof ended),
                 GRAVEL_ERANGE, "node");
    SET_ROUNDS(rounds, 4, zero);
    assert_int_equal(run(rounds, GRAVEL_UNTIL_MOST, 9).n_rounds, 9);
    assert_int_equal(word32(gravel, 0, words), 1);
    expect_works(gravel);
    OK(gravel_rounds_destroy(rounds));
}

TEST(a_kernel_without_its_arguments_is_refused)
{
    struct gravel *gravel = open_by("auto", 1, NULL);
    struct gravel_rounds *rounds = make(gravel, "meet");
    expect_error(gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, 1, NULL, 0), GRAVEL_ECL, "argument");
    OK(gravel_rounds_destroy(rounds));
    expect_works(gravel);
}

/* ---- a node that is given up ------------------------------------------------------------------ */

#define WHY "KeyError: 23"

static void *give_up(void *gravel)
{
    usleep(500000);
    OK(gravel_abort(gravel, WHY));
    return NULL;
}

static struct gravel_rounds *make_work(struct gravel *gravel, cl_mem last, uint32_t n)
{
    struct gravel_rounds *rounds = make(gravel, "work");
    SET_ROUNDS(rounds, 2, last);
    SET_ROUNDS(rounds, 3, n);
    return rounds;
}

/* Returns how many steps take 0.3 s. */
static uint32_t count_steps(struct gravel *gravel, cl_mem last)
{
    const uint32_t n = 10000000;
    struct gravel_rounds *rounds = make_work(gravel, last, n);
    run(rounds, GRAVEL_UNTIL_MOST, 1); /* which compiles */
    const double begin = seconds_now();
    run(rounds, GRAVEL_UNTIL_MOST, 1);
    const double times = 0.3 / (seconds_now() - begin);
    OK(gravel_rounds_destroy(rounds));
    return (uint32_t)(n * (times < 400 ? times : 400));
}

/* The first launch, of up to 64 rounds that take 0.3 s each, ends with the round. */
TEST(abort_ends_a_run_whose_groups_do_not_wait)
{
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel;
    pthread_t other;
    cl_int error;
    OK(gravel_open(&gravel, &config, NULL));
    cl_mem last =
        clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_WRITE, 4u << 20, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    struct gravel_rounds *rounds = make_work(gravel, last, count_steps(gravel, last));
    const double begin = seconds_now();
    assert_int_equal(pthread_create(&other, NULL, give_up, gravel), 0);
    expect_error(gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, 1000, NULL, 0), GRAVEL_EABORT, WHY);
    pthread_join(other, NULL);
    expect_error(gravel_rounds_destroy(rounds), GRAVEL_EABORT, WHY);
    expect_error(gravel_close(gravel), GRAVEL_EABORT, WHY);
    assert_true(is_within(begin, 7)); /* closing gives a kernel up after 8 s */
    clReleaseMemObject(last);
}
