# SPDX-License-Identifier: MIT
"""What the guide's blocks of C leave out: declarations before a block, what stands for its dots, the rest of a program.

A block is known by a text that it alone has, of all blocks. A block without an entry must be complete by itself.

Path: guide.py, which has the blocks -> this -> guide.py.
"""


class Context:
    """
    @param before    is put ahead of the block, and after behind it.
    @param dots      what stands for each `...` of the block, in their order.
    @param inside    of host code: from the line that begins so on, the block is inside a function; "" for all of it.
    @param handlers  of a device's program: initializers of struct gravel_handler, unless the block's comment has them.
    """
    def __init__(self, before="", after="", dots=(), inside="", handlers=""):
        self.before, self.after, self.dots, self.inside = before, after, dots, inside
        self.handlers = handlers


INCLUDE = '#include "gravel.cl.h"\n'
KERNEL = INCLUDE + 'kernel void work(GRAVEL_ARENA, ulong base, global const uint *firsts, ' \
         'global const uint *targets, uint degree, uint block)\n' \
         '{\nGRAVEL_OPEN(g);\nuint first = firsts[get_global_id(0)], active = degree != 0;\n'
LAUNCHED = "1, &n_items, NULL, 0, NULL, NULL"

CONTEXTS = {
    # of the device
    "GRAVEL_FOR_WG(g, i, active, degree) {\n    uint v": Context(KERNEL.replace(", active = degree != 0", ""), "}"),
    "GRAVEL_FOR_SHARED_WG": Context(KERNEL, "}"),
    "void sample(struct gravel_call": Context(handlers='{.name = "sample", .n_args = 2}'),
    "kernel void sum_remote": Context('#include "gravel.cl.h"\n'),
    '.datum = "account"': Context('#include "gravel.cl.h"\n'),

    # of the host
    '"counting.cl", source': Context("uint64_t counters; size_t n_edges; cl_uint block;\n"),
    'clCreateKernel(program, "assign", NULL)':
        Context("cl_context context; cl_device_id device; cl_command_queue queue; uint64_t sums, counts; cl_uint k;\n"
                "cl_mem sums_buffer, counts_buffer, points;\n"),
    "const struct gravel_channel_graph graph":
        Context('typedef cl_uint uint;\n#include "fib.h"\nstruct gravel_flow *flow; const char *fib_cl; uint n, result;\n'),
    "return tallies_add(": Context("static struct tallies { uint64_t sums[4]; } tallies;\n"
                                   "int tallies_add(struct tallies *tallies, uint32_t source, uint64_t amount);\n",
                                   inside="gravel_open("),
    "static int keep(": Context("#include <stdio.h>\nFILE *file;\n", inside="const struct gravel_stream"),
    "gravel_launch(gravel, ask, ...)": Context("cl_kernel ask, use;\n", dots=(LAUNCHED, LAUNCHED)),
    "gravel_mirror_create(&mirror": Context("uint64_t ranks; struct gravel_mirror *mirror;\n"),
    "gravel_launch(gravel, change, 1": Context("struct gravel_mirror *mirror; cl_kernel change, own;\n"),
    "gravel_rounds_create(&rounds":
        Context("struct gravel_rounds *rounds; struct gravel_rounds_ended ended; uint64_t levels; const char *text;\n", dots=("",)),
    "gravel_steal_create(&steal":
        Context("struct gravel_steal *steal; struct gravel_steal_stats stats; const cl_ulong *roots; uint32_t n_roots;\n"),
}
