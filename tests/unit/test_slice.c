/* SPDX-License-Identifier: MIT */
/*
 * Cutting launches into slices: every work-item exactly once, in whole groups and in order, never
 * more groups than allowed, the smaller last group of a dimension included. The reference is a
 * plain list of groups.
 *
 * Path: meson test -> this -> lib/opencl/slice.c
 */
#include <string.h>

#include "draws.h"
#include "opencl/slice.h"

#define MAX_GROUPS 4096u

struct shape {
    uint32_t n_dimensions;
    size_t global[3], local[3];
};

static size_t groups_along(const struct shape *shape, uint32_t d)
{
    return d < shape->n_dimensions ? (shape->global[d] + shape->local[d] - 1) / shape->local[d] : 1;
}

/* Returns whether the slice ends where a group ends, or where the launch does. */
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

static const char *check_slice(const struct shape *shape, uint64_t max_groups,
                               const struct gravel_slice *slice, unsigned char times[MAX_GROUPS])
{
    for (uint32_t d = 0; d < 3; d++)
        HOLDS(d < shape->n_dimensions ? ends_well(shape, slice, d)
                                      : slice->offset[d] == 0 && slice->size[d] == 1);
    HOLDS(slice->n_groups > 0 && slice->n_groups <= max_groups);
    HOLDS(enter(shape, slice, times) == slice->n_groups);
    return NULL;
}

/* @param max_groups  [n_max] taken in turn, as step drain changes it from slice to slice. @param n  [out] slices */
static const char *check(const struct shape *shape, const uint64_t *max_groups, uint32_t n_max,
                         uint64_t *n)
{
    static unsigned char times[MAX_GROUPS];
    size_t n_groups = groups_along(shape, 0) * groups_along(shape, 1) * groups_along(shape, 2);
    const char *failure = NULL;
    struct gravel_slicer slicer;
    struct gravel_slice slice;
    memset(times, 0, sizeof times);
    gravel_slicer_init(&slicer, shape->n_dimensions, shape->global, shape->local);
    for (*n = 0; !failure && gravel_slicer_next(&slicer, max_groups[*n % n_max], &slice); (*n)++) {
        failure = check_slice(shape, max_groups[*n % n_max], &slice, times);
        HOLDS(*n < n_groups);
    }
    for (size_t i = 0; i < n_groups && !failure; i++)
        HOLDS(times[i] == 1);
    HOLDS(failure || !gravel_slicer_next(&slicer, 1, &slice)); /* and it stays at the end */
    return failure;
}

TEST(slices_are_whole_rows_and_planes_where_they_fit)
{
    const struct shape shape = {3, {5, 4, 3}, {1, 1, 1}};
    /* all; planes; two planes, and one; two rows; three rows, then the plane's last; three of a row, then two */
    static const uint64_t rows[][2] = {{UINT64_MAX, 1}, {60, 1}, {20, 3}, {40, 2},
                                       {10, 6},         {15, 6}, {3, 24}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t n;
        assert_null(check(&shape, &rows[i][0], 1, &n));
        assert_int_equal(n, rows[i][1]);
    }
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

static const char *slices_cover_the_launch(struct draws *draws)
{
    struct shape shape = {.n_dimensions = 1 + draw_below(draws, 3)};
    uint64_t most[5], n;
    for (uint32_t d = 0; d < shape.n_dimensions; d++) {
        shape.local[d] = 1 + draw_below(draws, 9);
        shape.global[d] = 1 + draw_below(draws, (shape.n_dimensions == 1 ? 250 : 1) * draws->size);
    }
    for (int i = 0; i < 5; i++)
        most[i] = 1 + draw_below(draws, draw_below(draws, 2) ? 5 : 500);
    return check(&shape, most, 1 + draw_below(draws, 5), &n);
}

TEST(random_shapes_and_changing_limits_are_covered)
{
    expect_property(slices_cover_the_launch, 20000, 16);
}
