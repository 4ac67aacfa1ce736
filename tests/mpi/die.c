/* SPDX-License-Identifier: MIT */
/*
 * Jobs of which a node dies, leaves, aborts, fails or is stopped: who, at what work, and how is a row of the table. Every node
 * that lives returns in time from the call that it is in, with the code and the text of its row, and so do all calls that follow;
 * it prints "as expected" then.
 *
 * usage: mpirun ... die NAME | before_CALL | in_CALL      a row of `deaths`, or a call of calls.c; fault.sh counts the nodes
 *                                                         that print
 *
 * Path: fault.sh -> mpirun -> this -> works.c, calls.c, points.c
 */
#include "die.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a death ------------------------------------------------------------------------------------ */

#define TIMEOUT_MS 750u     /* GRAVEL_TIMEOUT of most jobs, times patience */
#define AS_IT_IS UINT32_MAX /* GRAVEL_TIMEOUT is what the environment says */
#define WHY "ValueError: no such column"

/* How a node ends whose own failure it is. */
struct failure {
    int code; /* 0: there is no such node */
    const char *text;
    int rank;
};

struct death {
    const char *name;
    const struct work *work; /* NULL: `how` is all */
    uint32_t n_rounds;       /* of work, before */
    uint32_t ranks;          /* a bit for each to whom it comes */
    void (*how)(
        const struct death *death); /* if it returns, the node goes on, and is one that lives */
    const char *text;    /* of the error of those that live, GRAVEL_EPEER; NULL: nobody dies */
    bool launches;       /* the work's kernel, before */
    uint32_t after_ms;   /* it comes so much later, */
    uint32_t stopped_ms; /* for so long, times patience, */
    enum point point;    /* or at this point, */
    uint32_t n_passed;   /* passed so often */
    uint32_t timeout_ms; /* GRAVEL_TIMEOUT, times patience; 0: TIMEOUT_MS */
    double limit_s;      /* of an end that waits for no timeout; 0: the timeout and 4 s */
    uint32_t late_ms;    /* so much later the others come */
    uint32_t least_ms;   /* nobody dies: how long the next round takes at least, times patience */
    struct failure failure;
};

/* ---- ways to die ------------------------------------------------------------------------------- */

static void be_killed(const struct death *death)
{
    if (death->launches)
        death->work->launch();
    usleep(1000 * death->after_ms);
    raise(SIGKILL);
}

static void be_killed_at_point(const struct death *death)
{
    arm(death->point, death->n_passed);
}

static void leave(const struct death *death)
{
    (void)death;
    _exit(0);
}

/* As a process ends that has forgotten gravel_close, when the others, too, are past the barrier. */
static void end_process(const struct death *death)
{
    usleep(1000 * death->after_ms);
    exit(0);
}

static void fail_by_a_stuck_ticket(const struct death *death)
{
    (void)death;
    run_body(
        gravel,
        "uint ticket; if (i == 0) gravelp_queue_reserve(g.arena, gravelp_own_ring(g), 1, &ticket);",
        64, 64, 0, 0, 0);
}

static void fail_by_an_assertion(const struct death *death)
{
    (void)death;
    static const char source[] = "#include \"gravel.cl.h\"\n"
                                 "#include \"print.cl.h\"\n"
                                 "kernel void k(GRAVEL_ARENA) { GRAVEL_OPEN(g); gravel_assert(g, "
                                 "get_global_id(0) != 70); }\n";
    run_kernel(gravel, kernel_or_die(gravel, build_or_die(gravel, source, ""), "k"), 256, 64);
}

static void *abort_later(void *reason)
{
    usleep(200000);
    OK(gravel_abort(gravel, reason));
    return NULL;
}

static void abort_node(const struct death *death)
{
    (void)death;
    abort_later(WHY);
    OK(gravel_abort(gravel, "another reason")); /* the first stays */
}

/* As a program leaves that meets an exception: nothing is closed. */
static void abort_and_exit(const struct death *death)
{
    (void)death;
    abort_later(WHY);
    _exit(1);
}

/* The node waits in a call itself then. */
static void abort_in_another_thread(const struct death *death)
{
    (void)death;
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, abort_later, WHY) == 0);
    pthread_detach(thread);
}

/* A child stops this process after a while, and wakes it, which it cannot do itself. */
static void be_stopped(const struct death *death)
{
    pid_t me = getpid(), child = fork();
    MUST(child >= 0);
    if (child == 0) {
        usleep(1000 * death->after_ms);
        kill(me, SIGSTOP);
        usleep(1000 * death->stopped_ms * patience());
        kill(me, SIGCONT);
        _exit(0);
    }
    usleep(100000);
}

static void *kill_later(void *milliseconds)
{
    usleep(1000 * *(const unsigned *)milliseconds);
    kill(getpid(), SIGKILL);
    return NULL;
}

/* While it does what the others do. */
static void be_killed_at_work(const struct death *death)
{
    unsigned after_ms = death->after_ms;
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, kill_later, &after_ms) == 0);
    death->work->go_on();
}

static void be_killed_in_a_phase(const struct death *death)
{
    stay_in_phase(death);
    be_killed_at_work(death);
}

/* ---- who dies, at what, and how ------------------------------------------------------------------ */

#define NODE_1 (1u << 1)
#define ASSERTED                                                                        \
    "work-item at (70) of node 1: test.cl, line 3: assertion failed: get_global_id(0) " \
    "!= 70"
/* Of three nodes each posts a part for every node, and reads two: after so many of these calls in a round. */
#define ROUND_20(n) \
    &rounding, 0, NODE_1, be_killed_at_point, "node 1 ", .point = PART, .n_passed = 100 + (n)
#define ABORTS .timeout_ms = AS_IT_IS, .limit_s = 1.2, .failure = {GRAVEL_EABORT, WHY, 1}

static const struct death deaths[] = {
    {"killed_while_sending", &busy, 5, NODE_1, be_killed, "node 1 ", .launches = true},
    {"killed_while_idle", &busy, 0, NODE_1, be_killed, "node 1 ", .after_ms = 200},
    {"killed_in_a_phase", &rounding, 0, NODE_1, be_killed_in_a_phase, "node 1 ", .after_ms = 300},
    {"killed_between_runs_of_rounds", &rounding, 3, NODE_1, be_killed, .text = "node 1 "},
    /* In round 20: before it posts its part, behind node 0's, and when all have it. */
    {"killed_before_its_part", ROUND_20(0)},
    {"killed_between_its_parts", ROUND_20(1)},
    {"killed_behind_its_parts", ROUND_20(3)},
    {"killed_while_others_apply", &rounding, 0, NODE_1, be_killed_at_point, "node 1 ",
     .point = APPLY, .n_passed = 20},
    {"endless_phase", &rounding_in_a_hurry, 0, NODE_1, stay_in_phase,
     "node 1 gave up: ", .failure = {GRAVEL_EKERNEL, "(GRAVEL_KERNEL_LIMIT)", 1}},
    {"first_node_killed", &busy, 0, 1, be_killed, .text = "node 0 "},
    /* Of four: the one whose left neighbour died finds out, and reports it to the one that is left. */
    {"two_killed_at_once", &busy, 0, NODE_1 | 1 << 2, be_killed, .text = " has been silent"},
    {"left_without_closing", &busy, 0, NODE_1, leave, .text = "node 1 "},
    /* It says so, long before it would be missed. */
    {"exits_without_closing", &waiting, 0, NODE_1, end_process,
     "node 1: its process has ended without gravel_close", .after_ms = 200,
     .timeout_ms = 20 * TIMEOUT_MS, .limit_s = 4},
    {"killed_while_transactions_wait", &paying_in_a_hurry, 1, NODE_1, be_killed, "node 1 ",
     .launches = true, .timeout_ms = AS_IT_IS},
    {"killed_while_printing", &printing_to_file, 0, NODE_1, be_killed, "node 1 ", .launches = true,
     .after_ms = 2, .timeout_ms = 2 * TIMEOUT_MS},
    /* The node that writes: the others wait for its credit. */
    {"killed_while_writing", &printing_to_pipe, 0, 1, be_killed, "node 0 ", .launches = true,
     .after_ms = 50, .timeout_ms = 2 * TIMEOUT_MS},
    {"copy", &sending_runs, 1, NODE_1, be_killed_at_point, "node 1 ", .point = COPY, .n_passed = 3,
     .timeout_ms = 4000},
    {"note", &sending_runs, 1, NODE_1, be_killed_at_point, "node 1 ", .point = NOTE, .n_passed = 3,
     .timeout_ms = 4000},

    /* A failure of one node is everybody's, with its cause. */
    {"one_fails_by_a_stuck_ticket", &busy, 0, NODE_1, fail_by_a_stuck_ticket,
     "node 1 gave up: queue 0, ticket", .failure = {GRAVEL_EKERNEL, "ticket", 1}},
    {"one_asserts", &busy, 0, NODE_1, fail_by_an_assertion, ASSERTED,
     .failure = {GRAVEL_EKERNEL, ASSERTED, 1}},
    {"bad_note", &putting, 3, 1, be_killed_at_point, "node 1 gave up: ", .point = SPOILT_NOTE,
     .timeout_ms = AS_IT_IS, .failure = {GRAVEL_ECORRUPT, "note from node 0: 50", 1}},
    /* Nobody reads the pipe: the node that writes says why it fails before a leader's wait ends. */
    {"reader_stopped", &printing_to_pipe, 0, 0, NULL, "node 0 gave up: lines of kernels",
     .timeout_ms = 2 * TIMEOUT_MS,
     .failure = {GRAVEL_ETIMEOUT, "standard output has taken nothing", 0}},

    /* The others wait in a barrier meanwhile: it ends at once, with the text. */
    {"one_aborts", &waiting, 0, NODE_1, abort_node, "node 1 gave up: " WHY, ABORTS},
    {"one_aborts_and_exits", &waiting, 0, NODE_1, abort_and_exit, "node 1 gave up: " WHY, ABORTS},
    {"another_thread_aborts", &waiting, 0, NODE_1, abort_in_another_thread, "node 1 gave up: " WHY,
     ABORTS, .late_ms = 600},

    /* A node that is silent for less than the timeout lives; one that the others have given up learns that. */
    {"stopped_for_half_the_timeout", &busy, 0, NODE_1, be_stopped, NULL, .stopped_ms = TIMEOUT_MS,
     .timeout_ms = 2 * TIMEOUT_MS, .least_ms = TIMEOUT_MS / 2},
    {"stopped_beyond_the_timeout", &busy, 0, NODE_1, be_stopped, "node 1 ",
     .stopped_ms = 4 * TIMEOUT_MS, .failure = {GRAVEL_EPEER, "", 1}},
    /* A machine that sleeps, while a message is under way that takes 300 ms: no node counts the time that it was stopped itself,
     * nor the others', and quiet waits on. */
    {"all_stopped_beyond_the_timeout", &living, 0, ~0u, be_stopped, NULL, .after_ms = 150,
     .stopped_ms = 2 * TIMEOUT_MS, .least_ms = 2 * TIMEOUT_MS},
    {"disk_full", NULL, .how = disk_full},
    {"transactions", &paying, 1, 0, NULL, NULL, .timeout_ms = AS_IT_IS},
};

/* ---- the run ------------------------------------------------------------------------------------- */

static bool is_over_tcp(void)
{
    const char *ways = getenv("OMPI_MCA_btl");
    return ways && !strcmp(ways, "tcp,self");
}

/* The error of the death. Over TCP Open MPI may keep a network thread in a call: that is named, and the node counts as silent. */
static void expect_end(const struct death *death, int code)
{
    if (death->failure.code && death->failure.rank == rank)
        expect(code, death->failure.code, death->failure.text);
    else if (is_over_tcp() && code == GRAVEL_ETIMEOUT)
        expect(code, GRAVEL_ETIMEOUT, "in a call of MPI: ");
    else
        expect(code, GRAVEL_EPEER, is_over_tcp() ? "node " : death->text);
}

static bool is_soon(const struct death *death, double begin)
{
    return death->limit_s ? is_within(begin, death->limit_s) : is_in_time(begin);
}

/* What is left of the node is freed and closed, with the same code. */
static void close_after(const struct death *death, int code)
{
    if (death->work->end)
        death->work->end(code);
    if (gravel)
        MUST(gravel_close(gravel) == code);
}

/* @param begin  when it came to those that it does. */
static void live_on(const struct death *death, double begin)
{
    OK(death->work->go_on());
    MUST(seconds_now() - begin >= 1e-3 * death->least_ms * patience());
    OK(death->work->go_on());
    close_after(death, 0);
}

/* @param code  of its last round. @param begin  of that round. */
static void meet_death(const struct death *death, int code, double begin)
{
    while (!code) {
        begin = seconds_now();
        code = death->work->go_on();
    }
    MUST(is_soon(death, begin));
    expect_end(death, code);
    begin = seconds_now();
    close_after(death, code);
    MUST(is_soon(death, begin));
}

static void run(const struct death *death)
{
    int code = 0;
    if (!death->work) {
        death->how(death);
        return;
    }
    if (death->timeout_ms != AS_IT_IS)
        set_limit("GRAVEL_TIMEOUT", death->timeout_ms ? death->timeout_ms : TIMEOUT_MS);
    death->work->begin();
    for (uint32_t round = 0; round < death->n_rounds && !code; round++)
        code = death->work->go_on();
    const bool is_its_own = death->ranks >> rank & 1;
    MUST(!code || (death->text && !is_its_own)); /* another node may be a round ahead */
    const double begin = seconds_now();
    if (is_its_own)
        death->how(death);
    else if (!code)
        usleep(1000 * death->late_ms);
    if (death->text)
        meet_death(death, code, begin);
    else
        live_on(death, begin);
    as_expected();
    if (death->text)
        _exit(0); /* MPI would wait for who has died */
}

/* A node that dies before a call to which the others come, or in the call, to which they come later. */
static struct death death_at(const char *moment)
{
    const bool is_within_call = !strncmp(moment, "in_", 3);
    MUST(is_within_call || !strncmp(moment, "before_", 7));
    choose_call(strchr(moment, '_') + 1, is_within_call);
    return (struct death){.name = moment,
                          .work = &calling,
                          .ranks = NODE_1,
                          .how = is_within_call ? die_in_call : be_killed,
                          .after_ms = 200,
                          .text = "node 1 ",
                          .timeout_ms = 2 * TIMEOUT_MS,
                          .late_ms = is_within_call ? 200 : 0};
}

static bool run_death(const char *name)
{
    for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++)
        if (!strcmp(name, deaths[i].name)) {
            run(&deaths[i]);
            return true;
        }
    return false;
}

int main(int argc, char **argv)
{
    static bool (*const tables[])(const char *name) = {run_death, run_misopening, run_misfit,
                                                       run_broken_way, run_version};
    MUST(argc == 2);
    rank = launched_rank();
    watch(50, argv[1]);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i](argv[1]))
            return 0;
    const struct death death = death_at(argv[1]);
    run(&death);
    return 0;
}
