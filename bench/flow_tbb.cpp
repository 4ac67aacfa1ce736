/* SPDX-License-Identifier: MIT */
/*
 * A task_group for each call, as its documentation has Fibonacci; its own sort. See flow_tbb.h.
 *
 * Source:  oneTBB's tbb::task_group and tbb::parallel_sort.
 */
#include "flow_tbb.h"

#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_group.h>

#include <atomic>
#include <memory>

static std::unique_ptr<tbb::global_control> limit;

void flow_tbb_threads(uint32_t n_threads)
{
    limit.reset(new tbb::global_control(tbb::global_control::max_allowed_parallelism, n_threads));
}

uint64_t flow_tbb_fib(uint32_t n)
{
    if (n < 2)
        return n;
    uint64_t x, y;
    tbb::task_group group;
    group.run([&] { x = flow_tbb_fib(n - 1); });
    y = flow_tbb_fib(n - 2);
    group.wait();
    return x + y;
}

struct board {
    uint32_t columns, left, right;

    board with(uint32_t place) const
    {
        return {columns | place, (left | place) << 1, (right | place) >> 1};
    }
};

static uint64_t solutions(uint32_t full, board at)
{
    uint64_t n = 0;
    if (at.columns == full)
        return 1;
    for (uint32_t places = full & ~(at.columns | at.left | at.right); places; places &= places - 1)
        n += solutions(full, at.with(places & -places));
    return n;
}

static uint64_t queens(uint32_t full, board at, uint32_t n_left, uint32_t base)
{
    if (n_left <= base)
        return solutions(full, at);
    std::atomic<uint64_t> n{0};
    tbb::task_group group;
    for (uint32_t places = full & ~(at.columns | at.left | at.right); places;
         places &= places - 1) {
        board next = at.with(places & -places);
        group.run([&n, full, next, n_left, base] {
            n.fetch_add(queens(full, next, n_left - 1, base), std::memory_order_relaxed);
        });
    }
    group.wait();
    return n;
}

uint64_t flow_tbb_queens(uint32_t n, uint32_t base)
{
    return queens((UINT32_C(1) << n) - 1, {0, 0, 0}, n, base);
}

void flow_tbb_sort(uint32_t *keys, uint32_t n)
{
    tbb::parallel_sort(keys, keys + n);
}
