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

/* Makes the link to a driver's file, or takes it away. */
static void link_driver(const char *file, bool is_there)
{
    char path[512];
    const char *slash = strrchr(file, '/');
    snprintf(path, sizeof path, "%s/%s", directory, slash ? slash + 1 : file);
    if (is_there ? symlink(file, path) : unlink(path))
        perror(path);
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

/* Loads one driver alone. @return its line of the list of broken ones; NULL: it works. */
static json_t *try_driver(const char *file, info_task *list, const void *argument, unsigned limit_s)
{
    link_driver(file, true);
    json_t *answer = info_child_run(list, argument, limit_s), *line = NULL;
    if (info_child_broke(answer))
        line = json_pack("{s:s, s:O}", "file", file, "error", json_object_get(answer, "error"));
    json_decref(answer);
    link_driver(file, false);
    return line;
}

void info_drivers_leave_out_broken(info_task *list, const void *argument, unsigned limit_s,
                                   json_t *broken)
{
    glob_t files;
    if (!find_drivers(&files))
        return;
    if (mkdtemp(directory)) {
        json_t *lines = json_array(); /* of each driver; null: it works */
        atexit(remove_directory);
        setenv("OCL_ICD_VENDORS", directory, 1);
        for (size_t i = 0; i < files.gl_pathc; i++) {
            json_t *line = try_driver(files.gl_pathv[i], list, argument, limit_s);
            json_array_append_new(lines, line ? line : json_null());
        }
        for (size_t i = 0; i < files.gl_pathc; i++)
            if (json_is_null(json_array_get(lines, i)))
                link_driver(files.gl_pathv[i], true);
            else
                json_array_append(broken, json_array_get(lines, i));
        json_decref(lines);
    } else {
        perror(directory);
    }
    globfree(&files);
}
