/* SPDX-License-Identifier: MIT */
/*
 * DIMACS .max: "p max n m", "n id s" and "n id t", then m arcs "a from to capacity"; vertices from 1, "c" comments.
 *
 * Path: open.c -> this -> network.c
 * Owner: the arcs are the caller's.
 * Threads: main's.
 * Source: first DIMACS implementation challenge, 1991, The Core of a Clique and Flow Format.
 */
#include "graph/text.h"
#include "maxflow.h"

#include <inttypes.h>

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
    maxflow_add(arcs, (struct maxflow_arc){(cl_uint)from - 1, (cl_uint)to - 1, (cl_uint)capacity});
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

struct node_input maxflow_read(struct maxflow_arcs *arcs, const char *path)
{
    char reason[TEXT_REASON_BYTES];
    struct text text;
    *arcs = (struct maxflow_arcs){.n = 0};
    if (!text_open(&text, path, reason) || !read_all(&text, arcs))
        die("%s", reason);
    const struct node_input input = {path, text.file.print};
    text_close(&text);
    return input;
}
