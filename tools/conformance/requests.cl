/* SPDX-License-Identifier: MIT */
/*
 * One kernel for every request, type and form, and for put with signal, from the table in operation.h. Global size:
 * N_ITEMS in groups of GROUP. Work-item i sends message i of the arrays, if active[i], and its answer goes to place
 * PLACE(i). It then waits for it, and copies it to seen[i]. `waits` is all ones; 0 where no kernel can wait (step
 * drain): then the wait is for what holds already, so that programs and kernels are the same on every step.
 *
 * Path:  plan.c fills the arrays -> these kernels -> requests.c compares answers, signals and heaps.
 */
#include "gravel.cl.h"

#define COMMA ,
#define EMPTY

#define PARAMETERS                                                                 \
    GRAVEL_ARENA, ulong base, global const uint *active, global const uint *nodes, \
        global const uint *indices
#define MORE_PARAMETERS(type)                                                             \
    global const type *values, global const type *expected, ulong answers, ulong signals, \
        global type *seen, uint waits
#if !defined(INDEX) /* with ulong, numbers of elements are of 64 bits */
#define INDEX uint
#endif
#define PLACE(i) ((INDEX)(((i)*37u + 11u) % 256u)) /* as in requests.c */

#define TAKE(type, wait, is_active) \
    if (wait && (is_active))        \
    seen[i] = ((global const type *)gravel_local(g, answers))[PLACE(i)]

#define START       \
    GRAVEL_OPEN(g); \
    uint i = (uint)get_global_id(0);

/* VALUES is empty, or the values with a comma before each. */
#define FORMS(name, type, VALUES)                                                                  \
    kernel void name(PARAMETERS, MORE_PARAMETERS(type))                                            \
    {                                                                                              \
        START                                                                                      \
        struct gravel_reply reply = {answers, signals + 4 * (i - get_local_id(0))};                \
        uint n = gravel_##name##_wg(g, base, (INDEX)indices[i] VALUES, reply, PLACE(i), nodes[i]); \
        TAKE(type, gravel_wait_until_uint_wg(g, reply.signal, GRAVEL_CMP_EQ, n &waits), true);     \
    }                                                                                              \
    kernel void name##_if(PARAMETERS, MORE_PARAMETERS(type))                                       \
    {                                                                                              \
        START                                                                                      \
        struct gravel_reply reply = {answers, signals + 4 * (i - get_local_id(0))};                \
        uint n = gravel_##name##_wg_if(g, active[i], base, (INDEX)indices[i] VALUES, reply,        \
                                       PLACE(i), nodes[i]);                                        \
        TAKE(type, gravel_wait_until_uint_wg(g, reply.signal, GRAVEL_CMP_GE, n &waits),            \
             active[i]);                                                                           \
    }                                                                                              \
    kernel void name##_wi(PARAMETERS, MORE_PARAMETERS(type))                                       \
    {                                                                                              \
        START                                                                                      \
        struct gravel_reply reply = {answers, signals + 4 * i};                                    \
        if (active[i]) {                                                                           \
            uint n =                                                                               \
                gravel_##name##_wi(g, base, (INDEX)indices[i] VALUES, reply, PLACE(i), nodes[i]);  \
            TAKE(type,                                                                             \
                 gravel_wait_until_int_wi(g, reply.signal, GRAVEL_CMP_GT, (int)(n & waits) - 1),   \
                 true);                                                                            \
        }                                                                                          \
    }

#define VALUES_get
#define VALUES_swap COMMA values[i]
#define VALUES_fetch_add COMMA values[i]
#define VALUES_fetch_min COMMA values[i]
#define VALUES_fetch_max COMMA values[i]
#define VALUES_fetch_and COMMA values[i]
#define VALUES_fetch_or COMMA values[i]
#define VALUES_fetch_xor COMMA values[i]
#define REQUEST_FORMS(OP, op, TYPE, type) FORMS(op##_##type, type, VALUES_##op)
#define CAS_FORMS(TYPE, type) FORMS(cas_##type, type, COMMA expected[i] COMMA values[i])

GRAVEL_REQUESTS(REQUEST_FORMS)
GRAVEL_INC_TYPES(CAS_FORMS)

/* Put with signal: the destination counts the messages of each group (_wi: work-item). */
#define SIGNAL_FORMS(TYPE, type)                                                                  \
    kernel void put_signal_##type(PARAMETERS, MORE_PARAMETERS(type))                              \
    {                                                                                             \
        START                                                                                     \
        gravel_put_signal_##type##_wg(g, base, (INDEX)indices[i], values[i],                      \
                                      signals + 4 * (i - get_local_id(0)), nodes[i]);             \
    }                                                                                             \
    kernel void put_signal_##type##_if(PARAMETERS, MORE_PARAMETERS(type))                         \
    {                                                                                             \
        START                                                                                     \
        gravel_put_signal_##type##_wg_if(g, active[i], base, (INDEX)indices[i], values[i],        \
                                         signals + 4 * (i - get_local_id(0)), nodes[i]);          \
    }                                                                                             \
    kernel void put_signal_##type##_wi(PARAMETERS, MORE_PARAMETERS(type))                         \
    {                                                                                             \
        START                                                                                     \
        if (active[i])                                                                            \
            gravel_put_signal_##type##_wi(g, base, (INDEX)indices[i], values[i], signals + 4 * i, \
                                          nodes[i]);                                              \
    }
GRAVEL_SIGNAL_TYPES(SIGNAL_FORMS)

#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_REQUESTS(REQUEST_FORMS)
SIGNAL_FORMS(DOUBLE, double)
#endif
