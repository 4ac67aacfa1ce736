/* SPDX-License-Identifier: MIT */
/*
 * Coarse triangles in rows, cut in three along the rims of bubbles.
 *
 * Path: part.c -> this -> build.c
 * Owner: see mesh.h.
 * Threads: any; one at a time per mesh.
 *
 * Triangle (x, y) has side 0 to the left, 1 to the right, and 2 below if x + y is even, else above.
 * Cut in three, part i keeps side i and meets part j at its own side j. So a triangle that was cut
 * `level` times has 3^level leaves, named by `level` digits of base 3, and its side s belongs to
 * the one leaf whose digits are all s.
 */
#include "graph/mesh.h"
#include "frame/random.h"

#include <errno.h>
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

static uint32_t level_at(const struct mesh *mesh, uint64_t x, uint64_t y)
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

/* ---- layout ---------------------------------------------------------------------------------- */

/* Odd, so that no triangle has only one neighbour. */
static uint64_t width_for(uint64_t n_vertices)
{
    uint64_t width = 3;
    while ((width + 2) * (width + 2) * GROWTH_PERCENT <= n_vertices * 100)
        width += 2;
    return width;
}

static bool add_row(struct mesh *mesh)
{
    uint64_t *starts = realloc(mesh->row_starts, (mesh->height + 2) * sizeof *starts);
    if (!starts)
        return false;
    mesh->row_starts = starts;
    starts[mesh->height + 1] = starts[mesh->height];
    for (uint64_t x = 0; x < mesh->width; x++)
        starts[mesh->height + 1] += leaves_of[level_at(mesh, x, mesh->height)] - 1;
    mesh->height++;
    return true;
}

static bool alloc_rows(struct mesh *mesh)
{
    bool has_memory = true;
    for (uint32_t i = 0; i < MESH_ROWS; i++) {
        struct mesh_row *row = &mesh->rows[i];
        row->made = malloc(mesh->width * sizeof *row->made);
        row->level = malloc(mesh->width * sizeof *row->level);
        has_memory = has_memory && row->made && row->level;
    }
    return has_memory;
}

int mesh_open(struct mesh *mesh, uint64_t n_vertices, uint64_t seed)
{
    *mesh = (struct mesh){0};
    if (n_vertices < MESH_MIN_VERTICES || n_vertices > MESH_MAX_VERTICES)
        return -EINVAL;
    *mesh = (struct mesh){.key = random_key(seed), .width = width_for(n_vertices)};
    mesh->row_starts = calloc(1, sizeof *mesh->row_starts);
    bool has_memory = mesh->row_starts != NULL && alloc_rows(mesh);
    while (has_memory && (mesh->height % 2 || mesh_n_vertices(mesh) < n_vertices))
        has_memory = add_row(mesh);
    if (has_memory)
        return 0;
    mesh_close(mesh);
    return -ENOMEM;
}

void mesh_close(struct mesh *mesh)
{
    for (uint32_t i = 0; i < MESH_ROWS; i++) {
        free(mesh->rows[i].made);
        free(mesh->rows[i].level);
    }
    free(mesh->row_starts);
    *mesh = (struct mesh){0};
}

uint64_t mesh_n_vertices(const struct mesh *mesh)
{
    return mesh->width * mesh->height + mesh->row_starts[mesh->height];
}

/* All have three sides; those at the left, right, upper and lower border lack one there. */
uint64_t mesh_n_edges(const struct mesh *mesh)
{
    return N_SIDES * mesh_n_vertices(mesh) - 2 * mesh->height - 2 * (mesh->width / 2);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void fill_row(const struct mesh *mesh, uint64_t y)
{
    const struct mesh_row *row = &mesh->rows[y % MESH_ROWS];
    uint64_t next = mesh->width * mesh->height + mesh->row_starts[y];
    for (uint64_t x = 0; x < mesh->width; x++) {
        row->level[x] = (uint8_t)level_at(mesh, x, y);
        row->made[x] = next;
        next += leaves_of[row->level[x]] - 1;
    }
}

static uint32_t leaf_number(const struct mesh *mesh, uint64_t x, uint64_t y, uint32_t leaf)
{
    uint64_t made = mesh->rows[y % MESH_ROWS].made[x];
    return (uint32_t)(leaf ? made + leaf - 1 : y * mesh->width + x);
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

/* The triangle at a side of (x, y); false at the border. */
static bool step(const struct mesh *mesh, uint64_t *x, uint64_t *y, uint32_t side)
{
    if (side < 2) {
        *x += side ? 1 : UINT64_MAX;
        return *x < mesh->width;
    }
    *y += (*x + *y) % 2 ? UINT64_MAX : 1;
    return *y < mesh->height;
}

static void visit_leaf(const struct mesh *mesh, uint64_t x, uint64_t y, uint32_t leaf,
                       graph_visit *visit, void *context)
{
    uint32_t level = mesh->rows[y % MESH_ROWS].level[x], other;
    struct graph_edge edge = {.from = leaf_number(mesh, x, y, leaf)};
    for (uint32_t side = 0; side < N_SIDES; side++) {
        uint64_t to_x = x, to_y = y;
        if (!crosses_inside(level, leaf, side, &other)) {
            if (!step(mesh, &to_x, &to_y, side))
                continue;
            other = leaf_at_side(mesh->rows[to_y % MESH_ROWS].level[to_x], facing[side]);
        }
        edge.to = leaf_number(mesh, to_x, to_y, other);
        visit(context, edge);
    }
}

static void visit_row(const struct mesh *mesh, uint64_t y, graph_visit *visit, void *context)
{
    for (uint64_t x = 0; x < mesh->width; x++) {
        uint32_t n_leaves = leaves_of[mesh->rows[y % MESH_ROWS].level[x]];
        for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
            visit_leaf(mesh, x, y, leaf, visit, context);
    }
}

static bool overlap(struct block_range range, uint64_t first, uint64_t last)
{
    return first < range.last && range.first < last;
}

/* Does a row hold a vertex of the range: a coarse triangle, or what cuts have made? */
static bool row_is_wanted(const struct mesh *mesh, uint64_t y, struct block_range range)
{
    uint64_t n_coarse = mesh->width * mesh->height;
    return overlap(range, y * mesh->width, (y + 1) * mesh->width) ||
           overlap(range, n_coarse + mesh->row_starts[y], n_coarse + mesh->row_starts[y + 1]);
}

/* Rows before and after a wanted one are known when it is visited. */
static void visit_rows(const struct mesh *mesh, struct block_range range, graph_visit *visit,
                       void *context)
{
    uint64_t height = mesh->height, n_filled = 0;
    for (uint64_t y = 0; y < height; y++) {
        if (!row_is_wanted(mesh, y, range))
            continue;
        if (n_filled + 1 < y)
            n_filled = y - 1;
        for (; n_filled < height && n_filled < y + 2; n_filled++)
            fill_row(mesh, n_filled);
        visit_row(mesh, y, visit, context);
    }
}

static void list(const void *source, const struct graph_asked *asked, graph_visit *visit,
                 void *context)
{
    visit_rows(source, asked->from, visit, context);
}

struct graph_stream mesh_stream(const struct mesh *mesh)
{
    return (struct graph_stream){list, mesh, GRAPH_UNWEIGHTED, false};
}
