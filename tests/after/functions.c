/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program after one that failed, and servers after a launch that did: what comes later is dealt with.
 *
 * Path: main.c -> this -> lib/node/streams.c, lib/spool, lib/server
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

static int take(struct gravel *gravel, void *user, uint32_t source, const void *records, uint32_t n)
{
    (void)gravel, (void)user, (void)source, (void)records;
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

static void make_kernels(struct gravel *gravel)
{
    n_records = n_lines = 0;
    after_program(gravel, source, NULL);
}

/* @return  what the barrier behind it meets */
static int run(struct gravel *gravel, const char *name)
{
    cl_kernel own = kernel_or_die(gravel, after_program(gravel, source, NULL), name);
    int code = run_kernel(gravel, own, N, N);
    clReleaseKernel(own);
    return code;
}

static int append_to_one_that_fails(struct gravel *gravel)
{
    uint64_t value = 0;
    refuses = true;
    /* Before any node appends. A barrier may report what a node that has left it does next. */
    OK(gravel_reduce(gravel, GRAVEL_ADD, GRAVEL_ULONG, &value, 1));
    int code = run(gravel, "append");
    refuses = false;
    return code;
}

static int print_to_one_that_fails(struct gravel *gravel)
{
    OK(run(gravel, "print"));
    if (gravel_node(gravel) == 0)
        MUST(n_lines >= N);
    OK(gravel_barrier(gravel));
    refuses = true;
    int code = run(gravel, "print");
    OK(gravel_barrier(gravel));
    refuses = false;
    return code;
}

/* Behind a barrier those of all processes are there. */
static void expect_records(struct gravel *gravel)
{
    const bool is_alone = gravel_is_local(gravel, gravel_n_nodes(gravel) - 1);
    OK(run(gravel, "append"));
    if (gravel_node(gravel) == 0)
        MUST(n_records == N * (is_alone ? 1 : gravel_n_nodes(gravel)));
}

static void later_records_are_taken(struct gravel *gravel, int code)
{
    after_expect(code, GRAVEL_EHANDLER, "");
    OK(gravel_barrier(gravel));
    expect_records(gravel);
}

static void later_lines_are_counted(struct gravel *gravel, int code)
{
    const bool writes = gravel_node(gravel) == 0;
    const unsigned n = n_lines;
    after_expect(code, writes ? GRAVEL_EHANDLER : 0, "bindings.print");
    after_expect(run(gravel, "print"), writes ? GRAVEL_EHANDLER : 0, "bindings.print");
    MUST(n_lines == n);
    OK(gravel_barrier(gravel));
    expect_records(gravel);
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

static void make_clients(struct gravel *gravel)
{
    const cl_uint n_nodes = gravel_n_nodes(gravel);
    words = alloc_or_die(gravel, N * sizeof(uint32_t));
    OK(gravel_set_constant(gravel, 0, words));
    OK(gravel_server_build(gravel, "clients.cl", clients, NULL, &program));
    kernel = kernel_or_die(gravel, program, "send");
    MUST(clSetKernelArg(kernel, 1, sizeof n_nodes, &n_nodes) == CL_SUCCESS);
}

static int serve(struct gravel *gravel)
{
    return gravel_server_launch(gravel, kernel, N_CLIENTS, 0, NULL, NULL);
}

/* What the failed launch has sent to its own node may be served by the next. */
static void served_next(struct gravel *gravel, int code)
{
    if (!gravel_barrier(gravel)) {
        const uint64_t served = after_sum(gravel, words, N);
        MUST(code ? served <= N_CLIENTS : served == N_CLIENTS);
        OK(serve(gravel));
        OK(gravel_barrier(gravel));
        const uint64_t all = after_sum(gravel, words, N);
        MUST(all == 2 * N_CLIENTS || (code && all == served + N_CLIENTS));
        OK(gravel_free(gravel, words));
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static int build_clients(struct gravel *gravel)
{
    return gravel_server_build(gravel, "clients.cl", clients, NULL, &program);
}

static void clients_built_next(struct gravel *gravel, int code)
{
    MUST(!code == !!program);
    if (program)
        clReleaseProgram(program);
    if (gravel_barrier(gravel))
        return;
    make_clients(gravel);
    OK(serve(gravel));
    served_next(gravel, gravel_barrier(gravel));
}

const struct after_row function_rows[] = {
    {"stream", "its function fails", "later records are taken", .bindings = &functions,
     .prepare = make_kernels, .act = append_to_one_that_fails, .hold = later_records_are_taken},
    {"print", "its function fails", "later lines are counted, and records are taken",
     .bindings = &functions, .prepare = make_kernels, .act = print_to_one_that_fails,
     .hold = later_lines_are_counted},
    {"server", "a call of the driver or memory fails in gravel_server_build", "the next builds",
     .bindings = &keyed, .act = build_clients, .hold = clients_built_next,
     .fails = AFTER_DRIVER | AFTER_MEMORY},
    {"server", "a call of the driver or memory fails in gravel_server_launch",
     "all that sent is served once, by the next at the latest", .bindings = &keyed,
     .prepare = make_clients, .act = serve, .hold = served_next,
     .fails = AFTER_DRIVER | AFTER_MEMORY},
    {0},
};
