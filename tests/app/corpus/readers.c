/* SPDX-License-Identifier: MIT */
/*
 * What the applications' readers make of files: of each path on a line of stdin, "= PATH", and then one line of a refusal,
 * or what was read. Each file has a process of its own, so that one that ends it is told: "! signal N".
 *
 * Path: corpus.py -> this -> apps/graph/read.h, apps/mer/sequence.h, apps/sgd/sgd.h, apps/maxflow/maxflow.h
 */
#include "graph/read.h"
#include "maxflow/maxflow.h"
#include "sgd/sgd.h"
#ifdef HAS_MER
#include "mer/sequence.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool ends_in(const char *path, const char *suffix)
{
    const size_t n = strlen(path), n_suffix = strlen(suffix);
    return n > n_suffix && strcmp(path + n - n_suffix, suffix) == 0;
}

/* Of FILE.SUFFIX or FILE.SUFFIX.gz. */
static bool is_of(const char *path, const char *suffix)
{
    char packed[16];
    snprintf(packed, sizeof packed, "%s.gz", suffix);
    return ends_in(path, suffix) || ends_in(path, packed);
}

static void print_graph(const struct graph *graph)
{
    printf("vertices %llu\n", (unsigned long long)graph->n_vertices);
    for (uint64_t u = 0; u < graph->n_vertices; u++)
        for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
            printf("%llu %u", (unsigned long long)u, graph->neighbours[e]);
            if (graph->weights_are == GRAPH_UINT)
                printf(" %u", graph->weights[e].as_uint);
            if (graph->weights_are == GRAPH_FLOAT)
                printf(" %.9g", (double)graph->weights[e].as_float);
            putchar('\n');
        }
}

static void read_graph(const char *path)
{
    char reason[GRAPH_REASON_BYTES];
    struct graph_survey survey;
    struct graph whole;
    if (!graph_read_survey(&survey, path, false, reason))
        die("%s", reason);
    const struct partition all = partition_blocks(survey.n_vertices, 1);
    const struct graph_filter filter = {.partition = &all};
    if (!graph_read_rows(&whole, path, &filter, &survey, reason))
        die("%s", reason);
    print_graph(&whole);
    graph_free(&whole);
}

static void read_network(const char *path)
{
    struct maxflow_arcs arcs;
    read_arcs(&arcs, path);
    printf("vertices %llu from %u to %u\n", (unsigned long long)arcs.n_vertices, arcs.source,
           arcs.sink);
    for (uint64_t i = 0; i < arcs.n; i++)
        printf("%u %u %u\n", arcs.each[i].from, arcs.each[i].to, arcs.each[i].capacity);
    free(arcs.each);
}

static void read_ratings(const char *path)
{
    struct sgd_ratings ratings;
    sgd_read(&ratings, path);
    printf("users %llu items %llu\n", (unsigned long long)ratings.n_users,
           (unsigned long long)ratings.n_items);
    for (uint64_t i = 0; i < ratings.n; i++)
        printf("%u %u %.9g\n", ratings.each[i].user, ratings.each[i].item,
               (double)ratings.each[i].value);
    free(ratings.each);
}

static void read_sequences(const char *path)
{
#ifdef HAS_MER
    char reason[SEQUENCE_REASON_BYTES];
    struct sequence sequence;
    struct sequence_file *file = sequence_open(path, 5, reason);
    while (file && sequence_next(file, &sequence)) {
        printf("sequence ");
        for (size_t i = 0; i < sequence.n_bases; i++)
            putchar("ACGTN"[sequence.bases[i]]);
        putchar('\n');
    }
    if (!file || sequence_has_failed(file))
        die("%s", reason);
    sequence_close(file);
#else
    die("%s: built without mer", path);
#endif
}

static void read_file(const char *path)
{
    if (is_of(path, ".fa") || is_of(path, ".fq"))
        read_sequences(path);
    else if (is_of(path, ".csv") || is_of(path, ".dat"))
        read_ratings(path);
    else if (is_of(path, ".max"))
        read_network(path);
    else
        read_graph(path);
}

static void try_file(const char *path)
{
    int status;
    printf("= %s\n", path);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        dup2(STDOUT_FILENO, STDERR_FILENO);
        read_file(path);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || WIFSIGNALED(status))
        printf("! signal %d\n", child < 0 ? -1 : WTERMSIG(status));
}

int main(void)
{
    char path[4096];
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        try_file(path);
    }
    return 0;
}
