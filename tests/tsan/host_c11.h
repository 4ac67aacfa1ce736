/* SPDX-License-Identifier: MIT */
/*
 * The names of portable.cl.h for a C11 compiler: work-items are threads.
 *
 * So the very code that runs on devices runs under ThreadSanitizer, which sees no kernel. Each lane
 * thread points gravelp_lane at its place before it calls anything from cl/. Both ways to scan can
 * be had, as on devices: with GRAVELP_SERIAL_GROUP a leader's loop, without it a parallel one.
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
typedef unsigned char uchar;
typedef uint32_t uint; /* typedefs: the table of operations pastes these names */
typedef uint64_t ulong;
#define GRAVEL_HAS_DOUBLE 1
#define GRAVEL_HAS_LONG_WAITS 1

/* Where a thread stands in its work-group and launch. */
struct gravelp_lane {
    size_t local_id, local_size, group_id, n_groups;
    group_barrier *barrier; /* of the group */
    _Atomic uint64_t *scan; /* the group's [local_size + 1], for built-in scans and reductions */
    uint n_scans;           /* made by this work-item */
    struct gravelp_wave *waves;         /* the group's, for built-in sub-groups */
    uint n_wave_calls, n_wave_barriers; /* made by this work-item */
    void *scratch;                      /* the group's local memory: struct gravelp_scratch, */
    void *shares;                       /* struct gravel_shares, */
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

/* The logging form, for gravel-hrf --trace: the scope of the next atomic operation; else the host's. */
#ifdef HRF_TRACE
#include "hrf_trace.h"
#define GRAVELP_AT(level, call) (hrf_trace_level = (level), (call))
#else
#define GRAVELP_AT(level, call) (call)
#endif

/* Loads, stores, updates that return the word before, and swaps of an expected value, by name, type or call, and order. */
#define GRAVELP_LOAD(name, type, order)                           \
    static inline type name(type *word)                           \
    {                                                             \
        return atomic_load_explicit((_Atomic type *)word, order); \
    }
#define GRAVELP_STORE(name, order)                                 \
    static inline void name(uint *word, uint value)                \
    {                                                              \
        atomic_store_explicit((_Atomic uint *)word, value, order); \
    }
#define GRAVELP_FETCH(name, call, order)                 \
    static inline uint name(uint *word, uint value)      \
    {                                                    \
        return call((_Atomic uint *)word, value, order); \
    }
#define GRAVELP_SWAP(name, order)                                                              \
    static inline bool name(uint *word, uint expected, uint value)                             \
    {                                                                                          \
        return atomic_compare_exchange_strong_explicit((_Atomic uint *)word, &expected, value, \
                                                       order, memory_order_relaxed);           \
    }
GRAVELP_LOAD(gravelp_load_acquire, uint, memory_order_acquire)
GRAVELP_LOAD(gravelp_load_relaxed, uint, memory_order_relaxed)
GRAVELP_LOAD(gravelp_long_load_acquire, ulong, memory_order_acquire)
GRAVELP_LOAD(gravelp_long_load_relaxed, ulong, memory_order_relaxed) /* for mutants */
GRAVELP_STORE(gravelp_store_release, memory_order_release)
GRAVELP_STORE(gravelp_store_relaxed, memory_order_relaxed)
GRAVELP_FETCH(gravelp_fetch_add_relaxed, atomic_fetch_add_explicit, memory_order_relaxed)
GRAVELP_FETCH(gravelp_fetch_add_acq_rel, atomic_fetch_add_explicit, memory_order_acq_rel)
GRAVELP_FETCH(gravelp_fetch_add_release, atomic_fetch_add_explicit, memory_order_release)
GRAVELP_FETCH(gravelp_swap_in_relaxed, atomic_exchange_explicit, memory_order_relaxed)
GRAVELP_FETCH(gravelp_exchange_acquire, atomic_exchange_explicit, memory_order_acquire)
GRAVELP_FETCH(gravelp_fetch_or_release, atomic_fetch_or_explicit, memory_order_release)
GRAVELP_FETCH(gravelp_fetch_or_acquire, atomic_fetch_or_explicit, memory_order_acquire)
GRAVELP_FETCH(gravelp_fetch_and_release, atomic_fetch_and_explicit, memory_order_release)
GRAVELP_FETCH(gravelp_device_fetch_or_relaxed, atomic_fetch_or_explicit,
              memory_order_relaxed) /* for mutants, as the next */
GRAVELP_FETCH(gravelp_device_fetch_and_relaxed, atomic_fetch_and_explicit, memory_order_relaxed)
GRAVELP_SWAP(gravelp_device_swap_acquire, memory_order_acquire)
GRAVELP_SWAP(gravelp_device_swap_relaxed, memory_order_relaxed)
GRAVELP_SWAP(gravelp_swap_relaxed, memory_order_relaxed)
/* Each of its operations is of the group's scope. */
static inline void gravelp_local_max_relaxed(uint *word, uint value)
{
    uint seen = GRAVELP_AT(HRF_TRACE_WG, gravelp_load_relaxed(word));
    while (seen < value &&
           !GRAVELP_AT(HRF_TRACE_WG, atomic_compare_exchange_strong_explicit(
                                         (_Atomic uint *)word, &seen, value, memory_order_relaxed,
                                         memory_order_relaxed)))
        ;
}
#define gravelp_device_store_relaxed(word, value) \
    GRAVELP_AT(HRF_TRACE_DEV, gravelp_store_relaxed(word, value))
#define gravelp_device_exchange_acquire(word, value) \
    GRAVELP_AT(HRF_TRACE_DEV, gravelp_exchange_acquire(word, value))
#define gravelp_device_fetch_or_release(word, bits) \
    GRAVELP_AT(HRF_TRACE_DEV, gravelp_fetch_or_release(word, bits))
#define gravelp_device_fetch_or_acquire(word, bits) \
    GRAVELP_AT(HRF_TRACE_DEV, gravelp_fetch_or_acquire(word, bits))
#define gravelp_device_fetch_and_release(word, bits) \
    GRAVELP_AT(HRF_TRACE_DEV, gravelp_fetch_and_release(word, bits))
#define gravelp_device_load_acquire(word) GRAVELP_AT(HRF_TRACE_DEV, gravelp_load_acquire(word))
#define gravelp_device_load_relaxed(word) GRAVELP_AT(HRF_TRACE_DEV, gravelp_load_relaxed(word))
#define gravelp_device_store_release(word, value) \
    GRAVELP_AT(HRF_TRACE_DEV, gravelp_store_release(word, value))
#define gravelp_device_exchange_relaxed(word, value) \
    GRAVELP_AT(HRF_TRACE_DEV, gravelp_swap_in_relaxed(word, value))
#define gravelp_device_fetch_add_relaxed(word, value) \
    GRAVELP_AT(HRF_TRACE_DEV, gravelp_fetch_add_relaxed(word, value))
#define gravelp_device_fetch_add_release(word, value) \
    GRAVELP_AT(HRF_TRACE_DEV, gravelp_fetch_add_release(word, value))
#define gravelp_device_fetch_add_acq_rel(word, value) \
    GRAVELP_AT(HRF_TRACE_DEV, gravelp_fetch_add_acq_rel(word, value))
#define gravelp_local_swap_in_relaxed(word, value) \
    GRAVELP_AT(HRF_TRACE_WG, gravelp_swap_in_relaxed(word, value))
#define gravelp_local_load_acquire(word) GRAVELP_AT(HRF_TRACE_WG, gravelp_load_acquire(word))
#define gravelp_local_load_relaxed(word) GRAVELP_AT(HRF_TRACE_WG, gravelp_load_relaxed(word))
#define gravelp_local_store_release(word, value) \
    GRAVELP_AT(HRF_TRACE_WG, gravelp_store_release(word, value))
#define gravelp_local_add_relaxed(word, value) \
    GRAVELP_AT(HRF_TRACE_WG, gravelp_fetch_add_relaxed(word, value))
#define gravelp_local_add_release(word, value) \
    GRAVELP_AT(HRF_TRACE_WG, gravelp_fetch_add_release(word, value))
#define gravelp_local_swap_relaxed(word, expected, value) \
    GRAVELP_AT(HRF_TRACE_WG, gravelp_swap_relaxed(word, expected, value))
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

/*
 * The built-in collective: every work-item of the group calls it, and nobody returns before all
 * have. It orders no memory, as the built-in need not, so all is relaxed. scan[i] is the number of
 * the call in the upper half and the sum up to work-item i in the lower; scan[local_size] counts
 * arrivals.
 */
static inline uint work_group_scan_exclusive_add(uint value)
{
    struct gravelp_lane *lane = gravelp_lane;
    uint64_t call = ++lane->n_scans, before = 0;
    while (lane->local_id &&
           (before = atomic_load_explicit(&lane->scan[lane->local_id - 1], memory_order_relaxed)) >>
                   32 !=
               call)
        sched_yield();
    uint64_t sum = (uint)before;
    atomic_store_explicit(&lane->scan[lane->local_id], call << 32 | (sum + value),
                          memory_order_relaxed);
    atomic_fetch_add_explicit(&lane->scan[lane->local_size], 1, memory_order_relaxed);
    while (atomic_load_explicit(&lane->scan[lane->local_size], memory_order_relaxed) <
           call * lane->local_size)
        sched_yield();
    return (uint)sum;
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
