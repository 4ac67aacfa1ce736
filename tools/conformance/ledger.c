/* SPDX-License-Identifier: MIT */
/*
 * The ledger: every message carries origin, number and checksum, and its destination keeps accounts. At the end
 * none may be lost, doubled, torn, misrouted, or of an earlier round than one of its group that came before.
 *
 * arguments: MODE [MESSAGES]       of each sending node; MODE is a kernel of ledger.cl
 *        am, am_if, am_wi         active messages; their handler keeps the accounts
 *        put, put_if, add         a slot of its own for each message; the accounts are the slots
 *
 * Runs with GRAVEL_LOOPBACK nodes, of which one sends, or under an MPI launcher.
 *
 * Path:    route.h, ledger.cl -> this.
 * Threads: enter() runs in the network thread; the accounts are read after a barrier.
 * Source:  checkers of queues by history (Jepsen).
 */
#include "route.h"
#include "stage.h"
#include "suites.h"
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char ledger_cl[];

/* What one destination has got from one origin. */
struct account {
    unsigned char *seen;  /* [messages] bits, by number */
    unsigned char *round; /* [groups of all launches] the latest so far */
    uint64_t n;
};

static struct ledger {
    const char *mode;
    bool has_predicate, by_slots, keeps_order;
    struct gravel *gravel;
    uint32_t node, n_nodes, n_origins;
    uint64_t n_launches, slots;
    struct account *accounts; /* [n_nodes][n_origins]: of each destination, each origin */
    uint64_t n_checked;
} ledger;

static struct account *account_of(uint32_t destination, uint32_t origin)
{
    return &ledger.accounts[(size_t)destination * ledger.n_origins + origin];
}

static bool is_sent(uint32_t origin, uint64_t number)
{
    return !ledger.has_predicate || ledger_is_sent(origin, number);
}

/* ---- active messages ------------------------------------------------------------------------- */

static int complain(const char *what, uint32_t here, uint32_t origin, uint64_t number)
{
    static unsigned n_reported;
    if (n_reported++ < 8)
        printf("# %s: %s at node %u: origin %u, message %" PRIu64 "\n", ledger.mode, what, here,
               origin, number);
    return 1;
}

static int enter_account(struct account *account, uint32_t here, uint32_t origin, uint64_t number)
{
    unsigned char bit = (unsigned char)(1u << (number & 7));
    unsigned char round = (unsigned char)(number / LEDGER_GROUP % LEDGER_ROUNDS);
    unsigned char *latest = &account->round[number / (LEDGER_GROUP * LEDGER_ROUNDS)];
    if (account->seen[number >> 3] & bit)
        return complain("doubled", here, origin, number);
    if (ledger.keeps_order && round < *latest)
        return complain("out of order", here, origin, number);
    account->seen[number >> 3] |= bit;
    *latest = round;
    account->n++;
    return 0;
}

static int enter(struct gravel *gravel, void *user, uint32_t source,
                 const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    uint32_t here = gravel_node(gravel), origin = (uint32_t)args[0];
    uint64_t number = args[1];
    (void)user;
    if (args[3] || source != args[0] || origin >= ledger.n_origins ||
        number >= ledger.n_launches * LEDGER_LAUNCH)
        return complain("torn", here, source, number);
    if (args[2] != ledger_checksum(origin, number, here))
        return complain(args[2] ==
                                ledger_checksum(origin, number,
                                                ledger_destination(origin, number, ledger.n_nodes))
                            ? "misrouted"
                            : "torn",
                        here, origin, number);
    return enter_account(account_of(here, origin), here, origin, number);
}

static unsigned check_account(uint32_t here, uint32_t origin, uint64_t launch)
{
    const struct account *account = account_of(here, origin);
    uint64_t n_expected = 0, n_lost = 0;
    (void)launch; /* all of them */
    for (uint64_t number = 0; number < ledger.n_launches * LEDGER_LAUNCH; number++)
        if (is_sent(origin, number) && ledger_destination(origin, number, ledger.n_nodes) == here) {
            bool is_lost = !(account->seen[number >> 3] & 1u << (number & 7));
            n_expected++;
            if (is_lost && n_lost++ == 0)
                complain("lost", here, origin, number);
        }
    ledger.n_checked += n_expected;
    if (n_lost || account->n != n_expected)
        printf("# %s: node %u has %" PRIu64 " messages of node %u, not %" PRIu64 "\n", ledger.mode,
               here, account->n, origin, n_expected);
    return n_lost || account->n != n_expected;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Checks what the last launch has left in the slots of one origin, and clears them for the next. */
static unsigned check_slots(uint32_t here, uint32_t origin, uint64_t launch)
{
    uint64_t *slots =
        map_or_die(ledger.gravel, here, ledger.slots + (uint64_t)origin * LEDGER_LAUNCH * 8,
                   LEDGER_LAUNCH * 8, CL_MAP_READ | CL_MAP_WRITE);
    unsigned n_wrong = 0;
    for (uint32_t i = 0; i < LEDGER_LAUNCH; i++) {
        uint64_t number = launch * LEDGER_LAUNCH + i;
        bool is_mine =
            is_sent(origin, number) && ledger_destination(origin, number, ledger.n_nodes) == here;
        uint64_t expected = is_mine ? ledger_checksum(origin, number, here) : 0;
        ledger.n_checked += is_mine;
        if (slots[i] != expected && n_wrong++ == 0)
            complain(!expected                  ? "misrouted"
                     : !slots[i]                ? "lost"
                     : slots[i] == 2 * expected ? "doubled"
                                                : "torn",
                     here, origin, number);
        slots[i] = 0;
    }
    OK(gravel_unmap(ledger.gravel, slots));
    return n_wrong;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Checks what the nodes of this process have from each origin. */
static unsigned check_all(unsigned (*check)(uint32_t here, uint32_t origin, uint64_t launch),
                          uint64_t launch)
{
    unsigned n_wrong = 0;
    for (uint32_t here = 0; here < ledger.n_nodes; here++)
        for (uint32_t origin = 0; gravel_is_local(ledger.gravel, here) && origin < ledger.n_origins;
             origin++)
            n_wrong += check(here, origin, launch);
    return n_wrong;
}

static int send_all(cl_kernel kernel, unsigned *n_wrong)
{
    const size_t global_size = LEDGER_GROUPS * LEDGER_GROUP, local_size = LEDGER_GROUP;
    cl_uint has_predicate = ledger.has_predicate;
    int code = 0;
    stage_set(kernel, 1, sizeof ledger.slots, &ledger.slots);
    stage_set(kernel, 3, sizeof has_predicate, &has_predicate);
    for (uint64_t launch = 0; launch < ledger.n_launches && !code; launch++) {
        stage_set(kernel, 2, sizeof launch, &launch);
        code = gravel_launch(ledger.gravel, kernel, 1, &global_size, &local_size, 0, NULL, NULL);
        if (code || !ledger.by_slots)
            continue;
        code = gravel_barrier(ledger.gravel);
        *n_wrong += code ? 0 : check_all(check_slots, launch);
        if (!code) /* no node sends before all have checked */
            code = gravel_barrier(ledger.gravel);
    }
    if (!code)
        code = gravel_barrier(ledger.gravel);
    return code;
}

static void open_ledger(int n_arguments, char **arguments)
{
    static const struct gravel_handler handlers[] = {
        {.name = "enter", .n_args = 3, .function = enter}};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1);
    MUST(n_arguments >= 1);
    uint64_t n_messages = n_arguments > 1 ? strtoull(arguments[1], NULL, 10) : 1000000;
    ledger.mode = arguments[0];
    ledger.has_predicate = strstr(arguments[0], "_") != NULL;
    ledger.by_slots = strncmp(arguments[0], "am", 2) != 0;
    ledger.keeps_order = strcmp(arguments[0], "am_wi") != 0;
    ledger.n_launches = (n_messages + LEDGER_LAUNCH - 1) / LEDGER_LAUNCH;
    ledger.gravel = open_default(&bindings);
    ledger.node = gravel_node(ledger.gravel);
    ledger.n_nodes = gravel_n_nodes(ledger.gravel);
    ledger.slots = alloc_or_die(ledger.gravel, (uint64_t)ledger.n_nodes * LEDGER_LAUNCH * 8u);
    const bool is_loopback =
        gravel_is_local(ledger.gravel, 0) && gravel_is_local(ledger.gravel, ledger.n_nodes - 1);
    ledger.n_origins = is_loopback ? 1 : ledger.n_nodes;
    const size_t n_accounts = (size_t)ledger.n_nodes * ledger.n_origins;
    ledger.accounts = calloc(n_accounts, sizeof *ledger.accounts);
    MUST(ledger.accounts);
    for (size_t i = 0; i < n_accounts; i++) {
        if (!gravel_is_local(ledger.gravel, (uint32_t)(i / ledger.n_origins)))
            continue;
        ledger.accounts[i].seen = calloc(ledger.n_launches, LEDGER_LAUNCH / 8);
        ledger.accounts[i].round = calloc(ledger.n_launches, LEDGER_GROUPS);
        MUST(ledger.accounts[i].seen && ledger.accounts[i].round);
    }
}

static int run_ledger(int n_arguments, char **arguments)
{
    open_ledger(n_arguments, arguments);
    cl_program program = build_or_die(ledger.gravel, ledger_cl, NULL);
    cl_kernel kernel = kernel_or_die(ledger.gravel, program, ledger.mode);
    OK(gravel_barrier(ledger.gravel));
    double begin = seconds_now();
    unsigned n_wrong = 0;
    int code = send_all(kernel, &n_wrong);
    double seconds = seconds_now() - begin;
    if (code) {
        printf("# %s: %s: %s\n", ledger.mode, gravel_strerror(code), gravel_last_error());
        fflush(stdout);
        n_wrong++;
    } else if (!ledger.by_slots) {
        n_wrong += check_all(check_account, 0);
    }
    uint64_t totals[2] = {ledger.n_checked, n_wrong};
    OK(gravel_reduce(ledger.gravel, GRAVEL_ADD, GRAVEL_ULONG, totals, 2));
    if (ledger.node == 0)
        printf("%sok 1 - %s: %" PRIu64 " messages of %u nodes to %u, %.2f M/s\n1..1\n",
               totals[1] ? "not " : "", ledger.mode, totals[0], ledger.n_origins, ledger.n_nodes,
               (double)totals[0] * 1e-6 / seconds);
    fflush(stdout);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    OK(gravel_close(ledger.gravel)); /* the last call that enters a message */
    for (size_t i = 0; i < (size_t)ledger.n_nodes * ledger.n_origins; i++) {
        free(ledger.accounts[i].seen);
        free(ledger.accounts[i].round);
    }
    free(ledger.accounts);
    return totals[1] != 0;
}

const struct suite suite_ledger = {NULL, 0, NULL, NULL, run_ledger};
