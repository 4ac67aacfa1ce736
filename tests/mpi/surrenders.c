/* SPDX-License-Identifier: MIT */
/*
 * Jobs of which a node gives up: a kernel of it fails, or it aborts. That is every node's failure, with its cause; each
 * prints "as expected" then.
 *
 * usage: mpirun ... surrenders MODE      see the table at the end; fault.sh counts the nodes that print
 *
 * Path: fault.sh -> mpirun -> this -> survivor.c
 */
#include "survivor.h"

#include <pthread.h>
#include <unistd.h>

/* ---- failures -------------------------------------------------------------------------------- */

/* A failure of one node is everybody's, with its cause. */
static void one_fails_by_a_stuck_ticket(void)
{
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 1) {
        expect(
            run_body(gravel,
                     "uint ticket; if (i == 0) gravelp_queue_reserve(g.arena, gravelp_own_ring(g), "
                     "1, &ticket);",
                     64, 64, 0, 0, 0),
            GRAVEL_EKERNEL, "ticket");
        as_expected();
        MUST(gravel_close(gravel) == GRAVEL_EKERNEL);
        _exit(0);
    }
    expect_death(gravel, kernel, "node 1 gave up: queue 0, ticket");
}

/* The node whose kernel asserts names itself, and the others name it. */
static void one_asserts(void)
{
    static const char source[] = "#include \"gravel.cl.h\"\n"
                                 "#include \"print.cl.h\"\n"
                                 "kernel void k(GRAVEL_ARENA) { GRAVEL_OPEN(g); gravel_assert(g, "
                                 "get_global_id(0) != 70); }\n";
    static const char part[] =
        "work-item at (70) of node 1: test.cl, line 3: assertion failed: get_global_id(0) != 70";
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    cl_kernel kernel;
    struct gravel *gravel = open_busy(&kernel);
    OK(gravel_barrier(gravel));
    if (rank == 1) {
        cl_kernel asserting = kernel_or_die(gravel, build_or_die(gravel, source, ""), "k");
        expect(run_kernel(gravel, asserting, 256, 64), GRAVEL_EKERNEL, part);
        as_expected();
        MUST(gravel_close(gravel) == GRAVEL_EKERNEL);
        _exit(0);
    }
    expect_death(gravel, kernel, part);
}

static int answer_7(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
                    uint64_t *answer)
{
    (void)gravel, (void)user, (void)source, (void)args;
    *answer = 7;
    return 0;
}

/* A function of another node that blocks has answered: from then on a wait has its limit. */
static void one_waits_behind_an_answer(void)
{
    static const char source[] =
        "#include \"gravel.cl.h\"\n"
        "kernel void k(GRAVEL_ARENA, ulong answer, ulong signal) { GRAVEL_OPEN(g);\n"
        "struct gravel_reply reply = {answer, signal};\n"
        "gravel_ask0_wg_if(g, get_global_id(0) == 0, GRAVEL_HANDLER(seven), reply, 0, 0);\n"
        "if (gravel_wait_until_uint_wg(g, signal, GRAVEL_CMP_EQ, 1))\n"
        "    gravel_wait_until_uint_wg(g, signal, GRAVEL_CMP_EQ, 77); }\n";
    static const struct gravel_handler handler = {.name = "seven", .answer = answer_7, .blocks = 1};
    static const char part[] = "waited for the word";
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1);
    set_limit("GRAVEL_TIMEOUT", TIMEOUT_MS);
    struct gravel *gravel = open_default(&bindings);
    const uint64_t answer = alloc_or_die(gravel, 64), signal = alloc_or_die(gravel, 64);
    fill(gravel, gravel_node(gravel), signal, 0, 64);
    OK(gravel_barrier(gravel));
    if (rank == 1) {
        cl_kernel kernel = kernel_or_die(gravel, build_or_die(gravel, source, ""), "k");
        MUST(clSetKernelArg(kernel, 1, sizeof answer, &answer) == CL_SUCCESS);
        MUST(clSetKernelArg(kernel, 2, sizeof signal, &signal) == CL_SUCCESS);
        expect(run_kernel(gravel, kernel, 64, 64), GRAVEL_EKERNEL, part);
        expect(GRAVEL_EKERNEL, GRAVEL_EKERNEL, "to be == 77; it has been 1 for");
        as_expected();
        MUST(gravel_close(gravel) == GRAVEL_EKERNEL);
        _exit(0);
    }
    expect(gravel_barrier(gravel), GRAVEL_EPEER, part);
    as_expected();
    MUST(gravel_close(gravel) == GRAVEL_EPEER);
    _exit(0);
}

/* ---- aborts ---------------------------------------------------------------------------------- */

#define WHY "ValueError: no such column"

/* The others wait in a barrier meanwhile: it ends at once, with the text. */
static void expect_abort(struct gravel *gravel)
{
    double begin = seconds_now();
    expect(gravel_barrier(gravel), GRAVEL_EPEER, "node 1 gave up: " WHY);
    MUST(is_within(begin, 1.2));
    expect(gravel_quiet(gravel), GRAVEL_EPEER, WHY);
    expect(gravel_close(gravel), GRAVEL_EPEER, WHY);
    MUST(is_within(begin, 2));
    as_expected();
    _exit(0);
}

/* Every call of the node that aborts says why; close waits for nobody. */
static void one_aborts(void)
{
    struct gravel *gravel = open_default(NULL);
    const uint64_t word = alloc_or_die(gravel, 64), value = 1;
    double begin = seconds_now();
    if (rank != 1)
        expect_abort(gravel);
    usleep(200000);
    OK(gravel_abort(gravel, WHY));
    OK(gravel_abort(gravel, "another reason")); /* the first stays */
    expect(gravel_put(gravel, word, &value, sizeof value, 0), GRAVEL_EABORT, WHY);
    expect(gravel_update(gravel, GRAVEL_ADD, GRAVEL_ULONG, word, &value, 0), GRAVEL_EABORT, WHY);
    expect(gravel_quiet(gravel), GRAVEL_EABORT, WHY);
    expect(gravel_barrier(gravel), GRAVEL_EABORT, WHY);
    expect(gravel_close(gravel), GRAVEL_EABORT, WHY);
    MUST(is_within(begin, 1.2));
    expect(try_open(NULL), GRAVEL_EMPI, "a node of this process has failed");
    as_expected();
    _exit(0);
}

/* As a program leaves that meets an exception: nothing is closed. */
static void one_aborts_and_exits(void)
{
    struct gravel *gravel = open_default(NULL);
    OK(gravel_barrier(gravel));
    if (rank != 1)
        expect_abort(gravel);
    usleep(200000);
    OK(gravel_abort(gravel, WHY));
    _exit(1);
}

static void *abort_later(void *gravel)
{
    usleep(200000);
    OK(gravel_abort(gravel, WHY));
    return NULL;
}

/* The node that aborts waits in a call itself. */
static void another_thread_aborts(void)
{
    struct gravel *gravel = open_default(NULL);
    pthread_t thread;
    OK(gravel_barrier(gravel));
    if (rank == 0) { /* comes to no barrier */
        usleep(600000);
        expect_abort(gravel);
    }
    MUST(pthread_create(&thread, NULL, abort_later, gravel) == 0);
    double begin = seconds_now();
    expect(gravel_barrier(gravel), GRAVEL_EABORT, WHY);
    MUST(is_within(begin, 1.2));
    pthread_join(thread, NULL);
    expect(gravel_close(gravel), GRAVEL_EABORT, WHY);
    as_expected();
    _exit(0);
}

/* ---- the run --------------------------------------------------------------------------------- */

static const struct mode modes[] = {
    MODE(one_fails_by_a_stuck_ticket), MODE(one_asserts),
    MODE(one_waits_behind_an_answer),  MODE(one_aborts),
    MODE(one_aborts_and_exits),        MODE(another_thread_aborts),
};

int main(int argc, char **argv)
{
    run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
    return 0;
}
