/* SPDX-License-Identifier: MIT */
/*
 * Servers after a launch that failed: what comes later is dealt with.
 *
 * Path: main.c -> this -> lib/server
 */
#include "after.h"

#include <gravel/server.h>

#define N 64u
#define N_CLIENTS 256u

static uint64_t words;
static cl_program program;
static cl_kernel kernel;

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

const struct after_row server_rows[] = {
    {"server", "gravel_server_build", "the next builds", .bindings = &keyed, .act = build_clients,
     .hold = clients_built_next, .fails = AFTER_ALL, .is_repeated = true, .drop = drop_program},
    {"server", "gravel_server_launch", "all that sent is served once, by the next at the latest",
     .bindings = &keyed, .prepare = make_clients, .act = serve, .hold = served_next,
     .fails = AFTER_ALL, .drop = drop_clients},
    {0},
};
