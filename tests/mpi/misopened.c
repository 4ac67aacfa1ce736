/* SPDX-License-Identifier: MIT */
/*
 * Jobs that cannot open: nodes whose settings or handlers differ, a node that cannot open, and one that does not come.
 * Every other node learns the cause in time; it prints "as expected" then.
 *
 * usage: mpirun ... misopened MODE      see the table at the end; fault.sh counts the nodes that print
 *
 * Path: fault.sh -> mpirun -> this
 */
#include "job.h"

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- nodes that differ ------------------------------------------------------------------------- */

static void mismatch_of_variable(const char *variable, const char *text, const char *part)
{
    if (rank == 1)
        setenv(variable, text, 1);
    expect(try_open(NULL), GRAVEL_EMISMATCH, variable);
    expect(GRAVEL_EMISMATCH, GRAVEL_EMISMATCH, part);
    as_expected();
}

static void mismatch_heap(void)
{
    mismatch_of_variable("GRAVEL_HEAP", "1M", ": 1048576 at node 1, 268435456 at node 0");
}

static void mismatch_buffer(void)
{
    mismatch_of_variable("GRAVEL_BUFFER", "4096", ": 0 at node 0, 4096 at node 1");
}

static void mismatch_timeout(void)
{
    mismatch_of_variable("GRAVEL_TIMEOUT", "7000", "7000 at node 1");
}

static void mismatch_spool(void)
{
    mismatch_of_variable("GRAVEL_SPOOL", "1M", ": 1048576 at node 1, 16777216 at node 0");
}

static void mismatch_of_table(const struct gravel_handler *mine, uint32_t n)
{
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = mine, .n_handlers = n);
    expect(try_open(&bindings), GRAVEL_EMISMATCH, "handlers");
    as_expected();
}

static void mismatch_handler_order(void)
{
    const struct gravel_handler one[] = {{.name = "a", .n_args = 1, .function = nothing},
                                         {.name = "b", .n_args = 1, .function = nothing}};
    const struct gravel_handler other[] = {{.name = "b", .n_args = 1, .function = nothing},
                                           {.name = "a", .n_args = 1, .function = nothing}};
    mismatch_of_table(rank == 1 ? other : one, 2);
}

static void mismatch_handler_arguments(void)
{
    const struct gravel_handler table[] = {
        {.name = "a", .n_args = rank == 1 ? 2 : 1, .function = nothing}};
    mismatch_of_table(table, 1);
}

static int keep(struct gravel *gravel, void *user, uint32_t source, const void *records, uint32_t n)
{
    (void)gravel, (void)user, (void)source, (void)records, (void)n;
    return 0;
}

static void mismatch_streams(void)
{
    const struct gravel_stream streams[] = {{"hits", rank == 1 ? 8 : 12, keep, NULL}};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.streams = streams, .n_streams = 1);
    expect(try_open(&bindings), GRAVEL_EMISMATCH,
           rank == 1 ? "nodes differ in streams, which are here, in their order: hits of 8 bytes"
                     : "hits of 12 bytes");
    as_expected();
}

static int answer(struct gravel *gravel, void *user, uint32_t source, const uint64_t *args,
                  uint64_t *answered)
{
    (void)gravel, (void)user, (void)source, (void)args, (void)answered;
    return 0;
}

static void mismatch_handler_blocks(void)
{
    const struct gravel_handler table[] = {
        {.name = "a", .n_args = 1, .answer = answer, .blocks = rank == 1}};
    mismatch_of_table(table, 1);
}

static void mismatch_handler_missing(void)
{
    const struct gravel_handler table[] = {{.name = "a", .n_args = 1, .function = nothing}};
    mismatch_of_table(table, rank == 1 ? 0 : 1);
}

#define TALLY(body) \
    "#include \"gravel.cl.h\"\nvoid tally(struct gravel_call call, ulong a) { " body " }\n"

/* Handlers of OpenCL C. @param part  of the error's text here. */
static void mismatch_of_bindings(const struct gravel_bindings *bindings, const char *part)
{
    expect(try_open(bindings), GRAVEL_EMISMATCH, part);
    as_expected();
}

static void mismatch_handler_place(void)
{
    const struct gravel_handler table[] = {
        {.name = "a", .n_args = 1, .function = nothing},
        {.name = "tally", .n_args = 1, .function = rank == 1 ? nothing : NULL}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = 2,
                        .device_code.source = rank == 1 ? NULL : TALLY(""));
    mismatch_of_bindings(&bindings, rank == 1
                                        ? "number 1 is tally here, with 1 arguments, of which 0 "
                                          "are keys, max_pending 0, run by the host"
                                        : "number 1 is tally here, with 1 arguments, of which 0 "
                                          "are keys, max_pending 0, run by the device");
}

static void mismatch_handler_source(void)
{
    const struct gravel_handler table[] = {{.name = "tally", .n_args = 1}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = 1,
                        .device_code.source = rank == 1 ? TALLY("(void)a;") : TALLY(""));
    mismatch_of_bindings(&bindings, "device_code");
}

static void mismatch_handler_options(void)
{
    const struct gravel_handler table[] = {{.name = "tally", .n_args = 1}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = 1, .device_code.source = TALLY(""),
                        .device_code.options = rank == 1 ? "-DFAST" : NULL);
    mismatch_of_bindings(&bindings, "options of their handlers");
}

static void mismatch_handler_on_one_side_only(void)
{
    const struct gravel_handler table[] = {{.name = "a", .n_args = 1, .function = nothing},
                                           {.name = "tally", .n_args = 1}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = table, .n_handlers = rank == 1 ? 1 : 2,
                        .device_code.source = rank == 1 ? NULL : TALLY(""));
    mismatch_of_bindings(&bindings, rank == 1 ? "number 1 exists on one side only, not on this node"
                                              : "number 1 is tally here");
}

/* ---- a node that cannot open ------------------------------------------------------------------- */

static void one_without_device(void)
{
    if (rank == 1)
        setenv("GRAVEL_DEVICE", "no-such-device", 1);
    expect(try_open(NULL), rank == 1 ? GRAVEL_EDEVICE : GRAVEL_EPEER,
           rank == 1 ? "no-such-device" : "node 1 could not open");
    as_expected();
}

/* Found before the node knows of any other; they are told all the same. */
static void one_with_bad_setting(void)
{
    if (rank == 1)
        setenv("GRAVEL_BUFFER", "many", 1);
    expect(try_open(NULL), rank == 1 ? GRAVEL_ECONFIG : GRAVEL_EPEER,
           rank == 1 ? "GRAVEL_BUFFER" : "node 1 could not open: invalid setting");
    as_expected();
}

static void one_with_bad_handler(void)
{
    const struct gravel_handler table[] = {
        {.name = rank == 1 ? "no name" : "name", .function = nothing}};
    const struct gravel_bindings bindings = GRAVEL_BINDINGS(.handlers = table, .n_handlers = 1);
    expect(try_open(&bindings), rank == 1 ? GRAVEL_EINVAL : GRAVEL_EPEER,
           rank == 1 ? "no name" : "node 1 could not open: invalid argument");
    as_expected();
}

static void one_with_bad_trace(void)
{
    if (rank == 1)
        setenv("GRAVEL_TRACE", "/nonexistent/t.json", 1);
    expect(try_open(NULL), rank == 1 ? GRAVEL_ESYSTEM : GRAVEL_EPEER,
           rank == 1 ? "/nonexistent" : "node 1 could not open");
    as_expected();
}

static void two_fail_differently(void)
{
    if (rank == 0)
        setenv("GRAVEL_TRACE", "/nonexistent/t.json", 1);
    if (rank == 1)
        setenv("GRAVEL_QUEUE", "64", 1);
    int code = try_open(NULL);
    expect(code, rank == 0 ? GRAVEL_ESYSTEM : rank == 1 ? GRAVEL_ECONFIG : GRAVEL_EPEER, "");
    as_expected();
}

/* ---- a node that does not come ---------------------------------------------------------------- */

#define OPEN_LIMIT_MS 1500u /* GRAVEL_OPEN_TIMEOUT, times patience */

/* MPI has no limit there. The node that dies must be as far by then: MPI_Init may wait for all. */
static void killed_while_others_open(void)
{
    set_limit("GRAVEL_OPEN_TIMEOUT", OPEN_LIMIT_MS);
    if (rank == 1) {
        int is_initialised = 0, level;
        MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
        MUST(MPI_Initialized(&is_initialised) == MPI_SUCCESS && is_initialised);
        raise(SIGKILL);
    }
    double begin = seconds_now();
    expect(try_open(NULL), GRAVEL_EMPI, "GRAVEL_OPEN_TIMEOUT");
    MUST(is_in_time(begin));
    expect(try_open(NULL), GRAVEL_EMPI, "");
    as_expected();
    _exit(0);
}

/* The others, while this one lives and does not open. */
static void expect_limit_of_opening(const char *call)
{
    set_limit("GRAVEL_OPEN_TIMEOUT", OPEN_LIMIT_MS);
    double begin = seconds_now();
    expect(try_open(NULL), GRAVEL_EMPI, call);
    MUST(strstr(gravel_last_error(), "another process has not come to gravel_open"));
    MUST(is_in_time(begin));
    as_expected();
    _exit(0);
}

/* Without a word: MPI would wait for the others. */
static void live_without_opening(void)
{
    usleep(2 * 1000 * OPEN_LIMIT_MS * patience());
    _exit(0);
}

static void one_never_opens(void)
{
    int is_initialised = 0, level;
    if (rank != 1)
        expect_limit_of_opening("gravel_open: in MPI_Comm_dup for ");
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MUST(MPI_Initialized(&is_initialised) == MPI_SUCCESS && is_initialised);
    live_without_opening();
}

/* MPI_Init may wait for all, or leave it to the first call that does. */
static void one_never_initialises(void)
{
    if (rank != 1)
        expect_limit_of_opening("gravel_open: in MPI_");
    live_without_opening();
}

/* ---- the run --------------------------------------------------------------------------------- */

static const struct mode modes[] = {
    MODE(mismatch_heap),
    MODE(mismatch_buffer),
    MODE(mismatch_timeout),
    MODE(mismatch_spool),
    MODE(mismatch_handler_order),
    MODE(mismatch_handler_arguments),
    MODE(mismatch_handler_blocks),
    MODE(mismatch_handler_missing),
    MODE(mismatch_streams),
    MODE(mismatch_handler_place),
    MODE(mismatch_handler_source),
    MODE(mismatch_handler_options),
    MODE(mismatch_handler_on_one_side_only),
    MODE(one_without_device),
    MODE(one_with_bad_setting),
    MODE(one_with_bad_handler),
    MODE(one_with_bad_trace),
    MODE(two_fail_differently),
    MODE(killed_while_others_open),
    MODE(one_never_opens),
    MODE(one_never_initialises),
};

int main(int argc, char **argv)
{
    run_mode(modes, sizeof modes / sizeof *modes, argc, argv);
    return 0;
}
