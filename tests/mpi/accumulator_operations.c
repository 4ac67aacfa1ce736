/* SPDX-License-Identifier: MIT */
/*
 * Every operation and type of accumulators, by skewed and diverged work-items, flush after flush. Every node knows what all
 * add, which follows from the nodes' numbers, and so what each word must become.
 *
 * Path: test_accumulator.c -> this -> accumulator_adds.c
 * Threads: main's.
 */
#include "accumulator.h"
#include "layout/next.h"

#include <string.h>

#define N_TIMES 3u

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

/* ---- tests ------------------------------------------------------------------------------------- */

static void run_case(const struct accumulated *accumulated, uint64_t offset)
{
    for (uint32_t owner = 0; owner < n_nodes; owner++)
        if (gravel_is_local(gravel, owner))
            accumulated->set(offset, owner);
    struct gravel_accumulator *accumulator =
        create(offset, N_WORDS, accumulated->op, accumulated->type);
    for (uint32_t time = 1; time <= N_TIMES; time++) {
        add_many(accumulator, accumulated->type);
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

void every_operation_and_type(void)
{
    uint64_t offset = alloc_or_die(gravel, N_WORDS * 8);
    for (size_t i = 0; i < N_CASES; i++)
        if (has_adder(cases[i].type))
            run_case(&cases[i], offset);
    OK(gravel_free(gravel, offset));
}

/* Two of one node, flushed together, of ranges side by side. */
void two_accumulators(void)
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
    add_many(sums, GRAVEL_UINT);
    add_many(most, GRAVEL_INT);
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
