/* SPDX-License-Identifier: MIT */
/*
 * Kernels that print lines of 0 to 16 arguments of each type, append records of each size, and ask functions of the host,
 * in each form.
 *
 * Path:  records.c -> these kernels -> lib/spool, answers in the heap -> records.c compares.
 */
#include "gravel.cl.h"
#include "print.cl.h"

/* Argument k of a line, as records.c has it too. */
#define P_int(k) ((int)(16 * i + (k)) - 1000)
#define P_uint(k) (16 * i + (k) + 0x80000000u)
#define P_long(k) (((long)(16 * i + (k)) << 32) - 5)
#define P_ulong(k) (~(ulong)(16 * i + (k)))
#define P_float(k) ((float)(16 * i + (k)) * 0.5f)
#define P_double(k) ((double)(16 * i + (k)) * 0.25)
#define P_string(k) names[(i + (k)) % 4]

constant char names[4][40] = {"", "a", "thirty-one bytes, and so no cut.",
                              "thirty-nine bytes, of which 32 are left"};

#define C_int "%d"
#define C_uint "%u"
#define C_long "%ld"
#define C_ulong "%lu"
#define C_float "%g"
#define C_double "%g"
#define C_string "%s"

#define F_2(c) c " " c
#define F_7(c) F_2(c) " " F_2(c) " " F_2(c) " " c
#define F_16(c) F_7(c) " " F_7(c) " " F_2(c)
#define A_2(P) P(0), P(1)
#define A_7(P) P(0), P(1), P(2), P(3), P(4), P(5), P(6)
#define A_16(P) A_7(P), P(7), P(8), P(9), P(10), P(11), P(12), P(13), P(14), P(15)

/* All work-items, a third, or a fifth in divergent code make a call. */
#define BY(CALL, ...) gravel_##CALL##_wg(g, __VA_ARGS__)
#define BY_if(CALL, ...) gravel_##CALL##_wg_if(g, i % 3 == 0, __VA_ARGS__)
#define BY_wi(CALL, ...) \
    if (i % 5 == 0)      \
    gravel_##CALL##_wi(g, __VA_ARGS__)
#define START       \
    GRAVEL_OPEN(g); \
    uint i = (uint)get_global_id(0);

#define LINES_BY(type, name, BY, SIXTEEN)                     \
    kernel void name(GRAVEL_ARENA)                            \
    {                                                         \
        START                                                 \
        BY(printf, #type " 1 " C_##type, P_##type(0));        \
        BY(printf, #type " 2 " F_2(C_##type), A_2(P_##type)); \
        BY(printf, #type " 7 " F_7(C_##type), A_7(P_##type)); \
        SIXTEEN(BY, type)                                     \
    }
#define WITH_16(BY, type) BY(printf, #type " 16 " F_16(C_##type), A_16(P_##type));
#define WITHOUT_16(BY, type)
#define LINES(type, SIXTEEN)                          \
    LINES_BY(type, lines_##type, BY, SIXTEEN)         \
    LINES_BY(type, lines_##type##_if, BY_if, SIXTEEN) \
    LINES_BY(type, lines_##type##_wi, BY_wi, SIXTEEN)

LINES(int, WITH_16)
LINES(uint, WITH_16)
LINES(long, WITH_16)
LINES(ulong, WITH_16)
LINES(float, WITH_16)
#ifdef GRAVEL_HAS_DOUBLE
LINES(double, WITH_16)
#endif
LINES(string, WITHOUT_16) /* 16 have more words than a record */

/* No argument, a newline within, and strings of all address spaces. */
#define PLAIN_BY(name, BY)                                                            \
    kernel void name(GRAVEL_ARENA, global const char *there)                          \
    {                                                                                 \
        START                                                                         \
        local char shared[4];                                                         \
        char own[4] = {'o', 'w', 'n', 0};                                             \
        if (get_local_id(0) == 0) {                                                   \
            shared[0] = 's';                                                          \
            shared[1] = 0;                                                            \
        }                                                                             \
        gravel_barrier_wg(g);                                                         \
        BY(printf, "none");                                                           \
        BY(printf, "first\nsecond %u", i);                                            \
        BY(printf, "spaces %s %s %s %s", names[1], there, (local const char *)shared, \
           (private const char *)own);                                                \
        gravel_barrier_wg(g);                                                         \
    }
PLAIN_BY(plain, BY)
PLAIN_BY(plain_if, BY_if)
PLAIN_BY(plain_wi, BY_wi)

/* Word j of work-item i's record is 64 * i + j. */
#define RECORD(n, BY)                               \
    {                                               \
        struct {                                    \
            uint words[n];                          \
        } record;                                   \
        for (uint j = 0; j < n; j++)                \
            record.words[j] = 64 * i + j;           \
        BY(append, words_##n, record, i % n_nodes); \
    }
#define RECORDS_BY(name, BY)              \
    kernel void name(GRAVEL_ARENA)        \
    {                                     \
        START                             \
        uint n_nodes = gravel_n_nodes(g); \
        RECORD(1, BY)                     \
        RECORD(2, BY)                     \
        RECORD(7, BY)                     \
        RECORD(16, BY)                    \
        RECORD(60, BY)                    \
    }
RECORDS_BY(records, BY)
RECORDS_BY(records_if, BY_if)
RECORDS_BY(records_wi, BY_wi)

/* Answers of 0 to 3 arguments, at places 4 * i on. */
#define ASKS_BY(name, BY)                                                         \
    kernel void name(GRAVEL_ARENA, ulong answers)                                 \
    {                                                                             \
        START                                                                     \
        uint node = i % gravel_n_nodes(g);                                        \
        ulong x = i;                                                              \
        struct gravel_reply reply = {answers, GRAVEL_NO_SIGNAL};                  \
        BY(ask0, GRAVEL_HANDLER(sum_0), reply, 4 * i, node);                      \
        BY(ask1, GRAVEL_HANDLER(sum_1), x, reply, 4 * i + 1, node);               \
        BY(ask2, GRAVEL_HANDLER(sum_2), x, x << 33, reply, 4 * i + 2, node);      \
        BY(ask3, GRAVEL_HANDLER(sum_3), x, x << 33, 7ul, reply, 4 * i + 3, node); \
    }
ASKS_BY(asks, BY)
ASKS_BY(asks_if, BY_if)
ASKS_BY(asks_wi, BY_wi)
