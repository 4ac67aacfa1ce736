/* SPDX-License-Identifier: MIT */
/* Clients and servers: lists of a hash table, each changed only by the work-group that owns it. No locks. */
#include <err.h>
#include <gravel/server.h>
#include <stdio.h>

enum { N_KEYS = 65536, N_BUCKETS = 1024 }; /* of each process */

/* A call returns 0, or an error that gravel_last_error() explains. */
#define TRY(call) ((call) ? errx(1, "%s: %s", #call, gravel_last_error()) : (void)0)

static const char source[] =
    "#include \"gravel.cl.h\"\n"
    "/* The bucket is the key: messages to one bucket never run at once, so plain stores do. */\n"
    "void insert(struct gravel_call call, ulong bucket, ulong entry)\n"
    "{\n"
    "    global uint *heads = gravel_call_local(call, call.constants[0]);\n"
    "    global uint *nexts = gravel_call_local(call, call.constants[1]);\n"
    "    nexts[entry] = heads[bucket];\n"
    "    heads[bucket] = (uint)entry + 1; /* 0 ends a list */\n"
    "}\n"
    "kernel void build(GRAVEL_ARENA, global const uint *keys, uint n_buckets)\n"
    "{\n"
    "    GRAVEL_SERVER_OPEN(g);\n"
    "    GRAVEL_SERVE(g, item, active) {\n"
    "        ulong bucket = active ? keys[item] % n_buckets : 0;\n"
    "        gravel_am2_wg_if(g, active, GRAVEL_HANDLER(insert), bucket, item, gravel_node(g));\n"
    "    }\n"
    "}\n";

static cl_uint keys[N_KEYS], heads[N_BUCKETS], nexts[N_KEYS];

/* Every entry is in the list of its key's bucket, once. */
static cl_uint count_wrong(void)
{
    cl_uint n_found = 0, n_wrong = 0;
    for (cl_uint bucket = 0; bucket < N_BUCKETS; bucket++)
        for (cl_uint at = heads[bucket]; at && n_found <= N_KEYS; at = nexts[at - 1], n_found++)
            n_wrong += keys[at - 1] % N_BUCKETS != bucket;
    return n_wrong + (n_found != N_KEYS);
}

int main(void)
{
    const struct gravel_handler handler = {.name = "insert", .n_args = 2, .serve = {.n_keys = 1}};
    const struct gravel_bindings bindings =
        GRAVEL_BINDINGS(.handlers = &handler, .n_handlers = 1,
                        .device_code = {source, "server.cl", NULL});
    const cl_uint n_buckets = N_BUCKETS;
    struct gravel *gravel;
    cl_program program;
    uint64_t heads_at, nexts_at;
    cl_uint x = 1;
    for (cl_uint i = 0; i < N_KEYS; i++)
        keys[i] = x = x * 1664525 + 1013904223;
    TRY(gravel_open(&gravel, NULL, &bindings));
    cl_uint node = gravel_node(gravel);
    TRY(gravel_alloc(gravel, sizeof heads, &heads_at));
    TRY(gravel_alloc(gravel, sizeof nexts, &nexts_at));
    TRY(gravel_set_constant(gravel, 0, heads_at)); /* call.constants[0] on every node */
    TRY(gravel_set_constant(gravel, 1, nexts_at));
    TRY(gravel_server_build(gravel, "server.cl", source, NULL, &program));
    cl_kernel kernel = clCreateKernel(program, "build", NULL);
    cl_mem own = clCreateBuffer(gravel_cl_context(gravel), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                sizeof keys, keys, NULL);
    TRY(gravel_kernel_set_arena(gravel, kernel, 0));
    clSetKernelArg(kernel, 1, sizeof own, &own);
    clSetKernelArg(kernel, 2, sizeof n_buckets, &n_buckets);
    TRY(gravel_server_launch(gravel, kernel, N_KEYS, 0, NULL, NULL)); /* all have been inserted */
    TRY(gravel_get(gravel, heads_at, heads, sizeof heads, node));
    TRY(gravel_get(gravel, nexts_at, nexts, sizeof nexts, node));
    cl_uint n_wrong = count_wrong();
    printf("server: node %u, %u keys in %u lists, %s\n", node, N_KEYS, N_BUCKETS,
           n_wrong ? "WRONG" : "all right");
    clReleaseMemObject(own);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    TRY(gravel_close(gravel));
    return n_wrong != 0;
}
