/* SPDX-License-Identifier: MIT */
/*
 * One kernel for every request, type and form, and for put with signal, from the table in operation.h. Global size:
 * N_ITEMS in groups of GROUP. Work-item i sends message i of the arrays, if active[i], and its answer goes to place
 * PLACE(i). It then waits for it, and copies it to seen[i]. `waits` is all ones; 0 where no kernel can wait (step
 * drain): then the wait is for what holds already, so that programs and kernels are the same on every step.
 *
 * Path:  forms.cl, plan.c fills the arrays -> these kernels -> requests.c compares answers, signals and heaps.
 */
#define PLACE(i) ((INDEX)(((i)*37u + 11u) % 256u)) /* as in requests.c */

/* `first` of the work-items that make the call together has their signal. */
#define KERNEL(name, type, first, ...)                                                            \
    kernel void name(PARAMETERS(type), global const type *expected, ulong answers, ulong signals, \
                     global type *seen, uint waits)                                               \
    {                                                                                             \
        START                                                                                     \
        struct gravel_reply reply = {answers, signals + 4 * (first)};                             \
        __VA_ARGS__                                                                               \
    }

#define TAKE(type, wait, is_active) \
    if (wait && (is_active))        \
        seen[i] = ((global const type *)gravel_local(g, answers))[PLACE(i)];

/* ...: what the call takes between g, or the predicate, and the reply. */
#define REQUESTS(name, type, ...)                                                                  \
    KERNEL(name, type, i - get_local_id(0),                                                        \
           uint n = gravel_##name##_wg(g, __VA_ARGS__, reply, PLACE(i), nodes[i]);                 \
           TAKE(type, gravel_wait_until_uint_wg(g, reply.signal, GRAVEL_CMP_EQ, n & waits), true)) \
    KERNEL(name##_if, type, i - get_local_id(0),                                                   \
           uint n = gravel_##name##_wg_if(g, active[i], __VA_ARGS__, reply, PLACE(i), nodes[i]);   \
           TAKE(type, gravel_wait_until_uint_wg(g, reply.signal, GRAVEL_CMP_GE, n & waits),        \
                active[i]))                                                                        \
    KERNEL(                                                                                        \
        name##_wi, type, i, if (active[i]) {                                                       \
            uint n = gravel_##name##_wi(g, __VA_ARGS__, reply, PLACE(i), nodes[i]);                \
            TAKE(type,                                                                             \
                 gravel_wait_until_int_wi(g, reply.signal, GRAVEL_CMP_GT, (int)(n & waits) - 1),   \
                 true)                                                                             \
        })

#define WORD base, INDEX_OF(i)
#define WORD_get WORD
#define WORD_swap WORD, values[i]
#define WORD_fetch_add WORD, values[i]
#define WORD_fetch_min WORD, values[i]
#define WORD_fetch_max WORD, values[i]
#define WORD_fetch_and WORD, values[i]
#define WORD_fetch_or WORD, values[i]
#define WORD_fetch_xor WORD, values[i]
#define REQUEST(OP, op, TYPE, type) REQUESTS(op##_##type, type, WORD_##op)
#define CAS(TYPE, type) REQUESTS(cas_##type, type, WORD, expected[i], values[i])

GRAVEL_REQUESTS(REQUEST)
GRAVEL_INC_TYPES(CAS)

/* Put with signal: the destination counts the messages of each group (_wi: work-item). */
#define PUT(S, type, ...) gravel_put_signal_##type##_##S(g, __VA_ARGS__, reply.signal, nodes[i]);
#define SIGNALS(TYPE, type)                                                              \
    KERNEL(put_signal_##type, type, i - get_local_id(0), PUT(wg, type, WORD, values[i])) \
    KERNEL(put_signal_##type##_if, type, i - get_local_id(0),                            \
           PUT(wg_if, type, active[i], WORD, values[i]))                                 \
    KERNEL(put_signal_##type##_wi, type, i, if (active[i]) PUT(wi, type, WORD, values[i]))
GRAVEL_SIGNAL_TYPES(SIGNALS)

#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_REQUESTS(REQUEST)
SIGNALS(DOUBLE, double)
#endif
