# SPDX-License-Identifier: MIT
"""What the guide's blocks of C leave out: declarations before a block, the rest of a program.

A block is known by a text that it alone has, of all blocks. A block without an entry must be complete by itself.

Path: guide.py, which has the blocks -> this -> guide.py.
"""


class Context:
    """
    @param before    is put ahead of the block, and after behind it.
    @param handlers  of a device's program: initializers of struct gravel_handler, unless the block's comment has them.
    """
    def __init__(self, before="", after="", handlers=""):
        self.before, self.after, self.handlers = before, after, handlers


KERNEL = '#include "gravel.cl.h"\nkernel void work(GRAVEL_ARENA, ulong base, global const uint *targets, uint degree, uint block)\n' \
         '{\nGRAVEL_OPEN(g);\nuint first = (uint)get_global_id(0);\n'

CONTEXTS = {
    # of the device
    "GRAVEL_FOR_WG(g, i, active, degree) {\n    uint v": Context(KERNEL, "}"),
    "void sample(struct gravel_call": Context(handlers='{.name = "sample", .n_args = 2}'),

    # of the host
    '"counting.cl", source': Context("uint64_t counters; size_t n_edges; cl_uint block;\n"),
    "const struct gravel_channel_graph graph":
        Context('typedef cl_uint uint;\n#include "fib.h"\nstruct gravel_flow *flow; const char *fib_cl; uint n, result;\n'),
}
