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
    @param skipped   the reason why the block is not compiled.
    """
    def __init__(self, before="", after="", dots=(), inside="", handlers="", skipped=""):
        self.before, self.after, self.dots, self.inside = before, after, dots, inside
        self.handlers, self.skipped = handlers, skipped


INCLUDE = '#include "gravel.cl.h"\n'
KERNEL = INCLUDE + 'kernel void work(GRAVEL_ARENA, ulong base, global const uint *firsts, ' \
         'global const uint *targets, uint degree, uint block)\n' \
         '{\nGRAVEL_OPEN(g);\nuint first = firsts[get_global_id(0)], active = degree != 0;\n'
ITEM = INCLUDE + "#define index(i) (i)\n#define target(i) (i)\n#define node(i) ((i) % gravel_n_nodes(g))\n"
ITEM_KERNEL = ITEM + KERNEL.replace(INCLUDE, "")  # macros of such names follow the include
LAUNCHED = "1, &n_items, NULL, 0, NULL, NULL"
TRANSFER = """
void account_store(struct gravel_call call, ulong account, const ulong *words)
{
    ((global ulong *)gravel_call_local(call, call.constants[0]))[account / call.n_nodes] = words[0];
}
void transfer(struct gravel_call call, ulong *from, ulong *to, ulong amount)
{
    *from -= amount, *to += amount;
}
kernel void send(GRAVEL_ARENA, global const ulong *orders)
{
    GRAVEL_OPEN(g);
    uint active = 1;
    struct { ulong from, to, amount; } order = {orders[0], orders[1], orders[2]};
"""

CONTEXTS = {
    "int x = spawn fib(n - 1);": Context(skipped="Cilk, which C compilers have no longer"),

    # of the device
    "kernel void work(GRAVEL_ARENA, ulong base, ...)": Context(dots=("uint unused", "own[get_global_id(0)] = unused;")),
    "/* all go round as often as the longest needs */": Context(ITEM_KERNEL, "}", dots=("g, active", "")),
    "GRAVEL_FOR_WG(g, i, active, degree) {\n    uint v": Context(KERNEL.replace(", active = degree != 0", ""), "}"),
    "GRAVEL_FOR_SHARED_WG": Context(KERNEL, "}"),
    "GRAVEL_FBAR(f);": Context(ITEM_KERNEL.replace(", active = degree != 0", "").replace(INCLUDE, INCLUDE + '#include "subgroup.cl.h"\n') +
                               "uint n = degree;\n#ifdef GRAVEL_HAS_SUBGROUPS\n", "#endif\n}"),
    "void sample(struct gravel_call": Context(handlers='{.name = "sample", .n_args = 2}'),
    "kernel void sum_remote": Context('#include "gravel.cl.h"\n'),
    "kernel void offer(": Context('#include "gravel.cl.h"\n'),
    "ulong reserve(": Context('#include "gravel.cl.h"\n'),
    '.datum = "account"': Context('#include "gravel.cl.h"\n'),
    "#define GRAVEL_NODE_OF(key, n)":
        Context(dots=(TRANSFER,), after="}", handlers='{.name = "transfer", .n_args = 3, .serve = {'
                                                      '.n_keys = 2, .datum = "account", .datum_words = 1}}'),
    ".max_pending = n_edges":
        Context('#include "gravel.cl.h"\n' + "".join(
            "#define %s(call) ((global uint *)gravel_call_local(call, call.constants[%d]))\n" % (name, at)
            for at, name in enumerate(("IS_SEEN", "OFFSETS", "EDGES")))),
    "GRAVEL_STEAL_EACH": Context("static uint hash(uint node) { return node * 2654435761u; }\n"
                                 "#define child(node, i) (4 * (node) + (i) + 1)\n"),
    "void cell_task(":
        Context('#include "gravel.cl.h"\n#define N 4u\n', """
kernel void cell_flow(GRAVEL_ARENA, GRAVEL_FLOW)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS(f) {
        GRAVEL_NODE(f, cell) cell_task(f, f.active, gravel_read_cell_wi(f));
    }
}
kernel void make(GRAVEL_ARENA, GRAVEL_FLOW)
{
    GRAVEL_FLOW_PRODUCE(f);
    if (get_local_id(0) == 0)
        make_table(f);
}
""", dots=("",)),

    # of the host
    '"counting.cl", source': Context("uint64_t counters; size_t n_edges; cl_uint block;\n"),
    "const struct gravel_channel_graph graph":
        Context('typedef cl_uint uint;\n#include "fib.h"\nstruct gravel_flow *flow; const char *fib_cl; uint n, result;\n'),
    "return tallies_add(": Context("static struct tallies { uint64_t sums[4]; } tallies;\n"
                                   "int tallies_add(struct tallies *tallies, uint32_t source, uint64_t amount);\n",
                                   inside="gravel_open("),
    "static int show(": Context("#include <stdio.h>\nFILE *log_file;\n", inside="const struct gravel_bindings"),
    "static int load(": Context("#include <stdio.h>\nFILE *file;\n", inside="const struct gravel_handler"),
    "static int keep(": Context("#include <stdio.h>\nFILE *file;\n", inside="const struct gravel_stream"),
    "gravel_launch(gravel, ask, ...)": Context("cl_kernel ask, use;\n", dots=(LAUNCHED, LAUNCHED)),
    "gravel_server_build(gravel, ": Context("uint64_t n_buckets, heads, links;\n"),
    "gravel_accumulator_create(&counts":
        Context("struct gravel_accumulator *counts; uint64_t offset, block; size_t n_keys;\n"),
    "gravel_block_pool_create(&pool": Context("struct gravel_block_pool *pool;\n"),
    "gravel_mirror_create(&mirror": Context("uint64_t ranks; struct gravel_mirror *mirror;\n"),
    "gravel_launch(gravel, change, 1": Context("struct gravel_mirror *mirror; cl_kernel change, own;\n"),
    "gravel_rounds_create(&rounds":
        Context("struct gravel_rounds *rounds; struct gravel_rounds_ended ended; uint64_t labels; const char *text;\n", dots=("",)),
    "gravel_steal_create(&steal":
        Context("struct gravel_steal *steal; struct gravel_steal_stats stats; const cl_ulong *roots; uint32_t n_roots;\n"),
}
