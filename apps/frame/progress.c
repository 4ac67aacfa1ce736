/* SPDX-License-Identifier: MIT */
/*
 * A progress bar on a terminal.
 *
 * Path: an application -> this -> stderr
 * Threads: one at a time.
 */
#include "frame/progress.h"
#include "frame/trials.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAR_CELLS 40
#define REDRAW_S 0.1

/* To the first column, then clear to the end of the line. */
#define START_OVER "\r\033[K"

static bool is_wanted(FILE *stream, bool quiet)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return !quiet && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0 &&
           isatty(fileno(stream));
}

static void draw(const struct progress *progress, double share)
{
    int n_full = (int)(share * BAR_CELLS);
    fprintf(progress->stream, START_OVER "%s [", progress->label);
    for (int i = 0; i < BAR_CELLS; i++)
        fputc(i < n_full ? '#' : '.', progress->stream);
    fprintf(progress->stream, "] %3d%%", (int)(share * 100));
    fflush(progress->stream);
}

void progress_begin(struct progress *progress, FILE *stream, const char *label, uint64_t total,
                    bool quiet)
{
    *progress = (struct progress){.stream = stream, .label = label, .total = total};
    progress->is_shown = is_wanted(stream, quiet);
}

void progress_at(struct progress *progress, uint64_t done)
{
    if (!progress->is_shown)
        return;
    double now_s = trials_clock();
    if (progress->drawn_at_s != 0 && now_s - progress->drawn_at_s < REDRAW_S)
        return;
    progress->drawn_at_s = now_s;
    draw(progress, done >= progress->total ? 1 : (double)done / (double)progress->total);
}

void progress_end(struct progress *progress)
{
    if (!progress->is_shown)
        return;
    fputs(START_OVER, progress->stream);
    fflush(progress->stream);
    progress->is_shown = false;
}
