/* SPDX-License-Identifier: MIT */
/*
 * bench-queue: messages a second through a producer/consumer queue, Gravel's and those one can get.
 *
 * One producer and one consumer, on a core each, about 1 MB of payload in the ring; the consumer
 * sums every word. Work-groups exist for the device variants only; the other variants run beside them in
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
#include <string.h>

#define MAX_VARIANTS 32u
#define WARM_UP_MESSAGES (1u << 17) /* at least once around any ring */
#define TARGET_SECONDS 0.05         /* of one run, unless --messages says how many */

struct options {
    struct bench_options common;
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
struct contest {
    struct queue_case measured;
    const struct queue_variant *variants[MAX_VARIANTS];
    uint64_t n_messages[MAX_VARIANTS]; /* of one run */
    uint64_t ring_bytes[MAX_VARIANTS];
    uint32_t n_variants;
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
 * The bench_run_function: a queue of its own for each run; the rate is in messages a second. Some
 * come before that: they touch the ring's pages, and are enough for the kernel that the rest needs
 * (PoCL compiles another one for grids of less than 2^16) to be ready.
 */
static bool run_variant(void *context, uint32_t i, double *rate)
{
    struct contest *contest = context;
    struct queue *queue = contest->variants[i]->open(contest->variants[i], &contest->measured);
    if (!queue)
        exit(EXIT_FAILURE);
    uint32_t message_bytes = contest->measured.message_bytes;
    double seconds;
    bool is_valid = run_queue(queue, message_bytes, WARM_UP_MESSAGES, &seconds);
    is_valid &= run_queue(queue, message_bytes, contest->n_messages[i], &seconds);
    contest->ring_bytes[i] = queue->ring_bytes;
    queue->close(queue);
    *rate = (double)contest->n_messages[i] / seconds;
    return is_valid;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Warm up, and find how many messages make a run of about TARGET_SECONDS. A power of two. */
static void calibrate(struct contest *contest, uint32_t i)
{
    uint64_t *n_messages = &contest->n_messages[i];
    double rate;
    *n_messages = QUEUE_MIN_MESSAGES;
    for (double seconds = 0; seconds < TARGET_SECONDS / 8 && *n_messages < UINT64_C(1) << 32;) {
        *n_messages *= 4;
        run_variant(contest, i, &rate);
        seconds = (double)*n_messages / rate;
    }
    while ((double)*n_messages / rate < TARGET_SECONDS)
        *n_messages *= 2;
}

static json_t *case_fields(const struct contest *contest)
{
    return json_pack("{s:i, s:i}", "message_bytes", (int)contest->measured.message_bytes,
                     "work_group", (int)contest->measured.work_group);
}

/* Report every variant, then the first one's ratio to each other one. @return whether all were
 * valid. */
static bool report(const struct options *options, const struct contest *contest,
                   const struct bench_subject *subjects)
{
    bool is_valid = true;
    for (uint32_t i = 0; i < contest->n_variants; i++) {
        json_t *fields = case_fields(contest);
        json_object_set_new(fields, "ring_bytes", json_integer((json_int_t)contest->ring_bytes[i]));
        bench_report(&options->common, "bench-queue", "messages/s", &subjects[i], fields);
        is_valid &= subjects[i].is_valid;
    }
    if (strcmp(subjects[0].variant, "work-group") != 0)
        return is_valid;
    for (uint32_t i = 1; i < contest->n_variants; i++)
        bench_report_ratio(&options->common, "bench-queue", &subjects[0], &subjects[i],
                           case_fields(contest));
    return is_valid;
}

static bool run_case(const struct options *options, struct contest *contest)
{
    static struct bench_subject subjects[MAX_VARIANTS];
    for (uint32_t i = 0; i < contest->n_variants; i++) {
        subjects[i] = (struct bench_subject){.variant = contest->variants[i]->name};
        contest->n_messages[i] = options->n_messages;
        if (options->n_messages == 0)
            calibrate(contest, i);
    }
    bench_rounds(subjects, contest->n_variants, options->common.runs, run_variant, contest);
    return report(options, contest, subjects);
}

/* ---- options --------------------------------------------------------------------------------- */

static bool is_message_bytes(uint32_t bytes)
{
#define IS_IT(size) bytes == size ||
    return QUEUE_MESSAGE_BYTES(IS_IT) false;
#undef IS_IT
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->common;
        return 0;
    case 'b':
        options->n_message_bytes = bench_list_parse(text, 8, 256, options->message_bytes);
        for (uint32_t i = 0; i < options->n_message_bytes; i++)
            if (!is_message_bytes(options->message_bytes[i]))
                options->n_message_bytes = 0;
        if (options->n_message_bytes == 0)
            argp_error(state, "--bytes %s: a list of 8, 16, 32, 64 and 256", text);
        return 0;
    case 'g':
        options->n_work_groups = bench_list_parse(text, 1, 1024, options->work_groups);
        for (uint32_t i = 0; i < options->n_work_groups; i++)
            if (options->work_groups[i] & (options->work_groups[i] - 1))
                options->n_work_groups = 0;
        if (options->n_work_groups == 0)
            argp_error(state, "--group %s: a list of powers of two from 1 to 1024", text);
        return 0;
    case 'm':
        if (!bench_count_parse(text, QUEUE_MIN_MESSAGES, 1u << 31, &options->n_messages) ||
            (options->n_messages & (options->n_messages - 1)))
            argp_error(state, "--messages %s: a power of two from %u", text, QUEUE_MIN_MESSAGES);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option queue_options[] = {
    {"bytes", 'b', "N,...", 0, "message sizes: 8, 16, 32, 64, 256 (default 32)", 0},
    {"group", 'g', "N,...", 0, "work-group sizes, powers of two up to 1024 (default 256)", 0},
    {"messages", 'm', "N", 0, "messages of a run, a power of two (default: 0.05 s worth)", 0},
    {0}};

static const struct argp_child children[] = {{&bench_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {.options = queue_options,
                                 .parser = parse,
                                 .doc = "Messages a second through a producer/consumer queue.",
                                 .children = children};

/* Put the wanted variants into the contest. @return false, after a message, if a name is unknown.
 */
static bool choose_variants(const struct options *options, struct contest *contest)
{
    const char *names[MAX_VARIANTS];
    char unknown[64];
    uint32_t n_names = 0;
    for (const struct queue_variant *const *list = built; *list; list++) {
        for (const struct queue_variant *variant = *list; variant->name; variant++) {
            names[n_names++] = variant->name;
            if (bench_variant_is_wanted(&options->common, variant->name))
                contest->variants[contest->n_variants++] = variant;
        }
    }
    if (!bench_variant_unknown(&options->common, names, n_names, unknown))
        return contest->n_variants > 0;
    fprintf(stderr, "bench-queue: no variant '%s'; built:", unknown);
    for (uint32_t i = 0; i < n_names; i++)
        fprintf(stderr, " %s", names[i]);
    fprintf(stderr, "\n");
    return false;
}

int main(int argc, char **argv)
{
    struct options options = {.common = BENCH_OPTIONS_INIT,
                              .message_bytes = {32},
                              .n_message_bytes = 1,
                              .work_groups = {256},
                              .n_work_groups = 1};
    struct contest contest = {.n_variants = 0};
    bool is_valid = true;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (!choose_variants(&options, &contest))
        return EXIT_FAILURE;
    for (uint32_t b = 0; b < options.n_message_bytes; b++) {
        for (uint32_t g = 0; g < options.n_work_groups; g++) {
            contest.measured = (struct queue_case){.message_bytes = options.message_bytes[b],
                                                   .work_group = options.work_groups[g]};
            is_valid &= run_case(&options, &contest);
        }
    }
    return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}
