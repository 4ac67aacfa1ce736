/* SPDX-License-Identifier: MIT */
/*
 * Threads that the host plays. See host.h.
 *
 * They keep in step by the words of the meeting, all relaxed: a hint, by which events of one instance come near each
 * other. A thread stores the number of its step in a word of its own, at system scope; its partners are all_are_at of
 * other threads, and of the kernel (kernel.c). What orders the results is the launch's end, and the end of the threads.
 */
#include "run/host.h"

#include "run/host_role.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_PATIENCE 32768u /* polls in a meeting; halved each time that others did not come */
#define LEAST_PATIENCE 64u
#define POLLS_A_PAUSE 256u
#define LAUNCH_LOOKS_US 20u

struct host_thread {
    struct host *host;
    pthread_t id;
    uint32_t number; /* among the shape's */
    volatile uint32_t noise;
};

struct host {
    const struct hrf_program *program;
    const struct shape *shape;
    struct host_memory memory;
    uint32_t seed;
    _Atomic bool is_over; /* the launch has ended, says the caller; partner: is_over() */
    struct host_thread threads[HRF_MAX_THREADS];
    uint32_t n_threads; /* that run */
};

/* ---- steps ----------------------------------------------------------------------------------- */

static _Atomic uint32_t *meeting_of(const struct host *host, uint32_t member)
{
    return (_Atomic uint32_t *)&host->memory.meeting[member * KERNEL_MEETING_STRIDE];
}

static bool is_over(struct host *host)
{
    return atomic_load_explicit(&host->is_over, memory_order_relaxed);
}

static bool all_are_at(const struct host *host, uint32_t number)
{
    uint32_t least = number * host->shape->n_groups;
    if (atomic_load_explicit(meeting_of(host, 0), memory_order_relaxed) < least)
        return false;
    for (uint32_t h = 1; h <= host->shape->n_host; h++)
        if (atomic_load_explicit(meeting_of(host, h), memory_order_relaxed) < number)
            return false;
    return true;
}

/* Pauses between two polls. A launch may take seconds to begin, for compilers run then. */
static void pause_at(uint32_t number)
{
    if (number == 1)
        usleep(LAUNCH_LOOKS_US);
    else
        sched_yield();
}

/*
 * Waits for all threads and groups to come to a step, to the first until the launch has begun. Returns the patience for
 * the next.
 */
static uint32_t meet(const struct host_thread *thread, uint32_t number, uint32_t patience)
{
    struct host *host = thread->host;
    atomic_store_explicit(meeting_of(host, thread->number + 1), number, memory_order_relaxed);
    for (uint32_t k = 1; k <= patience || number == 1; k++) {
        if (all_are_at(host, number))
            return MOST_PATIENCE;
        if (k % POLLS_A_PAUSE)
            continue;
        if (is_over(host))
            break;
        pause_at(number);
    }
    return patience / 2 > LEAST_PATIENCE ? patience / 2 : LEAST_PATIENCE;
}

/* ---- instances ------------------------------------------------------------------------------- */

static uint32_t mixed(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Returns where kernel.c's word() is. */
static uint64_t word(const struct host_memory *memory, uint32_t location, uint32_t instance)
{
    uint32_t place = instance * (2 * (location * 7919u) + 1) + location * 12289u;
    return (uint64_t)location * memory->n + (place & (memory->n - 1));
}

static void report(const struct host_thread *thread, uint32_t instance,
                   const struct hrf_locals *locals, uint32_t mark)
{
    const struct host *host = thread->host;
    const struct shape *shape = host->shape;
    const struct host_memory *memory = &host->memory;
    uint64_t own_row = shape->n_watched + thread->number;
    memory->results[own_row * memory->n + instance] = mark;
    for (uint32_t w = 0; w < shape->n_watched; w++) {
        const struct hrf_expression *e = &host->program->expressions[shape->watched[w]];
        if (e->operator_ == HRF_FINAL_REGISTER && e->a == shape->host[thread->number])
            memory->results[(uint64_t)w * memory->n + instance] = locals->registers[e->b];
    }
}

static void play(struct host_thread *thread, uint32_t instance)
{
    const struct host *host = thread->host;
    const uint32_t number = host->shape->host[thread->number];
    _Atomic uint32_t *words[HRF_MAX_LOCATIONS];
    struct hrf_locals locals;
    for (uint32_t l = 0; l < host->program->n_locations; l++)
        words[l] = (_Atomic uint32_t *)&host->memory.words[word(&host->memory, l, instance)];
    for (uint32_t k = mixed(host->seed ^ (instance * 31 + number)) & 15; k; k--)
        thread->noise += k;
    bool lives = host_role_play(host->program, number, words, &locals);
    uint32_t mark = locals.failed_line ? KERNEL_FAILED : 0;
    report(thread, instance, &locals, lives ? mark : KERNEL_GIVEN_UP);
}

static void *run(void *argument)
{
    struct host_thread *thread = argument;
    struct host *host = thread->host;
    static const struct hrf_locals none;
    const uint32_t n_steps = host->shape->n_groups;
    uint32_t patience = MOST_PATIENCE;
    for (uint32_t k = 0; k < host->memory.rounds * n_steps; k++) {
        uint32_t home = (n_steps - k % n_steps) % n_steps; /* which all groups play in this step */
        uint32_t instance = k / n_steps * n_steps + home;
        patience = meet(thread, k + 1, patience);
        if (is_over(host))
            report(thread, instance, &none, KERNEL_GIVEN_UP);
        else
            play(thread, instance);
    }
    return NULL;
}

/* ---- a launch -------------------------------------------------------------------------------- */

struct host *host_start(const struct hrf_program *program, const struct shape *shape,
                        const struct host_memory *memory, uint32_t seed)
{
    struct host *host = calloc(1, sizeof *host);
    if (!host)
        return NULL;
    host->program = program;
    host->shape = shape;
    host->memory = *memory;
    host->seed = seed;
    atomic_init(&host->is_over, false);
    for (; host->n_threads < shape->n_host; host->n_threads++) {
        struct host_thread *thread = &host->threads[host->n_threads];
        thread->host = host;
        thread->number = host->n_threads;
        if (pthread_create(&thread->id, NULL, run, thread)) {
            host_end(host);
            return NULL;
        }
    }
    return host;
}

void host_end(struct host *host)
{
    atomic_store_explicit(&host->is_over, true, memory_order_relaxed);
    for (uint32_t h = 0; h < host->n_threads; h++)
        pthread_join(host->threads[h].id, NULL);
    free(host);
}
