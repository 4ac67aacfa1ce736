/* SPDX-License-Identifier: MIT */
/*
 * Runs the rows: opens nodes, makes the object and its error, and asks what then holds of the object and of the node.
 * A line of TAP for each. The node stays open from row to row where it has not ended and they open it alike.
 *
 * usage: after [n_nodes [object]]    loop-back nodes, as the launcher says if there is no argument; of that object alone
 *        after --list                prints the rows of all steps, and runs none
 *
 * Of the calls of the test's thread that may fail in a row, the first ones do and every few after them; all calls where
 * TEST_TIMES is above 1.
 *
 * Path: meson test, mpirun -> this -> a file of rows for each object.
 */
#include "after.h"

#include "device/failing_opencl.h"

#include <stdio.h>
#include <string.h>

#define N_ITEMS 256u
#define MOST_CALLS 400u  /* that one act may make */
#define MOST_PROGRAMS 8u /* of the rows that a node may run */

static const struct after_row *const tables[] = {
    accumulator_rows, mirror_rows, steal_rows, flow_rows, heap_rows, call_rows, server_rows};

static uint32_t n_loopback; /* 0: ranks */
static bool is_teller;      /* this process prints */
static bool takes_all;      /* every call fails once */
static const struct after_row *row;
struct gravel *gravel;                 /* NULL: none is open */
static const struct after_row *opened; /* the row for which it was */
static uint64_t first;                 /* offset that the first allocation has */
int acted;
static cl_event gate; /* what is enqueued behind it waits */

static const char *error_text(void)
{
    static char text[200];
    const char *fails = row->fails == AFTER_ALL      ? "a call of the driver or memory fails in "
                        : row->fails == AFTER_DRIVER ? "a call of the driver fails in "
                        : row->fails == AFTER_MEMORY ? "memory runs out in "
                                                     : "";
    snprintf(text, sizeof text, "%s%s", fails, row->error);
    return text;
}

void after_expect(int code, int expected, const char *part)
{
    if (code != expected || (code && !strstr(gravel_last_error(), part)))
        die(row->object, 0, "%s: got %s: %s; expected %s, naming \"%s\"", error_text(),
            gravel_strerror(code), code ? gravel_last_error() : "", gravel_strerror(expected),
            part);
}

static struct {
    const char *source, *options;
    cl_program program;
} programs[MOST_PROGRAMS]; /* of the nodes that are open */
static unsigned n_programs;

cl_program after_program(const char *source, const char *options)
{
    for (unsigned i = 0; i < n_programs; i++)
        if (programs[i].source == source && programs[i].options == options)
            return programs[i].program;
    MUST(n_programs < MOST_PROGRAMS);
    programs[n_programs].source = source;
    programs[n_programs].options = options;
    programs[n_programs].program = build_or_die(gravel, source, options);
    return programs[n_programs++].program;
}

void after_limit_kernels(struct gravel_config *config)
{
    config->kernel_limit_ms = 300 * patience();
}

const char *after_object(void)
{
    return row->object;
}

bool after_is_first(void)
{
    return gravel_node(gravel) == 0;
}

bool after_is_alone(void)
{
    return n_loopback > 0 || gravel_n_nodes(gravel) == 1;
}

void after_close_gate(void)
{
    cl_int error;
    gate = clCreateUserEvent(gravel_cl_context(gravel), &error);
    MUST(!error && !clEnqueueBarrierWithWaitList(gravel_cl_queue(gravel), 1, &gate, NULL));
}

void after_open_gate(void)
{
    MUST(!clSetUserEventStatus(gate, CL_COMPLETE) && !clFinish(gravel_cl_queue(gravel)));
    clReleaseEvent(gate);
}

uint64_t after_sum(uint64_t offset, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < gravel_n_nodes(gravel); node++) {
        if (!gravel_is_local(gravel, node))
            continue;
        const uint32_t *words = read_map(gravel, node, offset, n * sizeof *words);
        for (uint32_t i = 0; i < n; i++)
            sum += words[i];
        unmap(gravel, words);
    }
    return sum;
}

static bool keeps_memory; /* a node has closed that takes its device for stuck */

static void note_log(void *user, const char *text)
{
    (void)user;
    keeps_memory = keeps_memory || strstr(text, "the device has not answered");
}

static const struct gravel_bindings plain = GRAVEL_BINDINGS(.log = note_log);

static int close_nodes(void)
{
    while (n_programs > 0)
        clReleaseProgram(programs[--n_programs].program);
    int code = gravel_close(gravel);
    gravel = NULL;
    return code;
}

/* A node that works frees all it has. */
static void close_what_works(void)
{
    keeps_memory = false;
    if (gravel)
        OK(close_nodes());
    MUST(!keeps_memory);
}

/* Opens a node as the row asks, unless the one before is such a node and works. */
static void open_nodes(void)
{
    if (gravel && opened->configure == row->configure && opened->bindings == row->bindings)
        return;
    close_what_works();
    struct gravel_config config;
    if (n_loopback)
        config = loopback_config(n_loopback);
    else
        OK(gravel_config_load(&config, sizeof config));
    config.heap_bytes = 4u << 20;
    if (row->configure)
        row->configure(&config);
    int code = gravel_open(&gravel, &config, row->bindings ? row->bindings : &plain);
    skip_if_refused(code);
    OK(code);
    opened = row;
    first = alloc_or_die(gravel, gravel_n_nodes(gravel) * sizeof(uint32_t));
    OK(gravel_free(gravel, first));
}

/* Nothing is left in the heap; messages of a kernel to every node arrive, at each node those of all processes. */
static void expect_works(void)
{
    const uint32_t n_nodes = gravel_n_nodes(gravel), n_senders = after_is_alone() ? 1 : n_nodes;
    const uint64_t words = alloc_or_die(gravel, n_nodes * sizeof(uint32_t));
    MUST(words == first);
    OK(run_body(gravel, BODY("gravel_inc_uint_wg(g, a, i % b, i % b);"), N_ITEMS * n_nodes, 64,
                words, n_nodes, 0));
    OK(gravel_barrier(gravel));
    for (uint32_t node = 0; node < n_nodes; node++)
        if (gravel_is_local(gravel, node))
            MUST(word32(gravel, node, words + node * sizeof(uint32_t)) == N_ITEMS * n_senders);
    OK(gravel_barrier(gravel));
    OK(gravel_free(gravel, words));
}

/* The node is as good as new; or it has ended, and says so again. */
static void end(bool may_end)
{
    int code = may_end ? gravel_barrier(gravel) : 0;
    if (!code) {
        expect_works();
        return;
    }
    int closed = close_nodes();
    if (closed != code)
        die(row->object, 0, "gravel_close: %s after %s: %s", gravel_strerror(closed),
            gravel_strerror(code), gravel_last_error());
}

/* Returns whether calls of the row fail in this process: of ranks, at node 1 alone. */
static bool fails_here(void)
{
    return after_is_alone() || gravel_node(gravel) == 1;
}

/* Returns whether it is so in any process. */
static bool has_any(bool is)
{
    uint64_t n = is;
    if (!after_is_alone())
        OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &n, 1));
    return n > 0;
}

/* What act returned, and its node may have ended. */
static void judge(void)
{
    if (row->part)
        after_expect(acted, row->code, row->part);
    if (acted && row->is_of_all && !after_is_alone())
        after_expect(acted, GRAVEL_ENOMEM, fails_here() ? "" : "node 1 cannot");
    if (row->fails && !row->meets_the_end && gravel_barrier(gravel)) {
        if (row->drop)
            row->drop();
        return;
    }
    if (row->is_repeated && acted)
        OK(row->act());
    if (row->hold)
        row->hold();
}

/* @param n  call of the kinds that fails; 0: none. @return whether one has failed */
static bool run_once(unsigned n)
{
    char what[300];
    snprintf(what, sizeof what, "%s: %s: call %u", row->object, error_text(), n);
    watch(60, what);
    open_nodes();
    if (row->prepare)
        row->prepare();
    if (row->is_lost)
        fail_nth_own(READS | WAITS, 1);
    else
        fail_nth_own(after_is_alone() ? row->fails : AFTER_MEMORY, fails_here() ? n : 0);
    atomic_store(&failing.stays, row->is_lost);
    acted = row->act();
    const bool has_failed = has_any(fail_no_more());
    MUST(has_failed || n == 0 || acted == 0);
    judge();
    end(n > 0 || row->is_lost);
    return has_failed && n > 0;
}

/* A process whose node has ended opens no other one by MPI: such rows are for loop-back nodes. */
static bool is_meant(uint32_t n_nodes)
{
    const char *step = getenv("GRAVEL_STEP");
    return n_nodes >= row->least_nodes &&
           (n_loopback || row->is_of_all || !(row->fails || row->is_lost)) &&
           (!row->step || (step && !strcmp(step, row->step)));
}

static uint32_t count_nodes(void)
{
    gravel = n_loopback ? open_loopback(n_loopback, NULL) : open_default(NULL);
    const uint32_t n_nodes = gravel_n_nodes(gravel);
    is_teller = after_is_first();
    OK(close_nodes());
    return n_nodes;
}

static void run_row(void)
{
    unsigned n = row->fails ? 1 : 0;
    while (run_once(n) && n < MOST_CALLS)
        n += takes_all || n < 4 ? 1 : n / 2;
    MUST(!(row->fails & AFTER_DRIVER) || n > 1 ||
         !is_sliced(gravel)); /* a node that stays open may have memory left */
    MUST(n < MOST_CALLS);
}

static int list(void)
{
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
        for (row = tables[i]; row->object; row++)
            printf("%s: %s: %s\n", row->object, error_text(), row->holds);
    return 0;
}

int main(int argc, char **argv)
{
    const char *times = getenv("TEST_TIMES");
    unsigned n_run = 0;
    if (argc > 1 && !strcmp(argv[1], "--list"))
        return list();
    takes_all = times && atoi(times) > 1;
    n_loopback = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
    const uint32_t n_nodes = count_nodes();
    for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++)
        for (row = tables[i]; row->object; row++) {
            if (!is_meant(n_nodes) || (argc > 2 && strcmp(row->object, argv[2]) != 0))
                continue;
            run_row();
            n_run++;
            if (is_teller)
                printf("ok %u - %s: %s: %s\n", n_run, row->object, error_text(), row->holds);
            fflush(stdout);
        }
    close_what_works();
    if (is_teller)
        printf("1..%u\n", n_run);
    return 0;
}
