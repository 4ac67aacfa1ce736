/* SPDX-License-Identifier: MIT */
/*
 * Logs what a program does with memory, for gravel-hrf --trace.
 *
 * The program's sources are compiled with -fsanitize=thread, which calls these functions at each access, and linked
 * with this file in place of the sanitizer's library. An atomic operation and its record are made under one lock, so
 * that the records stand in an order in which the operations happened. Calls of the C library that copy memory are not
 * seen.
 *
 * Path:    the compiler's calls -> this -> $HRF_TRACE_FILE, in the form of hrf/src/checker/trace_record.h.
 * Threads: any.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker/trace_record.h"
#include "hrf_trace.h"

#define BUFFERED 65536u
#define MAX_BARRIERS 4096u
#define HOST_DEVICE 9u

_Thread_local unsigned char hrf_trace_level = HRF_TRACE_SYS;

static struct {
    pthread_mutex_t lock;
    FILE *file;
    struct hrf_record records[BUFFERED];
    uint32_t n;
    uint16_t n_threads;
    struct {
        void *barrier;
        unsigned count;
    } barriers[MAX_BARRIERS];
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local int own_number = -1;

extern const char __executable_start; /* the linker's: the program's first byte */

static uint32_t site_of(const void *address)
{
    return (uint32_t)((const char *)address - &__executable_start);
}

static void flush(void)
{
    if (trace.file &&
        fwrite(trace.records, sizeof *trace.records, trace.n, trace.file) != trace.n) {
        fprintf(stderr, "the trace cannot be written\n");
        exit(1);
    }
    trace.n = 0;
}

/* With the lock. */
static void put(struct hrf_record record)
{
    record.thread = (uint16_t)own_number;
    if (trace.n == BUFFERED)
        flush();
    trace.records[trace.n++] = record;
}

/* With the lock: the thread's number, and where it is unless it says so itself. */
static void enter(void)
{
    pthread_mutex_lock(&trace.lock);
    if (own_number >= 0)
        return;
    if (trace.n_threads == HRF_TRACE_THREADS) {
        fprintf(stderr, "a trace has up to %u threads\n", HRF_TRACE_THREADS);
        exit(1);
    }
    own_number = trace.n_threads++;
    put((struct hrf_record){.kind = HRF_RECORD_PLACE,
                            .address = (uint64_t)HOST_DEVICE << 48 | (unsigned)own_number});
}

static void leave(void)
{
    pthread_mutex_unlock(&trace.lock);
}

static void log_one(enum hrf_record_kind kind, const volatile void *address, uint32_t site,
                    uint8_t how)
{
    enter();
    put((struct hrf_record){
        .kind = (uint8_t)kind, .address = (uint64_t)(uintptr_t)address, .site = site, .how = how});
    leave();
}

void hrf_trace_place(unsigned device, unsigned group, unsigned subgroup)
{
    const uint64_t place = (uint64_t)device << 48 | (uint64_t)subgroup << 32 | group;
    log_one(HRF_RECORD_PLACE, (void *)(uintptr_t)place, 0, 0);
}

static void end(void)
{
    pthread_mutex_lock(&trace.lock);
    flush();
    if (trace.file)
        fclose(trace.file);
    trace.file = NULL;
    pthread_mutex_unlock(&trace.lock);
}

static void __attribute__((constructor)) begin(void)
{
    const char *path = getenv("HRF_TRACE_FILE");
    trace.file = path ? fopen(path, "wb") : NULL;
    if (path && (!trace.file || fwrite(HRF_TRACE_MAGIC, 8, 1, trace.file) != 1)) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(1);
    }
    atexit(end);
}

/* ---- plain accesses -------------------------------------------------------------------------- */

static void log_plain(enum hrf_record_kind kind, const void *address, size_t bytes, uint32_t site)
{
    const char *at = address;
    while (bytes) {
        unsigned log2 = bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0;
        log_one(kind, at, site, (uint8_t)(log2 << 6));
        at += 1u << log2;
        bytes -= 1u << log2;
    }
}

void __tsan_init(void);
void __tsan_init(void)
{
}
/* The order of unseen kernels (base/unseen.h): here kernels are seen. */
void __tsan_acquire(void *address);
void __tsan_acquire(void *address)
{
    (void)address;
}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define PLAIN(name, kind, bytes)                                               \
    void __tsan_##name(void *address);                                         \
    void __tsan_##name(void *address)                                          \
    {                                                                          \
        log_plain(kind, address, bytes, site_of(__builtin_return_address(0))); \
    }
#define PLAIN_OF(bytes)                                  \
    PLAIN(read##bytes, HRF_RECORD_READ, bytes)           \
    PLAIN(write##bytes, HRF_RECORD_WRITE, bytes)         \
    PLAIN(unaligned_read##bytes, HRF_RECORD_READ, bytes) \
    PLAIN(unaligned_write##bytes, HRF_RECORD_WRITE, bytes)
PLAIN_OF(1)
PLAIN_OF(2)
PLAIN_OF(4)
PLAIN_OF(8)
PLAIN_OF(16)

#define RANGE(name, kind)                                                      \
    void __tsan_##name(void *address, size_t bytes);                           \
    void __tsan_##name(void *address, size_t bytes)                            \
    {                                                                          \
        log_plain(kind, address, bytes, site_of(__builtin_return_address(0))); \
    }
RANGE(read_range, HRF_RECORD_READ)
RANGE(write_range, HRF_RECORD_WRITE)

/* ---- atomic operations ----------------------------------------------------------------------- */

static uint8_t order_of(int order)
{
    static const uint8_t orders[] = {0, 1, 1, 2, 3, 7}; /* __ATOMIC_RELAXED to __ATOMIC_SEQ_CST */
    return orders[order < 0 || order > 5 ? 5 : order];
}

/* With the lock. */
static void put_atomic(enum hrf_record_kind kind, const volatile void *address, unsigned log2,
                       int order, const void *caller)
{
    put((struct hrf_record){.kind = (uint8_t)kind,
                            .address = (uint64_t)(uintptr_t)address,
                            .site = site_of(caller),
                            .how = (uint8_t)(order_of(order) | hrf_trace_level << 3 | log2 << 6)});
    hrf_trace_level = HRF_TRACE_SYS;
}

#define LOAD(bits, type, log2)                                                    \
    type __tsan_atomic##bits##_load(const volatile type *a, int order);           \
    type __tsan_atomic##bits##_load(const volatile type *a, int order)            \
    {                                                                             \
        enter();                                                                  \
        type value = __atomic_load_n(a, __ATOMIC_SEQ_CST);                        \
        put_atomic(HRF_RECORD_LOAD, a, log2, order, __builtin_return_address(0)); \
        leave();                                                                  \
        return value;                                                             \
    }
#define STORE(bits, type, log2)                                                    \
    void __tsan_atomic##bits##_store(volatile type *a, type value, int order);     \
    void __tsan_atomic##bits##_store(volatile type *a, type value, int order)      \
    {                                                                              \
        enter();                                                                   \
        __atomic_store_n(a, value, __ATOMIC_SEQ_CST);                              \
        put_atomic(HRF_RECORD_STORE, a, log2, order, __builtin_return_address(0)); \
        leave();                                                                   \
    }
#define RMW(bits, type, log2, name, builtin)                                     \
    type __tsan_atomic##bits##_##name(volatile type *a, type value, int order);  \
    type __tsan_atomic##bits##_##name(volatile type *a, type value, int order)   \
    {                                                                            \
        enter();                                                                 \
        type old = builtin(a, value, __ATOMIC_SEQ_CST);                          \
        put_atomic(HRF_RECORD_RMW, a, log2, order, __builtin_return_address(0)); \
        leave();                                                                 \
        return old;                                                              \
    }
#define CAS(bits, type, log2, name)                                                               \
    int __tsan_atomic##bits##_##name(volatile type *a, type *expected, type value, int order,     \
                                     int failed);                                                 \
    int __tsan_atomic##bits##_##name(volatile type *a, type *expected, type value, int order,     \
                                     int failed)                                                  \
    {                                                                                             \
        enter();                                                                                  \
        bool is_stored = __atomic_compare_exchange_n(a, expected, value, false, __ATOMIC_SEQ_CST, \
                                                     __ATOMIC_SEQ_CST);                           \
        put_atomic(is_stored ? HRF_RECORD_RMW : HRF_RECORD_LOAD, a, log2,                         \
                   is_stored ? order : failed, __builtin_return_address(0));                      \
        leave();                                                                                  \
        return is_stored;                                                                         \
    }
#define ATOMICS(bits, type, log2)                        \
    LOAD(bits, type, log2)                               \
    STORE(bits, type, log2)                              \
    RMW(bits, type, log2, exchange, __atomic_exchange_n) \
    RMW(bits, type, log2, fetch_add, __atomic_fetch_add) \
    RMW(bits, type, log2, fetch_sub, __atomic_fetch_sub) \
    RMW(bits, type, log2, fetch_and, __atomic_fetch_and) \
    RMW(bits, type, log2, fetch_or, __atomic_fetch_or)   \
    RMW(bits, type, log2, fetch_xor, __atomic_fetch_xor) \
    CAS(bits, type, log2, compare_exchange_strong)       \
    CAS(bits, type, log2, compare_exchange_weak)
ATOMICS(8, uint8_t, 0)
ATOMICS(16, uint16_t, 1)
ATOMICS(32, uint32_t, 2)
ATOMICS(64, uint64_t, 3)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    enter();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    put_atomic(HRF_RECORD_FENCE, NULL, 0, order, __builtin_return_address(0));
    leave();
}

/* ---- threads, barriers, memory: the linker's --wrap ------------------------------------------- */

struct start {
    void *(*body)(void *);
    void *argument;
};

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument);
int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result);
int __real_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                unsigned count);
int __wrap_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                unsigned count);
int __real_pthread_barrier_wait(pthread_barrier_t *barrier);
int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier);
void *__real_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);

static void *run(void *argument)
{
    struct start *start = argument;
    log_one(HRF_RECORD_TAKE, start, 0, 0);
    void *result = start->body(start->argument);
    log_one(HRF_RECORD_GIVE, (void *)(uintptr_t)pthread_self(), 0, 0);
    return result; /* `start` stays: its address names the creation */
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (!start)
        return -1;
    *start = (struct start){body, argument};
    log_one(HRF_RECORD_GIVE, start, 0, 0);
    return __real_pthread_create(thread, attributes, run, start);
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
    int code = __real_pthread_join(thread, result);
    log_one(HRF_RECORD_TAKE, (void *)(uintptr_t)thread, 0, 0);
    return code;
}

/* With the lock: how many meet at a barrier, which may be the address of an earlier one. */
static unsigned *count_of(void *barrier)
{
    uint32_t i = 0;
    while (i < MAX_BARRIERS - 1 && trace.barriers[i].barrier &&
           trace.barriers[i].barrier != barrier)
        i++;
    trace.barriers[i].barrier = barrier;
    return &trace.barriers[i].count;
}

int __wrap_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                unsigned count)
{
    enter();
    *count_of(barrier) = count;
    leave();
    log_one(HRF_RECORD_ARRIVE, barrier, 0, 0);
    return __real_pthread_barrier_init(barrier, attributes, count);
}

int __wrap_pthread_barrier_wait(pthread_barrier_t *barrier)
{
    enter();
    uint32_t count = *count_of(barrier);
    leave();
    log_one(HRF_RECORD_ARRIVE, barrier, count, 0);
    int code = __real_pthread_barrier_wait(barrier);
    log_one(HRF_RECORD_LEAVE, barrier, count, 0);
    return code;
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    void *memory = __real_calloc(n, bytes);
    if (memory)
        log_one(HRF_RECORD_NEW, memory, (uint32_t)(n * bytes), 0);
    return memory;
}
