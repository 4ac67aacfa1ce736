/* SPDX-License-Identifier: MIT */
/*
 * The names of portable.cl.h for a C11 compiler: work-items are threads.
 *
 * So the very code that runs on devices runs under ThreadSanitizer, which sees no kernel. Each lane thread
 * points gravel_lane at its place before it calls anything from cl/.
 *
 * Path:    portable.cl.h -> host_c11.h; used by tests only.
 */
#ifndef GRAVEL_HOST_C11_H
#define GRAVEL_HOST_C11_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define global
#define local
#define kernel
typedef unsigned char uchar;
typedef uint32_t gravel_c11_uint;
typedef uint64_t gravel_c11_ulong;
#define uint gravel_c11_uint
#define ulong gravel_c11_ulong
#define GRAVEL_HAS_DOUBLE 1

/* Where a thread stands in its work-group and launch. */
struct gravel_lane {
    size_t local_id, local_size, group_id, n_groups;
    pthread_barrier_t *barrier; /* of the group */
    void *scratch;              /* the group's local memory: struct gravel_scratch */
};
extern _Thread_local struct gravel_lane *gravel_lane;

#define get_local_id(dimension) ((dimension) == 0 ? gravel_lane->local_id : 0)
#define get_local_size(dimension) ((dimension) == 0 ? gravel_lane->local_size : 1)
#define get_group_id(dimension) ((dimension) == 0 ? gravel_lane->group_id : 0)
#define get_num_groups(dimension) ((dimension) == 0 ? gravel_lane->n_groups : 1)
#define get_global_id(dimension)                                                                   \
    ((dimension) == 0 ? gravel_lane->group_id * gravel_lane->local_size + gravel_lane->local_id : 0)

#ifndef GRAVEL_MUTANT_ORDER /* a test weakens one edge at a time and expects a report */
#define GRAVEL_ORDER_ACQUIRE memory_order_acquire
#define GRAVEL_ORDER_RELEASE memory_order_release
#else
#define GRAVEL_ORDER_ACQUIRE memory_order_relaxed
#define GRAVEL_ORDER_RELEASE memory_order_relaxed
#endif

static inline uint gravel_load_acquire(uint *word)
{
    return atomic_load_explicit((_Atomic uint *)word, GRAVEL_ORDER_ACQUIRE);
}
static inline uint gravel_load_relaxed(uint *word)
{
    return atomic_load_explicit((_Atomic uint *)word, memory_order_relaxed);
}
static inline void gravel_store_release(uint *word, uint value)
{
    atomic_store_explicit((_Atomic uint *)word, value, GRAVEL_ORDER_RELEASE);
}
static inline void gravel_store_relaxed(uint *word, uint value)
{
    atomic_store_explicit((_Atomic uint *)word, value, memory_order_relaxed);
}
#define gravel_device_load_acquire gravel_load_acquire
#define gravel_device_store_release gravel_store_release
static inline uint gravel_device_fetch_add_relaxed(uint *word, uint value)
{
    return atomic_fetch_add_explicit((_Atomic uint *)word, value, memory_order_relaxed);
}
static inline void gravel_yield(void)
{
    sched_yield();
}
static inline void gravel_barrier_group(void)
{
    pthread_barrier_wait(gravel_lane->barrier);
}

#define GRAVEL_AS_BITS(name, from, to)                                                             \
    static inline to name(from value)                                                              \
    {                                                                                              \
        to bits;                                                                                   \
        memcpy(&bits, &value, sizeof bits);                                                        \
        return bits;                                                                               \
    }
GRAVEL_AS_BITS(gravel_float_bits, float, uint)
GRAVEL_AS_BITS(gravel_double_bits, double, ulong)
#define as_uint(value) gravel_float_bits(value)
#define as_ulong(value) gravel_double_bits(value)

#endif
