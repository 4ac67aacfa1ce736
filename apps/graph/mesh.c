/* SPDX-License-Identifier: MIT */
/*
 * An adaptive mesh with the degree statistics of hugebubbles-00020: the dual of a planar triangulation that is refined along
 * the rims of bubbles, coarse triangles in rows, cut in three.
 *
 * Path: part.c -> this -> build.c
 * Threads: any.
 * Source: Marquardt and Schamberger, Open Benchmarks for Load Balancing Heuristics in Parallel
 * Adaptive Finite Element Computations, 2005, whose meshes are in the 10th DIMACS challenge.
 *
 * hugebubbles-00020 has 21198119 vertices and 63580358 entries of rows: degree 2 or 3, mean 2.9993,
 * and 30 to 37 % of the edges lead to another of 8 blocks (Orr 2016, table 5-4). Here, at that
 * size, there are 21206356 vertices and 63609386 entries: degree 2 or 3, mean 2.9995, and 33.4 %
 * lead to another of 8 blocks.
 *
 * A triangle is a vertex and its neighbours are the triangles next to it. The coarse triangles lie
 * in rows; near a rim, a triangle is cut in three around its middle, and those again. As in a mesh
 * that was refined while it was used, the first part of a cut triangle keeps its number and the
 * other two get numbers after all earlier ones.
 *
 * Triangle (x, y) has side 0 to the left, 1 to the right, and 2 below if x + y is even, else above.
 * Cut in three, part i keeps side i and meets part j at its own side j. So a triangle that was cut
 * `level` times has 3^level leaves, named by `level` digits of base 3, and its side s belongs to
 * the one leaf whose digits are all s.
 */
#include "graph/graph.h"
#include "frame/die.h"
#include "frame/random.h"

#include <stdlib.h>

enum { N_SIDES = 3, MAX_LEVEL = 2 };

static const uint32_t leaves_of[MAX_LEVEL + 1] = {1, 3, 9};

/* The side that a neighbour shows: left meets right, below meets above. */
static const uint32_t facing[N_SIDES] = {1, 0, 2};

/* One bubble lies in every square of coarse triangles. [triangles] */
#define SQUARE 64
#define LEAST_RADIUS 8
#define N_RADII 24

/* How far from a rim triangles are cut twice, and once [triangles]. */
#define RIM_OF_2 1
#define RIM_OF_1 6

/* Vertices for 100 coarse triangles, nearly; it only shapes the mesh. */
#define GROWTH_PERCENT 204

/* ---- how often a triangle is cut ------------------------------------------------------------- */

static bool is_near(int64_t distance_squared, int64_t radius, int64_t rim)
{
    return distance_squared >= (radius - rim) * (radius - rim) &&
           distance_squared <= (radius + rim) * (radius + rim);
}

static uint32_t level_at(const struct graph_stream *mesh, uint64_t x, uint64_t y)
{
    uint64_t number = random_at(mesh->key, (y / SQUARE) << 32 | x / SQUARE);
    int64_t radius = LEAST_RADIUS + (int64_t)(number % N_RADII);
    int64_t span = SQUARE - 2 * radius;
    int64_t dx = (int64_t)(x % SQUARE) - radius - (int64_t)((number >> 16) % (uint64_t)span);
    int64_t dy = (int64_t)(y % SQUARE) - radius - (int64_t)((number >> 32) % (uint64_t)span);
    int64_t distance_squared = dx * dx + dy * dy;
    if (is_near(distance_squared, radius, RIM_OF_2))
        return 2;
    return is_near(distance_squared, radius, RIM_OF_1);
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* A coarse triangle. */
struct triangle {
    uint64_t x, y;
};

static uint64_t number_of(const struct graph_stream *mesh, struct triangle at)
{
    return at.y * mesh->width + at.x;
}

static uint32_t n_leaves_of(const struct graph_stream *mesh, struct triangle at)
{
    const uint32_t *made = mesh->made + number_of(mesh, at);
    return made[1] - made[0] + 1;
}

static uint32_t level_of(const struct graph_stream *mesh, struct triangle at)
{
    const uint32_t n_leaves = n_leaves_of(mesh, at);
    return n_leaves == leaves_of[2] ? 2 : n_leaves == leaves_of[1];
}

static uint32_t leaf_number(const struct graph_stream *mesh, struct triangle at, uint32_t leaf)
{
    const uint64_t number = number_of(mesh, at);
    return (uint32_t)(leaf ? mesh->width * mesh->n_items + mesh->made[number] + leaf - 1 : number);
}

/* The leaf at side s of a triangle cut `level` times: s in each digit. */
static uint32_t leaf_at_side(uint32_t level, uint32_t side)
{
    uint32_t leaf = 0;
    for (uint32_t i = 0; i < level; i++)
        leaf = N_SIDES * leaf + side;
    return leaf;
}

/*
 * The leaf of the same triangle at a side of `leaf`; false if the side is the triangle's own.
 * Digits equal to the side lead out of one cut after the other; the first that differs names the
 * part that is crossed into, by the leaf at whose side we were.
 */
static bool crosses_inside(uint32_t level, uint32_t leaf, uint32_t side, uint32_t *other)
{
    for (uint32_t depth = 0, rest = leaf; depth < level; depth++, rest /= N_SIDES) {
        uint32_t digit = rest % N_SIDES;
        if (digit == side)
            continue;
        *other = (rest - digit + side) * leaves_of[depth] + leaf_at_side(depth, digit);
        return true;
    }
    return false;
}

/* Steps to the triangle at a side; false at the border. */
static bool step(const struct graph_stream *mesh, struct triangle *at, uint32_t side)
{
    if (side < 2) {
        at->x += side ? 1 : UINT64_MAX;
        return at->x < mesh->width;
    }
    at->y += (at->x + at->y) % 2 ? UINT64_MAX : 1;
    return at->y < mesh->n_items;
}

static void visit_leaf(const struct graph_stream *mesh, struct triangle at, uint32_t leaf,
                       graph_visit *visit, void *context)
{
    const uint32_t level = level_of(mesh, at);
    struct graph_edge edge = {.from = leaf_number(mesh, at, leaf)};
    for (uint32_t side = 0, other; side < N_SIDES; side++) {
        struct triangle to = at;
        if (!crosses_inside(level, leaf, side, &other)) {
            if (!step(mesh, &to, side))
                continue;
            other = leaf_at_side(level_of(mesh, to), facing[side]);
        }
        edge.to = leaf_number(mesh, to, other);
        visit(context, edge);
    }
}

static void list(const struct graph_stream *mesh, struct block_range rows, graph_visit *visit,
                 void *context)
{
    for (uint64_t y = rows.first; y < rows.last; y++)
        for (uint64_t x = 0; x < mesh->width; x++)
            for (uint32_t leaf = 0; leaf < n_leaves_of(mesh, (struct triangle){x, y}); leaf++)
                visit_leaf(mesh, (struct triangle){x, y}, leaf, visit, context);
}

/* ---- layout ---------------------------------------------------------------------------------- */

struct graph_stream mesh_stream(uint64_t size, unsigned degree, uint64_t seed)
{
    /* The width is odd, so that no triangle has only one neighbour. */
    struct graph_stream mesh = {.list = list, .key = random_key(seed), .width = 3};
    (void)degree;
    while ((mesh.width + 2) * (mesh.width + 2) * GROWTH_PERCENT <= size * 100)
        mesh.width += 2;
    mesh.made = app_room(NULL, 0, &mesh.room, sizeof *mesh.made, "a mesh");
    mesh.made[0] = 0;
    for (uint64_t n = 0; mesh.n_items % 2 || mesh.n_vertices < size; mesh.n_items++) {
        for (uint64_t x = 0; x < mesh.width; x++, n++) {
            mesh.made = app_room(mesh.made, n + 1, &mesh.room, sizeof *mesh.made, "a mesh");
            mesh.made[n + 1] = mesh.made[n] + leaves_of[level_at(&mesh, x, mesh.n_items)] - 1;
        }
        mesh.n_vertices = n + mesh.made[n];
    }
    /* All have three sides; those at the left, right, upper and lower border lack one there. */
    mesh.n_edges = N_SIDES * mesh.n_vertices - 2 * mesh.n_items - 2 * (mesh.width / 2);
    return mesh;
}
