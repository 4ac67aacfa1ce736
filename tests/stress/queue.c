/* SPDX-License-Identifier: MIT */
/*
 * Body of the queue stress tests: producers and consumers as fast as they can, at several
 * capacities, with indices that wrap on the way. Every message is checked: magic, order per
 * producer, and a sum at the end.
 *
 * Path:    list.c, spsc.c, mpmc.c -> queue.c.
 * Threads: PRODUCERS + CONSUMERS, which may be more than there are cores: who finds no room yields.
 */
#include "queue.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "mix.h"

#define MAX_THREADS 64
#define STUCK_NS (30 * GRAVEL_NS_PER_S)
#define YIELDS_PER_CLOCK 4096

struct pass {
    const struct stress_mode *mode;
    void *queue;
    uint64_t seed;
    uint32_t n_producers;
    uint32_t n_consumers;
    uint32_t rounds; /* messages per producer */
    uint32_t capacity;
    _Atomic uint32_t n_producing; /* T1: producers that have not finished */
    _Atomic bool has_failed;      /* relaxed: only ends loops early */
};

struct worker {
    _Alignas(64) struct pass *pass;
    pthread_t thread;
    uint32_t number;
    uint32_t n_yields;    /* since it last got on */
    uint64_t deadline_ns; /* for getting on, if n_yields is not 0 */
    uint64_t count;
    uint64_t sum;               /* of magics */
    uint32_t next[MAX_THREADS]; /* lowest sequence that may still come from each producer */
};

static uint64_t magic_of(uint64_t seed, uint32_t producer, uint32_t sequence)
{
    return mix(seed ^ mix((uint64_t)producer << 32 | sequence));
}

static bool has_failed(struct pass *pass)
{
    return atomic_load_explicit(&pass->has_failed, memory_order_relaxed);
}

static void fail(struct pass *pass, const char *what, const struct stress_message *message)
{
    atomic_store_explicit(&pass->has_failed, true, memory_order_relaxed);
    fprintf(stderr, "%s: %s", pass->mode->name, what);
    if (message)
        fprintf(stderr, ": producer %" PRIu32 " sequence %" PRIu32, message->producer,
                message->sequence);
    fprintf(stderr,
            " (seed %" PRIu64 ", threads %" PRIu32 "x%" PRIu32 ", rounds %" PRIu32
            ", capacity %" PRIu32 ")\n",
            pass->seed, pass->n_producers, pass->n_consumers, pass->rounds, pass->capacity);
}

/* Give the core away. Fails the pass when this thread has got nowhere for too long. */
static void yield(struct worker *worker)
{
    if (worker->n_yields++ == 0)
        worker->deadline_ns = gravel_clock_ns() + STUCK_NS;
    sched_yield();
    if (worker->n_yields % YIELDS_PER_CLOCK == 0 && gravel_clock_ns() > worker->deadline_ns)
        fail(worker->pass, "stuck", NULL);
}

static void *produce(void *argument)
{
    struct worker *worker = argument;
    struct pass *pass = worker->pass;
    for (uint32_t k = 0; k < pass->rounds && !has_failed(pass); k++) {
        uint64_t magic = magic_of(pass->seed, worker->number, k);
        struct stress_message message = {magic, worker->number, k, ~magic};
        while (!pass->mode->push(pass->queue, &message) && !has_failed(pass))
            yield(worker);
        worker->sum += magic;
        worker->count++;
        worker->n_yields = 0;
    }
    atomic_fetch_sub_explicit(&pass->n_producing, 1, memory_order_release); /* T1 */
    return NULL;
}

static void check(struct worker *worker, const struct stress_message *message)
{
    struct pass *pass = worker->pass;
    if (message->producer >= pass->n_producers || message->sequence >= pass->rounds ||
        message->magic != magic_of(pass->seed, message->producer, message->sequence) ||
        message->not_magic != ~message->magic) {
        fail(pass, "torn or foreign message", message);
        return;
    }
    if (message->sequence < worker->next[message->producer])
        fail(pass, "message out of order or repeated", message);
    worker->next[message->producer] = message->sequence + 1;
    worker->sum += message->magic;
    worker->count++;
    worker->n_yields = 0;
}

/* Ends when a look that began after the last producer's end finds nothing. */
static void *consume(void *argument)
{
    struct worker *worker = argument;
    struct pass *pass = worker->pass;
    while (!has_failed(pass)) {
        bool is_last_look =
            !atomic_load_explicit(&pass->n_producing, memory_order_acquire); /* T1 */
        struct stress_message message;
        if (pass->mode->pop(pass->queue, &message))
            check(worker, &message);
        else if (is_last_look)
            break;
        else
            yield(worker);
    }
    return NULL;
}

static void start(struct worker *worker, void *(*body)(void *))
{
    if (pthread_create(&worker->thread, NULL, body, worker)) {
        fprintf(stderr, "cannot start thread %" PRIu32 "\n", worker->number);
        exit(1);
    }
}

static void run_workers(struct pass *pass, struct worker *producers, struct worker *consumers)
{
    for (uint32_t i = 0; i < pass->n_producers; i++)
        producers[i] = (struct worker){.pass = pass, .number = i};
    for (uint32_t i = 0; i < pass->n_consumers; i++)
        consumers[i] = (struct worker){.pass = pass, .number = i};
    for (uint32_t i = 0; i < pass->n_consumers; i++)
        start(&consumers[i], consume);
    for (uint32_t i = 0; i < pass->n_producers; i++)
        start(&producers[i], produce);
    for (uint32_t i = 0; i < pass->n_producers; i++)
        pthread_join(producers[i].thread, NULL);
    for (uint32_t i = 0; i < pass->n_consumers; i++)
        pthread_join(consumers[i].thread, NULL);
}

static void check_totals(struct pass *pass, const struct worker *producers,
                         const struct worker *consumers)
{
    uint64_t count = 0, sum = 0;
    for (uint32_t i = 0; i < pass->n_producers; i++) {
        count += producers[i].count;
        sum += producers[i].sum;
    }
    for (uint32_t i = 0; i < pass->n_consumers; i++) {
        count -= consumers[i].count;
        sum -= consumers[i].sum;
    }
    if (count || sum)
        fail(pass, "messages lost or repeated", NULL);
}

/* One capacity. Indices start so that they wrap (32 and 64 bits) within the pass. */
static bool run_pass(struct pass *pass)
{
    static struct worker producers[MAX_THREADS], consumers[MAX_THREADS];
    uint64_t start_index = UINT64_MAX - mix(pass->seed ^ pass->capacity) % pass->rounds;
    pass->queue = pass->mode->create(pass->capacity, start_index);
    if (!pass->queue) {
        fail(pass, "out of memory", NULL);
        return false;
    }
    atomic_init(&pass->n_producing, pass->n_producers);
    atomic_init(&pass->has_failed, false);
    run_workers(pass, producers, consumers);
    if (!has_failed(pass))
        check_totals(pass, producers, consumers);
    pass->mode->destroy(pass->queue);
    return !has_failed(pass);
}

static bool parse(struct pass *pass, int argc, char **argv)
{
    char rest;
    return argc <= 4 && (argc < 2 || sscanf(argv[1], "%" SCNu64 "%c", &pass->seed, &rest) == 1) &&
           (argc < 3 || sscanf(argv[2], "%" SCNu32 "x%" SCNu32 "%c", &pass->n_producers,
                               &pass->n_consumers, &rest) == 2) &&
           (argc < 4 || sscanf(argv[3], "%" SCNu32 "%c", &pass->rounds, &rest) == 1) &&
           pass->n_producers >= 1 && pass->n_producers <= pass->mode->max_producers &&
           pass->n_consumers >= 1 && pass->n_consumers <= pass->mode->max_consumers &&
           pass->n_producers <= MAX_THREADS && pass->n_consumers <= MAX_THREADS && pass->rounds;
}

int stress_main(const struct stress_mode *mode, int argc, char **argv)
{
    static const uint32_t capacities[] = {1, 2, 16, 4096};
    struct pass pass = {
        .mode = mode, .seed = 1, .n_producers = 1, .n_consumers = 1, .rounds = 30000};
    if (!parse(&pass, argc, argv)) {
        fprintf(stderr, "usage: %s [seed [PRODUCERSxCONSUMERS [rounds]]], threads up to %ux%u\n",
                argv[0], mode->max_producers, mode->max_consumers);
        return 2;
    }
    uint64_t start_ns = gravel_clock_ns();
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        pass.capacity = capacities[i];
        if (!run_pass(&pass))
            return 1;
    }
    printf("%s %ux%u: %u messages per producer and capacity, seed %" PRIu64 ", %.2f s\n",
           mode->name, pass.n_producers, pass.n_consumers, pass.rounds, pass.seed,
           (double)(gravel_clock_ns() - start_ns) * 1e-9);
    return 0;
}
