/* SPDX-License-Identifier: MIT */
/*
 * Every difference between OpenCL compilers and devices, behind names the rest of cl/ uses.
 *
 * lib/opencl/program.c chooses by defines, after asking the device:
 *     GRAVELP_ATOMICS_C11         C11 atomics (OpenCL C 2.0, or 3.0 with the feature); else OpenCL 1.2 ones
 *     GRAVELP_HOST_SCOPE          memory scope that reaches the host
 *     GRAVELP_SERIAL_GROUP        a group runs on one thread (CPU): scans are a leader's loop, writes are prefetched
 *     GRAVELP_YIELD_SYSCALL       a waiting leader may give its core away by a system call
 *     GRAVELP_SUBGROUP_BUILTINS   built-in sub-groups
 *     GRAVELP_WARP_ITEMS=n        no built-in sub-groups, but NVIDIA's warps of n work-items
 *     GRAVEL_HAS_DOUBLE          the device has double
 * This file defines GRAVEL_HAS_LONG_WAITS where 64-bit words can be waited for.
 * GRAVEL_FORM_SCAN in GRAVEL_BUILD_OPTIONS lets a group count as one of many threads does.
 * Compiled as C11 (no OpenCL compiler), tests/tsan/host_c11.h defines for threads what this does for kernels.
 *
 * Path:    base.h -> portable.cl.h -> workgroup.cl.h.
 * Memory:  orders are in the names; every use says which edge of docs/design/memory-order.md it is.
 */
#ifndef GRAVELP_PORTABLE_CL_H
#define GRAVELP_PORTABLE_CL_H

#include "layout/base.h"

#ifdef GRAVELP_SERIAL_GROUP
#define GRAVELP_ONE_THREAD /* whatever form was chosen to count */
#endif
#ifdef GRAVEL_FORM_SCAN
#undef GRAVELP_SERIAL_GROUP
#endif

#ifndef GRAVELP_INLINE
#define GRAVELP_INLINE static inline __attribute__((always_inline))
#endif

/* What the common case never comes to: faults, and long waits. A CPU device inlines all that a kernel calls: out of
 * line a call that sends takes half the time to compile. No work-item functions there: PoCL has none. */
#ifdef GRAVELP_YIELD_SYSCALL
#define GRAVELP_OUT_OF_LINE static __attribute__((noinline))
#define GRAVELP_OF_ARGUMENTS __attribute__((const)) /* loops around it stay as they are */
#else
#define GRAVELP_OUT_OF_LINE static
#define GRAVELP_OF_ARGUMENTS
#endif

#define GRAVELP_C11_add atomic_fetch_add_explicit
#define GRAVELP_C11_or atomic_fetch_or_explicit
#define GRAVELP_C11_and atomic_fetch_and_explicit
#define GRAVELP_C11_xchg atomic_exchange_explicit

#if !defined(__OPENCL_C_VERSION__)

#include "host_c11.h"

#else

#define GRAVELP_LITERAL constant const char
/* In a kernel's outermost scope: local memory, and a pointer to it; `lane` is where a thread has it that is a lane. */
#define GRAVELP_LOCAL(type, name, lane) \
    local struct type gravel_##name##_; \
    local struct type *const name = &gravel_##name##_

/* Atomic operations of OpenCL 1.x, which are relaxed, with a fence: every compiler has both, for local memory too. */
#define GRAVELP_FENCE_global mem_fence(CLK_GLOBAL_MEM_FENCE)
#define GRAVELP_FENCE_local mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define GRAVELP_BEFORE_relaxed(space) (void)0
#define GRAVELP_BEFORE_acquire(space) (void)0
#define GRAVELP_BEFORE_release(space) GRAVELP_FENCE_##space
#define GRAVELP_BEFORE_acq_rel(space) GRAVELP_FENCE_##space
#define GRAVELP_AFTER_relaxed(space) (void)0
#define GRAVELP_AFTER_acquire(space) GRAVELP_FENCE_##space
#define GRAVELP_AFTER_release(space) (void)0
#define GRAVELP_AFTER_acq_rel(space) GRAVELP_FENCE_##space
#define GRAVELP_DEFINE_FENCED_LOAD(function, order, space) \
    GRAVELP_INLINE uint function(space uint *word)         \
    {                                                      \
        uint value = *(volatile space uint *)word;         \
        GRAVELP_AFTER_##order(space);                      \
        return value;                                      \
    }
#define GRAVELP_DEFINE_FENCED_STORE(function, order, space)    \
    GRAVELP_INLINE void function(space uint *word, uint value) \
    {                                                          \
        GRAVELP_BEFORE_##order(space);                         \
        *(volatile space uint *)word = value;                  \
    }
#define GRAVELP_DEFINE_FENCED_CHANGE(function, op, order, space)    \
    GRAVELP_INLINE uint function(space uint *word, uint value)      \
    {                                                               \
        GRAVELP_BEFORE_##order(space);                              \
        uint old = atomic_##op((volatile space uint *)word, value); \
        GRAVELP_AFTER_##order(space);                               \
        return old;                                                 \
    }

#if defined(GRAVELP_ATOMICS_C11)
typedef volatile global atomic_uint gravelp_word;
#define GRAVELP_DEFINE_LOAD(function, order, scope)                                     \
    GRAVELP_INLINE uint function(global uint *word)                                     \
    {                                                                                   \
        return atomic_load_explicit((gravelp_word *)word, memory_order_##order, scope); \
    }
#define GRAVELP_DEFINE_STORE(function, order, scope)                                     \
    GRAVELP_INLINE void function(global uint *word, uint value)                          \
    {                                                                                    \
        atomic_store_explicit((gravelp_word *)word, value, memory_order_##order, scope); \
    }
#define GRAVELP_DEFINE_CHANGE(function, op, order, scope)                                  \
    GRAVELP_INLINE uint function(global uint *word, uint value)                            \
    {                                                                                      \
        return GRAVELP_C11_##op((gravelp_word *)word, value, memory_order_##order, scope); \
    }
#else /* OpenCL 1.2: oclgrind, and a fallback that program.c must allow */
#define GRAVELP_DEFINE_LOAD(function, order, scope) \
    GRAVELP_DEFINE_FENCED_LOAD(function, order, global)
#define GRAVELP_DEFINE_STORE(function, order, scope) \
    GRAVELP_DEFINE_FENCED_STORE(function, order, global)
#define GRAVELP_DEFINE_CHANGE(function, op, order, scope) \
    GRAVELP_DEFINE_FENCED_CHANGE(function, op, order, global)
#endif

#endif

/* Words that the host also reads or writes. */
GRAVELP_DEFINE_LOAD(gravelp_load_acquire, acquire, GRAVELP_HOST_SCOPE)
GRAVELP_DEFINE_LOAD(gravelp_load_relaxed, relaxed, GRAVELP_HOST_SCOPE)
GRAVELP_DEFINE_STORE(gravelp_store_release, release, GRAVELP_HOST_SCOPE)
GRAVELP_DEFINE_STORE(gravelp_store_relaxed, relaxed, GRAVELP_HOST_SCOPE)
GRAVELP_DEFINE_CHANGE(gravelp_fetch_add_relaxed, add, relaxed, GRAVELP_HOST_SCOPE)
GRAVELP_DEFINE_CHANGE(gravelp_fetch_add_release, add, release, GRAVELP_HOST_SCOPE)

/* Words that only this device writes. */
GRAVELP_DEFINE_LOAD(gravelp_device_load_acquire, acquire, memory_scope_device)
GRAVELP_DEFINE_LOAD(gravelp_device_load_relaxed, relaxed, memory_scope_device)
GRAVELP_DEFINE_STORE(gravelp_device_store_release, release, memory_scope_device)
GRAVELP_DEFINE_STORE(gravelp_device_store_relaxed, relaxed, memory_scope_device)
GRAVELP_DEFINE_CHANGE(gravelp_device_fetch_add_relaxed, add, relaxed, memory_scope_device)
GRAVELP_DEFINE_CHANGE(gravelp_device_fetch_add_release, add, release, memory_scope_device)
GRAVELP_DEFINE_CHANGE(gravelp_device_fetch_add_acq_rel, add, acq_rel, memory_scope_device)
GRAVELP_DEFINE_CHANGE(gravelp_device_fetch_or_release, or, release, memory_scope_device)
GRAVELP_DEFINE_CHANGE(gravelp_device_fetch_or_acquire, or, acquire, memory_scope_device)
GRAVELP_DEFINE_CHANGE(gravelp_device_fetch_and_release, and, release, memory_scope_device)
GRAVELP_DEFINE_CHANGE(gravelp_device_exchange_relaxed, xchg, relaxed, memory_scope_device)
GRAVELP_DEFINE_CHANGE(gravelp_device_exchange_acquire, xchg, acquire, memory_scope_device)

/* Words of local memory, by which sub-groups of a group report to each other. */
GRAVELP_DEFINE_FENCED_LOAD(gravelp_local_load_acquire, acquire, local)
GRAVELP_DEFINE_FENCED_LOAD(gravelp_local_load_relaxed, relaxed, local)
GRAVELP_DEFINE_FENCED_STORE(gravelp_local_store_release, release, local)
GRAVELP_DEFINE_FENCED_STORE(gravelp_local_store_relaxed, relaxed, local)
GRAVELP_DEFINE_FENCED_CHANGE(gravelp_local_add_release, add, release, local)
GRAVELP_DEFINE_FENCED_CHANGE(gravelp_local_add_relaxed, add, relaxed, local)
GRAVELP_DEFINE_FENCED_CHANGE(gravelp_local_max_relaxed, max, relaxed, local)
GRAVELP_DEFINE_FENCED_CHANGE(gravelp_local_swap_in_relaxed, xchg, relaxed, local)

#if defined(__OPENCL_C_VERSION__)

/* Stores `value` if the word is `expected`. Returns whether it was. */
GRAVELP_INLINE bool gravelp_local_swap_relaxed(local uint *word, uint expected, uint value)
{
    return atomic_cmpxchg((volatile local uint *)word, expected, value) == expected;
}

/* Of 64 bits: OpenCL C promises loads in one piece only as atomics of both extensions. */
#if defined(GRAVELP_ATOMICS_C11) && defined(cl_khr_int64_base_atomics) && \
    defined(cl_khr_int64_extended_atomics)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define GRAVEL_HAS_LONG_WAITS 1
typedef volatile global atomic_ulong gravelp_long_word;
GRAVELP_INLINE ulong gravelp_long_load_acquire(global ulong *word)
{
    return atomic_load_explicit((gravelp_long_word *)word, memory_order_acquire,
                                GRAVELP_HOST_SCOPE);
}
GRAVELP_INLINE ulong gravelp_device_long_load_acquire(global ulong *word)
{
    return atomic_load_explicit((gravelp_long_word *)word, memory_order_acquire,
                                memory_scope_device);
}
GRAVELP_INLINE ulong gravelp_device_long_load_relaxed(global ulong *word)
{
    return atomic_load_explicit((gravelp_long_word *)word, memory_order_relaxed,
                                memory_scope_device);
}
GRAVELP_INLINE void gravelp_device_long_add_release(global ulong *word, ulong value)
{
    atomic_fetch_add_explicit((gravelp_long_word *)word, value, memory_order_release,
                              memory_scope_device);
}
#endif

/*
 * Wait a moment, the longer the more polls have found nothing. A leader that spins on a CPU device keeps a core
 * from the very host thread it waits for, so there it gives the core away by system calls: sched_yield at
 * first; then, sooner if `is_long`, a sleep of a millisecond (poll of nothing), because a yielding thread still takes
 * its turn among others. Elsewhere a poll is a trip to memory, long enough. Returns for how long, at least
 * [nanoseconds].
 *
 * All operands are constants and the two texts differ, or the compiler of PoCL 5.0 stops at an assertion.
 */
#if defined(GRAVELP_YIELD_SYSCALL) && defined(__linux__) && defined(__x86_64__)
#define GRAVELP_SYSTEM_CALL(name, number, third)                     \
    do {                                                             \
        long result;                                                 \
        __asm__ volatile("syscall # " name                           \
                         : "=a"(result)                              \
                         : "a"(number), "D"(0L), "S"(0L), "d"(third) \
                         : "rcx", "r11", "memory");                  \
    } while (0)
#define GRAVELP_YIELD() GRAVELP_SYSTEM_CALL("sched_yield", 24L, 0L)
#define GRAVELP_YIELD_NS 200u
#define GRAVELP_SLEEP() GRAVELP_SYSTEM_CALL("poll", 7L, 1L)
#define GRAVELP_SLEEP_NS 1000000u
#else
#define GRAVELP_SLEEP() GRAVELP_YIELD()
#define GRAVELP_SLEEP_NS GRAVELP_YIELD_NS
#if defined(GRAVELP_YIELD_SYSCALL) && defined(__linux__) && defined(__aarch64__)
#define GRAVELP_YIELD() \
    __asm__ volatile("mov x8, #124\n\tsvc 0 // sched_yield" : : : "x0", "x8", "memory")
#define GRAVELP_YIELD_NS 200u
#else
#define GRAVELP_YIELD() (void)0
#define GRAVELP_YIELD_NS 0u
#endif
#endif

#define GRAVELP_YIELD_POLLS 8u         /* polls before a long wait sleeps */
#define GRAVELP_MOST_YIELDS (1u << 14) /* before any wait does */

/* Assembly stays out of line: inlined into a kernel of many work-items it crashes the compiler of PoCL 6.0. */
GRAVELP_OUT_OF_LINE uint gravelp_pause(uint polls, bool is_long)
{
    if (polls > (is_long ? GRAVELP_YIELD_POLLS : GRAVELP_MOST_YIELDS)) {
        GRAVELP_SLEEP();
        return GRAVELP_SLEEP_NS;
    }
    GRAVELP_YIELD();
    return GRAVELP_YIELD_NS;
}

/* Every work-item of the group: wait for all of them; their global and local accesses are ordered. */
#define gravelp_barrier_group() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#endif

#if defined(GRAVELP_WARP_ITEMS)
/* NVIDIA's warps, in PTX, where OpenCL has no sub-groups. Every work-item of `mask`, which has a bit for each one of
 * the warp that there is, makes each call, and none returns before all have. The barrier alone orders memory. */
GRAVELP_INLINE uint gravelp_warp_ballot(uint mask, uint flag)
{
    uint flags;
    __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                     : "=r"(flags)
                     : "r"(flag), "r"(mask));
    return flags;
}
GRAVELP_INLINE uint gravelp_warp_first(uint mask, uint value)
{
    uint first;
    __asm__ volatile("shfl.sync.idx.b32 %0, %1, 0, 31, %2;" : "=r"(first) : "r"(value), "r"(mask));
    return first;
}
GRAVELP_INLINE void gravelp_warp_barrier(uint mask)
{
    __asm__ volatile("bar.warp.sync %0;" : : "r"(mask) : "memory");
}

/* Any work-item, in any divergent code: takes the next place that a word counts, relaxed, at device scope. Those of a
 * warp that come together take theirs by one operation a word; the compiler alone makes that of some kernels only. */
GRAVELP_INLINE uint gravelp_take_place(global uint *word)
{
    uint active, peers, lane, first = 0;
    __asm__ volatile("activemask.b32 %0;" : "=r"(active));
    __asm__ volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(peers) : "l"(word), "r"(active));
    __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    const uint leader = popcount((peers & -peers) - 1);
    if (lane == leader)
        first = gravelp_device_fetch_add_relaxed(word, popcount(peers));
    __asm__ volatile("shfl.sync.idx.b32 %0, %0, %1, 31, %2;"
                     : "+r"(first)
                     : "r"(leader), "r"(peers));
    return first + popcount(peers & ((1u << lane) - 1));
}

/* Sums of real numbers in one instruction instead of compare and swap, of which n work-items that add to one word take
 * n rounds. Relaxed, at device scope. Sums of float take a denormal number for 0. */
#define GRAVELP_HAS_ADD_REAL
#define GRAVELP_DEFINE_ADD_REAL(type, instruction, letter)                              \
    GRAVELP_INLINE type gravelp_add_real_##type(volatile global type *word, type value) \
    {                                                                                   \
        type old;                                                                       \
        __asm__ volatile(instruction " %0, [%1], %2;"                                   \
                         : "=" letter(old)                                              \
                         : "l"(word), letter(value)                                     \
                         : "memory");                                                   \
        return old;                                                                     \
    }
GRAVELP_DEFINE_ADD_REAL(float, "atom.global.add.f32", "f")
#ifdef GRAVEL_HAS_DOUBLE
GRAVELP_DEFINE_ADD_REAL(double, "atom.global.add.f64", "d")
#endif
#else
#define gravelp_take_place(word) gravelp_device_fetch_add_relaxed(word, 1)
#endif

/*
 * GRAVELP_ASSUME: what the compiler may rely on; no code is left of it. GRAVELP_NO_MERGE: an empty statement that
 * LLVM merges with no other, and does not copy, as it is convergent like all of OpenCL's assembly. PoCL 5.0 and 6.0, of
 * later LLVM, stop at assembly in large kernels. Both only where the compiler says what it compiles for, see
 * gravelp_prefetch_write.
 */
#if defined(__OPENCL_C_VERSION__) && \
    (defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__))
#define GRAVELP_ASSUME(holds) __builtin_assume(holds)
#if defined(GRAVELP_SERIAL_GROUP) && defined(__clang_major__) && __clang_major__ < 16
#define GRAVELP_NO_MERGE()    \
    __attribute__((nomerge))  \
    {                         \
        __asm__ volatile(""); \
    }
#endif
#else
#define GRAVELP_ASSUME(holds) (void)(holds)
#endif
#ifndef GRAVELP_NO_MERGE
#define GRAVELP_NO_MERGE() (void)0
#endif

/* Leader: announces that the next `bytes` from `p` will be written. Pays where a group is one CPU thread. Only where
 * the compiler says what it compiles for: Mesa's rusticl does not, and ends the process at this word, which SPIR-V
 * lacks. */
GRAVELP_INLINE void gravelp_prefetch_write(global uchar *p, uint bytes)
{
#if defined(GRAVELP_SERIAL_GROUP) &&                                                              \
    (defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__powerpc64__) || \
     defined(__SPIR__))
    for (uint i = 0; i < bytes; i += GRAVELP_CACHELINE)
        __builtin_prefetch((const void *)(uintptr_t)(p + i), 1, 3);
#else
    (void)p;
    (void)bytes;
#endif
}

/* ---- updates -------------------------------------------------------------------------------------- */

/*
 * What an update does to a word that other work-items change too: GRAVELP_UPDATE_add(float, word, value), for every
 * operation and type of operation.h; the word's old value. One atomic operation, or for real numbers several where the
 * device has none for their sums. And GRAVELP_PEEK(type, word): the word as it is, to say whether an update is worth
 * while. GRAVELP_HAS_LONG_UPDATES is defined where words may have 64 bits.
 *
 * All is relaxed, at device scope: updates by OpenCL 1.x names, which every later version has too; polls by C11
 * atomics, or by a volatile load where the device has none, as nothing else loads a word there.
 */
#if defined(__OPENCL_C_VERSION__)

/* For the library's own kernels the host decides. */
#if !defined(GRAVELP_INT64_ATOMICS) && defined(cl_khr_int64_base_atomics) && \
    defined(cl_khr_int64_extended_atomics)
#define GRAVELP_INT64_ATOMICS 1
#endif
#if defined(GRAVELP_INT64_ATOMICS) && GRAVELP_INT64_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define GRAVELP_HAS_LONG_UPDATES
#endif

#define GRAVELP_PEEK(type, word) GRAVELP_PEEK_##type(type, word)
#define GRAVELP_PEEK_uint(type, word) ((type)gravelp_device_load_relaxed((global uint *)(word)))
#define GRAVELP_PEEK_int GRAVELP_PEEK_uint
#ifdef GRAVEL_HAS_LONG_WAITS /* C11 atomics of 64 bits */
#define GRAVELP_PEEK_ulong(type, word)                                                  \
    atomic_load_explicit((volatile global atomic_##type *)(word), memory_order_relaxed, \
                         memory_scope_device)
#else
#define GRAVELP_PEEK_ulong(type, word) (*(word))
#endif
#define GRAVELP_PEEK_long GRAVELP_PEEK_ulong

#define GRAVELP_DEFINE_ADD_BITS(type, BITS, COMPARE_EXCHANGE)                                  \
    GRAVELP_INLINE type gravelp_add_##type(volatile global type *word, type value)             \
    {                                                                                          \
        volatile global BITS *bits = (volatile global BITS *)word;                             \
        BITS old = GRAVELP_PEEK(BITS, bits), seen;                                             \
        while ((seen = COMPARE_EXCHANGE(bits, old, as_##BITS(as_##type(old) + value))) != old) \
            old = seen;                                                                        \
        return as_##type(old);                                                                 \
    }
#ifdef GRAVELP_HAS_ADD_REAL
#define gravelp_add_float gravelp_add_real_float
#else
GRAVELP_DEFINE_ADD_BITS(float, uint, atomic_cmpxchg)
#endif
#define gravelp_add_int atomic_add
#define gravelp_add_uint atomic_add
#define GRAVELP_ATOMIC_int(op) atomic_##op
#define GRAVELP_ATOMIC_uint(op) atomic_##op

#define GRAVELP_UPDATE_put(type, word, value) GRAVELP_ATOMIC_##type(xchg)(word, value)
#define GRAVELP_UPDATE_inc(type, word, value) gravelp_add_##type(word, (type)1)
#define GRAVELP_UPDATE_add(type, word, value) gravelp_add_##type(word, value)
#define GRAVELP_UPDATE_min(type, word, value) GRAVELP_ATOMIC_##type(min)(word, value)
#define GRAVELP_UPDATE_max(type, word, value) GRAVELP_ATOMIC_##type(max)(word, value)
#define GRAVELP_UPDATE_and(type, word, value) GRAVELP_ATOMIC_##type (and)(word, value)
#define GRAVELP_UPDATE_or(type, word, value) GRAVELP_ATOMIC_##type(or)(word, value)
#define GRAVELP_UPDATE_xor(type, word, value) GRAVELP_ATOMIC_##type (xor)(word, value)

#ifdef GRAVELP_HAS_LONG_UPDATES
#define gravelp_add_long atom_add
#define gravelp_add_ulong atom_add
#define GRAVELP_ATOMIC_long(op) atom_##op
#define GRAVELP_ATOMIC_ulong(op) atom_##op
#if defined(GRAVEL_HAS_DOUBLE) && defined(GRAVELP_HAS_ADD_REAL)
#define gravelp_add_double gravelp_add_real_double
#elif defined(GRAVEL_HAS_DOUBLE)
GRAVELP_DEFINE_ADD_BITS(double, ulong, atom_cmpxchg)
#endif
#endif

#endif

#endif
