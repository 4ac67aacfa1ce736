/* SPDX-License-Identifier: MIT */
/*
 * The network: arcs that are read or drawn, and the rows that are made of them, with each arc in the row of its tail, and
 * a twin in the row of its head.
 *
 * Files are DIMACS .max: "p max n m", "n id s" and "n id t", then m arcs "a from to capacity"; vertices from 1, "c"
 * comments.
 *
 * Meshes are as those of the Washington generator: rows of columns, in which each vertex has an arc to the nearest three
 * of the next row, which wraps around; the source has an arc to each vertex of the first row, and each of the last row one
 * to the sink.
 *
 * Path: a file or a seed -> this -> maxflow.c
 * Owner: see maxflow.h.
 * Threads: main's.
 * Source: first DIMACS implementation challenge, 1991: The Core of a Clique and Flow Format; generator `washington`,
 * family mesh; Wang, Fussell, Lin 2019, section 4 (MF).
 */
#include "frame/random.h"
#include "graph/text.h"
#include "maxflow.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- arcs and rows ---------------------------------------------------------------------------- */

static void add_arc(struct maxflow_arcs *arcs, struct maxflow_arc arc)
{
    if (arc.from == arc.to)
        return;
    arcs->each = app_room(arcs->each, arcs->n, &arcs->n_room, sizeof *arcs->each, "arcs");
    arcs->each[arcs->n++] = arc;
}

static void count_rows(struct maxflow_rows *rows, const struct maxflow_arcs *arcs)
{
    for (uint64_t i = 0; i < arcs->n; i++) {
        rows->offsets[arcs->each[i].from + 1]++;
        rows->offsets[arcs->each[i].to + 1]++;
        if (arcs->each[i].from == arcs->source)
            rows->supply += arcs->each[i].capacity;
    }
    for (uint64_t v = 0; v < rows->n_vertices; v++)
        rows->offsets[v + 1] += rows->offsets[v];
}

static void fill_rows(struct maxflow_rows *rows, const struct maxflow_arcs *arcs)
{
    cl_uint *next = app_array(rows->n_vertices, sizeof *next, "the network");
    for (uint64_t v = 0; v < rows->n_vertices; v++)
        next[v] = rows->offsets[v];
    for (uint64_t i = 0; i < arcs->n; i++) {
        const struct maxflow_arc arc = arcs->each[i];
        const cl_uint there = next[arc.from]++, back = next[arc.to]++;
        rows->entries[there] = (struct maxflow_entry){arc.to, back};
        rows->entries[back] = (struct maxflow_entry){arc.from, there};
        rows->capacity[there] = arc.capacity;
    }
    free(next);
}

void rows_open(struct maxflow_rows *rows, struct maxflow_arcs *arcs)
{
    *rows = (struct maxflow_rows){.n_vertices = arcs->n_vertices,
                                  .n_entries = 2 * arcs->n,
                                  .source = arcs->source,
                                  .sink = arcs->sink};
    rows->offsets = app_array(rows->n_vertices + 1, sizeof *rows->offsets, "the network");
    rows->entries = app_array(rows->n_entries + 1, sizeof *rows->entries, "the network");
    rows->capacity = app_array(rows->n_entries + 1, sizeof *rows->capacity, "the network");
    count_rows(rows, arcs);
    if (rows->supply > MAXFLOW_MOST_SUPPLY)
        die("the source's arcs have a capacity of %" PRIu64 " together, at most %u", rows->supply,
            MAXFLOW_MOST_SUPPLY);
    fill_rows(rows, arcs);
    free(arcs->each);
}

void rows_close(struct maxflow_rows *rows)
{
    free(rows->offsets);
    free(rows->entries);
    free(rows->capacity);
}

/* ---- a mesh ----------------------------------------------------------------------------------- */

#define NEAREST 3u

void draw_arcs(struct maxflow_arcs *arcs, const struct maxflow *maxflow)
{
    const uint64_t rows = maxflow->rows, columns = maxflow->columns, most = maxflow->most_capacity;
    const uint64_t key = random_key(maxflow->options.seed), n = rows * columns;
    uint64_t i = 0;
    *arcs =
        (struct maxflow_arcs){.n_vertices = n + 2, .source = (cl_uint)n, .sink = (cl_uint)n + 1};
    for (uint64_t column = 0; column < columns; column++) {
        add_arc(arcs, (struct maxflow_arc){(cl_uint)n, (cl_uint)column, (cl_uint)(NEAREST * most)});
        add_arc(arcs, (struct maxflow_arc){(cl_uint)(n - columns + column), (cl_uint)n + 1,
                                           (cl_uint)(NEAREST * most)});
    }
    for (uint64_t vertex = 0; vertex < n - columns; vertex++)
        for (uint64_t side = 0; side < NEAREST && side < columns; side++, i++) {
            const uint64_t column = (vertex % columns + columns + side - 1) % columns;
            const uint64_t to = vertex - vertex % columns + columns + column;
            add_arc(arcs, (struct maxflow_arc){(cl_uint)vertex, (cl_uint)to,
                                               (cl_uint)(1 + random_at(key, i) % most)});
        }
}

/* ---- a file ----------------------------------------------------------------------------------- */

static bool read_problem(struct text *text, struct maxflow_arcs *arcs, uint64_t *n_arcs)
{
    if (!text_next_record(text, "c"))
        return text_fail(text, "the line \"p max n m\" is missing");
    if (!text_accept(text, "p"))
        return text_fail(text, "'%s' before the line \"p max n m\"", text_quote(text));
    if (!text_accept(text, "max"))
        return text_fail(text, "problem '%s' is not max", text_quote(text));
    return text_uint(text, "number of vertices", 2, MAXFLOW_MOST_VERTICES, &arcs->n_vertices) &&
           text_uint(text, "number of arcs", 0, MAXFLOW_MOST_ARCS, n_arcs) && text_end_line(text);
}

/* "n id s" or "n id t". Numbers are from 1, so that 0 is none. */
static bool read_end(struct text *text, const struct maxflow_arcs *arcs, uint64_t ends[2])
{
    uint64_t vertex;
    if (!text_uint(text, "vertex", 1, arcs->n_vertices, &vertex))
        return false;
    const bool is_sink = text_accept(text, "t");
    if (!is_sink && !text_accept(text, "s"))
        return text_fail(text, "'%s' is neither s nor t", text_quote(text));
    if (ends[is_sink])
        return text_fail(text, "a second %s", is_sink ? "sink" : "source");
    ends[is_sink] = vertex;
    return text_end_line(text);
}

static bool read_arc(struct text *text, struct maxflow_arcs *arcs, uint64_t *n_left)
{
    uint64_t from, to, capacity;
    if (*n_left == 0)
        return text_fail(text, "more arcs than declared");
    --*n_left;
    if (!text_uint(text, "vertex", 1, arcs->n_vertices, &from) ||
        !text_uint(text, "vertex", 1, arcs->n_vertices, &to) ||
        !text_uint(text, "capacity", 0, MAXFLOW_MOST_SUPPLY, &capacity) || !text_end_line(text))
        return false;
    add_arc(arcs, (struct maxflow_arc){(cl_uint)from - 1, (cl_uint)to - 1, (cl_uint)capacity});
    return true;
}

static bool read_all(struct text *text, struct maxflow_arcs *arcs)
{
    uint64_t n_arcs, n_left, ends[2] = {0, 0};
    if (!read_problem(text, arcs, &n_arcs))
        return false;
    n_left = n_arcs;
    while (text_next_record(text, "c")) {
        bool is_read = text_accept(text, "n")   ? read_end(text, arcs, ends)
                       : text_accept(text, "a") ? read_arc(text, arcs, &n_left)
                                                : text_fail(text,
                                                            "'%s' starts neither \"n id s\" "
                                                            "nor \"a from to capacity\"",
                                                            text_quote(text));
        if (!is_read)
            return false;
    }
    if (text->has_failed)
        return false;
    if (!ends[0] || !ends[1] || ends[0] == ends[1])
        return text_fail(text, "a source and another vertex as sink are needed");
    if (n_left)
        return text_fail(text, "the file ends after %" PRIu64 " of %" PRIu64 " arcs",
                         n_arcs - n_left, n_arcs);
    arcs->source = (cl_uint)ends[0] - 1;
    arcs->sink = (cl_uint)ends[1] - 1;
    return true;
}

void read_arcs(struct maxflow_arcs *arcs, const char *path)
{
    char reason[TEXT_REASON_BYTES];
    struct text text;
    *arcs = (struct maxflow_arcs){.n = 0};
    if (!text_open(&text, path, reason) || !read_all(&text, arcs))
        die("%s", reason);
    text_close(&text);
}
