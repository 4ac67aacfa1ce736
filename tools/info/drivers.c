/* SPDX-License-Identifier: MIT */
/*
 * Trying OpenCL drivers one by one. See drivers.h.
 *
 * A loader takes a directory, so one is made that holds links to the drivers to be loaded.
 */
#include "drivers.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSTEM_DIRECTORY "/etc/OpenCL/vendors"

static char directory[] = "/tmp/gravel-info-XXXXXX"; /* of links; removed at exit */

static void link_path(const char *file, char *path, size_t bytes)
{
    const char *slash = strrchr(file, '/');
    snprintf(path, bytes, "%s/%s", directory, slash ? slash + 1 : file);
}

static void add_driver(const char *file)
{
    char path[512];
    link_path(file, path, sizeof path);
    if (symlink(file, path))
        perror(path);
}

static void remove_driver(const char *file)
{
    char path[512];
    link_path(file, path, sizeof path);
    unlink(path);
}

static void remove_directory(void)
{
    glob_t links;
    char pattern[sizeof directory + 8];
    snprintf(pattern, sizeof pattern, "%s/*", directory);
    if (glob(pattern, 0, NULL, &links) == 0) {
        for (size_t i = 0; i < links.gl_pathc; i++)
            unlink(links.gl_pathv[i]);
        globfree(&links);
    }
    rmdir(directory);
}

static bool find_drivers(glob_t *files)
{
    const char *from = getenv("OCL_ICD_VENDORS");
    char pattern[512];
    snprintf(pattern, sizeof pattern, "%s/*.icd", from && *from ? from : SYSTEM_DIRECTORY);
    return glob(pattern, 0, NULL, files) == 0;
}

void info_drivers_leave_out_broken(info_task *list, const void *argument, unsigned limit_s,
                                   json_t *broken)
{
    glob_t files;
    if (!find_drivers(&files))
        return;
    if (!mkdtemp(directory)) {
        perror(directory);
        globfree(&files);
        return;
    }
    atexit(remove_directory);
    setenv("OCL_ICD_VENDORS", directory, 1);
    bool *works = calloc(files.gl_pathc, sizeof *works);
    for (size_t i = 0; works && i < files.gl_pathc; i++) {
        add_driver(files.gl_pathv[i]);
        json_t *answer = info_child_run(list, argument, limit_s);
        works[i] = !info_child_broke(answer);
        if (!works[i])
            json_array_append_new(broken, json_pack("{s:s, s:O}", "file", files.gl_pathv[i],
                                                    "error", json_object_get(answer, "error")));
        json_decref(answer);
        remove_driver(files.gl_pathv[i]);
    }
    for (size_t i = 0; works && i < files.gl_pathc; i++)
        if (works[i])
            add_driver(files.gl_pathv[i]);
    free(works);
    globfree(&files);
}
