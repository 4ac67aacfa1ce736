/* SPDX-License-Identifier: MIT */
/*
 * Cutting launches into slices: every work-item exactly once, in whole groups and in order, never
 * more groups than allowed, the smaller last group of a dimension included. The reference is a
 * plain list of groups.
 *
 * Path: meson test -> this -> lib/opencl/slice.c
 */
#include <stdio.h>
#include <string.h>

#include "cases.h"
#include "opencl/slice.h"

#define MAX_GROUPS 4096u
#define SEED 20240611u

struct shape {
    uint32_t n_dimensions;
    size_t global[3], local[3];
};

static size_t groups_along(const struct shape *shape, uint32_t d)
{
    return d < shape->n_dimensions ? (shape->global[d] + shape->local[d] - 1) / shape->local[d] : 1;
}

static void explain(const struct shape *shape, uint64_t max_groups, const char *what)
{
    fail_msg("%u dimensions, %zu x %zu x %zu in groups of %zu x %zu x %zu, slices of %llu: %s",
             shape->n_dimensions, shape->global[0], shape->global[1], shape->global[2],
             shape->local[0], shape->local[1], shape->local[2], (unsigned long long)max_groups,
             what);
}

/* Whether the slice ends where a group ends, or where the launch does. */
static bool ends_well(const struct shape *shape, const struct gravel_slice *slice, uint32_t d)
{
    size_t end = slice->offset[d] + slice->size[d];
    return slice->size[d] > 0 && slice->offset[d] % shape->local[d] == 0 &&
           (end == shape->global[d] || (end < shape->global[d] && end % shape->local[d] == 0));
}

/* Enter the slice's groups by their number in the launch. @return how many there are. */
static uint64_t enter(const struct shape *shape, const struct gravel_slice *slice,
                      unsigned char times[MAX_GROUPS])
{
    size_t first[3], n[3];
    for (uint32_t d = 0; d < 3; d++) {
        size_t local = d < shape->n_dimensions ? shape->local[d] : 1;
        first[d] = slice->offset[d] / local;
        n[d] = (slice->size[d] + local - 1) / local;
    }
    for (size_t z = 0; z < n[2]; z++)
        for (size_t y = 0; y < n[1]; y++)
            for (size_t x = 0; x < n[0]; x++)
                times[((first[2] + z) * groups_along(shape, 1) + first[1] + y) *
                          groups_along(shape, 0) +
                      first[0] + x]++;
    return (uint64_t)n[0] * n[1] * n[2];
}

static void check_slice(const struct shape *shape, uint64_t max_groups,
                        const struct gravel_slice *slice, unsigned char times[MAX_GROUPS])
{
    for (uint32_t d = 0; d < 3; d++)
        if (d < shape->n_dimensions ? !ends_well(shape, slice, d)
                                    : slice->offset[d] != 0 || slice->size[d] != 1)
            explain(shape, max_groups, "a slice is not of whole groups");
    if (slice->n_groups == 0 || slice->n_groups > max_groups)
        explain(shape, max_groups, "a slice is empty or too large");
    if (enter(shape, slice, times) != slice->n_groups)
        explain(shape, max_groups, "n_groups is wrong");
}

/* @param max_groups  [n_max] taken in turn, as step drain changes it from slice to slice. @return
 * slices [count]. */
static uint64_t check(const struct shape *shape, const uint64_t *max_groups, uint32_t n_max)
{
    static unsigned char times[MAX_GROUPS];
    size_t n_groups = groups_along(shape, 0) * groups_along(shape, 1) * groups_along(shape, 2);
    struct gravel_slicer slicer;
    struct gravel_slice slice;
    uint64_t n = 0;
    assert_true(n_groups <= MAX_GROUPS);
    memset(times, 0, sizeof times);
    gravel_slicer_init(&slicer, shape->n_dimensions, shape->global, shape->local);
    for (; gravel_slicer_next(&slicer, max_groups[n % n_max], &slice); n++) {
        check_slice(shape, max_groups[n % n_max], &slice, times);
        if (n > n_groups)
            explain(shape, max_groups[0], "it does not end");
    }
    for (size_t i = 0; i < n_groups; i++)
        if (times[i] != 1)
            explain(shape, max_groups[0], times[i] ? "a group twice" : "a group is missing");
    assert_false(gravel_slicer_next(&slicer, 1, &slice)); /* and it stays at the end */
    return n;
}

static uint64_t check_one(const struct shape *shape, uint64_t max_groups)
{
    return check(shape, &max_groups, 1);
}

TEST(slices_are_whole_rows_and_planes_where_they_fit)
{
    const struct shape shape = {3, {5, 4, 3}, {1, 1, 1}};
    assert_int_equal(check_one(&shape, UINT64_MAX), 1);
    assert_int_equal(check_one(&shape, 60), 1);
    assert_int_equal(check_one(&shape, 20), 3); /* planes */
    assert_int_equal(check_one(&shape, 40), 2); /* two planes, and one */
    assert_int_equal(check_one(&shape, 10), 6); /* two rows */
    assert_int_equal(check_one(&shape, 15), 6); /* three rows, then the plane's last */
    assert_int_equal(check_one(&shape, 3), 24); /* three of a row, then two */
}

TEST(launches_beyond_32_bits_are_covered)
{
    const size_t global = (size_t)1 << 40, local = 256;
    struct gravel_slicer slicer;
    struct gravel_slice slice;
    size_t end = 0;
    uint64_t n = 0;
    gravel_slicer_init(&slicer, 1, &global, &local);
    for (; gravel_slicer_next(&slicer, UINT32_MAX, &slice); n++) {
        assert_int_equal(slice.offset[0], end);
        end += slice.size[0];
    }
    assert_int_equal(end, global);
    assert_int_equal(n, 2);
}

static uint32_t next_random(uint32_t *random, uint32_t below)
{
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 8) % below;
}

TEST(random_shapes_and_changing_limits_are_covered)
{
    uint32_t random = SEED;
    for (int n = 0; n < 20000; n++) {
        struct shape shape = {.n_dimensions = 1 + next_random(&random, 3)};
        uint64_t most[5];
        for (uint32_t d = 0; d < shape.n_dimensions; d++) {
            shape.local[d] = 1 + next_random(&random, 9);
            shape.global[d] = 1 + next_random(&random, shape.n_dimensions == 1 ? 4000 : 16);
        }
        for (int i = 0; i < 5; i++)
            most[i] = 1 + next_random(&random, next_random(&random, 2) ? 5 : 500);
        check(&shape, most, 1 + next_random(&random, 5));
    }
}
