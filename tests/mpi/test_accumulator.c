/* SPDX-License-Identifier: MIT */
/*
 * Accumulators: every operation and type, by skewed and diverged work-items, flush after flush; a word travels once; what
 * stays and what begins again; and what is refused, at all nodes alike. Every node knows what all add, which follows from
 * the nodes' numbers, and so what each word must become.
 *
 * usage: test_accumulator [NODES]   ranks of a job, or so many loop-back nodes, of which node 0 alone adds
 *
 * Path: mpirun -> this -> lib/accumulate
 */
#include "bodies.h"
#include "layout/next.h"

#include <gravel/accumulator.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_WORDS 2500u /* of a node's part: more than two blocks, and not whole ones */
#define N_ADDS 3000u  /* of each node and time */
#define N_TIMES 3u

static struct gravel *gravel;
static uint32_t node, n_nodes, n_adders;

/* ---- what is added ----------------------------------------------------------------------------- */

/* Work-item i of node c, of n nodes, as the kernels' PLACE: which node, and which of its words; low words often. */
#define MIXED(i, c) (((uint32_t)(i)*2654435761u + (uint32_t)(c)*40503u) >> 4)
#define OWNER(i, c, n) (MIXED(i, c) % (n))
#define INDEX(i, c) ((i) % 7 ? MIXED(i, c) / 64 % N_WORDS : (i) % 3)
#define VALUE(i, c) (((i)*37 + (c)*11) % 1000)

static uint64_t first_value(uint32_t owner, uint32_t index)
{
    return mix(owner * 4096 + index) % 4096;
}

#define DEFINE_CASE(OP, op, TYPE, type)                                                           \
    static void begin_##op##_##type(GRAVELP_WORD_##type *words, uint32_t owner)                   \
    {                                                                                             \
        for (uint32_t i = 0; i < N_WORDS; i++)                                                    \
            words[i] = (GRAVELP_WORD_##type)first_value(owner, i);                                \
    }                                                                                             \
    static void set_##op##_##type(uint64_t offset, uint32_t owner)                                \
    {                                                                                             \
        void *words = map_or_die(gravel, owner, offset, N_WORDS * sizeof(GRAVELP_WORD_##type),    \
                                 CL_MAP_WRITE_INVALIDATE_REGION);                                 \
        begin_##op##_##type(words, owner);                                                        \
        unmap(gravel, words);                                                                     \
    }                                                                                             \
    static bool is_right_##op##_##type(uint64_t offset, uint32_t owner, uint32_t n_times)         \
    {                                                                                             \
        GRAVELP_WORD_##type words[N_WORDS];                                                       \
        begin_##op##_##type(words, owner);                                                        \
        for (uint32_t time = 0; time < n_times; time++)                                           \
            for (uint32_t adder = 0; adder < n_adders; adder++)                                   \
                for (uint32_t i = 0; i < N_ADDS; i++)                                             \
                    if (OWNER(i, adder, n_nodes) == owner) {                                      \
                        GRAVELP_WORD_##type *word = &words[INDEX(i, adder)];                      \
                        *word =                                                                   \
                            GRAVELP_NEXT_##op(type, *word, (GRAVELP_WORD_##type)VALUE(i, adder)); \
                    }                                                                             \
        const void *are = read_map(gravel, owner, offset, sizeof words);                          \
        bool is_right = memcmp(are, words, sizeof words) == 0;                                    \
        unmap(gravel, are);                                                                       \
        return is_right;                                                                          \
    }
#define DEFINE_INTEGER(TYPE, type)    \
    DEFINE_CASE(ADD, add, TYPE, type) \
    DEFINE_CASE(MIN, min, TYPE, type) \
    DEFINE_CASE(MAX, max, TYPE, type) \
    DEFINE_CASE(AND, and, TYPE, type) \
    DEFINE_CASE(OR, or, TYPE, type)   \
    DEFINE_CASE(XOR, xor, TYPE, type)
DEFINE_INTEGER(INT, int)
DEFINE_INTEGER(UINT, uint)
DEFINE_INTEGER(LONG, long)
DEFINE_INTEGER(ULONG, ulong)
DEFINE_CASE(ADD, add, FLOAT, float)
DEFINE_CASE(ADD, add, DOUBLE, double)

struct accumulated {
    const char *name;
    uint32_t op, type;
    void (*set)(uint64_t offset, uint32_t owner);
    bool (*is_right)(uint64_t offset, uint32_t owner, uint32_t n_times);
};
#define CASE(OP, op, TYPE, type)                                                             \
    {                                                                                        \
#op " " #type, GRAVEL_##OP, GRAVEL_##TYPE, set_##op##_##type, is_right_##op##_##type \
    }
#define INTEGER(TYPE, type)                                                             \
    CASE(ADD, add, TYPE, type), CASE(MIN, min, TYPE, type), CASE(MAX, max, TYPE, type), \
        CASE(AND, and, TYPE, type), CASE(OR, or, TYPE, type), CASE(XOR, xor, TYPE, type)
static const struct accumulated cases[] = {
    INTEGER(INT, int),     INTEGER(UINT, uint),          INTEGER(LONG, long),
    INTEGER(ULONG, ulong), CASE(ADD, add, FLOAT, float), CASE(ADD, add, DOUBLE, double)};
#define N_CASES (sizeof cases / sizeof *cases)

/* ---- kernels ----------------------------------------------------------------------------------- */

/* A kernel of each type; those of wide types are there where the device has them. `one` adds once: what, and where. */
extern const char adds_cl[]; /* kernels/adds.cl */

static cl_kernel adders[GRAVEL_DOUBLE + 1], one;
static bool is_wide;

static void build(void)
{
    static const char *const names[] = {"adds_int",   "adds_uint",  "adds_long",
                                        "adds_ulong", "adds_float", "adds_double"};
    char extensions[16384] = "";
    clGetDeviceInfo(gravel_cl_device(gravel), CL_DEVICE_EXTENSIONS, sizeof extensions - 1,
                    extensions, NULL);
    is_wide = strstr(extensions, "cl_khr_fp64") && strstr(extensions, "int64_extended_atomics");
    cl_program program = build_or_die(gravel, adds_cl, is_wide ? "-DWIDE" : "");
    for (uint32_t type = 0; type <= GRAVEL_DOUBLE; type++)
        if (is_wide || GRAVEL_TYPE_BYTES(type) == 4)
            adders[type] = kernel_or_die(gravel, program, names[type]);
    one = kernel_or_die(gravel, program, "one");
    clReleaseProgram(program);
}

static void launch_adder(const struct gravel_accumulator *accumulator, uint32_t type)
{
    const size_t group = 32, global = (N_ADDS + group - 1) / group * group;
    const cl_uint arguments[] = {N_ADDS, node};
    OK(gravel_kernel_set_accumulator(accumulator, adders[type], 1));
    for (cl_uint i = 0; i < 2; i++)
        MUST(clSetKernelArg(adders[type], i + 2, sizeof *arguments, &arguments[i]) == CL_SUCCESS);
    OK(gravel_launch(gravel, adders[type], 1, &global, &group, 0, NULL, NULL));
}

/* n times, each by a work-item of its own. */
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

/* ---- every operation and type ------------------------------------------------------------------ */

static void run_case(const struct accumulated *accumulated, uint64_t offset)
{
    for (uint32_t owner = 0; owner < n_nodes; owner++)
        if (gravel_is_local(gravel, owner))
            accumulated->set(offset, owner);
    struct gravel_accumulator *accumulator =
        create(offset, N_WORDS, accumulated->op, accumulated->type);
    for (uint32_t time = 1; time <= N_TIMES; time++) {
        launch_adder(accumulator, accumulated->type);
        if (time == 2)
            OK(gravel_accumulator_flush(accumulator));
        OK(gravel_barrier(gravel));
        for (uint32_t owner = 0; owner < n_nodes; owner++)
            if (gravel_is_local(gravel, owner) && !accumulated->is_right(offset, owner, time))
                die(__FILE__, __LINE__, "%s: words of node %u, time %u", accumulated->name, owner,
                    time);
        OK(gravel_barrier(gravel));
    }
    OK(gravel_accumulator_destroy(accumulator));
}

static void every_operation_and_type(void)
{
    uint64_t offset = alloc_or_die(gravel, N_WORDS * 8);
    for (size_t i = 0; i < N_CASES; i++)
        if (is_wide || GRAVEL_TYPE_BYTES(cases[i].type) == 4)
            run_case(&cases[i], offset);
    OK(gravel_free(gravel, offset));
}

/* ---- flushes ----------------------------------------------------------------------------------- */

static uint64_t n_sent(void)
{
    struct gravel_stats stats;
    OK(gravel_stats_read(gravel, &stats, sizeof stats, GRAVEL_ALL_NODES));
    return stats.sent_messages;
}

/* Whether this node adds, and words have a shadow. */
static bool has_shadow(void)
{
    return n_nodes > 1 || gravel_config(gravel)->check;
}

static void a_word_travels_once(void)
{
    uint64_t offset = alloc_or_die(gravel, (1u << 20) * 4), before;
    uint32_t owner = n_nodes - 1, n = 1u << 20;
    struct gravel_accumulator *accumulator = create(offset, n, GRAVEL_INC, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    before = n_sent();
    add_one(accumulator, n - 1, 3, owner, 1000);
    add_one(accumulator, 7, 1, owner, 100);
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 2 : 0));
    if (gravel_is_local(gravel, owner)) {
        MUST(word32(gravel, owner, offset + (uint64_t)(n - 1) * 4) == 3000 * n_adders);
        MUST(word32(gravel, owner, offset + 7 * 4) == 100 * n_adders);
    }
    OK(gravel_quiet(gravel)); /* nothing is left */
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 2 : 0));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* What comes back to what changes no word is not sent; the word is marked again when it changes again. */
static void sums_that_cancel_are_not_sent(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4), before;
    struct gravel_accumulator *accumulator = create(offset, 64, GRAVEL_ADD, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    before = n_sent();
    add_one(accumulator, 5, 1, 0, 1);
    add_one(accumulator, 5, UINT32_MAX, 0, 1);
    OK(gravel_barrier(gravel));
    MUST(n_sent() == before);
    add_one(accumulator, 5, 2, 0, 1);
    OK(gravel_barrier(gravel));
    if (gravel_is_local(gravel, 0))
        MUST(word32(gravel, 0, offset + 5 * 4) == 2 * n_adders);
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

static void what_does_not_improve_is_not_sent(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4), before;
    struct gravel_accumulator *accumulator = create(offset, 64, GRAVEL_MAX, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    before = n_sent();
    add_one(accumulator, 5, 10, 0, 1);
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 1 : 0));
    add_one(accumulator, 5, 9, 0, 1);
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 1 : 0));
    if (gravel_is_local(gravel, 0)) {
        MUST(word32(gravel, 0, offset + 5 * 4) == 10);
        fill(gravel, 0, offset, 0, 64 * 4);
    }
    OK(gravel_accumulator_reset(accumulator));
    OK(gravel_barrier(gravel));
    add_one(accumulator, 5, 9, 0, 1);
    OK(gravel_barrier(gravel));
    if (gravel_is_local(gravel, 0))
        MUST(word32(gravel, 0, offset + 5 * 4) == 9);
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* A flush that has begun sends what had been added, and the next one completes it and sends the rest. */
static void a_flush_begins_behind_kernels(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4), before;
    uint32_t owner = n_nodes - 1;
    struct gravel_accumulator *accumulator = create(offset, 64, GRAVEL_ADD, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    before = n_sent();
    add_one(accumulator, 5, 4, owner, 10);
    OK(gravel_accumulator_begin(accumulator));
    OK(gravel_accumulator_begin(accumulator));
    add_one(accumulator, 5, 2, owner, 10);
    add_one(accumulator, 6, 1, owner, 10);
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 3 : 0));
    if (gravel_is_local(gravel, owner)) {
        MUST(word32(gravel, owner, offset + 5 * 4) == 60 * n_adders);
        MUST(word32(gravel, owner, offset + 6 * 4) == 10 * n_adders);
    }
    OK(gravel_accumulator_begin(accumulator)); /* of nothing */
    OK(gravel_barrier(gravel));
    MUST(n_sent() - before == (has_shadow() ? 3 : 0));
    if (has_shadow()) {
        add_one(accumulator, 7, 1, owner, 10);
        OK(gravel_accumulator_begin(accumulator));
        OK(gravel_accumulator_reset(accumulator));
        OK(gravel_barrier(gravel));
        MUST(!gravel_is_local(gravel, owner) || word32(gravel, owner, offset + 7 * 4) == 0);
    }
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* Words wait until they are flushed, which fence and quiet do too. */
static void words_wait_for_a_flush(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4);
    uint32_t owner = (node + 1) % n_nodes, got = 1;
    struct gravel_accumulator *accumulator = create(offset, 64, GRAVEL_ADD, GRAVEL_UINT);
    OK(gravel_barrier(gravel));
    if (has_shadow() && !gravel_config(gravel)->check) {
        add_one(accumulator, 9, 4, owner, 2);
        MUST(clFinish(gravel_cl_queue(gravel)) == CL_SUCCESS);
        OK(gravel_get(gravel, offset + 9 * 4, &got, sizeof got, owner));
        MUST(got == 0);
        OK(gravel_accumulator_flush(accumulator));
        OK(gravel_quiet(gravel));
        OK(gravel_get(gravel, offset + 9 * 4, &got, sizeof got, owner));
        MUST(got == 8);
        add_one(accumulator, 9, 4, owner, 2);
        OK(gravel_fence(gravel)); /* what comes behind it is applied behind it */
        got = 0;
        OK(gravel_update(gravel, GRAVEL_MIN, GRAVEL_UINT, offset + 9 * 4, &got, owner));
        OK(gravel_quiet(gravel));
        OK(gravel_get(gravel, offset + 9 * 4, &got, sizeof got, owner));
        MUST(got == 0);
    }
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* Two of one node, flushed together, of ranges side by side. */
static void two_accumulators(void)
{
    uint64_t offset = alloc_or_die(gravel, 2 * N_WORDS * 4);
    struct gravel_accumulator *sums = create(offset, N_WORDS, GRAVEL_ADD, GRAVEL_UINT),
                              *most = create(offset + N_WORDS * 4, N_WORDS, GRAVEL_MAX, GRAVEL_INT);
    for (uint32_t owner = 0; owner < n_nodes; owner++)
        if (gravel_is_local(gravel, owner)) {
            set_add_uint(offset, owner);
            set_max_int(offset + N_WORDS * 4, owner);
        }
    OK(gravel_barrier(gravel));
    launch_adder(sums, GRAVEL_UINT);
    launch_adder(most, GRAVEL_INT);
    OK(gravel_barrier(gravel));
    for (uint32_t owner = 0; owner < n_nodes; owner++)
        if (gravel_is_local(gravel, owner))
            MUST(is_right_add_uint(offset, owner, 1) &&
                 is_right_max_int(offset + N_WORDS * 4, owner, 1));
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(sums));
    OK(gravel_accumulator_destroy(most));
    OK(gravel_free(gravel, offset));
}

/* ---- what is refused --------------------------------------------------------------------------- */

static void expect(int code, int expected, const char *part)
{
    if (code != expected || !strstr(gravel_last_error(), part))
        die(__FILE__, __LINE__, "node %u got %d (%s), expected %d naming \"%s\"", node, code,
            gravel_last_error(), expected, part);
}

static void kernels_are_refused_what_is_not_there(void)
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
    expect(gravel_barrier(gravel), GRAVEL_EINVAL, "type 1");
    OK(gravel_barrier(gravel));
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_accumulator_destroy(floats));
    const uint32_t *words = read_map(gravel, node, offset, 64 * 4);
    for (uint32_t i = 0; i < 64; i++)
        MUST(words[i] == 0);
    unmap(gravel, words);
    OK(gravel_free(gravel, offset));
}

static void expect_no(uint64_t offset, uint64_t n, uint32_t op, uint32_t type, int expected,
                      const char *part)
{
    struct gravel_accumulator *accumulator = (void *)&accumulator;
    expect(gravel_accumulator_create(&accumulator, gravel, offset, n, op, type), expected, part);
    MUST(accumulator == NULL);
}

static void create_refuses(void)
{
    uint64_t offset = alloc_or_die(gravel, N_WORDS * 8);
    struct gravel_accumulator *accumulator;
    expect_no(offset, 8, GRAVEL_PUT, GRAVEL_UINT, GRAVEL_EINVAL, "operation 1 on type 1");
    expect_no(offset, 8, GRAVEL_FETCH_ADD, GRAVEL_UINT, GRAVEL_EINVAL, "operation 19");
    expect_no(offset, 8, GRAVEL_MIN, GRAVEL_FLOAT, GRAVEL_EINVAL, "operation 4 on type 4");
    expect_no(offset, 8, GRAVEL_ADD, 6, GRAVEL_EINVAL, "type 6");
    expect_no(offset + 2, 8, GRAVEL_ADD, GRAVEL_UINT, GRAVEL_EINVAL, "no multiple of 4");
    expect_no(offset, 0, GRAVEL_ADD, GRAVEL_UINT, GRAVEL_EINVAL, "0 elements");
    expect_no(offset, 2 * N_WORDS + 64, GRAVEL_ADD, GRAVEL_UINT, GRAVEL_ERANGE, "");
    expect_no(offset, UINT64_MAX, GRAVEL_ADD, GRAVEL_UINT, GRAVEL_ERANGE, "elements");
    expect(gravel_accumulator_create(NULL, gravel, offset, 8, GRAVEL_ADD, GRAVEL_UINT),
           GRAVEL_EINVAL, "out");
    OK(gravel_accumulator_create(&accumulator, gravel, offset, 8, GRAVEL_ADD, GRAVEL_UINT));
    expect_no(offset + 28, 8, GRAVEL_ADD, GRAVEL_UINT, GRAVEL_EINVAL, "accumulator of 8");
    expect(gravel_kernel_set_accumulator(accumulator, NULL, 0), GRAVEL_EINVAL, "kernel");
    expect(gravel_kernel_set_accumulator(accumulator, one, 99), GRAVEL_ECL, "");
    expect(gravel_free(gravel, offset), GRAVEL_EINVAL, "words of an accumulator");
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_accumulator_destroy(NULL));
    if (n_adders > 1)
        expect_no(offset, 8 + (node == 0), GRAVEL_ADD, GRAVEL_UINT, GRAVEL_EMISMATCH, "elements");
    OK(gravel_free(gravel, offset));
}

static void memory_is_limited(void)
{
    uint64_t most = gravel_config(gravel)->accumulate_bytes, n = most / 4,
             offset = alloc_or_die(gravel, n * 4);
    struct gravel_accumulator *accumulator;
    int code = gravel_accumulator_create(&accumulator, gravel, offset, n, GRAVEL_ADD, GRAVEL_UINT);
    if (has_shadow())
        expect(code, GRAVEL_ENOMEM, "GRAVEL_ACCUMULATE_MEMORY");
    else
        OK(code);
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

static void destroy_refuses_while_words_wait(void)
{
    uint64_t offset = alloc_or_die(gravel, 64);
    struct gravel_accumulator *accumulator = create(offset, 16, GRAVEL_ADD, GRAVEL_UINT);
    if (node == 0 && has_shadow())
        add_one(accumulator, 3, 5, 0, 1);
    if (has_shadow())
        expect(gravel_accumulator_destroy(accumulator), GRAVEL_EINVAL,
               node == 0 ? "gravel_accumulator_flush" : "node 0 cannot");
    OK(gravel_accumulator_begin(accumulator));
    if (has_shadow())
        expect(gravel_accumulator_destroy(accumulator), GRAVEL_EINVAL,
               node == 0 ? "gravel_accumulator_flush" : "node 0 cannot");
    OK(gravel_barrier(gravel));
    if (node == 0 && has_shadow())
        MUST(word32(gravel, 0, offset + 12) == 5);
    OK(gravel_accumulator_destroy(accumulator));
    OK(gravel_free(gravel, offset));
}

/* While words wait, checked mode refuses what else is sent for the range; not before, nor behind the flush. */
static void a_range_is_its_accumulators(void)
{
    uint64_t offset = alloc_or_die(gravel, 64 * 4);
    uint32_t value = 7, to = (node + 1) % n_nodes;
    struct gravel_accumulator *accumulator = create(offset + 32, 16, GRAVEL_ADD, GRAVEL_UINT);
    OK(gravel_put(gravel, offset + 36, &value, 4, to));
    OK(gravel_barrier(gravel));
    if (gravel_config(gravel)->check) {
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

/* ---- main -------------------------------------------------------------------------------------- */

static const struct step steps[] = {
    STEP(every_operation_and_type),
    STEP(a_word_travels_once),
    STEP(sums_that_cancel_are_not_sent),
    STEP(what_does_not_improve_is_not_sent),
    STEP(words_wait_for_a_flush),
    STEP(a_flush_begins_behind_kernels),
    STEP(two_accumulators),
    STEP(kernels_are_refused_what_is_not_there),
    STEP(create_refuses),
    STEP(memory_is_limited),
    STEP(destroy_refuses_while_words_wait),
    STEP(a_range_is_its_accumulators),
};

int main(int argc, char **argv)
{
    watch(100, "opening");
    if (argc > 1) {
        struct gravel_config config = loopback_config((uint32_t)atoi(argv[1]));
        config.heap_bytes = 32u << 20;
        int code = gravel_open(&gravel, &config, NULL);
        skip_if_refused(code);
        OK(code);
    } else {
        gravel = open_default(NULL);
    }
    node = gravel_node(gravel);
    n_nodes = gravel_n_nodes(gravel);
    n_adders = argc > 1 ? 1 : n_nodes;
    build();
    run_steps(gravel, steps, sizeof steps / sizeof *steps);
    for (uint32_t type = 0; type <= GRAVEL_DOUBLE; type++)
        if (adders[type])
            clReleaseKernel(adders[type]);
    clReleaseKernel(one);
    OK(gravel_close(gravel));
    return 0;
}
