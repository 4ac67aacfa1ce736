/* SPDX-License-Identifier: MIT */
/*
 * Collective calls that do not fit together: another call, one too few, one that a node never makes.
 * Every node gets GRAVEL_EMISMATCH with who is in what; the node that waits says whom it waits for.
 *
 * Path: die.c -> this -> calls.c; lib/transport/round.c, lib/network/liveness.c
 */
#include "die.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- calls of another kind: the node fails ------------------------------------------------------ */

/* The call that did not fit, which `code` is of, and all that follow; closing included. */
static void expect_out_of_step(int code, const char *text)
{
    uint64_t offset, value = 1;
    expect(code, GRAVEL_EMISMATCH, text);
    expect(gravel_barrier(gravel), GRAVEL_EMISMATCH, text);
    expect(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1), GRAVEL_EMISMATCH, text);
    expect(gravel_alloc(gravel, 64, &offset), GRAVEL_EMISMATCH, text);
    MUST(value == 1);
    expect(gravel_close(gravel), GRAVEL_EMISMATCH, text);
    as_expected();
}

/* ---- a call that a node does not make ----------------------------------------------------------- */

static _Atomic int n_told;

static void listen(void *user, const char *text)
{
    (void)user;
    if (strstr(text, "gravel_barrier waits for node 1"))
        atomic_fetch_add_explicit(&n_told, 1, memory_order_relaxed);
}

/* Every node that waits says for whom, once; of those without a function for that, one prints it. */
static void wait_for_a_late_node(const struct gravel_bindings *bindings, unsigned timeout_ms)
{
    gravel = open_default(bindings);
    OK(gravel_barrier(gravel));
    if (rank == 1)
        usleep(1000 * 4 * timeout_ms);
    OK(gravel_barrier(gravel));
    OK(gravel_close(gravel));
}

static void a_node_that_is_late(void)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.log = listen);
    char text[512] = "";
    unsigned timeout_ms = 400 * patience();
    snprintf(text, sizeof text, "%u", timeout_ms);
    setenv("GRAVEL_TIMEOUT", text, 1);
    wait_for_a_late_node(&bindings, timeout_ms);
    MUST(atomic_load_explicit(&n_told, memory_order_relaxed) == (rank != 1));
    FILE *printed = tmpfile();
    int kept = dup(STDERR_FILENO);
    MUST(printed && kept >= 0 && dup2(fileno(printed), STDERR_FILENO) >= 0);
    wait_for_a_late_node(NULL, timeout_ms);
    dup2(kept, STDERR_FILENO);
    rewind(printed);
    text[fread(text, 1, sizeof text - 1, printed)] = '\0';
    MUST((strstr(text, "gravel_barrier waits for node 1") != NULL) == (rank == 2));
    as_expected();
}

/* ---- the table --------------------------------------------------------------------------------- */

/* Node 1 makes another call than the others, as a later one. */
static const struct misfit {
    const char *name;
    void (*run)(void);           /* instead; NULL */
    const char *others, *node_1; /* of calls.c */
    int n_before;                /* barriers that fit */
    const char *text;
} misfits[] = {
    {"barrier_beside_reduce", NULL, "barrier", "reduce", 0,
     "node 0 is in gravel_barrier, node 1 in gravel_reduce"},
    {"slots_beside_barrier", NULL, "barrier", "mirror_create_slots", 0,
     "node 0 is in gravel_barrier, node 1 in gravel_mirror_create_slots"},
    {"reduce_beside_alloc", NULL, "reduce", "alloc", 1,
     "node 0 is in gravel_reduce, node 1 in gravel_alloc: collective call 3"},
    {"constant_beside_free", NULL, "free_array", "set_constant", 0,
     "node 0 is in gravel_free, node 1 in gravel_set_constant"},
    {"close_beside_barrier", NULL, "close_node", "barrier", 1,
     "node 0 is in gravel_close, node 1 in gravel_barrier"},
    {"a_node_that_is_late", .run = a_node_that_is_late},
};

static void run_misfit_row(const struct misfit *misfit)
{
    prepare_calls();
    for (int i = 0; i < misfit->n_before; i++)
        OK(gravel_barrier(gravel));
    int code = make_call(rank == 1 ? misfit->node_1 : misfit->others);
    if (gravel) {
        expect_out_of_step(code, misfit->text);
    } else {
        expect(code, GRAVEL_EMISMATCH, misfit->text);
        as_expected();
    }
}

bool run_misfit(const char *name)
{
    for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++)
        if (!strcmp(name, misfits[i].name)) {
            misfits[i].run ? misfits[i].run() : run_misfit_row(&misfits[i]);
            return true;
        }
    return false;
}
