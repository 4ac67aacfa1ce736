/* SPDX-License-Identifier: MIT */
/*
 * The names of portable.cl.h for a C11 compiler: work-items are threads.
 *
 * So the very code that runs on devices runs under ThreadSanitizer, which sees no kernel. Each lane
 * thread points gravelp_lane at its ids before it calls anything from cl/. Both ways to scan exist
 * here, as on devices: with GRAVELP_SERIAL_GROUP a leader's loop, without it a parallel one.
 *
 * Path:    cl/device/portable.cl.h -> this -> the kernels of tests/tsan.
 */
#ifndef GRAVEL_HOST_C11_H
#define GRAVEL_HOST_C11_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "group_barrier.h"

#define global
#define local
#define private
#define kernel
#define constant static const
#define GRAVELP_LITERAL const char
#define GRAVELP_LOCAL(type, name, lane) struct type *const name = gravelp_lane->lane
typedef unsigned char uchar;
typedef uint32_t uint; /* typedefs: the table of operations pastes these names */
typedef uint64_t ulong;
#define GRAVEL_HAS_DOUBLE 1
#define GRAVEL_HAS_LONG_WAITS 1

/* A thread's ids in its work-group and launch. */
struct gravelp_lane {
    size_t local_id, local_size, group_id, n_groups;
    group_barrier *barrier;             /* of the group */
    struct gravelp_wave *waves;         /* the group's, for built-in sub-groups */
    uint n_wave_calls, n_wave_barriers; /* made by this work-item */
    void *scratch;                      /* the group's local memory: struct gravelp_scratch, */
    void *shares;                       /* that of a shared loop, */
    void *fbar;                         /* struct gravel_fbar, */
    void *own;                          /* struct gravelp_own, */
    void *flow;                         /* struct gravelp_flow_scratch */
    void *outbox;                       /* struct gravelp_outbox */
    void *service;                      /* struct gravelp_service */
    void *pairs;                        /* and struct gravelp_pairs */
};
extern _Thread_local struct gravelp_lane *gravelp_lane;

#define get_work_dim() 1u
#define get_local_id(dimension) ((dimension) == 0 ? gravelp_lane->local_id : 0)
#define get_local_size(dimension) ((dimension) == 0 ? gravelp_lane->local_size : 1)
#define get_group_id(dimension) ((dimension) == 0 ? gravelp_lane->group_id : 0)
#define get_num_groups(dimension) ((dimension) == 0 ? gravelp_lane->n_groups : 1)
#define get_global_id(dimension)                                                                   \
    ((dimension) == 0 ? gravelp_lane->group_id * gravelp_lane->local_size + gravelp_lane->local_id \
                      : 0)

/* The rows of portable.cl.h: a scope means nothing here. */
#define GRAVELP_DEFINE_TYPED_LOAD(function, type, order, scope)                  \
    static inline type function(type *word)                                      \
    {                                                                            \
        return atomic_load_explicit((_Atomic type *)word, memory_order_##order); \
    }
#define GRAVELP_DEFINE_LOAD(function, order, scope) \
    GRAVELP_DEFINE_TYPED_LOAD(function, uint, order, scope)
#define GRAVELP_DEFINE_STORE(function, order, scope)                              \
    static inline void function(uint *word, uint value)                           \
    {                                                                             \
        atomic_store_explicit((_Atomic uint *)word, value, memory_order_##order); \
    }
#define GRAVELP_DEFINE_CHANGE(function, op, order, scope)                           \
    static inline uint function(uint *word, uint value)                             \
    {                                                                               \
        return GRAVELP_C11_##op((_Atomic uint *)word, value, memory_order_##order); \
    }
#define GRAVELP_DEFINE_SWAP(function, order, scope)                                              \
    static inline bool function(uint *word, uint expected, uint value)                           \
    {                                                                                            \
        return atomic_compare_exchange_strong_explicit(                                          \
            (_Atomic uint *)word, &expected, value, memory_order_##order, memory_order_relaxed); \
    }
#define GRAVELP_DEFINE_FENCED_LOAD GRAVELP_DEFINE_LOAD
#define GRAVELP_DEFINE_FENCED_STORE GRAVELP_DEFINE_STORE
#define GRAVELP_DEFINE_FENCED_CHANGE GRAVELP_DEFINE_CHANGE

static inline uint GRAVELP_C11_max(_Atomic uint *word, uint value, memory_order order)
{
    uint seen = atomic_load_explicit(word, order);
    while (seen < value &&
           !atomic_compare_exchange_strong_explicit(word, &seen, value, order, order))
        ;
    return seen;
}
GRAVELP_DEFINE_TYPED_LOAD(gravelp_long_load_acquire, ulong, acquire, )
GRAVELP_DEFINE_TYPED_LOAD(gravelp_device_long_load_acquire, ulong, acquire, )
GRAVELP_DEFINE_TYPED_LOAD(gravelp_device_long_load_relaxed, ulong, relaxed, )
#define gravelp_device_long_add_release(word, value) \
    atomic_fetch_add_explicit((_Atomic ulong *)(word), value, memory_order_release)
GRAVELP_DEFINE_SWAP(gravelp_device_swap_acquire, acquire, )
GRAVELP_DEFINE_SWAP(gravelp_device_swap_relaxed, relaxed, )
GRAVELP_DEFINE_SWAP(gravelp_local_swap_relaxed, relaxed, )
/* For mutants. */
#define gravelp_device_long_add_relaxed(word, value) \
    atomic_fetch_add_explicit((_Atomic ulong *)(word), value, memory_order_relaxed)
GRAVELP_DEFINE_TYPED_LOAD(gravelp_long_load_relaxed, ulong, relaxed, )
GRAVELP_DEFINE_CHANGE(gravelp_device_fetch_or_relaxed, or, relaxed, )
GRAVELP_DEFINE_CHANGE(gravelp_device_fetch_and_relaxed, and, relaxed, )
static inline uint gravelp_pause(uint polls, bool is_long)
{
    (void)polls, (void)is_long;
    sched_yield();
    return 0;
}
static inline void gravelp_barrier_group(void)
{
    group_barrier_wait(gravelp_lane->barrier);
}

#include "host_c11_subgroup.h"

#define GRAVELP_AS_BITS(name, from, to)     \
    static inline to name(from value)       \
    {                                       \
        to bits;                            \
        memcpy(&bits, &value, sizeof bits); \
        return bits;                        \
    }
GRAVELP_AS_BITS(gravel_float_bits, float, uint)
GRAVELP_AS_BITS(gravel_double_bits, double, ulong)
#define as_uint(value) gravel_float_bits(value)
#define clz(value) ((uint)__builtin_clz(value))
#define as_ulong(value) gravel_double_bits(value)
GRAVELP_AS_BITS(gravel_bits_float, uint, float)
#define as_float(value) gravel_bits_float(value)
static inline uint atomic_cmpxchg(volatile uint *word, uint expected, uint value)
{
    atomic_compare_exchange_strong_explicit((volatile _Atomic uint *)word, &expected, value,
                                            memory_order_relaxed, memory_order_relaxed);
    return expected;
}

#endif
