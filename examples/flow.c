/* SPDX-License-Identifier: MIT */
/* A flow: Fibonacci numbers by the recursion. Each call is a task, which makes two tasks and what comes after both. */
#include <sys/types.h>

#include <err.h>
#include <gravel/channel.h>
#include <gravel/flow.h>
#include <stddef.h>
#include <stdio.h>

enum { N = 18, FIB_OF_N = 2584 };

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

/* The records, as in the text below; `to` is where a result goes. */
struct fib {
    uint n;
    gravel_slot to;
};
struct sum {
    uint x, y;
    gravel_slot to;
};

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "struct fib { uint n; gravel_slot to; };\n"
    "struct sum { uint x, y; gravel_slot to; };\n"
    "GRAVEL_RECORD(fib)\n"
    "GRAVEL_RECORD(sum)\n"
    "void fib_task(struct gravel_flow_group f, uint active, struct fib task)\n"
    "{\n"
    "    uint is_leaf = task.n < 2, goes_on = active && !is_leaf;\n"
    "    gravel_return_uint_wg_if(f, active && is_leaf, task.to, task.n);\n"
    "    gravel_ce s = gravel_sync_sum_wg_if(f, goes_on, (struct sum){0, 0, task.to});\n"
    "    struct fib left = {task.n - 1, GRAVEL_SLOT(f, s, sum, x)};\n"
    "    struct fib right = {task.n - 2, GRAVEL_SLOT(f, s, sum, y)};\n"
    "    gravel_spawn_fib_wg_if(f, goes_on, left);\n"
    "    gravel_spawn_fib_wg_if(f, goes_on, right);\n"
    "}\n"
    "void sum_task(struct gravel_flow_group f, uint active, struct sum task)\n"
    "{\n"
    "    gravel_return_uint_wg_if(f, active, task.to, task.x + task.y);\n"
    "}\n"
    "kernel void fibonacci(GRAVEL_ARENA, GRAVEL_FLOW)\n"
    "{\n"
    "    GRAVEL_FLOW_OPEN(f);\n"
    "    GRAVEL_ROUNDS(f) {\n"
    "        GRAVEL_NODE(f, fib) fib_task(f, f.active, gravel_read_fib_wi(f));\n"
    "        GRAVEL_NODE(f, sum) sum_task(f, f.active, gravel_read_sum_wi(f));\n"
    "    }\n"
    "}\n";

int main(void)
{
    /* A fib makes at most two fibs and a sum; a chain of fibs is at most N + 1 long. */
    const struct gravel_edge edges[] = {{"fib", 2}, {"sum", 1}};
    const struct gravel_channel channels[] = {
        {"fib", sizeof(struct fib), GRAVEL_SPAWN, 0, 2, edges},
        {"sum", sizeof(struct sum), GRAVEL_AFTER, 0, 0, NULL}};
    const struct gravel_channel_graph graph = GRAVEL_CHANNEL_GRAPH(channels, 2, .depth = N + 1);
    struct gravel *gravel;
    struct gravel_flow *flow;
    struct fib root = {.n = N};
    cl_uint result = 0;
    TRY(gravel_open(&gravel, NULL, NULL));
    TRY(gravel_flow_create(&flow, gravel, &graph));
    TRY(gravel_flow_build(flow, "flow.cl", source, NULL, "fibonacci"));
    TRY(gravel_flow_call(flow, "fib", &root, offsetof(struct fib, to), &result, sizeof result));
    printf("flow: node %u, fib(%u) = %u, %s\n", gravel_node(gravel), N, result,
           result == FIB_OF_N ? "all right" : "WRONG");
    TRY(gravel_flow_destroy(flow));
    TRY(gravel_close(gravel));
    return result != FIB_OF_N;
}
