/* SPDX-License-Identifier: MIT */
/*
 * Nodes and kernels that live as long as a test. See scope.h.
 */
#include "scope.h"

#include <string.h>

#define MOST 256u

static struct {
    struct gravel *gravel;
    int code; /* of its close */
    const char *part;
} nodes[MOST];
static cl_kernel kernels[MOST];
static cl_program programs[MOST];
static uint32_t n_nodes, n_kernels, n_programs;

static struct gravel *keep_node(struct gravel *gravel)
{
    MUST(n_nodes < MOST);
    nodes[n_nodes].code = 0;
    return nodes[n_nodes++].gravel = gravel;
}

static cl_kernel keep_kernel(cl_kernel kernel)
{
    MUST(n_kernels < MOST);
    return kernels[n_kernels++] = kernel;
}

struct gravel *scoped_node(const struct gravel_config *config,
                           const struct gravel_bindings *bindings)
{
    struct gravel *gravel;
    int code = gravel_open(&gravel, config, bindings);
    skip_if_refused(code);
    OK(code);
    return keep_node(gravel);
}

struct gravel *scoped_loopback(uint32_t n, const struct gravel_bindings *bindings)
{
    return keep_node(open_loopback(n, bindings));
}

void closes_with(const struct gravel *gravel, int code, const char *part)
{
    uint32_t i = 0;
    while (i < n_nodes && nodes[i].gravel != gravel)
        i++;
    MUST(i < n_nodes);
    nodes[i].code = code;
    nodes[i].part = part;
}

static void close_counted(uint32_t i)
{
    const int code = gravel_close(nodes[i].gravel);
    if (nodes[i].code == ANY_CODE)
        return;
    if (code != nodes[i].code || (code && !strstr(gravel_last_error(), nodes[i].part)))
        die(__FILE__, __LINE__, "gravel_close: %d, %s", code, gravel_last_error());
}

cl_kernel scoped_kernel(struct gravel *gravel, const char *source, const char *options,
                        const char *name)
{
    cl_program program = build_or_die(gravel, source, options);
    scoped_program(program);
    return scoped_program_kernel(gravel, program, name);
}

cl_kernel scoped_program_kernel(struct gravel *gravel, cl_program program, const char *name)
{
    return keep_kernel(kernel_or_die(gravel, program, name));
}

void scoped_program(cl_program program)
{
    MUST(n_programs < MOST);
    programs[n_programs++] = program;
}

cl_kernel scoped_body(struct gravel *gravel, const char *body, uint64_t a, uint64_t b, uint64_t c)
{
    return keep_kernel(body_kernel(gravel, body, (const uint64_t[3]){a, b, c}));
}

void set_offsets(cl_kernel kernel, uint32_t n, const uint64_t *offsets)
{
    for (uint32_t i = 0; i < n; i++)
        SET(kernel, 1 + i, offsets[i]);
}

void end_scope(bool has_passed)
{
    for (; has_passed && n_kernels; n_kernels--)
        clReleaseKernel(kernels[n_kernels - 1]);
    for (; has_passed && n_programs; n_programs--)
        clReleaseProgram(programs[n_programs - 1]);
    for (; has_passed && n_nodes; n_nodes--)
        close_counted(n_nodes - 1);
    n_kernels = n_programs = n_nodes = 0;
}
