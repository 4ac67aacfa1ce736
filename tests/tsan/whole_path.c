/* SPDX-License-Identifier: MIT */
/*
 * A message's whole path under ThreadSanitizer: kernels as C11 threads, then the very aggregators,
 * network thread and resolver of the library, with host threads that send, wait and read
 * statistics meanwhile.
 *
 * Everything is tiny - slots, queues, node buffers, flush time - so that every hand-over happens
 * often. After a quiet or a barrier this thread reads and clears the heaps with plain loads and
 * stores: were an edge of the path missing, that would be a race.
 *
 * Path:    traffic.c -> cl/ -> lib/ -> the heaps here.
 * Exit:    0; 1 with a line that says what went wrong; the sanitizer's own code if it has a report.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "lanes.h"
#include "node/node.h"
#include "traffic.h"
#include "base/clock.h"

#define N_NODES 3u
#define N_GROUPS 3u
#define LOCAL_SIZE 4u
#define N_ROUNDS 6u
#define N_PASSES 3u
#define N_HOST_ROUNDS 12u
#define STUCK_S 60u
#define LARGE_GROUP 48u /* needs 3 slots for the widest messages, where queues have 2 */

enum handler { HANDLER_AM, HANDLER_AM_WI, HANDLER_ECHO };

struct test {
    struct gravel *gravel;
    struct traffic traffic;
    struct ask ask;
    uint64_t echo_base; /* heap: ulong [1], raised by messages that handlers send */
    uint64_t host_base; /* heap: ulong [2 + 16] for the host threads */
    /* Written by handlers, which run one at a time; read after a barrier. */
    unsigned char *seen[TRAFFIC_SITES];
    uint64_t n_handled;
    uint64_t wrong;
    _Atomic bool has_ended; /* K2: the host threads may stop; relaxed, joining them orders */
};

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, " (%s)\n", gravel_last_error());
    _Exit(1);
}

static void check(int code, const char *what)
{
    if (code)
        fail("%s: %s", what, gravel_strerror(code));
}

static void stuck(int number)
{
    static const char text[] = "stuck\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _Exit(1);
}

/* ---- handlers -------------------------------------------------------------------------------- */

static int take(struct gravel *gravel, struct test *test, enum traffic_site site,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    uint64_t number = args[0];
    if (number >= traffic_numbers(&test->traffic, site) ||
        gravel_node(gravel) != traffic_node(&test->traffic, site, (uint32_t)number)) {
        test->wrong++;
        return 1;
    }
    for (uint32_t row = 1; row < GRAVEL_AM_MAX_ARGS; row++)
        test->wrong += args[row] != traffic_value(site, (uint32_t)number, row);
    test->seen[site][number]++;
    test->n_handled++;
    return 0;
}

static int handle_am(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    (void)source;
    return take(gravel, user, TRAFFIC_AM, args);
}

/* Sends on: to the next node, which raises a word, and back here as a message to the third handler.
 */
static int handle_am_wi(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    struct test *test = user;
    uint64_t word = args[0];
    uint32_t next = (gravel_node(gravel) + 1) % N_NODES;
    (void)source;
    int code = gravel_am(gravel, HANDLER_ECHO, &word, 1, next);
    return code ? code : take(gravel, test, TRAFFIC_AM_WI, args);
}

static int handle_echo(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args)
{
    struct test *test = user;
    (void)source, (void)args;
    return gravel_update(gravel, GRAVEL_INC, GRAVEL_ULONG, test->echo_base, NULL, 0);
}

/* ---- host threads ---------------------------------------------------------------------------- */

/* Sends from the host and gets back what it sent. Two of these share the host's sender. */
static void *exchange(void *argument)
{
    struct test *test = argument;
    struct gravel *gravel = test->gravel;
    uint64_t one = 1, back = 0;
    for (uint64_t i = 0; i < N_HOST_ROUNDS; i++) {
        uint32_t node = (uint32_t)(i % N_NODES);
        check(gravel_update(gravel, GRAVEL_ADD, GRAVEL_ULONG, test->host_base, &one, node),
              "update");
        check(gravel_quiet(gravel), "quiet of a host thread");
        check(gravel_get(gravel, test->host_base, &back, sizeof back, node), "get");
        if (back < i / N_NODES + 1)
            fail("get of a word raised %" PRIu64 " times gives %" PRIu64, i / N_NODES + 1, back);
    }
    return NULL;
}

/* Puts bytes, and fences, in a session; the other threads are in it or not. */
static void *put_bytes(void *argument)
{
    struct test *test = argument;
    uint64_t words[16];
    for (uint64_t i = 0; i < N_HOST_ROUNDS; i++) {
        for (uint32_t w = 0; w < 16; w++)
            words[w] = i * 16 + w;
        check(gravel_session_begin(test->gravel), "beginning of a session");
        check(gravel_put(test->gravel, test->host_base + 16, words, sizeof words, 1), "put");
        check(gravel_fence(test->gravel), "fence");
        check(gravel_session_end(test->gravel), "end of a session");
    }
    return NULL;
}

static void *watch_statistics(void *argument)
{
    struct test *test = argument;
    struct gravel_stats stats;
    while (!atomic_load_explicit(&test->has_ended, memory_order_relaxed)) { /* K2 */
        check(gravel_stats_read(test->gravel, &stats, sizeof stats, GRAVEL_ALL_NODES),
              "statistics");
        usleep(1000);
    }
    return NULL;
}

/* ---- one pass -------------------------------------------------------------------------------- */

static void expect(enum traffic_site site, uint32_t number, uint32_t node, uint64_t found,
                   uint64_t wanted)
{
    if (found != wanted)
        fail("site %d, message %u at node %u: %" PRIu64 " instead of %" PRIu64, site, number, node,
             found, wanted);
}

/* Where the host addresses a node's heap: here it always does. */
static void *words_of(struct test *test, uint32_t node, uint64_t offset)
{
    void *words;
    check(gravel_map(test->gravel, offset, 1, CL_MAP_READ | CL_MAP_WRITE, node, &words), "map");
    check(gravel_unmap(test->gravel, words), "unmap"); /* the heap stays where it is */
    return words;
}

/* Look at a word and clear it, by plain accesses. */
#define TAKE(type, base, number) take_##type((type *)words_of(test, node, (base)) + (number))
static uint64_t take_uint32_t(uint32_t *word)
{
    uint64_t value = *word;
    *word = 0;
    return value;
}
static uint64_t take_uint64_t(uint64_t *word)
{
    uint64_t value = *word;
    *word = 0;
    return value;
}

static void check_words(struct test *test, enum traffic_site site)
{
    const struct traffic *t = &test->traffic;
    for (uint32_t number = 0; number < traffic_numbers(t, site); number++)
        for (uint32_t node = 0; node < N_NODES; node++) {
            bool is_here =
                traffic_is_sent(t, site, number) && traffic_node(t, site, number) == node;
            uint64_t value = site == TRAFFIC_INC ? 1 : traffic_value(site, number, 0);
            if (site == TRAFFIC_ADD)
                expect(site, number, node, TAKE(uint64_t, t->add_base, number), is_here * value);
            else
                expect(site, number, node,
                       TAKE(uint32_t, site == TRAFFIC_INC ? t->inc_base : t->put_base, number),
                       is_here * (uint32_t)value);
        }
}

static void check_handled(struct test *test, enum traffic_site site)
{
    for (uint32_t number = 0; number < traffic_numbers(&test->traffic, site); number++) {
        expect(site, number, traffic_node(&test->traffic, site, number), test->seen[site][number],
               traffic_is_sent(&test->traffic, site, number));
        test->seen[site][number] = 0;
    }
}

/* Words are there after a quiet; what handlers sent, after a barrier. */
static void run_pass(struct test *test)
{
    lanes_launch(traffic_kernel, test->gravel->arena, &test->traffic, N_GROUPS, LOCAL_SIZE);
    check(gravel_quiet(test->gravel), "quiet");
    for (enum traffic_site site = TRAFFIC_INC; site <= TRAFFIC_PUT; site++)
        check_words(test, site);
    check(gravel_barrier(test->gravel), "barrier");
    check_handled(test, TRAFFIC_AM);
    uint64_t n_echoes = 0, node = 0;
    for (uint32_t i = 0; i < traffic_numbers(&test->traffic, TRAFFIC_AM_WI); i++)
        n_echoes += traffic_is_sent(&test->traffic, TRAFFIC_AM_WI, i);
    check_handled(test, TRAFFIC_AM_WI);
    uint64_t *echoes = words_of(test, (uint32_t)node, test->echo_base);
    if (*echoes != n_echoes || test->wrong)
        fail("%" PRIu64 " echoes of %" PRIu64 ", %" PRIu64 " wrong", *echoes, n_echoes,
             test->wrong);
    *echoes = 0;
}

/* Numbers drawn at each node are 0 to n - 1, each once; the kernel adds them up, and more if it saw anything wrong. */
static void run_requests(struct test *test)
{
    struct ask *ask = &test->ask;
    uint64_t drawn[N_NODES] = {0}, expected = 0;
    uint32_t *counter;
    lanes_launch(ask_kernel, test->gravel->arena, ask, N_GROUPS, LOCAL_SIZE);
    check(gravel_quiet(test->gravel), "quiet after requests");
    for (uint32_t group = 0; group < N_GROUPS; group++)
        for (uint32_t round = 0; round < ASK_ROUNDS; round++)
            drawn[(group + round) % N_NODES] += LOCAL_SIZE;
    for (uint32_t node = 0; node < N_NODES; node++) {
        expected += drawn[node] * (drawn[node] - 1) / 2;
        counter = words_of(test, node, ask->counter);
        if (*counter != drawn[node])
            fail("%u numbers drawn at node %u", *counter, node);
        *counter = 0;
    }
    uint64_t *sum = words_of(test, 0, ask->sum);
    if (*sum != expected)
        fail("answers add up to %" PRIu64 " instead of %" PRIu64, *sum, expected);
    *sum = 0;
    memset(words_of(test, 0, ask->signals), 0, 8 * N_GROUPS);
    memset(words_of(test, 0, ask->marks), 0, sizeof(struct ask_mark) * N_GROUPS);
}

static void allocate(struct test *test)
{
    struct traffic *t = &test->traffic;
    check(gravel_alloc(test->gravel, 4 * traffic_numbers(t, TRAFFIC_INC), &t->inc_base), "alloc");
    check(gravel_alloc(test->gravel, 8 * traffic_numbers(t, TRAFFIC_ADD), &t->add_base), "alloc");
    check(gravel_alloc(test->gravel, 4 * traffic_numbers(t, TRAFFIC_PUT), &t->put_base), "alloc");
    check(gravel_alloc(test->gravel, 8, &test->echo_base), "alloc");
    check(gravel_alloc(test->gravel, 8 * 18, &test->host_base), "alloc");
    struct ask *ask = &test->ask;
    ask->n_nodes = N_NODES;
    check(gravel_alloc(test->gravel, 4, &ask->counter), "alloc");
    check(gravel_alloc(test->gravel, 4 * N_GROUPS * ASK_MAX_GROUP, &ask->answers), "alloc");
    check(gravel_alloc(test->gravel, 4 * N_GROUPS * ASK_MAX_GROUP, &ask->data), "alloc");
    check(gravel_alloc(test->gravel, 8 * N_GROUPS, &ask->signals), "alloc");
    check(gravel_alloc(test->gravel, sizeof(struct ask_mark) * N_GROUPS, &ask->marks), "alloc");
    check(gravel_alloc(test->gravel, 8, &ask->sum), "alloc");
    for (enum traffic_site site = TRAFFIC_AM; site < TRAFFIC_SITES; site++)
        test->seen[site] = calloc(traffic_numbers(t, site), 1);
}

static void open_node(struct test *test)
{
    const struct gravel_handler handlers[] = {
        {.name = "am", .n_args = 4, .function = handle_am, .user = test},
        {.name = "am_wi", .n_args = 4, .function = handle_am_wi, .user = test},
        {.name = "echo", .n_args = 1, .function = handle_echo, .user = test}};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 3);
    struct gravel_config config;
    check(gravel_config_load(&config, sizeof config), "configuration");
    strcpy(config.transport, "self");
    config.loopback_nodes = N_NODES;
    config.n_aggregators = 2;
    config.slot_bytes = GRAVELP_SLOT_MIN_BYTES;
    config.queue_bytes = 2 * 2 * GRAVELP_SLOT_MIN_BYTES;
    config.buffer_bytes = 256;
    config.n_buffers = 1;
    config.flush_us = 50;
    config.heap_bytes = 1 << 16;
    check(gravel_open(&test->gravel, &config, &bindings), "open");
}

static void free_ledger(struct test *test)
{
    for (enum traffic_site site = TRAFFIC_AM; site < TRAFFIC_SITES; site++)
        free(test->seen[site]);
}

/* A kernel whose groups are too large for the queue ends the node: a quiet tells why, and nothing
 * waits. */
static void run_fault(void)
{
    struct test test = {.traffic = {.n_rounds = 1,
                                    .n_items = LARGE_GROUP,
                                    .n_nodes = N_NODES,
                                    .am_handler = HANDLER_AM,
                                    .am_wi_handler = HANDLER_AM_WI}};
    open_node(&test);
    allocate(&test);
    lanes_launch(traffic_kernel, test.gravel->arena, &test.traffic, 1, LARGE_GROUP);
    uint64_t start_ns = gravel_clock_ns();
    int code;
    while (!(code = gravel_quiet(test.gravel)) && gravel_clock_ns() - start_ns < GRAVEL_NS_PER_S)
        usleep(1000);
    if (code != GRAVEL_EKERNEL || !strstr(gravel_last_error(), "slots"))
        fail("quiet after a group of %u: %s", LARGE_GROUP, gravel_strerror(code));
    gravel_close(test.gravel); /* says the same again */
    free_ledger(&test);
}

int main(void)
{
    struct test test = {.traffic = {.n_rounds = N_ROUNDS,
                                    .n_items = N_GROUPS * LOCAL_SIZE,
                                    .n_nodes = N_NODES,
                                    .am_handler = HANDLER_AM,
                                    .am_wi_handler = HANDLER_AM_WI}};
    void *(*const bodies[])(void *) = {exchange, exchange, put_bytes, watch_statistics};
    pthread_t threads[4];
    signal(SIGALRM, stuck);
    alarm(STUCK_S);
    open_node(&test);
    allocate(&test);
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, bodies[i], &test))
            fail("no host thread");
    for (uint32_t pass = 0; pass < N_PASSES; pass++) {
        run_pass(&test);
        run_requests(&test);
    }
    atomic_store_explicit(&test.has_ended, true, memory_order_relaxed); /* K2 */
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    check(gravel_quiet(test.gravel), "last quiet");
    const uint64_t *words = words_of(&test, 1, test.host_base + 16);
    for (uint32_t w = 0; w < 16; w++)
        if (words[w] != (N_HOST_ROUNDS - 1) * 16 + w)
            fail("word %u of a put is %" PRIu64, w, words[w]);
    check(gravel_close(test.gravel), "close");
    free_ledger(&test);
    run_fault();
    printf("whole path as C11: %u passes of %u work-items, %u loop-back nodes\n", N_PASSES,
           N_GROUPS * LOCAL_SIZE, N_NODES);
    return 0;
}
