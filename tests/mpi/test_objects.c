/* SPDX-License-Identifier: MIT */
/*
 * Accumulators, mirrors and rounds: how many messages an accumulator's calls send, what copies show beside kernels, and what
 * kernels are refused; what rounds of several nodes bring. Every node of the job runs all steps. The ledger, histories and gravel-conformance have what arrives.
 *
 * Path: mpirun -> this -> kernels/adds.cl, kernels/spread.cl; lib/accumulate, lib/mirror, lib/rounds
 */
#include "cases.h"
#include "job.h"

#include <gravel/accumulator.h>
#include <gravel/mirror.h>
#include <gravel/rounds.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_kernel one; /* of add_one */

extern const char adds_cl[];   /* kernels/adds.cl */
extern const char spread_cl[]; /* kernels/spread.cl */

/* Adds a value n times, each by a work-item of its own. */
static void add_one(const struct gravel_accumulator *accumulator, uint64_t index, uint32_t value,
                    uint64_t owner, size_t n)
{
    const cl_ulong place[] = {index, owner};
    const cl_uint number = value;
    OK(gravel_kernel_set_accumulator(accumulator, one, 1));
    MUST(clSetKernelArg(one, 2, sizeof *place, &place[0]) == CL_SUCCESS);
    MUST(clSetKernelArg(one, 3, sizeof number, &number) == CL_SUCCESS);
    MUST(clSetKernelArg(one, 4, sizeof *place, &place[1]) == CL_SUCCESS);
    OK(gravel_launch(gravel, one, 1, &n, NULL, 0, NULL, NULL));
}

static struct gravel_accumulator *create(uint64_t offset, uint64_t n, uint32_t op, uint32_t type)
{
    struct gravel_accumulator *accumulator;
    OK(gravel_accumulator_create(&accumulator, gravel, offset, n, op, type));
    return accumulator;
}

/* Whether this node adds, and words have a shadow. */
static bool has_shadow(void)
{
    return n_nodes > 1 || gravel_config_of(gravel)->check;
}

/* ---- what an accumulator sends ----------------------------------------------------------------- */

static uint64_t n_sent(void)
{
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    return stats.sent_messages;
}

#define N_ADDERS 100u /* work-items of a node that add to a word, which is one message */

/* Of GRAVEL_ADD and GRAVEL_XOR `is` is what each work-item that adds has added. What changes no word is not sent; a flush that has
 * begun sends what had been added, and the next one completes it and sends the rest. */
static const struct sequence {
    uint32_t op;
    const char *
        calls; /* a digit, -: an update, by 2^32 - 1; f, b, r: flush, begin, reset; e, q, |: fence, quiet, barrier; s: set back */
    uint32_t is;
    uint32_t n_sent; /* messages, of words that have a shadow */
} sequences[] = {
    {GRAVEL_ADD, "1f2r4", 7, 2},   {GRAVEL_ADD, "1b2r4", 7, 2},   {GRAVEL_ADD, "1br2fr", 3, 2},
    {GRAVEL_ADD, "1rf2bb4", 7, 3}, {GRAVEL_ADD, "1-|2", 2, 1},    {GRAVEL_ADD, "4bb2|b|", 6, 2},
    {GRAVEL_MIN, "5f3r4", 3, 2},   {GRAVEL_MIN, "5b6r7", 5, 2},   {GRAVEL_MIN, "5|s|r7", 7, 2},
    {GRAVEL_MAX, "5f7r6", 7, 2},   {GRAVEL_MAX, "3br2fb1", 3, 2}, {GRAVEL_MAX, "9|s|r5r4", 5, 2},
    {GRAVEL_MAX, "9|8|", 9, 1},    {GRAVEL_AND, "7f6r5", 4, 2},   {GRAVEL_OR, "1b2r4", 7, 2},
    {GRAVEL_XOR, "5f3r4", 2, 2},   {GRAVEL_ADD, "1q2", 3, 2},     {GRAVEL_ADD, "1e2", 3, 2},
};

static void set_back(const struct sequence *sequence, uint32_t owner, uint64_t word)
{
    if (gravel_is_local(gravel, owner))
        fill(gravel, owner, word,
             sequence->op == GRAVEL_MIN || sequence->op == GRAVEL_AND ? 0xff : 0, 4);
}

static void make_call(const struct sequence *sequence, char call,
                      struct gravel_accumulator *accumulator, uint32_t owner, uint64_t word)
{
    if (call == 'f')
        OK(gravel_accumulator_flush(accumulator));
    else if (call == 'b')
        OK(gravel_accumulator_begin(accumulator));
    else if (call == 'r')
        OK(gravel_accumulator_reset(accumulator));
    else if (call == 'e')
        OK(gravel_fence(gravel));
    else if (call == 'q')
        OK(gravel_quiet(gravel));
    else if (call == '|')
        OK(gravel_barrier(gravel));
    else if (call == 's')
        set_back(sequence, owner, word);
    else
        add_one(accumulator, 5, call == '-' ? UINT32_MAX : (uint32_t)(call - '0'), owner,
                sequence->op == GRAVEL_ADD ? N_ADDERS : 1);
}

/* The same on any number of nodes, whether or not words have a shadow. */
TEST(calls_in_any_order_lose_nothing)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4), word = offset + 5 * 4;
    uint32_t owner = n_nodes - 1;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const struct sequence *sequence = &sequences[i];
        struct gravel_accumulator *accumulator = create(offset, 64, sequence->op, GRAVEL_UINT);
        set_back(sequence, owner, word);
        OK(gravel_barrier(gravel));
        const uint64_t before = n_sent();
        for (const char *call = sequence->calls; *call; call++)
            make_call(sequence, *call, accumulator, owner, word);
        OK(gravel_barrier(gravel));
        uint32_t times = sequence->op == GRAVEL_ADD   ? N_ADDERS * n_speakers
                         : sequence->op == GRAVEL_XOR ? n_speakers % 2
                                                      : 1;
        uint32_t is = sequence->is * times;
        if (gravel_is_local(gravel, owner) && word32(gravel, owner, word) != is)
            die(__FILE__, __LINE__, "operation %u, %s: %u instead of %u", sequence->op,
                sequence->calls, word32(gravel, owner, word), is);
        if (n_sent() - before != (has_shadow() ? sequence->n_sent : 0))
            die(__FILE__, __LINE__, "operation %u, %s: %u messages", sequence->op, sequence->calls,
                (uint32_t)(n_sent() - before));
        OK(gravel_accumulator_destroy(accumulator));
    }
    OK(gravel_free(gravel, offset));
}

/* ---- what a mirror shows ------------------------------------------------------------------------ */

/* a: the array; b: how many words; c: what the time adds to them. */
#define CHANGE BODY("if (i < b) ((global uint *)gravel_local(g, a))[i] += c;")
/* Each copy is kept: a: copies; b: how many; c: where. */
#define KEEP                                                    \
    BODY("if (i < b) ((global uint *)gravel_local(g, c))[i] = " \
         "((global const uint *)gravel_local(g, a))[i];")
#define N_WORDS 300u /* of a node's part of an array */
#define N_COPIES 96u

/* Launches a kernel of one work-item a word. */
static void run_words(cl_kernel kernel)
{
    const size_t global = 320, group = 32;
    OK(gravel_launch(gravel, kernel, 1, &global, &group, 0, NULL, NULL));
}

/* While copies are read, words change and travel: a node that is ahead must not spoil them. Loop-back nodes have no kernels:
 * their words stay. */
TEST(copies_are_of_their_time)
{
    enum { TIMES = 6 };
    const uint64_t array = alloc_or_die(gravel, N_WORDS * 4),
                   kept = alloc_or_die(gravel, N_COPIES * 4);
    uint64_t n_words[64] = {0};
    uint32_t indices[N_COPIES];
    struct gravel_mirror *mirror;
    n_words[(node + 1) % n_nodes] = N_COPIES;
    for (uint32_t i = 0; i < N_COPIES; i++)
        indices[i] = i % 7 ? N_WORDS - 1 - i : i % 3; /* some more than once */
    const struct gravel_words words = GRAVEL_WORDS(array, GRAVEL_UINT, n_words, indices);
    OK(gravel_mirror_create(&mirror, gravel, &words));
    cl_kernel change = body_kernel(gravel, CHANGE, (const uint64_t[]){array, N_WORDS, 1}),
              keep = body_kernel(gravel, KEEP, (const uint64_t[]){0, N_COPIES, kept});
    for (uint32_t time = 1; time <= TIMES; time++) {
        run_words(change);
        OK(gravel_mirror_share(mirror));
        const cl_ulong copies = gravel_mirror_offset(mirror);
        MUST(clSetKernelArg(keep, 1, sizeof copies, &copies) == CL_SUCCESS);
        if ((time + node) % 2) /* else the next exchange begins beside it */
            OK(gravel_quiet(gravel));
        run_words(keep);
    }
    OK(gravel_quiet(gravel));
    for (uint32_t i = 0; i < N_COPIES; i++)
        MUST(word32(gravel, node, kept + 4 * i) == (n_speakers > 1 || n_nodes == 1 ? TIMES : 0));
    clReleaseKernel(change);
    clReleaseKernel(keep);
    OK(gravel_mirror_destroy(mirror));
    OK(gravel_free(gravel, array));
    OK(gravel_free(gravel, kept));
}

/* ---- what is refused --------------------------------------------------------------------------- */

TEST(memory_is_limited)
{
    uint64_t most = gravel_config_of(gravel)->accumulate_bytes, n = most / 4,
             offset = alloc_or_die(gravel, n * 4);
    struct gravel_accumulator *accumulator;
    int code = gravel_accumulator_create(&accumulator, gravel, offset, n, GRAVEL_ADD, GRAVEL_UINT);
    expect(code, has_shadow() ? GRAVEL_ENOMEM : 0, "GRAVEL_ACCUMULATE_MEMORY");
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

TEST(kernels_are_refused_what_is_not_there)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4);
    struct gravel_accumulator *floats = create(offset, 8, GRAVEL_ADD, GRAVEL_FLOAT),
                              *accumulator = create(offset + 32, 16, GRAVEL_ADD, GRAVEL_UINT);
    add_one(accumulator, UINT64_C(1) << 40, 1, 0, 2);
    expect(gravel_accumulator_flush(accumulator), GRAVEL_ERANGE,
           "index 1099511627776 at node 0, and 1 more");
    OK(gravel_accumulator_flush(accumulator));
    add_one(accumulator, 16, 1, 0, 1);
    expect(gravel_quiet(gravel), GRAVEL_ERANGE, "index 16 at node 0");
    add_one(accumulator, 15, 1, n_nodes, 1);
    expect(gravel_fence(gravel), GRAVEL_ERANGE, "16 elements of each of");
    add_one(floats, 1, 1, 0, 1);
    expect(gravel_barrier(gravel), GRAVEL_EINVAL, "type uint");
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_accumulator_destroy(floats));
    for (uint32_t i = 0; i < 64; i++)
        MUST(word32(gravel, node, offset + 4 * i) == 0);
    OK(gravel_free(gravel, offset));
}

/* While words wait, checked mode refuses what else is sent for the range; not before, nor behind the flush. */
TEST(a_range_is_its_accumulators)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4);
    uint32_t value = 7, to = (node + 1) % n_nodes;
    struct gravel_accumulator *accumulator = create(offset + 32, 16, GRAVEL_ADD, GRAVEL_UINT);
    OK(gravel_put(gravel, offset + 36, &value, 4, to));
    OK(gravel_barrier(gravel));
    if (gravel_config_of(gravel)->check) {
        add_one(accumulator, 3, 5, to, 1);
        OK(gravel_put(gravel, offset, &value, 4, to)); /* beside the range */
        OK(gravel_accumulator_flush(accumulator));
        add_one(accumulator, 3, 5, to, 1);
        OK(gravel_put(gravel, offset + 36, &value, 4, to));
        expect(gravel_quiet(gravel), GRAVEL_EINVAL, "touched by another call: gravel_put");
        add_one(accumulator, 3, 5, to, 1);
        OK(gravel_get(gravel, offset + 28, &value, 8, to));
        expect(gravel_fence(gravel), GRAVEL_EINVAL, "gravel_get");
        add_one(accumulator, 3, 5, to, 1);
        OK(gravel_update(gravel, GRAVEL_INC, GRAVEL_UINT, offset + 92, NULL, to));
        expect(gravel_fence(gravel), GRAVEL_EINVAL, "gravel_update");
        add_one(accumulator, 3, 5, to, 1);
        expect(run_body(gravel, BODY("gravel_inc_uint_wg(g, a, b, 0);"), 4, 4, offset, 9, 0),
               GRAVEL_EINVAL, "inc of uint, index 9 at base");
    }
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* ---- rounds ------------------------------------------------------------------------------------ */

#define N_ROUNDS 4u

static struct gravel_rounds *make_rounds(const char *function, const char *options,
                                         cl_kernel *kernel)
{
    const struct gravel_rounds_program program =
        GRAVEL_ROUNDS_PROGRAM(.name = "spread.cl", .source = spread_cl, .options = options,
                              .function = function);
    struct gravel_rounds *rounds;
    OK(gravel_rounds_create(&rounds, gravel, &program));
    OK(gravel_rounds_kernel(rounds, kernel));
    return rounds;
}

static void set_ulong(cl_kernel kernel, cl_uint at, cl_ulong value)
{
    MUST(!clSetKernelArg(kernel, at, sizeof value, &value));
}

/* What all nodes send in a round is applied before the next one, once, however much it is. */
TEST(rounds_bring_what_all_nodes_send)
{
    const bool has_frames = !strcmp(gravel_step(gravel), "pump");
    /* Words of a node: more than a frame holds. */
    const cl_uint n = has_frames ? (48u << 20) / 16 / 16 / n_nodes + 5000 : 3000;
    const bool is_loopback = n_nodes > 1 && gravel_is_local(gravel, (node + 1) % n_nodes);
    const cl_uint n_senders = is_loopback ? 1 : n_nodes;
    const size_t bytes = (n + 1) * sizeof(cl_uint);
    const cl_ulong words = alloc_or_die(gravel, bytes),
                   puts = alloc_or_die(gravel, n_senders * sizeof(cl_uint)),
                   wrong = alloc_or_die(gravel, 2 * sizeof(cl_uint));
    char options[32];
    snprintf(options, sizeof options, "-DN=%uu", n);
    struct gravel_rounds_ended ended;
    cl_kernel kernel;
    struct gravel_rounds *rounds = make_rounds("no_phase", options, &kernel);
    clReleaseKernel(kernel);
    expect(gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, N_ROUNDS, NULL, 0), GRAVEL_EINVAL,
           "no GRAVEL_PHASE");
    OK(gravel_rounds_destroy(rounds));
    rounds = make_rounds("spread", options, &kernel);
    set_ulong(kernel, 3, puts);
    set_ulong(kernel, 4, wrong);
    MUST(!clSetKernelArg(kernel, 5, sizeof n_senders, &n_senders));
    if (node) /* what fails at one node ends the run of all, and the next run works */
        set_ulong(kernel, 2, words);
    expect(gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, N_ROUNDS, NULL, 0),
           node && !is_loopback ? GRAVEL_EMISMATCH : GRAVEL_ECL, "");
    set_ulong(kernel, 2, node ? words : 40 << 20); /* within the heap */
    const int code = gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, N_ROUNDS, NULL, 0);
    MUST(code == GRAVEL_ERANGE || (node && code == GRAVEL_EMISMATCH));
    set_ulong(kernel, 2, words);
    clReleaseKernel(kernel);
    struct gravel_accumulator *flushed = NULL;
    for (uint32_t run = 0; run < 2; run++) { /* with an accumulator, a launch is of one round */
        if (run)
            flushed = create(wrong, 1, GRAVEL_ADD, GRAVEL_UINT);
        OK(gravel_fill(gravel, words, bytes, &(cl_uint){0}, sizeof(cl_uint), node));
        OK(gravel_fill(gravel, puts, n_senders * sizeof(cl_uint), &(cl_uint){0}, sizeof(cl_uint),
                       node));
        OK(gravel_fill(gravel, wrong, 2 * sizeof(cl_uint), &(cl_uint){0}, sizeof(cl_uint), node));
        OK(gravel_barrier(gravel));
        OK(gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, N_ROUNDS, &ended, sizeof ended));
        MUST(ended.n_rounds == N_ROUNDS);
        MUST(ended.sum == (uint64_t)n * n_nodes * n_senders);
        const cl_uint *here = read_map(gravel, node, words, bytes);
        for (uint32_t i = 0; i < n; i++)
            MUST(here[i] == N_ROUNDS * n_senders);
        MUST(here[n] == N_ROUNDS * n_senders * (n / 2));
        unmap(gravel, here);
        here = read_map(gravel, node, wrong, 2 * sizeof *here);
        MUST(here[0] == 0 && here[1] == 0);
        unmap(gravel, here);
        wait_for_all();
    }
    OK(gravel_accumulator_destroy(flushed));
    OK(gravel_rounds_destroy(rounds));
    OK(gravel_free(gravel, wrong));
    OK(gravel_free(gravel, puts));
    OK(gravel_free(gravel, words));
}

/* A node that is a round ahead sees what it sent before, though the other one may still apply it. */
TEST(a_round_sees_what_all_before_it_have_sent)
{
    enum { RUN = 8 };
    const bool is_loopback = n_nodes > 1 && gravel_is_local(gravel, (node + 1) % n_nodes);
    const cl_ulong from = is_loopback ? 0 : n_nodes - 1, to = (from + 1) % n_nodes, n = 3000,
                   word = alloc_or_die(gravel, sizeof(cl_uint)),
                   got = alloc_or_die(gravel, RUN * sizeof(cl_uint));
    const cl_ulong arguments[] = {word, got, from, to, n};
    cl_kernel kernel;
    struct gravel_rounds *rounds = make_rounds("ahead", "-DN=1u", &kernel);
    for (cl_uint i = 0; i < 5; i++)
        set_ulong(kernel, 2 + i, arguments[i]);
    clReleaseKernel(kernel);
    OK(gravel_fill(gravel, word, sizeof(cl_uint), &(cl_uint){0}, sizeof(cl_uint), node));
    OK(gravel_barrier(gravel));
    OK(gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, RUN, NULL, 0));
    for (uint32_t i = 1; i < RUN && node == from; i += 2)
        MUST(word32(gravel, node, got + i * sizeof(cl_uint)) == (i + 1) / 2 * n);
    OK(gravel_rounds_destroy(rounds));
    OK(gravel_free(gravel, got));
    OK(gravel_free(gravel, word));
}

/* A message that is refused, in the last round too, is an error of the run at each node, and ends it. */
TEST(messages_that_a_round_refuses_end_the_run_at_all_nodes)
{
    static const cl_ulong runs[][2] = {{0, 1}, {2, 3}, {2, 1000}}; /* when, and rounds at most */
    const bool is_loopback = n_nodes > 1 && gravel_is_local(gravel, (node + 1) % n_nodes);
    const cl_ulong words = alloc_or_die(gravel, 64), index = 16;
    struct gravel_rounds_ended ended;
    cl_kernel kernel;
    struct gravel_rounds *rounds = make_rounds("astray", "-DN=1u", &kernel);
    for (cl_uint i = 0; i < 6; i++) {
        const cl_ulong *run = runs[i / 2];
        const cl_uint calls = i % 2;
        set_ulong(kernel, 2, words);
        set_ulong(kernel, 3, index);
        set_ulong(kernel, 4, *run);
        MUST(!clSetKernelArg(kernel, 5, sizeof calls, &calls));
        const int code = gravel_rounds_run(rounds, GRAVEL_UNTIL_MOST, run[1], &ended, sizeof ended);
        if (!node || is_loopback || code != GRAVEL_EMISMATCH)
            expect(code, calls ? GRAVEL_EHANDLER : GRAVEL_ERANGE, calls ? "77" : "16");
        MUST(ended.n_rounds >= run[0] && ended.n_rounds <= run[0] + 2);
        OK(gravel_barrier(gravel));
    }
    clReleaseKernel(kernel);
    OK(gravel_rounds_destroy(rounds));
    OK(gravel_free(gravel, words));
}

static void open_node(void)
{
    open_nodes(NULL);
    cl_program program = build_or_die(gravel, adds_cl, NULL);
    one = kernel_or_die(gravel, program, "one");
    clReleaseProgram(program);
}

static void close_all(void)
{
    clReleaseKernel(one);
    close_nodes();
}

const struct fixture fixture = {.open = open_node, .close = close_all, .after = wait_for_all};
