/* SPDX-License-Identifier: MIT */
/*
 * gravel.hpp: every class does what its C calls do, errors are exceptions with code and text, what is closed refuses
 * calls, destructors throw nothing, and an exception gives the node up.
 *
 * Path:    run.sh, which compiles this -> gravel.hpp -> the library, as one node, loop-back nodes or ranks.
 * Exit:    0; 1 with file and line of what does not hold.
 */
#include <gravel/accumulator.h>
#include <gravel/steal.h>

/* What gravel.hpp destroys, in its order; and how many deques it makes. */
static struct {
    int n_deques, n_accumulators;
    const void *last;
} destroyed;
static int n_made;
int count_made(gravel_steal **deques, gravel *node, const gravel_steal_options *options)
{
    const int code = gravel_steal_create(deques, node, options);
    n_made += code == 0;
    return code;
}
int count_deques(gravel_steal *deques)
{
    destroyed.n_deques++;
    destroyed.last = deques;
    return gravel_steal_destroy(deques);
}
int count_accumulators(gravel_accumulator *accumulator)
{
    destroyed.n_accumulators++;
    destroyed.last = accumulator;
    return gravel_accumulator_destroy(accumulator);
}
#define gravel_steal_create count_made
#define gravel_steal_destroy count_deques
#define gravel_accumulator_destroy count_accumulators
#include <gravel/gravel.hpp>
#ifdef HAS_GRAPH
#include <gravel/graph.hpp>
#endif
#undef gravel_steal_create
#undef gravel_steal_destroy
#undef gravel_accumulator_destroy

#include <sys/wait.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <new>

/* Of one allocation by this thread; the one that fails, from 1, or 0. */
static thread_local size_t most_bytes;
static thread_local unsigned failing;

void *operator new(size_t bytes)
{
    if (failing && --failing == 0)
        throw std::bad_alloc();
    most_bytes = std::max(most_bytes, bytes);
    if (void *memory = std::malloc(bytes))
        return memory;
    throw std::bad_alloc();
}
void operator delete(void *memory) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, size_t) noexcept
{
    std::free(memory);
}

static int n_wrong;
static uint32_t rank_now;

static void report_wrong(int line, const std::string &what)
{
    std::cerr << __FILE__ << ':' << line << ": node " << rank_now << ": " << what << '\n';
    n_wrong++;
}

#define EXPECT(what)                                                                               \
    do {                                                                                           \
        if (!(what))                                                                               \
            report_wrong(__LINE__, #what);                                                         \
    } while (0)

/* Code and text of what is thrown. */
#define EXPECT_ERROR(expected, text, ...)                                                          \
    do {                                                                                           \
        try {                                                                                      \
            __VA_ARGS__;                                                                           \
            report_wrong(__LINE__, "nothing is thrown: " #__VA_ARGS__);                            \
        } catch (const gvl::error &thrown) {                                                       \
            if (thrown.code() != (expected) || !std::strstr(thrown.what(), text))                  \
                report_wrong(__LINE__, std::to_string(thrown.code()) + ": " + thrown.what());      \
        }                                                                                          \
    } while (0)

static const char source[] = R"(#include "gravel.cl.h"
kernel void count(GRAVEL_ARENA, ulong bins, uint n)
{
    GRAVEL_OPEN(g);
    uint key = (uint)get_global_id(0) % n, nodes = gravel_n_nodes(g);
    gravel_inc_uint_wg(g, bins, key / nodes, key % nodes);
}
kernel void twice(global const float *in, global float *out, local float *room, float2 factors)
{
    uint i = get_global_id(0);
    room[get_local_id(0)] = in[i];
    out[i] = room[get_local_id(0)] * factors.x * factors.y;
}
)";

static std::string text_of(const std::string &name)
{
    std::ifstream file(KERNELS + name + ".cl");
    return {std::istreambuf_iterator<char>(file), {}};
}

static size_t n_local(const gvl::node &node)
{
    size_t n = 0;
    for (uint32_t i = 0; i < node.size(); i++)
        n += node.is_local(i);
    return n;
}

static uint64_t sum_of(gvl::node &node, const gvl::array<cl_uint> &words)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < node.size(); i++)
        for (cl_uint word : words.get(i))
            sum += word;
    node.barrier();
    return sum;
}

static void test_launch(gvl::node &node)
{
    const size_t n_items = 4096 * n_local(node);
    const gvl::program program(node, source, "count.cl");
    const gvl::kernel count(program, "count");
    gvl::array<cl_uint> bins(node, 64, "bins");
    const cl_uint n = 64 * node.size();
    node.launch(count, n_items, 64, gvl::arena, bins, n);
    node.barrier();
    EXPECT(sum_of(node, bins) == uint64_t{4096} * node.size());
    EXPECT(bins.read().size() == 64 && bins.read()[0] == 4096 / 64);
    gvl::array<cl_uint> again(node, 64);
    count.set_all(gvl::arena, again, n);
    node.launch(count, n_items, 64);
    node.barrier();
    EXPECT(sum_of(node, again) == uint64_t{4096} * node.size() && count.name() == "count");
    EXPECT(node.stats().messages >= n_items && node.step().size() >= 3 && node.group_size() > 0);
    uint64_t n_sent = 0;
    for (uint32_t i = 0; i < node.size(); i++)
        n_sent += node.stats(i).sent_messages;
    EXPECT(n_sent == node.stats().sent_messages && n_sent >= n_items);
    node.reset_stats();
    EXPECT(node.stats().messages == 0);

    EXPECT_ERROR(GRAVEL_EINVAL, "count has 3 arguments, given are 2", node.launch(count, 64, 64, gvl::arena, bins));
    EXPECT_ERROR(GRAVEL_EINVAL, "count: argument 2 is uint n of 4 bytes, not a value of 8 bytes",
                 node.launch(count, 64, 64, gvl::arena, bins, cl_ulong(1)));
    EXPECT_ERROR(GRAVEL_EINVAL, "dimensions", node.launch(count, gvl::sizes(64, 2), 64));
    EXPECT_ERROR(GRAVEL_ECL, "clCreateKernel of cuont", gvl::kernel(program, "cuont"));
    EXPECT_ERROR(GRAVEL_EBUILD, "wrong.cl",
                 gvl::program(node, "#include \"gravel.cl.h\"\nkernel void wrong() { x; }", "wrong.cl"));
    EXPECT_ERROR(GRAVEL_ESYSTEM, "/no/such.cl", gvl::program::file(node, "/no/such.cl"));

    const gvl::kernel twice(program, "twice");
    gvl::kernel moved = gvl::kernel(program, "twice");
    const std::vector<float> in(64, 3.0f);
    std::vector<float> out(64);
    cl_mem buffer = clCreateBuffer(node.context(), CL_MEM_COPY_HOST_PTR, 256, const_cast<float *>(in.data()), nullptr);
    cl_mem other = clCreateBuffer(node.context(), CL_MEM_READ_WRITE, 256, nullptr, nullptr);
    node.launch(moved, 64, 64, buffer, other, gvl::local_memory{256}, cl_float2{{2.0f, 5.0f}});
    clEnqueueReadBuffer(node.queue(), other, CL_TRUE, 0, 256, out.data(), 0, nullptr, nullptr);
    EXPECT(out[63] == 30.0f);
    clReleaseMemObject(buffer);
    clReleaseMemObject(other);
    moved = gvl::kernel(gvl::program(node, source), "count");
    EXPECT(moved.name() == "count");
    bins.free();
    EXPECT_ERROR(GRAVEL_EINVAL, "freed", node.launch(count, 64, 64, gvl::arena, bins, n));
    EXPECT_ERROR(GRAVEL_EINVAL, "freed", bins.read());
    EXPECT_ERROR(GRAVEL_EINVAL, "freed", bins.free());
    bins = std::move(again);
    EXPECT(sum_of(node, bins) == uint64_t{4096} * node.size());
    EXPECT_ERROR(GRAVEL_EINVAL, "moved", again.read());
}

static void test_words(gvl::node &node)
{
    const uint32_t next = (node.rank() + 1) % node.size();
    gvl::array<double> reals(node, 100);
    gvl::array<cl_long> longs(node, 10);
    for (uint32_t i = 0; i < node.size(); i++) {
        if (!node.is_local(i))
            continue;
        auto all = reals.overwrite(i);
        for (size_t k = 0; k < all.size(); k++)
            all[k] = static_cast<double>(k);
        all.unmap();
        EXPECT_ERROR(GRAVEL_EINVAL, "unmapped", all.unmap());
        reals.fill(-1.0, i, 90);
    }
    const std::array<cl_uint, 2> filled{7, 8};
    gvl::array<std::array<cl_uint, 2>> records(node, 9);
    records.fill(filled);
    for (cl_uint i = 0; i < node.size(); i++) {
        if (!node.is_local(i))
            continue;
        for (const std::array<cl_uint, 2> &record : records.read(i))
            EXPECT(record == filled);
    }
    const uint64_t n_shared = node.share(1001).second;
    const bool has_all = node.is_local(node.size() - 1) && node.is_local(0);
    EXPECT(has_all ? n_shared == 1001 : node.reduce(GRAVEL_ADD, n_shared) == 1001);
    node.barrier();
    EXPECT(reals.bytes() == 100 * sizeof(double));
    EXPECT(reals.get(next, 89, 2) == (std::vector<double>{89.0, -1.0}));
    const gvl::heap_part part = reals.part();
    EXPECT(!part.buffer != !part.pointer && part.first % 64 == 0);
    EXPECT(part.buffer || part.pointer == reals.read().data());
    EXPECT_ERROR(GRAVEL_ERANGE, "does not live", reals.part(node.size()));
    reals.modify(node.rank(), 5, 1)[0] += 0.5;
    EXPECT(reals.read(node.rank(), 5, 1)[0] == 5.5);
    longs.inc(3, next);
    node.fence();
    longs.update(GRAVEL_ADD, 3, -8, next);
    longs.put({1, 2}, next, 8);
    records.put({{3, 4}}, next, 8);
    node.barrier();
    EXPECT(records.get(next, 7)[0] == filled && records.get(next, 8)[0][1] == 4);
    EXPECT(longs.get(next, 3, 1)[0] == -7 && longs.get(next, 9)[0] == 2);
    EXPECT(node.reduce(GRAVEL_ADD, 1.5f) == 1.5f * static_cast<float>(node.size() / n_local(node)));
    cl_uint both[2] = {1, node.rank()};
    node.reduce(GRAVEL_MAX, both, 2);
    EXPECT(both[0] == 1 && both[1] == node.size() / n_local(node) - 1);
    gvl::array<cl_uint> counters(node, 2), many(node, 100000);
    for (uint32_t i = 0; i < node.size(); i++)
        if (node.is_local(i))
            counters.update(GRAVEL_ADD, 1, 3, i);
    const gvl::counted counted = node.barrier_sum(counters);
    EXPECT(counted.own == (std::vector<uint64_t>{0, 3}) &&
           counted.sums == (std::vector<uint64_t>{0, uint64_t{3} * node.size()}));
    EXPECT(counters.get(node.rank()) == (std::vector<cl_uint>{0, 0}));
    most_bytes = 0;
    EXPECT_ERROR(GRAVEL_EINVAL, "100000 counters", node.barrier_sum(many));
    EXPECT(most_bytes < many.size());
    EXPECT_ERROR(GRAVEL_ERANGE, "2 elements from 9 of an array of 10", longs.put({1, 2}, next, 9));
    EXPECT_ERROR(GRAVEL_ERANGE, "1 elements from 10", longs.inc(10, next));
    EXPECT_ERROR(GRAVEL_ERANGE, "0", longs.get(next, 11));
    EXPECT_ERROR(GRAVEL_EINVAL, "elements", gvl::array<cl_long>(node, ~size_t{0}));
    gvl::array<cl_long> moved(std::move(longs));
    EXPECT_ERROR(GRAVEL_EINVAL, "moved", longs.offset());
    EXPECT(moved.size() == 10);
    std::vector<gvl::array<cl_long>> several;
    several.emplace_back(node, 1);
    several.push_back(std::move(moved));
    several.erase(several.begin());
    EXPECT(several[0].get(next, 9)[0] == 2);
    auto view = several[0].read();
    view = several[0].read(node.rank(), 9, 1); /* the first is unmapped */
    EXPECT(view.size() == 1);
}

static void test_accumulator(gvl::node &node)
{
    const gvl::program program = gvl::program::file(node, KERNELS "objects.cl");
    const gvl::kernel add(program, "count");
    gvl::array<cl_uint> sums(node, 16);
    gvl::accumulator accumulator(node, sums, GRAVEL_ADD);
    node.launch(add, 1024 * n_local(node), 64, gvl::arena, accumulator, cl_uint(16), cl_uint(1));
    accumulator.begin();
    accumulator.reset();
    node.launch(add, 1024 * n_local(node), 64, gvl::arena, accumulator, cl_uint(16), cl_uint(1));
    accumulator.flush();
    node.barrier();
    EXPECT(sum_of(node, sums) == uint64_t{2048} * node.size());
    accumulator.destroy();
    EXPECT_ERROR(GRAVEL_EINVAL, "destroyed", accumulator.flush());

    /* It stays after what a kernel did wrong, and after words that wait. */
    gvl::accumulator refused(node, sums, GRAVEL_ADD);
    node.launch(add, 1024 * n_local(node), 64, gvl::arena, refused, cl_uint(17), cl_uint(1));
    EXPECT_ERROR(GRAVEL_ERANGE, "index 16", refused.destroy());
    refused.flush();
    refused.destroy();
    EXPECT_ERROR(GRAVEL_EINVAL, "destroyed", refused.destroy());

    const gvl::kernel weigh(program, "weigh");
    gvl::array<cl_long> fixed(node, 1);
    gvl::accumulator weights(node, fixed, GRAVEL_ADD);
    node.launch(weigh, 1024 * n_local(node), 64, gvl::arena, weights, cl_float(0.1f), cl_uint(20));
    node.barrier();
    EXPECT(fixed.get(0)[0] == 1024 * 104858); /* 0.1 * 2^20 is 104857.6 */
    node.launch(weigh, 1, 1, gvl::arena, weights, cl_float(4), cl_uint(61));
    EXPECT_ERROR(GRAVEL_ERANGE, "value out of range", weights.flush());
    weights.destroy();
}

static void test_block_pool(gvl::node &node)
{
    const size_t n_items = 64;
    const gvl::program program = gvl::program::file(node, KERNELS "objects.cl");
    const gvl::kernel publish(program, "publish");
    gvl::array<cl_ulong> blocks(node, n_items);
    gvl::block_pool pool(node, 64, 48);
    node.launch(publish, n_items, 64, gvl::arena, pool, blocks);
    node.barrier();
    size_t n_found = 0;
    for (cl_ulong block : blocks.read())
        n_found += block != 0 && block != ~cl_ulong{0};
    const gravel_block_pool_stats stats = pool.stats();
    EXPECT(stats.n_blocks == 48 && stats.n_used == 48 && stats.n_failed == 16);
    EXPECT(n_found == 48);
    EXPECT_ERROR(GRAVEL_EINVAL, "block", gvl::block_pool(node, 63, 48));
    gvl::block_pool moved(std::move(pool));
    EXPECT_ERROR(GRAVEL_EINVAL, "moved", pool.offset());
    pool = std::move(moved);
    EXPECT_ERROR(GRAVEL_EINVAL, "moved", moved.offset());
    moved = std::move(pool);
    moved.destroy();
    EXPECT_ERROR(GRAVEL_EINVAL, "destroyed", node.launch(publish, 64, 64, gvl::arena, moved, blocks));
}

static void test_mirror(gvl::node &node)
{
    if (n_local(node) > 1)
        return; /* words of other nodes are not made by loop-back nodes */
    gvl::array<cl_uint> ranks(node, 4);
    ranks.fill(node.rank() + 1, node.rank());
    node.barrier();
    gvl::mirror mirror(node, ranks, std::vector<uint64_t>(node.size(), 1), std::vector<uint32_t>(node.size(), 2));
    mirror.share();
    std::vector<cl_uint> copies(node.size());
    gvl::check(gravel_get(node.get(), mirror.offset(), copies.data(), copies.size() * sizeof(cl_uint), node.rank()));
    for (uint32_t i = 0; i < node.size(); i++)
        EXPECT(copies[i] == i + 1);
    const gvl::program program = gvl::program::file(node, KERNELS "objects.cl");
    const gvl::kernel read(program, "read");
    gvl::array<cl_uint> seen(node, node.size());
    node.launch(read, node.size(), gvl::sizes(), gvl::arena, mirror, seen);
    node.barrier();
    EXPECT(seen.get(node.rank()) == copies);
    gvl::mirror slots(node, GRAVEL_ADD, ranks, std::vector<uint64_t>(node.size(), 0), {});
    slots.begin();
    slots.end();
    EXPECT_ERROR(GRAVEL_EINVAL, "a plan has", gvl::mirror(node, ranks, {}, {}));
    mirror.destroy();
    EXPECT_ERROR(GRAVEL_EINVAL, "destroyed", mirror.begin());
    EXPECT_ERROR(GRAVEL_EINVAL, "destroyed", node.launch(read, 1, 1, gvl::arena, mirror, seen));
    EXPECT_ERROR(GRAVEL_EINVAL, "destroyed", mirror.offset());
    /* `slots` is destroyed by the node's close */
}

struct fib {
    cl_uint n;
    gravel_slot to;
};
struct sum {
    cl_uint x, y;
    gravel_slot to;
};
static void test_flow(gvl::node &node)
{
    const gravel_edge edges[] = {{"fib", 2}, {"sum", 1}};
    const std::vector<gravel_channel> channels = {{"fib", sizeof(fib), GRAVEL_SPAWN, 0, 2, edges},
                                                  {"sum", sizeof(sum), GRAVEL_AFTER, 0, 0, nullptr}};
    gvl::flow flow(node, gvl::channel_graph(channels, 11));
    flow.build(text_of("fib"), "fibonacci", "fib.cl");
    EXPECT(flow.run<cl_uint>("fib", fib{10, 0}, offsetof(fib, to)) == 55);
    EXPECT(flow.stats().elements > 100);
    flow.reset_stats();
    EXPECT(flow.stats().elements == 0);
    EXPECT_ERROR(GRAVEL_EINVAL, "fib have 8 bytes, not 12", flow.push("fib", std::vector<sum>(1)));
    gvl::flow dropped(node, gvl::channel_graph(channels, 3));
    gvl::flow moved(std::move(dropped));
    EXPECT_ERROR(GRAVEL_EINVAL, "moved", dropped.run());
    dropped = std::move(flow);
    EXPECT(dropped.run<cl_uint>("fib", fib{9, 0}, offsetof(fib, to)) == 34);
    flow = std::move(dropped);
    flow.destroy();
    EXPECT_ERROR(GRAVEL_EINVAL, "destroyed", flow.run());
}

struct item {
    cl_uint value;
};
static const char items_source[] = R"(#include "gravel.cl.h"
struct item { uint value; };
struct done { uint value; };
GRAVEL_RECORD(item)
GRAVEL_RECORD(done)
kernel void given(GRAVEL_ARENA, GRAVEL_FLOW, ulong words, ulong copies, ulong pool, global uint *due, local uint *values)
{
    GRAVEL_FLOW_OPEN(f);
    GRAVEL_ROUNDS(f) {
        GRAVEL_NODE(f, item) {
            struct item task = gravel_read_item_wi(f);
            const uint are_right = words == due[0] && copies == due[1] && pool == due[2];
            values[get_local_id(0)] = are_right * task.value;
            gravel_push_done_wg_if(f, f.active, (struct done){values[get_local_id(0)]});
        }
    }
}
kernel void make(GRAVEL_ARENA, GRAVEL_FLOW)
{
    GRAVEL_FLOW_PRODUCE(f);
    gravel_push_item_wg_if(f, true, (struct item){get_global_id(0)});
}
)";

struct wide {
    cl_double at;
    cl_char letter;
};
#pragma pack(push, 1)
struct packed {
    cl_double at;
    cl_char letter;
};
#pragma pack(pop)

/* Tests what a driver reads behind, or takes for an address. */
static void test_arguments(gvl::node &node) {
    gvl::program program(node, "#include \"gravel.cl.h\"\n#include \"accumulator.cl.h\"\ntypedef uint node_id;\n"
                               "struct wide { ulong at; char letter; };\n"
                               "kernel void take(GRAVEL_ARENA, global const uint *in, node_id to, struct wide w,\n"
                               "                 local uint *shared, GRAVEL_ACCUMULATOR(a)) {}\n");
    const gvl::kernel take(program, "take");
    gvl::array<cl_uint> words(node, 4);
    EXPECT_ERROR(GRAVEL_EINVAL, "take: argument 0 is struct gravelp_arena* gravel_arena_, not an off", take.set(0, words));
    EXPECT_ERROR(GRAVEL_EINVAL, "take: argument 1 is uint* in, not an offset in the heap", take.set(1, words));
    EXPECT_ERROR(GRAVEL_EINVAL, "take: argument 1 is uint* in, not gvl::arena", take.set(1, gvl::arena));
    EXPECT_ERROR(GRAVEL_EINVAL, "take: argument 2 is uint to of 4 bytes, not a value of 1 b", take.set(2, cl_uchar(5)));
    EXPECT_ERROR(GRAVEL_EINVAL, "take: argument 3 is struct wide w of 16 bytes, not a value of 9", take.set(3, packed()));
    EXPECT_ERROR(GRAVEL_EINVAL, "take: argument 4 is uint* shared, not a cl_mem", take.set(4, cl_mem()));
    EXPECT_ERROR(GRAVEL_EINVAL, "gravelp_accumulator* a, not a value of 8 bytes", take.set(5, cl_ulong(1)));
    EXPECT_ERROR(GRAVEL_EINVAL, "take: argument 6 (6 arguments, from 0)", take.set(6, cl_ulong(1)));
    take.set(0, gvl::arena);
    take.set(2, cl_uint(5));
    take.set(3, wide());
    take.set(4, gvl::local_memory{64});
    words.free();
}

/* Tests what a flow is given, pushed, posted and produced. */
static void test_flow_arguments(gvl::node &node)
{
    const gravel_edge into[] = {{"done", 1}};
    const std::vector<gravel_channel> channels = {{"item", sizeof(item), GRAVEL_STREAM, 1024, 1, into},
                                                  {"done", sizeof(item), GRAVEL_OUTPUT, 1024, 0, nullptr}};
    gvl::array<cl_uint> words(node, 4);
    gvl::mirror copies(node, words, std::vector<uint64_t>(node.size(), 1), std::vector<uint32_t>(node.size(), 2));
    gvl::block_pool pool(node, 64, 48);
    cl_uint due[] = {static_cast<cl_uint>(words.offset()), static_cast<cl_uint>(copies.offset()),
                     static_cast<cl_uint>(pool.offset())};
    const cl_mem buffer = clCreateBuffer(node.context(), CL_MEM_COPY_HOST_PTR, sizeof due, due, nullptr);
    gvl::flow flow(node, gvl::channel_graph(channels));
    flow.build(items_source, "given");
    flow.set(2, words);
    flow.set(3, copies);
    flow.set(4, pool);
    flow.set(5, buffer);
    flow.set(6, gvl::local_memory{256 * sizeof(cl_uint)});
    flow.push("item", std::vector<item>{{5}, {6}});
    flow.run();
    flow.post("item", std::vector<item>{{7}});
    flow.start();
    flow.wait();
    const gvl::kernel make = flow.kernel("make");
    flow.produce(make, 256, {{"item", 1}});
    flow.run();
    cl_uint sum = 0;
    size_t n = 0;
    for (std::vector<item> some = flow.take<item>("done", 100); !some.empty(); some = flow.take<item>("done", 100))
        for (item each : some)
            sum += each.value, n++;
    EXPECT(n == 259 && sum == 5 + 6 + 7 + 255 * 128);
    EXPECT(flow.stats("item").width >= 1024 && flow.stats("item").peak == 256);
    EXPECT_ERROR(GRAVEL_EINVAL, "'items'", flow.stats("items"));
    EXPECT_ERROR(GRAVEL_EINVAL, "given: argument 4 is ulong", flow.set(4, cl_uint(1)));
    EXPECT_ERROR(GRAVEL_EINVAL, "given: argument 5 is uint*", flow.set(5, pool));
    pool.destroy();
    EXPECT_ERROR(GRAVEL_EINVAL, "destroyed", flow.set(4, pool));
    copies.destroy();
    EXPECT_ERROR(GRAVEL_EINVAL, "destroyed", flow.set(3, copies));
    flow.destroy();
    clReleaseMemObject(buffer);
}

static void test_rounds(gvl::node &node)
{
    gvl::array<cl_uint> words(node, 4);
    gvl::rounds rounds(node, text_of("rounds"), "steps", "rounds.cl", "", 32, 2);
    rounds.kernel().set(2, words);
    rounds.kernel().set(3, cl_uint(2));
    const gravel_rounds_ended ended = rounds.run(GRAVEL_UNTIL_ZERO);
    EXPECT(ended.n_rounds == 3 && ended.sum == 0);
    const cl_uint n = node.size() / static_cast<cl_uint>(n_local(node));
    EXPECT(rounds.run(GRAVEL_UNTIL_MOST, 1).sum == n && rounds.stats().rounds == 4);
    EXPECT(words.get(node.rank()) == (std::vector<cl_uint>{2 * n, n, 0, 0}));
    EXPECT_ERROR(GRAVEL_EINVAL, "steps: argument 3 is uint n", rounds.kernel().set(3, cl_ulong(1)));
    EXPECT_ERROR(GRAVEL_EINVAL, "until", rounds.run(7));
    rounds.destroy();
    EXPECT_ERROR(GRAVEL_EINVAL, "destroyed", rounds.run(GRAVEL_UNTIL_ZERO));
}

#ifdef HAS_GRAPH
/* Node 0 gives all edges: a path 0 to 5 whose edge 2 to 3 weighs 5, a loop, and a vertex alone, 6. */
static void test_graph(gvl::node &node)
{
    if (n_local(node) > 1)
        return; /* the first has all results */
    const bool gives = node.rank() == 0;
    const std::vector<uint32_t> from = gives ? std::vector<uint32_t>{0, 1, 2, 3, 4, 5} : std::vector<uint32_t>{},
                                to = gives ? std::vector<uint32_t>{1, 2, 3, 4, 5, 5} : std::vector<uint32_t>{};
    const std::vector<float> weights = gives ? std::vector<float>{1, 1, 5, 1, 1, 1} : std::vector<float>{};
    gvl::graph plain(node, 7, from, to, true), weighted(node, 7, from, to, weights);
    const gravel_graph_facts facts = plain.facts();
    const auto levels = plain.bfs(0);
    const auto parents = plain.bfs_parents(0), labels = plain.components();
    const auto distances = weighted.sssp<float>(0);
    const auto ranks = plain.pagerank<float>();
    const auto colors = plain.color();
    const auto between = plain.betweenness();
    uint64_t n_components = 0, n_triangles = 1;
    plain.components(&n_components);
    plain.triangles(&n_triangles);
    EXPECT(n_components == 2 && n_triangles == 0 && facts.n_vertices == 7 && levels.size() == facts.n);
    for (uint64_t i = 0; i < facts.n; i++) {
        const uint64_t v = facts.first + i;
        EXPECT(levels[i] == (v < 6 ? v : GRAVEL_GRAPH_FAR) && labels[i] == (v < 6 ? 0 : 6));
        EXPECT(parents[i] == (v == 6 ? GRAVEL_GRAPH_NONE : v ? v - 1 : 0));
        EXPECT(v == 6 || distances[i] == float(v + (v > 2) * 4));
        EXPECT(ranks[i] > 0 && colors[i] < 3 && (between[i] > 0) == (v > 0 && v < 5));
    }
    uint64_t n_in = 0;
    EXPECT(weighted.forest(&n_in).size() == from.size() && n_in == 5);
    EXPECT_ERROR(GRAVEL_EINVAL, "", weighted.sssp(0)); /* of another type */
    size_t n_reports = 0;
    gvl::graph watched(node, 7, from, to, true, [&](const char *, uint64_t n_done, uint64_t) {
        if (n_done == 2 && ++n_reports == 2) /* behind that of create */
            throw std::out_of_range("two rounds are enough");
    });
    try {
        watched.bfs(0);
        EXPECT(!"progress ends it");
    } catch (const std::out_of_range &thrown) {
        EXPECT(std::string(thrown.what()) == "two rounds are enough");
    }
    EXPECT(watched.color() == colors);
    plain.destroy();
    EXPECT_ERROR(GRAVEL_EINVAL, "", plain.bfs(0));
}
#endif

static void test_deques(gvl::node &node)
{
    const gvl::program program = gvl::program::file(node, KERNELS "halve.cl");
    const gvl::kernel halve(program, "halve");
    cl_uint n = 0;
    cl_mem n_tasks = clCreateBuffer(node.context(), CL_MEM_COPY_HOST_PTR, sizeof n, &n, nullptr);
    halve.set(1, n_tasks);
    halve.set(2, cl_uint(1));
    {
        gvl::deques tree(node, 8, 4096, 64, 3);
        tree.fill(std::vector<cl_ulong>(1, 64));
        tree.launch(halve);
        tree.wait();
        clEnqueueReadBuffer(node.queue(), n_tasks, CL_TRUE, 0, sizeof n, &n, 0, nullptr, nullptr);
        EXPECT(n == 127 && tree.stats().done == 127 && tree.stats().left == 0);
        uint64_t n_done = 0;
        for (uint32_t i = 0; i < tree.n_groups(); i++)
            n_done += tree.stats(i).done;
        EXPECT(n_done == 127);
        tree.reset_stats();
        EXPECT(tree.stats().done == 0);
        destroyed.n_deques = 0;
    }
    EXPECT(destroyed.n_deques == 1);
    clReleaseMemObject(n_tasks);
    gvl::deques deques(node, 8, 64, 0, 3);
    deques.fill(std::vector<cl_ulong>(10, 1));
    EXPECT(deques.stats().left == 10 && deques.n_groups() == 3);
    EXPECT_ERROR(GRAVEL_EINVAL, "tasks have 8 bytes, not 4", deques.fill(std::vector<cl_uint>(1)));
    deques.wait();
    destroyed = {};
    deques = gvl::deques(node, 4, 64, 0, 3);
    EXPECT(destroyed.n_deques == 1);
    deques.fill(std::vector<cl_uint>(10, 1));

    /* Without memory for what is next to them no deques are made, or they are destroyed. */
    bool is_made = false;
    for (unsigned nth = 1; !is_made; nth++) {
        n_made = destroyed.n_deques = 0;
        failing = nth;
        try {
            gvl::deques few(node, 8, 64, 0, 3);
            is_made = true;
        } catch (const std::bad_alloc &) {
            EXPECT(n_made == destroyed.n_deques);
        }
        failing = 0;
    }
}

/* A handler that the device runs, of a file, for servers and for other nodes; options that give a queue. */
static void test_server(gvl::options options)
{
    gravel_handler row{};
    row.name = "insert";
    row.n_args = 2;
    row.serve.n_keys = 1;
    EXPECT_ERROR(GRAVEL_ESYSTEM, "/no/such.cl", options.device_code_file("/no/such.cl"));
    options.handler(row).device_code_file(KERNELS "serve.cl").set("build_options", "-DSCALE=2");
    gvl::node node(options);
    gvl::array<cl_uint> sums(node, 32);
    node.set_constant(0, sums.offset());
    const gvl::program program = gvl::program::server(node, text_of("serve"), "server.cl");
    const gvl::kernel serve(program, "serve");
    node.launch_server(serve, 3200, gvl::arena, cl_uint(32), cl_uint(1));
    node.am("insert", {31, 7}, node.rank());
    node.barrier();
    const auto mine = sums.read();
    EXPECT(mine[0] == 100 * 2 * 2 && mine[31] == 100 * 2 * 2 + 7 * 2);
    EXPECT_ERROR(GRAVEL_EBUILD, "", gvl::node(gvl::options(options).device_code("void insert() {}")));
    gvl::options other;
    other.set("heap_bytes", "16M").queue(node.queue());
    if (n_local(node) == node.size()) {
        gvl::node second(other);
        EXPECT(second.queue() == node.queue());
        second = gvl::node(other); /* the first is closed */
        second.barrier();
    }
    EXPECT_ERROR(GRAVEL_ECL, "queue", other.queue(nullptr));
}

static void test_closed(gvl::options &options)
{
    gvl::node node(options);
    gvl::array<cl_uint> words(node, 8);
    gvl::array<cl_uint> freed(node, 8);
    gvl::program program(node, source);
    gvl::kernel count(program, "count");
    gvl::accumulator waits(node, words, GRAVEL_ADD);
    const gravel_channel channel = {"fib", 8, GRAVEL_SPAWN, 0, 0, nullptr};
    gvl::flow flow(node, gvl::channel_graph({channel}, 2));
    words.fill(7, node.rank());
    auto view = words.read();
    gvl::deques deques(node);
    destroyed = {};
    gvl::node moved(std::move(node));
    EXPECT_ERROR(GRAVEL_EINVAL, "moved", node.barrier());
    EXPECT_ERROR(GRAVEL_EINVAL, "moved", node.close());
    moved.close();
    EXPECT(destroyed.n_deques == 1 && destroyed.n_accumulators == 1);
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", moved.barrier());
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", moved.rank());
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", moved.close());
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", moved.launch(count, 64, 64, gvl::arena, words, cl_uint(1)));
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", count.set(2, cl_uint(1)));
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", gvl::array<cl_uint>(moved, 8));
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", gvl::program(moved, source));
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", gvl::kernel(program, "count"));
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", words.read());
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", words.free());
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", waits.destroy());
    EXPECT_ERROR(GRAVEL_EINVAL, "closed", flow.run());
    EXPECT(view.size() == 8 && view[7] == 7); /* a view outlives its node */
}

static void test_options()
{
    EXPECT_ERROR(GRAVEL_ECONFIG, "heap_bytes", gvl::options().set("heap_byte", "64M"));
    EXPECT_ERROR(GRAVEL_ECONFIG, "sideways", gvl::node(gvl::options().set("step", "sideways")));
    EXPECT(gvl::options().set("heap_bytes", "8M").config().heap_bytes == 8u << 20);
}

/* A device and a context of the caller's, and a log; a node that gives up says why to who calls it. */
static void test_abort(gvl::options options, cl_device_id device)
{
    std::string log;
    cl_int status = CL_SUCCESS;
    gvl::detail::cl_object<cl_context, clReleaseContext> context(
        clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
    options.device(device, context.get()).log(
        [](void *user, const char *text) { static_cast<std::string *>(user)->append(text); }, &log);
    gvl::node node(options);
    EXPECT(node.context() == context.get() && node.device() == device);
    EXPECT(log.find("step " + node.step()) != std::string::npos);
    EXPECT(node.config().heap_bytes == 16u << 20);
    node.barrier();
    if (n_local(node) < node.size())
        return; /* the job would end */
    node.abort("the shop is shut");
    EXPECT_ERROR(GRAVEL_EABORT, "the shop is shut", node.barrier());
    EXPECT_ERROR(GRAVEL_EABORT, "the shop is shut", node.close());
}

/* In a child of fork calls are refused, and what destructors free stays the parent's. */
static void test_fork(const gvl::options &options)
{
    gvl::node node(options);
    gvl::deques deques(node);
    if (n_local(node) < node.size())
        return; /* not with MPI */
    const pid_t child = fork();
    if (child == 0) {
        n_wrong = 0;
        destroyed = {};
        EXPECT_ERROR(GRAVEL_EINVAL, "fork", node.close());
        EXPECT_ERROR(GRAVEL_EINVAL, "fork", node.barrier());
        EXPECT_ERROR(GRAVEL_EINVAL, "fork", deques.destroy());
        {
            gvl::deques dropped(std::move(deques));
            gvl::node closed(std::move(node));
        }
        EXPECT(destroyed.n_deques == 0);
        _exit(n_wrong != 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    deques.fill(std::vector<cl_ulong>(1));
}

/* A handler's exception is the error of the next quiet or barrier, and its text is there where it was thrown. */
static void test_handlers(gvl::options options)
{
    uint64_t sum = 0;
    gvl::node *known = nullptr;
    int n_refused = 0;
    options.handler("add", 2, [&](struct gravel *, uint32_t, const uint64_t *args) { sum += args[0] * args[1]; });
    options.handler("exhausts", 1, [](struct gravel *, uint32_t, const uint64_t *) {
        const std::runtime_error thrown("the till is empty, and a text that is as long as this needs memory");
        failing = 1;
        throw thrown;
    });
    options.handler("throws", 1, [&](struct gravel *, uint32_t, const uint64_t *) {
        try {
            known->close();
        } catch (const gvl::error &refused) {
            n_refused += refused.code() == GRAVEL_EINVAL;
        }
        throw std::runtime_error("the till is empty");
    });
    gvl::node node(options);
    known = &node;
    node.session_begin();
    node.am("add", {6, 7}, node.rank());
    node.barrier();
    EXPECT(sum == 42);
    node.session_end();
    EXPECT_ERROR(GRAVEL_EINVAL, "no session has been begun", node.session_end());
    EXPECT_ERROR(GRAVEL_EHANDLER, "no handler is named subtract", node.am("subtract", {1}, node.rank()));
    EXPECT_ERROR(GRAVEL_EINVAL, "", node.am("add", {1}, node.rank()));
    node.am("throws", {1}, node.rank());
    EXPECT_ERROR(GRAVEL_EHANDLER, "throws: the till is empty", node.quiet());
    EXPECT(n_refused == 1);
    node.am("exhausts", {1}, node.rank());
    EXPECT_ERROR(GRAVEL_EHANDLER, "", node.quiet());
    EXPECT(node.rank() == rank_now); /* it is open */
}

struct pair {
    cl_uint item, square;
};

/* Records come to their function, lines to theirs. */
static void test_records(gvl::options options)
{
    static const char text_of_kernel[] = R"(#include "gravel.cl.h"
#include "print.cl.h"
struct pair { uint item, square; };
kernel void hand_over(GRAVEL_ARENA)
{
    GRAVEL_OPEN(g);
    uint i = (uint)get_global_id(0);
    struct pair pair = {i, i * i};
    gravel_append_wg(g, pairs, pair, gravel_node(g));
    if (i == 7)
        gravel_printf_wi(g, "seven");
})";
    uint64_t sum = 0;
    std::string text;
    gravel_stream row{};
    row.name = "pairs";
    row.record_bytes = sizeof(pair);
    row.user = &sum;
    row.function = [](struct gravel *, void *user, uint32_t, const void *records, uint32_t n) {
        for (uint32_t i = 0; i < n; i++)
            *static_cast<uint64_t *>(user) += static_cast<const pair *>(records)[i].square;
        return 0;
    };
    options.stream(row).set("print", "own").print(
        [](void *user, const char *lines, size_t bytes) {
            static_cast<std::string *>(user)->append(lines, bytes);
            return 0;
        },
        &text);
    gvl::node node(options);
    gvl::program program(node, text_of_kernel);
    gvl::kernel kernel(program, "hand_over");
    node.launch(kernel, 64, 64, gvl::arena);
    node.barrier();
    EXPECT(sum == 63 * 64 * 127 / 6);
    EXPECT(text == "[" + std::to_string(node.rank()) + ":7] seven\n");
}

/* An exception leaves the scope of a node with all kinds of parts: it arrives, and no node waits. */
static void test_exception(const gvl::options &options)
{
    try {
        gvl::node node(options);
        gvl::array<cl_uint> words(node, 8);
        gvl::accumulator sums(node, words, GRAVEL_ADD);
        gvl::deques deques(node);
        gvl::array<cl_uint> others(node, 8);
        auto view = others.modify();
        if (node.rank() == node.size() - 1 || n_local(node) > 1)
            throw std::runtime_error("thrown");
        node.barrier();
        EXPECT(!"the barrier returns");
    } catch (const gvl::error &peer) {
        EXPECT(peer.code() == GRAVEL_EPEER && std::strstr(peer.what(), "a C++ exception"));
    } catch (const std::runtime_error &thrown) {
        EXPECT(!std::strcmp(thrown.what(), "thrown"));
    }
}

/* With an argument, only the exception: its ranks leave MPI as a failed job does. */
int main(int argc, char **)
try {
    static_assert(std::is_nothrow_destructible_v<gvl::node> && std::is_nothrow_destructible_v<gvl::array<int>> &&
                  std::is_nothrow_destructible_v<gvl::view<int>> && std::is_nothrow_destructible_v<gvl::flow> &&
                  std::is_nothrow_destructible_v<gvl::deques> && std::is_nothrow_destructible_v<gvl::mirror> &&
                  std::is_nothrow_destructible_v<gvl::accumulator> && std::is_nothrow_destructible_v<gvl::program> &&
                  std::is_nothrow_destructible_v<gvl::kernel>);
    static_assert(gvl::type_of<long>() == GRAVEL_LONG && gvl::type_of<unsigned>() == GRAVEL_UINT &&
                  gvl::type_of<double>() == GRAVEL_DOUBLE && gvl::type_of<cl_ulong>() == GRAVEL_ULONG);
    gvl::options options;
    options.set("heap_bytes", "16M").mpi_comm(nullptr);
    if (argc > 1) {
        test_exception(options);
        std::cout << "thrown: " << n_wrong << " wrong\n";
        return n_wrong != 0;
    }
    cl_device_id device = nullptr;
    {
        gvl::node node(options);
        rank_now = node.rank();
        device = node.device();
        test_launch(node);
        test_words(node);
        test_accumulator(node);
        test_block_pool(node);
        test_mirror(node);
        test_flow(node);
        test_arguments(node);
        test_flow_arguments(node);
        test_deques(node);
        test_rounds(node);
#ifdef HAS_GRAPH
        test_graph(node);
#endif
    }
    test_options();
    test_abort(options, device);
    test_closed(options);
    test_fork(options);
    test_server(options);
    test_handlers(options);
    test_records(options);
    std::cout << "node " << rank_now << ": " << n_wrong << " wrong\n";
    return n_wrong != 0;
} catch (const std::exception &error) {
    std::cerr << "node " << rank_now << ": " << error.what() << '\n';
    return 1;
}
