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

/* All work-items, a third, or a fifth in divergent code. */
#define PRINT(...) gravel_printf_wg(g, __VA_ARGS__)
#define PRINT_if(...) gravel_printf_wg_if(g, i % 3 == 0, __VA_ARGS__)
#define PRINT_wi(...) \
    if (i % 5 == 0)   \
    gravel_printf_wi(g, __VA_ARGS__)

#define LINES_BY(type, name, BY, SIXTEEN)             \
    kernel void name(GRAVEL_ARENA)                    \
    {                                                 \
        GRAVEL_OPEN(g);                               \
        uint i = (uint)get_global_id(0);              \
        BY(#type " 1 " C_##type, P_##type(0));        \
        BY(#type " 2 " F_2(C_##type), A_2(P_##type)); \
        BY(#type " 7 " F_7(C_##type), A_7(P_##type)); \
        SIXTEEN(BY, type)                             \
    }
#define WITH_16(BY, type) BY(#type " 16 " F_16(C_##type), A_16(P_##type));
#define WITHOUT_16(BY, type)
#define LINES(type, SIXTEEN)                             \
    LINES_BY(type, lines_##type, PRINT, SIXTEEN)         \
    LINES_BY(type, lines_##type##_if, PRINT_if, SIXTEEN) \
    LINES_BY(type, lines_##type##_wi, PRINT_wi, SIXTEEN)

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
#define PLAIN_BY(name, BY)                                                    \
    kernel void name(GRAVEL_ARENA, global const char *there)                  \
    {                                                                         \
        GRAVEL_OPEN(g);                                                       \
        uint i = (uint)get_global_id(0);                                      \
        local char shared[4];                                                 \
        char own[4] = {'o', 'w', 'n', 0};                                     \
        if (get_local_id(0) == 0) {                                           \
            shared[0] = 's';                                                  \
            shared[1] = 0;                                                    \
        }                                                                     \
        gravel_barrier_wg(g);                                                 \
        BY("none");                                                           \
        BY("first\nsecond %u", i);                                            \
        BY("spaces %s %s %s %s", names[1], there, (local const char *)shared, \
           (private const char *)own);                                        \
        gravel_barrier_wg(g);                                                 \
    }
PLAIN_BY(plain, PRINT)
PLAIN_BY(plain_if, PRINT_if)
PLAIN_BY(plain_wi, PRINT_wi)

/* Word j of work-item i's record is 64 * i + j. */
struct record_1 {
    uint words[1];
};
struct record_2 {
    uint words[2];
};
struct record_7 {
    uint words[7];
};
struct record_16 {
    uint words[16];
};
struct record_60 {
    uint words[60];
};

#define APPEND(stream, record, node) gravel_append_wg(g, stream, record, node)
#define APPEND_if(stream, record, node) gravel_append_wg_if(g, i % 3 == 0, stream, record, node)
#define APPEND_wi(stream, record, node) \
    if (i % 5 == 0)                     \
    gravel_append_wi(g, stream, record, node)
#define RECORD(n, BY)                       \
    {                                       \
        struct record_##n record;           \
        for (uint j = 0; j < n; j++)        \
            record.words[j] = 64 * i + j;   \
        BY(words_##n, record, i % n_nodes); \
    }
#define RECORDS_BY(name, BY)                                          \
    kernel void name(GRAVEL_ARENA)                                    \
    {                                                                 \
        GRAVEL_OPEN(g);                                               \
        uint i = (uint)get_global_id(0), n_nodes = gravel_n_nodes(g); \
        RECORD(1, BY)                                                 \
        RECORD(2, BY)                                                 \
        RECORD(7, BY)                                                 \
        RECORD(16, BY)                                                \
        RECORD(60, BY)                                                \
    }
RECORDS_BY(records, APPEND)
RECORDS_BY(records_if, APPEND_if)
RECORDS_BY(records_wi, APPEND_wi)

/* Answers of 0 to 3 arguments, at places 4 * i on. */
#define ASK(n, ...) gravel_ask##n##_wg(g, __VA_ARGS__)
#define ASK_if(n, ...) gravel_ask##n##_wg_if(g, i % 3 == 0, __VA_ARGS__)
#define ASK_wi(n, ...) \
    if (i % 5 == 0)    \
    gravel_ask##n##_wi(g, __VA_ARGS__)
#define ASKS_BY(name, BY)                                                      \
    kernel void name(GRAVEL_ARENA, ulong answers)                              \
    {                                                                          \
        GRAVEL_OPEN(g);                                                        \
        uint i = (uint)get_global_id(0), node = i % gravel_n_nodes(g);         \
        ulong x = i;                                                           \
        struct gravel_reply reply = {answers, GRAVEL_NO_SIGNAL};               \
        BY(0, GRAVEL_HANDLER(sum_0), reply, 4 * i, node);                      \
        BY(1, GRAVEL_HANDLER(sum_1), x, reply, 4 * i + 1, node);               \
        BY(2, GRAVEL_HANDLER(sum_2), x, x << 33, reply, 4 * i + 2, node);      \
        BY(3, GRAVEL_HANDLER(sum_3), x, x << 33, 7ul, reply, 4 * i + 3, node); \
    }
ASKS_BY(asks, ASK)
ASKS_BY(asks_if, ASK_if)
ASKS_BY(asks_wi, ASK_wi)
