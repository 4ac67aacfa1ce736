/* SPDX-License-Identifier: MIT */
/*
 * Bad luck, call by call: every call to OpenCL and every allocation of a run fails once, each in a run of its own,
 * and in another is the first of all that fail. The run ends in time; what fails says so; what was reported as done
 * is done; nothing is written beside.
 *
 * usage: test_faults opening | queries | running | closing | lost [all]
 *     on the step that the environment asks for; `all` takes every call, minutes, and not only the first ones and
 *     every few after them
 *
 * Path: meson test -> failing_opencl.h -> all of lib
 */
#include <stdio.h>

#include "expect.h"
#include "failing_opencl.h"

#define N_ITEMS 640u
#define N_WORDS 64u
#define LIMIT_S 10.0 /* of a run; generous: the machine is shared */
#define OPENING_LIMIT_S \
    40.0 /* the self-test's kernels poll so often before they give up on a host that fails */

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "kernel void count(GRAVEL_ARENA, ulong table)\n"
    "{\n"
    "    GRAVEL_OPEN(g);\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    gravel_inc_uint_wg(g, table, i % 64, i % 2);\n"
    "    gravel_put_uint_wg_if(g, i % 3 == 0, table + 256, i % 64, i, 1);\n"
    "    gravel_am1_wg_if(g, i == 77, GRAVEL_HANDLER(note), 5, 0);\n"
    "}\n";

static int note(struct gravel *gravel, void *user, uint32_t from,
                const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)gravel, (void)from;
    atomic_fetch_add((_Atomic uint64_t *)user, args[0]);
    return 0;
}

static _Atomic uint64_t noted;
static const struct gravel_handler handlers[] = {
    {.name = "note", .n_args = 1, .function = note, .user = &noted}};
static char logged[4096];

static void note_log(void *user, const char *text)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)user;
    pthread_mutex_lock(&lock);
    strncat(logged, text, sizeof logged - strlen(logged) - 1);
    pthread_mutex_unlock(&lock);
}

static const struct gravel_bindings bindings =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1, .log = note_log);

/* ---- a run ----------------------------------------------------------------------------------- */

/* What is armed when: while the node opens, from then on, or while it closes. */
enum phase { OPENING, RUNNING, CLOSING };
static const char *const phases[] = {"opening", "running", "closing"};

struct run {
    struct gravel *gravel;
    struct guarded table;
    cl_program program;
    cl_kernel kernel;
    bool is_certain; /* all calls have said that the messages are there */
    char told[512];  /* the first error, if any */
};

static bool is_good(struct run *run, int code)
{
    if (code == 0)
        return true;
    assert_true(code < 0);
    assert_int_not_equal(strlen(gravel_last_error()), 0);
    if (!run->told[0])
        snprintf(run->told, sizeof run->told, "%s: %s", gravel_strerror(code), gravel_last_error());
    return false;
}

static int open_node(struct run *run)
{
    const struct gravel_config config =
        loopback_with(2, "timeout_ms=1000 heap_bytes=1M queue_bytes=580k");
    logged[0] = '\0';
    return gravel_open(&run->gravel, &config, &bindings);
}

/* With everything working: memory and kernel. */
static void prepare(struct run *run)
{
    run->table = guarded_alloc(run->gravel, 2 * N_WORDS * 4);
    run->program = build_or_die(run->gravel, source, NULL);
    run->kernel = kernel_or_die(run->gravel, run->program, "count");
    const cl_ulong table = run->table.memory;
    SET(run->kernel, 1, table);
}

/* Two launches, messages of the host, and waits; errors are kept, nothing stops at them. */
static void send(struct run *run)
{
    const size_t global = N_ITEMS, local = 64;
    uint32_t value = 77, got[4] = {0};
    bool is_sent = true;
    noted = 0;
    for (int i = 0; i < 2; i++)
        is_sent &= is_good(
            run, gravel_launch(run->gravel, run->kernel, 1, &global, &local, 0, NULL, NULL));
    uint64_t last = run->table.memory + (2 * N_WORDS - 1) * 4;
    is_sent &= is_good(run, gravel_put(run->gravel, last, &value, 4, 0));
    is_sent &= is_good(run, gravel_barrier(run->gravel));
    bool has_got = is_good(run, gravel_get(run->gravel, last, got, 4, 0));
    if (is_sent && has_got)
        assert_int_equal(got[0], 77);
    is_good(run, gravel_quiet(run->gravel));
    run->is_certain = is_sent;
}

/* Everything works again: what is in the heap? @return whether it could be read: not where the driver did not say for so long
 * whether a command had ended that nothing is copied any more. */
static bool check(const struct run *run)
{
    uint32_t counted[2] = {0};
    for (uint32_t node = 0; node < 2; node++) {
        const uint64_t at[] = {run->table.before, run->table.memory, run->table.after};
        const size_t bytes[] = {GUARD_BYTES, N_WORDS * 4, GUARD_BYTES};
        for (uint32_t part = 0; part < 3; part++) {
            void *mapped;
            if (gravel_map(run->gravel, at[part], bytes[part], CL_MAP_READ, node, &mapped))
                return false;
            const uint32_t *words = mapped;
            for (uint32_t i = 0; i < bytes[part] / 4; i++) {
                assert_true(part == 1 ? words[i] <= 2 * N_ITEMS / N_WORDS
                                      : words[i] == 0xa7a7a7a7u);
                counted[node] += part == 1 ? words[i] : 0;
            }
            OK(gravel_unmap(run->gravel, mapped));
        }
    }
    if (run->is_certain) {
        assert_int_equal(counted[0], N_ITEMS);
        assert_int_equal(counted[1], N_ITEMS);
        assert_int_equal(noted, 10);
    }
    return true;
}

static void release(struct run *run)
{
    clReleaseKernel(run->kernel);
    clReleaseProgram(run->program);
}

/* One run in which the n-th call of these kinds fails. @return whether there was one. */
static bool run_with(enum phase phase, unsigned kinds, unsigned n, bool stays)
{
    struct run run = {.gravel = NULL};
    char what[80];
    snprintf(what, sizeof what, "call %u of kinds %x %s", n, kinds, stays ? "and after" : "alone");
    watch(60, what);
    double begin = seconds_now();
    if (phase == OPENING)
        fail_nth(kinds, n, stays);
    bool is_open = is_good(&run, open_node(&run));
    bool has_failed = fail_no_more();
    if (is_open) {
        prepare(&run);
        if (phase == RUNNING)
            fail_nth(kinds, n, stays);
        send(&run);
        if (phase == RUNNING)
            has_failed = fail_no_more();
        if (!check(&run))
            assert_true(stays && run.told[0] && !run.is_certain);
        release(&run);
        if (phase == CLOSING)
            fail_nth(kinds, n, stays);
        is_good(&run, gravel_close(run.gravel));
        if (phase == CLOSING)
            has_failed = fail_no_more();
    } else {
        assert_null(run.gravel);
        assert_int_equal(phase, OPENING);
    }
    double took = seconds_now() - begin;
    print_message("%s %s: %.2f s%s%s\n", phases[phase], what, took, run.told[0] ? ", " : "",
                  run.told);
    assert_true(is_within(begin, phase == OPENING ? OPENING_LIMIT_S : LIMIT_S));
    if (!has_failed)
        assert_int_equal(run.told[0], 0);
    return has_failed;
}

static bool is_on(const char *named)
{
    const char *step = getenv("GRAVEL_STEP");
    return step && !strcmp(step, named);
}

/* Call by call of a kind, until the run has none left. On step pump its thread looks as often as it likes. */
static void fail_each(enum phase phase, unsigned kinds, bool stays)
{
    unsigned n = 1;
    while (n < 200 && run_with(phase, kinds, n, stays))
        n += has_argument("all") || n < 4 ? 1 : n / 2;
    assert_true(n > 1 || is_on("svm")); /* where nothing is copied */
}

/* A test of a part: calls of these kinds fail, one in each run; the last column: and all behind it. What the driver does not
 * say, Gravel does without, or fails. */
#define EACH(part, name, phase, kinds, stays) \
    TEST_OF(#part, name)                      \
    {                                         \
        fail_each(phase, kinds, stays);       \
    }

EACH(opening, each_call_that_fails_while_a_node_opens_is_told, OPENING,
     READS | WRITES | KERNELS | CREATES | WAITS, false)
EACH(opening, each_thread_that_cannot_be_made_is_told, OPENING, THREADS, false)
EACH(queries, each_query_that_fails_while_a_node_opens_breaks_nothing, OPENING, QUERIES, false)
EACH(queries, each_query_that_fails_breaks_nothing, RUNNING, QUERIES, false)
EACH(opening, each_allocation_that_fails_while_a_node_opens_is_told, OPENING, MALLOCS, false)
EACH(running, each_read_that_fails_is_told, RUNNING, READS, false)
EACH(running, each_write_that_fails_is_told, RUNNING, WRITES, false)
EACH(running, each_kernel_that_fails_is_told, RUNNING, KERNELS, false)
EACH(running, each_wait_that_fails_is_told, RUNNING, WAITS, false)
EACH(running, each_allocation_that_fails_is_told, RUNNING, MALLOCS, false)
EACH(closing, each_call_that_fails_while_a_node_closes_breaks_nothing, CLOSING,
     READS | WRITES | KERNELS | CREATES | WAITS | MALLOCS, false)
EACH(closing, device_lost_while_a_node_closes_breaks_nothing, CLOSING,
     READS | WRITES | KERNELS | WAITS, true)
EACH(lost, device_lost_at_any_moment_is_told, RUNNING, READS | WRITES | KERNELS | WAITS, true)

/* From the arena down to the resolver's frames: the size that could not be had is in the text. */
TEST_OF("opening", exhausted_device_memory_tells_the_size)
{
    const uint64_t most[] = {1 << 20, 600000, 200000, 50000};
    const char *const told[] = {"(2 heaps of 1052672, queues ", "(2 heaps of 1052672", "arena of",
                                "arena of"};
    if (is_on("svm"))
        skip_because("which has no buffers");
    for (size_t i = 0; i < 4; i++) {
        struct run run = {.gravel = NULL};
        atomic_store(&failing.most_bytes, most[i]);
        expect_error(open_node(&run), GRAVEL_ENOMEM, told[i]);
        print_message("%s\n", gravel_last_error());
        atomic_store(&failing.most_bytes, 0);
        assert_null(run.gravel);
    }
}

/* The kernel waits for a user event; the driver does not tell its state, then does, or the node closes before that. */
static void expect_kept(bool closes)
{
    struct run run = {.gravel = NULL};
    const size_t global = N_ITEMS, local = 64;
    cl_int error;
    watch(60, "a kernel whose state is not told");
    OK(open_node(&run));
    prepare(&run);
    cl_event gate = clCreateUserEvent(gravel_cl_context(run.gravel), &error);
    MUST(error == CL_SUCCESS);
    cl_command_queue queue = gravel_cl_queue(run.gravel);
    clRetainCommandQueue(queue);
    OK(gravel_launch(run.gravel, run.kernel, 1, &global, &local, 1, &gate, NULL));
    atomic_store(&failing.is_mute, true);
    expect_error(gravel_quiet(run.gravel), GRAVEL_EKERNEL,
                 "kernel count: the driver does not say whether it has ended: CL_OUT_OF_RESOURCES");
    if (closes) {
        assert_int_not_equal(gravel_close(run.gravel), 0);
        assert_non_null(strstr(logged, "its memory and OpenCL objects stay"));
    }
    atomic_store(&failing.is_mute, false);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    if (!closes) {
        OK(gravel_quiet(run.gravel));
        for (uint32_t i = 1; i < N_WORDS; i += 2)
            assert_int_equal(word32(run.gravel, 1, run.table.memory + 4 * i), N_ITEMS / N_WORDS);
        OK(gravel_close(run.gravel));
    }
    __real_clFinish(queue);
    clReleaseEvent(gate);
    clReleaseCommandQueue(queue);
    release(&run);
}

TEST_OF("lost", kernel_whose_state_is_not_told_keeps_its_memory)
{
    if (is_on("drain"))
        skip_because("where the launch itself waits for its list");
    expect_kept(false);
    expect_kept(true);
}

/* On step drain a kernel excuses a wait behind it; one of which the driver says nothing does not. */
TEST_OF("lost", wait_behind_a_kernel_whose_state_is_not_told_ends)
{
    const size_t global = N_ITEMS, local = 64;
    const uint32_t value = 77;
    struct run run = {.gravel = NULL};
    if (!is_on("drain"))
        skip_because("where a kernel excuses nothing");
    watch(60, "a message behind a kernel whose state is not told");
    OK(open_node(&run));
    prepare(&run);
    atomic_store(&failing.is_mute, true);
    expect_error(gravel_launch(run.gravel, run.kernel, 1, &global, &local, 0, NULL, NULL),
                 GRAVEL_EKERNEL, "kernel count: the driver does not say whether it has ended");
    OK(gravel_put(run.gravel, run.table.memory, &value, sizeof value, 1));
    double begin = seconds_now();
    is_good(&run, gravel_quiet(run.gravel));
    assert_true(is_within(begin, LIMIT_S));
    assert_non_null(strstr(run.told, "the device did not answer for 1.0 s"));
    atomic_store(&failing.is_mute, false);
    assert_int_not_equal(gravel_close(run.gravel), 0);
    release(&run);
}

/* Behind a kernel that has not begun: each allocation of a launch fails once. What is told as failed never runs. */
TEST_OF("running", launch_without_memory_has_enqueued_nothing)
{
    if (!is_on("svm"))
        skip_because("elsewhere a launch is of slices, or waits");
    struct run run = {.gravel = NULL};
    const size_t global = 64, local = 64;
    uint32_t n_launched = 0;
    cl_int error;
    watch(60, "launches without memory");
    OK(open_node(&run));
    prepare(&run);
    cl_event gate = clCreateUserEvent(gravel_cl_context(run.gravel), &error);
    MUST(error == CL_SUCCESS);
    for (uint32_t i = 0; i < 40; i++) { /* more than there is room for at first */
        fail_nth(MALLOCS, 1, true);
        n_launched += !gravel_launch(run.gravel, run.kernel, 1, &global, &local, 1, &gate, NULL);
        fail_no_more();
        OK(gravel_launch(run.gravel, run.kernel, 1, &global, &local, 1, &gate, NULL));
        n_launched++;
    }
    MUST(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    OK(gravel_quiet(run.gravel));
    assert_int_equal(word32(run.gravel, 0, run.table.memory), n_launched);
    clReleaseEvent(gate);
    release(&run);
    OK(gravel_close(run.gravel));
}

const struct fixture fixture = {.open = skip_untaken_step};
