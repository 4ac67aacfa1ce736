/* SPDX-License-Identifier: MIT */
/*
 * Reading TAP. See tap.h.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FAILURES 5u

struct reader {
    unsigned n_passed, n_failed, n_skipped;
    int n_planned;
    char difference[512]; /* the first of the line to come */
    json_t *failures, *skips;
};

/* "12 - add_int: 3 of 4 cases" without its number. */
static const char *description(const char *line)
{
    const char *dash = strstr(line, " - ");
    return dash ? dash + 3 : line;
}

static void note_failure(struct reader *reader, const char *line)
{
    reader->n_failed++;
    if (json_array_size(reader->failures) < MAX_FAILURES)
        json_array_append_new(reader->failures,
                              json_sprintf("%s%s%s", description(line),
                                           *reader->difference ? "; " : "", reader->difference));
}

static void note_skip(struct reader *reader, const char *reason)
{
    size_t i;
    json_t *one;
    reader->n_skipped++;
    json_array_foreach(reader->skips, i, one)
    {
        if (!strcmp(json_string_value(one), reason))
            return;
    }
    json_array_append_new(reader->skips, json_string(reason));
}

static void read_line(struct reader *reader, const char *line)
{
    static const char skip[] = "# SKIP ";
    const char *skipped = strstr(line, skip);
    if (!strncmp(line, "# ", 2)) {
        if (!*reader->difference)
            snprintf(reader->difference, sizeof reader->difference, "%s", line + 2);
        return;
    }
    if (!strncmp(line, "not ok ", 7))
        note_failure(reader, line + 7);
    else if (!strncmp(line, "ok ", 3) && skipped)
        note_skip(reader, skipped + sizeof skip - 1);
    else if (!strncmp(line, "ok ", 3))
        reader->n_passed++;
    else if (!strncmp(line, "1..", 3))
        reader->n_planned = atoi(line + 3);
    reader->difference[0] = '\0';
}

json_t *conformance_tap_read(FILE *file)
{
    struct reader reader = {.n_planned = -1, .failures = json_array(), .skips = json_array()};
    char line[512];
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        read_line(&reader, line);
    }
    return json_pack("{s:i, s:i, s:i, s:i, s:o, s:o}", "passed", (int)reader.n_passed, "failed",
                     (int)reader.n_failed, "skipped", (int)reader.n_skipped, "planned",
                     reader.n_planned, "failures", reader.failures, "skips", reader.skips);
}
