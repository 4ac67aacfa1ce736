/* SPDX-License-Identifier: MIT */
/*
 * bench-input: the input of an application in files, for programs that know nothing of Gravel.
 *
 *     bench-input sssp -o FOLDER -g 18
 *
 *     pagerank, bfs, sssp, color   FOLDER/offsets [vertices + 1], 64 bits; FOLDER/neighbours [edges], 32; for sssp
 *                                  FOLDER/weights [edges], 32 bits, whole numbers
 *     kmeans                       FOLDER/points [dimensions][points], 32 bits, whole; the first points are the first centres
 *
 * Numbers are the host's. The one line of output is a JSON object: how many there are, and what else the problem names.
 *
 * Path:    study/rival -> this -> apps/graph/part.c, apps/kmeans/points.c -> the files
 * Memory:  the whole graph, or all points.
 * Threads: the main thread.
 */
#include "frame/die.h"
#include "graph/part.h"
#include "kmeans/kmeans.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct input {
    struct options options;
    const char *folder;
    struct graph_part part;
    struct kmeans kmeans;
    json_t *said;
};

/* ---- options --------------------------------------------------------------------------------- */

static const struct app_option file_options[] = {
    {"output", 'o', "FOLDER", "Write the files here", OPTION_WORD(struct input, folder)}, {0}};

static const struct option_group of_graphs[] = {
    {"Files:", 1, file_options, 0},
    OPTIONS_RUN_GROUP(offsetof(struct input, options)),
    GRAPH_OPTIONS_GROUP(offsetof(struct input, part.options))};

static const struct option_group of_points[] = {
    {"Files:", 1, file_options, 0},
    {"Points:", 2, options_of_points, offsetof(struct input, kmeans)},
    OPTIONS_RUN_GROUP(offsetof(struct input, options))};

/* ---- files ----------------------------------------------------------------------------------- */

static void write_file(const struct input *self, const char *name, const void *data, uint64_t n,
                       size_t bytes)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", self->folder, name) >= (int)sizeof path)
        die("%s: the name is too long", self->folder);
    FILE *file = fopen(path, "wbe");
    bool is_written = file && fwrite(data, bytes, n, file) == n;
    if ((file && fclose(file)) || !is_written)
        die("cannot write %s: %s", path, strerror(errno));
}

static void say(struct input *self, const char *name, uint64_t number)
{
    if (json_object_set_new(self->said, name, json_integer((json_int_t)number)))
        die("no memory for the report");
}

/* ---- problems -------------------------------------------------------------------------------- */

static void write_graph(struct input *self, struct part_wish wish)
{
    char name[256];
    part_open(&self->part, self->options.seed, wish);
    const struct graph *rows = &self->part.whole;
    part_name(&self->part, name, sizeof name);
    json_object_set_new(self->said, "input", json_string(name));
    say(self, "vertices", rows->n_vertices);
    say(self, "edges", rows->n_edges);
    write_file(self, "offsets", rows->offsets, rows->n_vertices + 1, sizeof *rows->offsets);
    write_file(self, "neighbours", rows->neighbours, rows->n_edges, sizeof *rows->neighbours);
}

static void pagerank(struct input *self)
{
    write_graph(self, (struct part_wish){0});
}

static void color(struct input *self)
{
    write_graph(self, (struct part_wish){.is_undirected = true});
}

static void bfs(struct input *self)
{
    write_graph(self, (struct part_wish){0});
    say(self, "source", graph_draw_source(&self->part.whole, self->options.seed));
}

static void sssp(struct input *self)
{
    const struct graph *rows = &self->part.whole;
    write_graph(self, (struct part_wish){.has_weights = true});
    say(self, "source", graph_draw_source(rows, self->options.seed));
    write_file(self, "weights", rows->weights, rows->n_edges, sizeof *rows->weights);
}

static void kmeans(struct input *self)
{
    struct kmeans *kmeans = &self->kmeans;
    uint64_t n = kmeans->n_points, n_coordinates = n * kmeans->n_dimensions;
    kmeans->options = self->options;
    if (kmeans->n_clusters > n)
        die("%llu clusters of %llu points", (unsigned long long)kmeans->n_clusters,
            (unsigned long long)n);
    uint32_t *points = app_array(n_coordinates, sizeof *points, "the points");
    points_generate(kmeans, (struct block_range){0, n}, points);
    write_file(self, "points", points, n_coordinates, sizeof *points);
    free(points);
    say(self, "points", n);
    say(self, "clusters", kmeans->n_clusters);
    say(self, "dimensions", kmeans->n_dimensions);
    say(self, "unit", 1 << FIXED_BITS);
}

/* ---- main ------------------------------------------------------------------------------------ */

static const struct problem {
    const char *name;
    void (*write)(struct input *self);
    const struct option_group *groups;
} problems[] = {{"pagerank", pagerank, of_graphs},
                {"bfs", bfs, of_graphs},
                {"sssp", sssp, of_graphs},
                {"color", color, of_graphs},
                {"kmeans", kmeans, of_points}};

#define N_GROUPS 3 /* of each problem */

static const struct problem *find_problem(const char *name)
{
    for (size_t i = 0; name && i < sizeof problems / sizeof *problems; i++)
        if (!strcmp(name, problems[i].name))
            return &problems[i];
    die("'%s' is none of pagerank, bfs, sssp, color, kmeans", name ? name : "");
}

int main(int argc, char **argv)
{
    struct input self = {
        .options = OPTIONS_DEFAULT, .kmeans = {POINTS_DEFAULT}, .said = json_object()};
    const struct problem *problem = find_problem(argc > 1 ? argv[1] : NULL);
    options_parse(problem->groups, N_GROUPS, "Write the input of an application to files.", &self,
                  argc - 1, argv + 1);
    if (!self.folder)
        die("no folder: give -o FOLDER");
    problem->write(&self);
    if (json_dumpf(self.said, stdout, JSON_COMPACT) || printf("\n") < 0 || fflush(stdout))
        die("cannot write the report");
    json_decref(self.said);
    part_close(&self.part);
    return EXIT_SUCCESS;
}
