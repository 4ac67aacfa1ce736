/* SPDX-License-Identifier: MIT */
/*
 * Rounds: phases see what the one before has stored, on all groups; counts are known in the next round; calls of groups, in
 * the kernel that stays and phase by phase, at this node and at another one; what else kernels have; runs that go on where
 * the last one ended; what is refused, and that the node is of use afterwards; a phase that does not end.
 *
 * Path: meson test -> kernels/rounds.cl -> cl/rounds.cl.h, lib/rounds
 */
#include "expect.h"

#include <gravel/accumulator.h>
#include <gravel/block_pool.h>
#include <gravel/rounds.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define N 1000u
#define N_ROUNDS 7u
#define N_UPDATES 3u
#define N_WORDS 12u

extern const char rounds_cl[];

static struct gravel *open_by(const char *scheduler, uint32_t n_nodes)
{
    struct gravel_config config = loopback_config(n_nodes);
    snprintf(config.scheduler, sizeof config.scheduler, "%s", scheduler);
    return scoped_node(&config, NULL);
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
    struct gravel *gravel = open_by(scheduler, n_nodes);
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
    meet("host", 1); /* a launch is a phase */
    meet("auto", 3);
}

TEST(a_run_may_number_its_rounds_on_from_the_last_run)
{
    struct gravel *gravel = open_by("auto", 1);
    struct gravel_rounds *rounds = make(gravel, "astray");
    const uint64_t words = alloc_or_die(gravel, 64);
    const uint32_t zero = 0;
    SET_ROUNDS(rounds, 2, words);
    SET_ROUNDS(rounds, 3, zero);
    SET_ROUNDS(rounds, 4, zero);
    run(rounds, GRAVEL_UNTIL_MOST, 3);
    expect_words(gravel, 0, words, 1, 1); /* of round 2 */
    run(rounds, GRAVEL_UNTIL_MOST, 2);    /* it begins anew */
    expect_words(gravel, 0, words, 1, 1);
    run(rounds, GRAVEL_UNTIL_MOST | GRAVEL_CONTINUES, 1);
    expect_words(gravel, 0, words, 2, 1);
    run(rounds, GRAVEL_UNTIL_MOST | GRAVEL_CONTINUES, 5);
    expect_words(gravel, 0, words, 2, 1);
    OK(gravel_rounds_destroy(rounds));
}

/* ---- messages -------------------------------------------------------------------------------- */

static void update(const char *scheduler, uint32_t n_nodes, uint32_t seen[N_WORDS])
{
    struct gravel *gravel = open_by(scheduler, n_nodes);
    struct gravel_rounds *rounds = make(gravel, "update");
    const uint64_t words = alloc_or_die(gravel, N_WORDS * sizeof *seen);
    const uint32_t node = n_nodes - 1;
    SET_ROUNDS(rounds, 2, words);
    SET_ROUNDS(rounds, 3, node);
    run(rounds, GRAVEL_UNTIL_MOST, N_UPDATES);
    const void *mapped = read_map(gravel, node, words, N_WORDS * sizeof *seen);
    memcpy(seen, mapped, N_WORDS * sizeof *seen);
    unmap(gravel, mapped);
    OK(gravel_rounds_destroy(rounds));
}

TEST(calls_of_a_group_come_to_the_same_in_both_forms_and_at_another_node)
{
    uint32_t staying[N_WORDS], by_phase[N_WORDS], elsewhere[N_WORDS];
    update("auto", 1, staying);
    update("host", 1, by_phase);
    update("auto", 2, elsewhere);
    assert_memory_equal(staying, by_phase, sizeof staying);
    assert_memory_equal(staying, elsewhere, sizeof staying);
    assert_int_equal(staying[0], N_UPDATES * 1408); /* of 1 to 64, except 2, 5, ... 62 */
    assert_int_equal(staying[2], 63);
    assert_int_equal(staying[11], 7);
}

/* ---- what else kernels have -------------------------------------------------------------------- */

static void use_others(uint32_t n_nodes)
{
    static const char grow_cl[] =
        "#include \"gravel.cl.h\"\n"
        "void grow(struct gravel_call call, ulong words, ulong n)\n"
        "{\n"
        "    atomic_add((volatile global uint *)gravel_call_local(call, words) + 1, (uint)n);\n"
        "}\n";
    const struct gravel_handler grow = {.name = "grow", .n_args = 2};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &grow, .n_handlers = 1,
                        .device_code = {grow_cl, "grow.cl", NULL});
    struct gravel *gravel = scoped_loopback(n_nodes, &bindings);
    struct gravel_rounds *rounds = make(gravel, "others");
    struct gravel_accumulator *total;
    struct gravel_block_pool *pool;
    cl_kernel kernel;
    const uint32_t node = n_nodes - 1;
    const uint64_t words = alloc_or_die(gravel, 8);
    OK(gravel_accumulator_create(&total, gravel, words, 1, GRAVEL_ADD, GRAVEL_UINT));
    OK(gravel_block_pool_create(&pool, gravel, 64, N));
    const uint64_t blocks = gravel_block_pool_offset(pool);
    OK(gravel_rounds_kernel(rounds, &kernel));
    OK(gravel_kernel_set_accumulator(total, kernel, 2));
    clReleaseKernel(kernel);
    SET_ROUNDS(rounds, 3, blocks);
    SET_ROUNDS(rounds, 4, words);
    SET_ROUNDS(rounds, 5, node);
    run(rounds, GRAVEL_UNTIL_MOST, N_ROUNDS);
    expect_words(gravel, node, words, N_ROUNDS * N, 2);
    OK(gravel_block_pool_destroy(pool));
    OK(gravel_accumulator_destroy(total));
    OK(gravel_rounds_destroy(rounds));
}

TEST(accumulators_handlers_and_pools_work_in_phases)
{
    use_others(1);
    use_others(2);
}

/* ---- what is refused ------------------------------------------------------------------------- */

TEST(a_message_to_no_word_is_refused_and_the_next_run_goes_on)
{
    struct gravel *gravel = open_by("auto", 1);
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

static void refuse(const char *scheduler, const char *function, int code, const char *text)
{
    struct gravel *gravel = open_by(scheduler, 1);
    struct gravel_rounds *rounds = make(gravel, function);
    expect_error(gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, 1, NULL, 0), code, text);
    OK(gravel_rounds_destroy(rounds));
    expect_works(gravel);
}

TEST(a_kernel_without_its_arguments_or_phases_is_refused)
{
    refuse("auto", "meet", GRAVEL_ECL, "argument");
    refuse("auto", "no_phase", GRAVEL_EINVAL, "no GRAVEL_PHASE");
    refuse("host", "no_phase", GRAVEL_EINVAL, "no GRAVEL_PHASE");
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

/* The limit is of a phase: rounds of a launch may take longer together. A node without one compiles before. */
TEST(kernel_limit_is_of_a_phase)
{
    uint32_t n_steps = 0;
    for (uint32_t limit_ms = 0; limit_ms <= 1500; limit_ms += 1500) {
        struct gravel_config config = loopback_config(1);
        cl_int error;
        config.kernel_limit_ms = limit_ms;
        struct gravel *gravel = scoped_node(&config, NULL);
        cl_mem last =
            clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_WRITE, 4u << 20, NULL, &error);
        assert_int_equal(error, CL_SUCCESS);
        n_steps = limit_ms ? n_steps : count_steps(gravel, last);
        struct gravel_rounds *rounds = make_work(gravel, last, n_steps);
        run(rounds, GRAVEL_UNTIL_MOST, limit_ms ? 8 : 1);
        OK(gravel_rounds_destroy(rounds));
        clReleaseMemObject(last);
    }
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

/* ---- a phase that does not end ----------------------------------------------------------------- */

#define TIMEOUT_MS 1000u
#define KERNEL_LIMIT_MS 1000u

static const struct endless {
    const char *scheduler;
    cl_uint n_items;          /* that stay in the phase */
    uint32_t kernel_limit_ms; /* 0: none, and the other groups find out */
    const char *text, *by_phase;
} endless[] = {
    {"auto", UINT32_MAX, KERNEL_LIMIT_MS,
     "kernel endless, round 0 or a later one: no group has ended a phase for 1.0 s "
     "(GRAVEL_KERNEL_LIMIT)",
     "kernel endless has not ended within "},
    {"host", UINT32_MAX, KERNEL_LIMIT_MS, "", "kernel endless has not ended within "},
    {"auto", 1, 0, "waited in round 2 for the other groups of its launch, of which ", NULL},
};

/* Runs a row's rounds, whose phase ends, if text is NULL; else every call says the text in time, and the node closes, in
 * whose memory the kernel still runs. @return how they ran */
static struct gravel_rounds_stats try_endless(const struct endless *row, const char *text)
{
    static _Alignas(4096) _Atomic cl_uint gate[1024];
    const int code = text ? GRAVEL_EKERNEL : 0;
    struct gravel_config config = loopback_config(1);
    struct gravel *gravel;
    cl_int error;
    config.timeout_ms = TIMEOUT_MS;
    config.kernel_limit_ms = text ? row->kernel_limit_ms : 0;
    snprintf(config.scheduler, sizeof config.scheduler, "%s", row->scheduler);
    OK(gravel_open(&gravel, &config, NULL));
    struct gravel_rounds *rounds = make(gravel, "endless");
    cl_command_queue queue = gravel_cl_queue(gravel);
    cl_mem memory =
        clCreateBuffer(gravel_cl_context(gravel), CL_MEM_USE_HOST_PTR, sizeof gate, gate, &error);
    assert_true(error == CL_SUCCESS && clRetainCommandQueue(queue) == CL_SUCCESS);
    SET_ROUNDS(rounds, 2, memory);
    SET_ROUNDS(rounds, 3, row->n_items);
    atomic_store(gate, !text);
    const double begin = seconds_now();
    for (int i = 0; i < 3; i++)
        expect_error(gravel_rounds_run(rounds, GRAVEL_UNTIL_ZERO, 3, NULL, 0), code, text);
    const struct gravel_rounds_stats seen = stats(rounds);
    expect_error(gravel_rounds_destroy(rounds), code, text);
    expect_error(gravel_close(gravel), code, text);
    assert_true(!text || is_within(begin, 8));
    atomic_store(gate, 1); /* the kernel ends, in memory that has stayed */
    assert_int_equal(clFinish(queue), CL_SUCCESS);
    clReleaseCommandQueue(queue);
    clReleaseMemObject(memory);
    return seen;
}

TEST_OF("endless", a_phase_without_an_end_is_told_in_time)
{
    for (const struct endless *row = endless; row < endless + sizeof endless / sizeof *endless;
         row++) {
        const struct gravel_rounds_stats seen = try_endless(row, NULL); /* which compiles */
        if (row->kernel_limit_ms || seen.groups > 1)
            try_endless(row, seen.stayed ? row->text : row->by_phase);
    }
}
