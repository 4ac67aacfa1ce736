/* SPDX-License-Identifier: MIT */
/*
 * Jobs that cannot open: nodes whose settings or handlers differ, a node that cannot open, and one that does not come.
 * Every other node learns the cause in time.
 *
 * Path: die.c -> this
 */
#include "die.h"

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- nodes that differ, and a node that cannot open ---------------------------------------------- */

/* What a node opens with, and the error that it gets. */
struct side {
    const char *variable, *value;
    struct gravel_handler handlers[2];
    const char *source, *options; /* of handlers in OpenCL C, which have no function */
    uint32_t record_bytes;        /* of a stream; 0: none */
    int code;                     /* 0: GRAVEL_EMISMATCH */
    const char *part;             /* of its text */
};

static int keep(struct gravel *here, void *user, uint32_t source, const void *records, uint32_t n)
{
    (void)here, (void)user, (void)source, (void)records, (void)n;
    return 0;
}

static int answer(struct gravel *here, void *user, uint32_t source, const uint64_t *args,
                  uint64_t *answered)
{
    (void)here, (void)user, (void)source, (void)args, (void)answered;
    return 0;
}

#define HOST(name_, n)                                     \
    {                                                      \
        .name = name_, .n_args = (n), .function = nothing, \
    }
#define DEVICE                        \
    {                                 \
        .name = "tally", .n_args = 1, \
    }
#define TALLY(body) \
    "#include \"gravel.cl.h\"\nvoid tally(struct gravel_call call, ulong a) { " body " }\n"
#define RUN_BY \
    "number 1 is tally here, with 1 arguments, of which 0 are keys, max_pending 0, run by "

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

/* ---- the table --------------------------------------------------------------------------------- */

static const struct row {
    const char *name;
    void (*run)(void);    /* instead of opening; NULL */
    struct side sides[3]; /* of node 1, of the others, and of node 0 if it has a text of its own */
} rows[] = {
    {"mismatch_heap",
     NULL,
     {{"GRAVEL_HEAP", "1M", .part = "(GRAVEL_HEAP): 1048576 at node 1, 268435456 at node 0"},
      {.part = "(GRAVEL_HEAP): 1048576 at node 1, 268435456 at node 0"}}},
    {"mismatch_buffer",
     NULL,
     {{"GRAVEL_BUFFER", "4096", .part = "(GRAVEL_BUFFER): 0 at node 0, 4096 at node 1"},
      {.part = "(GRAVEL_BUFFER): 0 at node 0, 4096 at node 1"}}},
    {"mismatch_timeout",
     NULL,
     {{"GRAVEL_TIMEOUT", "7000", .part = "7000 at node 1"}, {.part = "(GRAVEL_TIMEOUT): "}}},
    {"mismatch_spool",
     NULL,
     {{"GRAVEL_SPOOL", "1M", .part = "(GRAVEL_SPOOL): 1048576 at node 1, 16777216 at node 0"},
      {.part = "(GRAVEL_SPOOL): 1048576 at node 1, 16777216 at node 0"}}},
    {"mismatch_handler_order",
     NULL,
     {{.handlers = {HOST("b", 1), HOST("a", 1)}, .part = "handlers"},
      {.handlers = {HOST("a", 1), HOST("b", 1)}, .part = "handlers"}}},
    {"mismatch_handler_arguments",
     NULL,
     {{.handlers = {HOST("a", 2)}, .part = "handlers"},
      {.handlers = {HOST("a", 1)}, .part = "handlers"}}},
    {"mismatch_handler_blocks",
     NULL,
     {{.handlers = {{.name = "a", .n_args = 1, .answer = answer, .blocks = 1}}, .part = "handlers"},
      {.handlers = {{.name = "a", .n_args = 1, .answer = answer}}, .part = "handlers"}}},
    {"mismatch_handler_missing",
     NULL,
     {{.part = "handlers"}, {.handlers = {HOST("a", 1)}, .part = "handlers"}}},
    {"mismatch_streams",
     NULL,
     {{.record_bytes = 8,
       .part = "nodes differ in streams, which are here, in their order: hits of 8 bytes"},
      {.record_bytes = 12, .part = "hits of 12 bytes"}}},
    {"mismatch_handler_place",
     NULL,
     {{.handlers = {HOST("a", 1), HOST("tally", 1)}, .part = RUN_BY "the host"},
      {.handlers = {HOST("a", 1), DEVICE}, .source = TALLY(""), .part = RUN_BY "the device"}}},
    {"mismatch_handler_source",
     NULL,
     {{.handlers = {DEVICE}, .source = TALLY("(void)a;"), .part = "device_code"},
      {.handlers = {DEVICE}, .source = TALLY(""), .part = "device_code"}}},
    {"mismatch_handler_options",
     NULL,
     {{.handlers = {DEVICE}, .source = TALLY(""), .options = "-DFAST", .part = "options of their"},
      {.handlers = {DEVICE}, .source = TALLY(""), .part = "options of their handlers"}}},
    {"mismatch_handler_on_one_side_only",
     NULL,
     {{.handlers = {HOST("a", 1)}, .part = "number 1 exists on one side only, not on this node"},
      {.handlers = {HOST("a", 1), DEVICE}, .source = TALLY(""), .part = "number 1 is tally here"}}},
    {"one_without_device",
     NULL,
     {{"GRAVEL_DEVICE", "no-such-device", .code = GRAVEL_EDEVICE, .part = "no-such-device"},
      {.code = GRAVEL_EPEER, .part = "node 1 could not open"}}},
    /* Found before the node knows of any other; it is reported to them nevertheless. */
    {"one_with_bad_setting",
     NULL,
     {{"GRAVEL_BUFFER", "many", .code = GRAVEL_ECONFIG, .part = "GRAVEL_BUFFER"},
      {.code = GRAVEL_EPEER, .part = "node 1 could not open: invalid setting"}}},
    {"one_with_bad_handler",
     NULL,
     {{.handlers = {HOST("no name", 0)}, .code = GRAVEL_EINVAL, .part = "no name"},
      {.handlers = {HOST("name", 0)},
       .code = GRAVEL_EPEER,
       .part = "node 1 could not open: invalid argument"}}},
    {"one_with_bad_trace",
     NULL,
     {{"GRAVEL_TRACE", "/nonexistent/t.json", .code = GRAVEL_ESYSTEM, .part = "/nonexistent"},
      {.code = GRAVEL_EPEER, .part = "node 1 could not open"}}},
    {"two_fail_differently",
     NULL,
     {{"GRAVEL_QUEUE", "64", .code = GRAVEL_ECONFIG, .part = ""},
      {.code = GRAVEL_EPEER, .part = ""},
      {"GRAVEL_TRACE", "/nonexistent/t.json", .code = GRAVEL_ESYSTEM, .part = ""}}},
    {"killed_while_others_open", .run = killed_while_others_open},
    {"one_never_opens", .run = one_never_opens},
    {"one_never_initialises", .run = one_never_initialises},
};

static void open_as(const struct row *row)
{
    const bool is_own = rank == 0 && row->sides[2].part;
    const struct side *side = &row->sides[rank == 1 ? 0 : is_own ? 2 : 1];
    const struct gravel_stream stream = {"hits", side->record_bytes, keep, NULL};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = side->handlers,
                        .n_handlers = !!side->handlers[0].name + !!side->handlers[1].name,
                        .streams = &stream, .n_streams = side->record_bytes != 0,
                        .device_code.source = side->source, .device_code.options = side->options);
    if (side->variable)
        setenv(side->variable, side->value, 1);
    expect(try_open(&bindings), side->code ? side->code : GRAVEL_EMISMATCH, side->part);
    as_expected();
}

bool run_misopening(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(name, rows[i].name)) {
            rows[i].run ? rows[i].run() : open_as(&rows[i]);
            return true;
        }
    return false;
}
