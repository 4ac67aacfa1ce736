/* SPDX-License-Identifier: MIT */
/*
 * bench-queue: messages a second through a producer/consumer queue, Gravel's and those one can get.
 *
 * One producer and one consumer, on a core each, about 1 MB of payload in the ring; the consumer
 * sums every word. Work-groups exist for the device variants only; the other variants run with them in
 * every case, so that ratios are always of the same minute.
 *
 * Path:    options -> cases (message size, work-group size) -> rounds over variants -> reports.
 * Memory:  a queue lives for one run.
 * Threads: the main thread consumes; another produces, for device variants by launching a kernel.
 * Source:  Orr 2016, section 5.4.1 (queue throughput by message size and work-group size).
 */
#include "bench.h"
#include "bench_thread.h"
#include "queue_variant.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WARM_UP_MESSAGES (1u << 17) /* at least once around any ring */
#define TARGET_SECONDS 0.05         /* of one run, unless --messages says how many */

struct cases {
    uint32_t message_bytes[BENCH_MAX_LIST], n_message_bytes;
    uint32_t work_groups[BENCH_MAX_LIST], n_work_groups;
    uint32_t n_messages; /* of a run; 0: as many as take TARGET_SECONDS */
};

/* Variants that were built, in the order of the reports; the first is the one ratios are taken of. */
static const struct queue_variant *const built[] = {
    queue_device_variants,
    queue_host_variants,
#ifdef BENCH_HAVE_CK
    queue_ck_variants,
#endif
    NULL,
};

/* The variants of one case. */
struct place {
    struct queue_case measured;
    const struct queue_variant *variants[BENCH_MAX_VARIANTS];
    uint64_t n_messages[BENCH_MAX_VARIANTS]; /* of one run; 0: not known yet */
    uint64_t ring_bytes[BENCH_MAX_VARIANTS];
};

/* ---- one run --------------------------------------------------------------------------------- */

struct producer {
    struct queue *queue;
    uint64_t n_messages;
    pthread_barrier_t start;
};

static void *produce(void *argument)
{
    struct producer *producer = argument;
    bench_pin(QUEUE_PRODUCER_CORE);
    pthread_barrier_wait(&producer->start);
    producer->queue->produce(producer->queue, producer->n_messages);
    return NULL;
}

/* Sum of all words of messages 0 to n - 1. */
static uint64_t expected_sum(uint64_t n_messages, uint64_t n_words)
{
    return n_words * (n_messages * (n_messages - 1) / 2) +
           n_messages * (n_words * (n_words - 1) / 2);
}

/* Send and take n messages. @return whether all arrived; the time [seconds] in `seconds`. */
static bool run_queue(struct queue *queue, uint32_t message_bytes, uint64_t n_messages,
                      double *seconds)
{
    struct producer producer = {.queue = queue, .n_messages = n_messages};
    pthread_t thread;
    pthread_barrier_init(&producer.start, NULL, 2);
    if (pthread_create(&thread, NULL, produce, &producer) != 0) {
        fprintf(stderr, "bench-queue: no thread for the producer\n");
        exit(EXIT_FAILURE);
    }
    bench_pin(QUEUE_CONSUMER_CORE);
    pthread_barrier_wait(&producer.start);
    double start = bench_now();
    uint64_t sum = queue->consume(queue, n_messages);
    *seconds = bench_now() - start;
    bench_unpin();
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&producer.start);
    return sum == expected_sum(n_messages, message_bytes / 8);
}

/*
 * A queue of its own for each run. Some messages come before those that count: they touch the ring's pages, and are enough
 * for the kernel that the rest needs (PoCL compiles another one for grids of less than 2^16) to be ready.
 */
static bool run_once(struct place *place, uint32_t i, double *rate)
{
    struct queue *queue = place->variants[i]->open(place->variants[i], &place->measured);
    uint32_t message_bytes = place->measured.message_bytes;
    double seconds;
    bool is_valid = run_queue(queue, message_bytes, WARM_UP_MESSAGES, &seconds);
    is_valid &= run_queue(queue, message_bytes, place->n_messages[i], &seconds);
    place->ring_bytes[i] = queue->ring_bytes;
    queue->close(queue);
    *rate = (double)place->n_messages[i] / seconds;
    return is_valid;
}

/* Find how many messages make a run of about TARGET_SECONDS. A power of two. */
static void calibrate(struct place *place, uint32_t i)
{
    uint64_t *n_messages = &place->n_messages[i];
    double rate;
    *n_messages = QUEUE_MIN_MESSAGES;
    for (double seconds = 0; seconds < TARGET_SECONDS / 8 && *n_messages < UINT64_C(1) << 32;) {
        *n_messages *= 4;
        run_once(place, i, &rate);
        seconds = (double)*n_messages / rate;
    }
    while ((double)*n_messages / rate < TARGET_SECONDS)
        *n_messages *= 2;
}

static bool run(void *context, uint32_t i, double *rate)
{
    struct place *place = context;
    if (!place->n_messages[i])
        calibrate(place, i);
    return run_once(place, i, rate);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static json_t *fields(void *context, uint32_t variant, double median)
{
    const struct place *place = context;
    json_t *fields = json_pack("{s:i, s:i}", "message_bytes", (int)place->measured.message_bytes,
                               "work_group", (int)place->measured.work_group);
    if (median > 0)
        json_object_set_new(fields, "ring_bytes",
                            json_integer((json_int_t)place->ring_bytes[variant]));
    return fields;
}

static bool run_case(const struct cases *options, uint32_t message_bytes, uint32_t work_group)
{
    static struct bench_variant variants[BENCH_MAX_VARIANTS];
    struct place place = {.measured = {.message_bytes = message_bytes, .work_group = work_group}};
    struct bench_contest contest = {.name = "bench-queue",
                                    .variants = variants,
                                    .run = run,
                                    .fields = fields,
                                    .has_ratio = bench_of_first};
    for (const struct queue_variant *const *list = built; *list; list++)
        for (const struct queue_variant *variant = *list; variant->name; variant++) {
            const uint32_t i = contest.n_variants++;
            variants[i] = (struct bench_variant){variant->name, "messages/s"};
            place.variants[i] = variant;
            place.n_messages[i] = options->n_messages;
        }
    return bench_hold(&contest, &place, true);
}

int main(int argc, char **argv)
{
    static const struct app_option own[] = {
        {"bytes", 'b', "N,...", "message sizes, powers of two from 8 to 256 (32)",
         BENCH_POWERS(struct cases, message_bytes, n_message_bytes, 8, 256)},
        {"group", 'g', "N,...", "work-group sizes, powers of two up to 1024 (256)",
         BENCH_POWERS(struct cases, work_groups, n_work_groups, 1, 1024)},
        {"messages", 'm', "N", "messages of a run, a power of two (0.05 s worth)",
         OPTION_POWER(struct cases, n_messages, QUEUE_MIN_MESSAGES, 1u << 31)},
        {0}};
    struct cases options = {
        .message_bytes = {32}, .n_message_bytes = 1, .work_groups = {256}, .n_work_groups = 1};
    bool is_valid = true;
    bench_parse(argc, argv, "Messages a second through a producer/consumer queue.", own, &options);
    for (uint32_t b = 0; b < options.n_message_bytes; b++)
        for (uint32_t g = 0; g < options.n_work_groups; g++)
            is_valid &= run_case(&options, options.message_bytes[b], options.work_groups[g]);
    return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}
