/* SPDX-License-Identifier: MIT */
/*
 * Few packages for the node itself are applied by the device, where they lie: every operation right, no node buffer for
 * them, nothing overtaken that the node sent itself before, and what is to be refused refused.
 *
 * A pump's thread may take a round's packages first, so that a round takes no buffer is tried for some rounds.
 *
 * Path: meson test -> lib/pump/drain.c, lib/resolve/on_device/runs.c -> cl/kernels/resolve.cl
 */
#include "expect.h"
#include "node/node.h"
#include "wrapped_opencl.h"

#include <stdatomic.h>
#include <unistd.h>

#define N 256u
#define GROUP 64u
#define MOST_ROUNDS 300u
#define N_OUTSIDE 10u
#define N_ORDERS 10u /* tries to overtake */

static struct gravel *gravel;
static _Atomic uint32_t n_inside;
static _Atomic bool may_end;

static int stay(struct gravel *node, void *user, uint32_t source, const uint64_t *args)
{
    (void)node, (void)user, (void)source, (void)args;
    atomic_fetch_add(&n_inside, 1);
    while (!atomic_load(&may_end))
        usleep(1000);
    return 0;
}

static void open_nodes(uint32_t n_nodes)
{
    static const struct gravel_handler handler = {.name = "stay", .n_args = 1, .function = stay};
    static const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    gravel = scoped_loopback(n_nodes, &bindings);
}

static void forget_nodes(void)
{
    gravel = NULL;
}

/* N words of node 0, which are 0 at every node. */
static uint64_t alloc_words(void)
{
    const uint64_t words = alloc_or_die(gravel, N * sizeof(cl_uint));
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++)
        fill(gravel, node, words, 0, N * sizeof(cl_uint));
    return words;
}

/* A kernel whose a and b are these. */
static cl_kernel kernel_on(uint64_t a, uint64_t b, const char *body)
{
    return scoped_body(gravel, body, a, b, 0);
}

static void launch(cl_kernel kernel, size_t n)
{
    const size_t group = GROUP;
    OK(gravel_launch(gravel, kernel, 1, &n, &group, 0, NULL, NULL));
}

/* ---- updates --------------------------------------------------------------------------------- */

/* A round of N work-items, each of which increments word i of a, must count each once; so must each of the rounds that
 * follow, until one has taken no buffer. @return whether one did. */
static bool takes_no_buffer(cl_kernel kernel, uint64_t words)
{
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        OK(gravel_barrier(gravel));
        OK(gravel_stats_reset(gravel));
        launch(kernel, N);
        OK(gravel_barrier(gravel));
        const struct gravel_stats stats = stats_of(gravel);
        expect_words(gravel, 0, words, round + 1, N);
        assert_int_equal(stats.messages, N);
        assert_int_equal(stats.sent_messages, N);
        assert_int_equal(stats.resolved_messages, N);
        if (stats.sent_buffers == 0)
            return true;
    }
    return false;
}

/* Operations are gravel-conformance's, their order histories'. */
TEST(a_round_of_updates_takes_no_buffer)
{
    open_nodes(1);
    for (uint32_t round = 0; round < 3; round++) { /* allocations that are new are known */
        const uint64_t other = alloc_or_die(gravel, 64 << round), words = alloc_words();
        cl_kernel kernel = kernel_on(words, 0, BODY("gravel_inc_uint_wg(g, a, (uint)i, 0);"));
        if (!takes_no_buffer(kernel, words))
            fail_msg("%u rounds, and each took node buffers", MOST_ROUNDS);
        OK(gravel_free(gravel, words));
        OK(gravel_free(gravel, other));
    }
}

/* ---- what is left to the host ---------------------------------------------------------------- */

/* The last message of the second package is outside: the first one's stand, and the second one is refused whole. */
TEST(what_is_outside_is_refused)
{
    open_nodes(1);
    const uint64_t words = alloc_words();
    alloc_or_die(gravel, 4096);
    cl_kernel inside = kernel_on(words, 0, BODY("gravel_inc_uint_wg(g, a, (uint)i, 0);"));
    cl_kernel outside =
        kernel_on(words, 0, BODY("gravel_inc_uint_wg(g, a, i == 127 ? 256 : (uint)i, 0);"));
    cl_kernel astray = kernel_on(words, 0, BODY("gravel_inc_uint_wg(g, a + 2, (uint)i, 0);"));
    launch(inside, N);
    OK(gravel_barrier(gravel));
    expect_words(gravel, 0, words, 1, N);
    for (uint32_t n = 0; n < N_OUTSIDE; n++) { /* the host may take a package first */
        launch(outside, 2 * GROUP);
        expect_error(gravel_barrier(gravel), GRAVEL_ERANGE, "index 256");
    }
    launch(astray, GROUP);
    expect_error(gravel_barrier(gravel), GRAVEL_ERANGE, "base");
    launch(inside, N);
    OK(gravel_barrier(gravel));
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Keep the network thread, which then applies nothing, by a message of a kernel; NULL: of the host. */
static void keep_the_network_thread(cl_kernel calls)
{
    const uint64_t nothing = 0;
    const uint32_t before = atomic_load(&n_inside);
    const double begin = seconds_now();
    atomic_store(&may_end, false);
    if (calls)
        launch(calls, GROUP);
    else
        OK(gravel_am(gravel, 0, &nothing, 1, 0));
    OK(gravel_fence(gravel));
    while (atomic_load(&n_inside) == before && may_wait(begin, 20))
        usleep(1000);
    assert_int_equal(atomic_load(&n_inside), before + 1);
}

static void launch_and_fence(cl_kernel kernel)
{
    launch(kernel, N);
    OK(gravel_fence(gravel));
}

/* What was put stays where it was put, and then one is added, though nothing is applied meanwhile. */
static void expect_order(cl_kernel calls, cl_kernel puts, cl_kernel others, cl_kernel adds,
                         uint64_t words)
{
    static cl_uint values[N];
    for (uint32_t i = 0; i < N; i++)
        values[i] = 100;
    for (uint32_t try = 0; try < N_ORDERS; try++) {
        fill(gravel, 0, words, 0, sizeof values);
        OK(gravel_barrier(gravel));
        keep_the_network_thread(calls);
        if (puts)
            launch_and_fence(puts);
        else
            OK(gravel_put(gravel, words, values, sizeof values, 0));
        for (uint32_t i = 0; i < 2; i++) /* after a kernel that took nothing, drains pass */
            launch_and_fence(others);
        launch_and_fence(adds);
        atomic_store(&may_end, true);
        OK(gravel_barrier(gravel));
        expect_words(gravel, 0, words, 101, N);
    }
}

TEST(nothing_is_overtaken)
{
    open_nodes(1);
    const uint64_t words = alloc_words(), more = alloc_words();
    cl_kernel calls =
        kernel_on(words, more, BODY("gravel_am1_wg_if(g, i == 0, GRAVEL_HANDLER(stay), 0, 0);"));
    cl_kernel puts = kernel_on(words, more, BODY("gravel_put_uint_wg(g, a, (uint)i, 100, 0);"));
    cl_kernel others = kernel_on(words, more, BODY("gravel_inc_uint_wg(g, b, (uint)i, 0);"));
    cl_kernel adds = kernel_on(words, more, BODY("gravel_inc_uint_wg(g, a, (uint)i, 0);"));
    expect_order(calls, puts, others, adds, words);
    expect_order(NULL, NULL, others, adds, words);
}

/* ---- several queues -------------------------------------------------------------------------- */

/* Another thread's allocation, which all nodes have agreed on, between the kernels of two queues: the next would be one
 * too many to check by. */
static _Atomic bool may_allocate;
static bool is_next_first;
static uint32_t n_between;
static uint64_t one_too_many;

static size_t count_allocations(void)
{
    return gravel_heap_copy_spans(gravel->heap, NULL, 0);
}

static void *allocate_one(void *argument)
{
    (void)argument;
    const double begin = seconds_now();
    while (!atomic_load(&may_allocate) && is_within(begin, 20))
        usleep(10);
    OK(gravel_heap_alloc(gravel->heap, 64, &one_too_many));
    return NULL;
}

WRAP(clEnqueueNDRangeKernel)
{
    char name[64] = "";
    const cl_int error = PASS_ON(clEnqueueNDRangeKernel);
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    if (!gravel || gravel->config.n_aggregators != 2 || strcmp(name, "apply_in_place"))
        return error;
    if (is_next_first && !atomic_exchange(&may_allocate, true)) {
        const double begin = seconds_now();
        while (count_allocations() <= GRAVELP_BOUNDS_MOST && is_within(begin, 5))
            usleep(10);
        n_between += count_allocations() > GRAVELP_BOUNDS_MOST;
    }
    is_next_first = !is_next_first;
    return error;
}

TEST(allocations_do_not_come_between_queues)
{
    MUST(setenv("GRAVEL_AGGREGATORS", "2", 1) == 0);
    may_allocate = true;
    open_nodes(1);
    const uint64_t words = alloc_words();
    cl_kernel adds = kernel_on(words, 0, BODY("gravel_inc_uint_wg(g, a, (uint)i, 0);"));
    while (count_allocations() < GRAVELP_BOUNDS_MOST)
        alloc_or_die(gravel, 64);
    for (uint32_t round = 1; round <= 20; round++) {
        pthread_t thread;
        OK(gravel_barrier(gravel));
        is_next_first = true;
        atomic_store(&may_allocate, false);
        MUST(pthread_create(&thread, NULL, allocate_one, NULL) == 0);
        launch(adds, N);
        OK(gravel_fence(gravel));
        atomic_store(&may_allocate, true);
        pthread_join(thread, NULL);
        OK(gravel_barrier(gravel));
        expect_words(gravel, 0, words, round, N);
        OK(gravel_heap_free(gravel->heap, one_too_many));
    }
    print_message("%u allocations came between\n", n_between);
    assert_true(n_between > 0);
    MUST(unsetenv("GRAVEL_AGGREGATORS") == 0);
}

const struct fixture fixture = {.after = forget_nodes};
