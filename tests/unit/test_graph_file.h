/* SPDX-License-Identifier: MIT */
/*
 * Files for the graph readers' tests: made in a temporary folder, plain or gzip, and removed with it; and both readings
 * of one.
 *
 * Path: test_graph_read.c, test_graph_refuse.c -> this
 * Owner: the folder is the test program's; one at a time.
 */
#ifndef TESTS_TEST_GRAPH_FILE_H
#define TESTS_TEST_GRAPH_FILE_H

#include "graph/read.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* The one file of the test that runs. */
static char file_folder[] = "/tmp/gravel-graph-XXXXXX";
static char file_path[PATH_MAX];

static inline void make_folder(void)
{
    if (!mkdtemp(file_folder))
        abort();
}

static inline void remove_folder(void)
{
    unlink(file_path);
    rmdir(file_folder);
}

/* Write bytes to folder/x<suffix>, compressed if the suffix ends in .gz; returns its path. */
static inline const char *write_bytes(const char *suffix, const void *bytes, size_t n)
{
    unlink(file_path);
    snprintf(file_path, sizeof file_path, "%s/x%s", file_folder, suffix);
    size_t n_suffix = strlen(suffix);
    int is_gz = n_suffix > 3 && strcmp(suffix + n_suffix - 3, ".gz") == 0;
    gzFile file = gzopen(file_path, is_gz ? "wb" : "wbT");
    if (!file || (n && gzwrite(file, bytes, (unsigned)n) != (int)n) || gzclose(file) != Z_OK)
        abort();
    return file_path;
}

static inline const char *write_text(const char *suffix, const char *text)
{
    return write_bytes(suffix, text, strlen(text));
}

/* The rows of the only node; false, and none, with the reason. */
static inline bool read_whole(struct graph *whole, const char *path, char *reason)
{
    struct graph_survey survey;
    *whole = (struct graph){0};
    if (!graph_read_survey(&survey, path, false, reason))
        return false;
    const struct partition all = partition_blocks(survey.n_vertices, 1);
    const struct graph_filter filter = {.partition = &all};
    return graph_read_rows(whole, path, &filter, &survey, reason);
}

#endif
