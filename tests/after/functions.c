/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program after one that failed, and servers after a launch that did: what comes later is dealt with.
 *
 * Path: main.c -> this -> lib/node/tables.c, lib/spool, lib/server
 */
#include "after.h"

#include <gravel/server.h>

#include <string.h>

#define N 64u
#define N_CLIENTS 256u

static _Atomic bool refuses;
static _Atomic unsigned n_records, n_lines;
static uint64_t words;
static cl_program program;
static cl_kernel kernel;

static int take(struct gravel *of, void *user, uint32_t source, const void *records, uint32_t n)
{
    (void)of, (void)user, (void)source, (void)records;
    if (refuses)
        return 1;
    n_records += n;
    return 0;
}

static int take_lines(void *user, const char *text, size_t bytes)
{
    (void)user;
    if (refuses)
        return 1;
    for (size_t i = 0; i < bytes; i++)
        n_lines += text[i] == '\n';
    return 0;
}

static const struct gravel_stream streams[] = {
    {.name = "numbers", .record_bytes = 4, .function = take}};
static const struct gravel_bindings functions =
    GRAVEL_BINDINGS(.streams = streams, .n_streams = 1, .print = take_lines);

static const char source[] = "#include \"gravel.cl.h\"\n"
                             "#include \"print.cl.h\"\n"
                             "kernel void append(GRAVEL_ARENA)\n"
                             "{\n"
                             "    GRAVEL_OPEN(g);\n"
                             "    uint i = (uint)get_global_id(0);\n"
                             "    gravel_append_wg(g, numbers, i, 0);\n"
                             "}\n"
                             "kernel void print(GRAVEL_ARENA)\n"
                             "{\n"
                             "    GRAVEL_OPEN(g);\n"
                             "    gravel_printf_wi(g, \"%u\\n\", (uint)get_global_id(0));\n"
                             "}\n";

static void reset_counts(void)
{
    n_records = n_lines = 0;
}

/* @return  what the barrier behind it meets */
static int run(const char *name)
{
    cl_kernel own = kernel_or_die(gravel, after_program(source, NULL), name);
    int code = run_kernel(gravel, own, N, N);
    clReleaseKernel(own);
    return code;
}

static int append_to_one_that_fails(void)
{
    uint64_t value = 0;
    refuses = true;
    /* Before any node appends. A barrier may report what a node that has left it does next. */
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1));
    int code = run("append");
    refuses = false;
    return code;
}

static int print_to_one_that_fails(void)
{
    OK(run("print"));
    if (after_is_first())
        MUST(n_lines >= N);
    OK(gravel_barrier(gravel));
    refuses = true;
    int code = run("print");
    OK(gravel_barrier(gravel));
    refuses = false;
    return code;
}

/* Behind a barrier those of all processes are there. */
static void expect_records(void)
{
    OK(run("append"));
    if (after_is_first())
        MUST(n_records == N * (after_is_alone() ? 1 : gravel_n_nodes(gravel)));
}

static void later_records_are_taken(void)
{
    OK(gravel_barrier(gravel));
    expect_records();
}

static void later_lines_are_counted(void)
{
    const unsigned n = n_lines;
    after_expect(run("print"), after_is_first() ? GRAVEL_EHANDLER : 0, "bindings.print");
    MUST(n_lines == n);
    later_records_are_taken();
}

/* ---- servers ----------------------------------------------------------------------------------- */

/* The handler, and the kernel that sends to it. */
static const char clients[] =
    "#include \"gravel.cl.h\"\n"
    "void count(struct gravel_call call, ulong key)\n"
    "{\n"
    "    global uint *words = gravel_call_local(call, call.constants[0]);\n"
    "    words[key] = words[key] + 1;\n"
    "}\n"
    "kernel void send(GRAVEL_ARENA, uint n_nodes)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "    GRAVEL_SERVE(g, item, active)\n"
    "    {\n"
    "        gravel_am1_wg_if(g, active, GRAVEL_HANDLER(count), item % 64, item % n_nodes);\n"
    "    }\n"
    "}\n";

static const struct gravel_handler handlers[] = {
    {.name = "count", .n_args = 1, .serve = {.n_keys = 1}}};
static const struct gravel_bindings keyed =
    GRAVEL_BINDINGS(.handlers = handlers, .n_handlers = 1, .device_code.name = "clients.cl",
                    .device_code.source = clients);

static int build_clients(void)
{
    int code = gravel_server_build(gravel, "clients.cl", clients, NULL, &program);
    MUST(!code == !!program);
    return code;
}

static void make_kernel(void)
{
    const cl_uint n_nodes = gravel_n_nodes(gravel);
    words = alloc_or_die(gravel, N * sizeof(uint32_t));
    OK(gravel_set_constant(gravel, 0, words));
    kernel = kernel_or_die(gravel, program, "send");
    MUST(clSetKernelArg(kernel, 1, sizeof n_nodes, &n_nodes) == CL_SUCCESS);
}

static void make_clients(void)
{
    OK(build_clients());
    make_kernel();
}

static int serve(void)
{
    return gravel_server_launch(gravel, kernel, N_CLIENTS, 0, NULL, NULL);
}

static void drop_program(void)
{
    if (program)
        clReleaseProgram(program);
}

static void drop_clients(void)
{
    clReleaseKernel(kernel);
    drop_program();
}

/* What a launch that failed has sent to its own node may be served by the next. */
static void serve_next(int code)
{
    const uint64_t served = after_sum(words, N);
    MUST(code ? served <= N_CLIENTS : served == N_CLIENTS);
    OK(serve());
    OK(gravel_barrier(gravel));
    const uint64_t all = after_sum(words, N);
    MUST(all == 2 * N_CLIENTS || (code && all == served + N_CLIENTS));
    OK(gravel_free(gravel, words));
    drop_clients();
}

static void served_next(void)
{
    serve_next(acted);
}

static void clients_built_next(void)
{
    make_kernel();
    OK(serve());
    serve_next(gravel_barrier(gravel));
}

const struct after_row function_rows[] = {
    {"stream", "its function fails", "later records are taken", .bindings = &functions,
     .prepare = reset_counts, .act = append_to_one_that_fails, .code = GRAVEL_EHANDLER, .part = "",
     .hold = later_records_are_taken},
    {"print", "its function fails", "later lines are counted, and records are taken",
     .bindings = &functions, .prepare = reset_counts, .act = print_to_one_that_fails,
     .code = GRAVEL_EHANDLER, .part = "bindings.print", .others_part = "",
     .hold = later_lines_are_counted},
    {"server", "gravel_server_build", "the next builds", .bindings = &keyed, .act = build_clients,
     .hold = clients_built_next, .fails = AFTER_ALL, .is_repeated = true, .drop = drop_program},
    {"server", "gravel_server_launch", "all that sent is served once, by the next at the latest",
     .bindings = &keyed, .prepare = make_clients, .act = serve, .hold = served_next,
     .fails = AFTER_ALL, .drop = drop_clients},
    {0},
};
