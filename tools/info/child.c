/* SPDX-License-Identifier: MIT */
/*
 * A task in a child process. See child.h.
 *
 * The answer comes back through a file and not a pipe: nothing blocks, and a driver's own children cannot keep it open.
 * What the driver writes to standard error goes to another file, whose last line explains a crash.
 */
#include "child.h"

#include "base/clock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_NS 2000000 /* between polls of the child: far below what a driver takes to load */

static FILE *answers; /* of the running child: stages, a line each, which its answer replaces */
static volatile sig_atomic_t is_stopped;

void info_child_stop(void)
{
    is_stopped = 1;
}

FILE *info_child_file(void)
{
    FILE *file = tmpfile();
    if (file)
        fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
    return file;
}

void info_child_stage(const char *stage)
{
    if (!answers)
        return;
    fprintf(answers, "%s\n", stage);
    fflush(answers);
}

/* Never returns. No exit handlers: a driver that cannot clean up has still answered. */
static void run_here(info_task *task, const void *argument, FILE *errors)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0); /* so that a compiler started by the driver dies with it */
    dup2(fileno(errors), STDERR_FILENO);
    json_t *answer = task(argument);
    rewind(answers);
    const bool is_written = answer && !ftruncate(fileno(answers), 0) &&
                            !json_dumpf(answer, answers, 0) && !fflush(answers);
    _exit(is_written ? 0 : 1);
}

/* @return whether it ended by itself, within the limit and before it was stopped. */
static bool wait_for(pid_t pid, unsigned limit_s, int *status)
{
    const uint64_t until_ns = gravel_clock_ns() + limit_s * GRAVEL_NS_PER_S;
    const struct timespec pause = {.tv_nsec = POLL_NS};
    while (waitpid(pid, status, WNOHANG) == 0) {
        if (gravel_clock_ns() > until_ns || is_stopped) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL); /* in case it had no group yet */
            waitpid(pid, status, 0);
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

/* Reads the last line that is not empty, in ASCII. */
static const char *last_line(FILE *file, char line[256])
{
    char next[256];
    line[0] = '\0';
    rewind(file);
    while (fgets(next, sizeof next, file)) {
        next[strcspn(next, "\n")] = '\0';
        for (char *c = next; *c; c++)
            if (*c < ' ' || *c > '~')
                *c = '?';
        if (*next)
            strcpy(line, next);
    }
    return line;
}

static json_t *judge(bool ended, int status, unsigned limit_s, FILE *errors)
{
    char what[128], stage[256], detail[256];
    if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        rewind(answers);
        return json_loadf(answers, 0, NULL);
    }
    if (!ended && is_stopped)
        snprintf(what, sizeof what, "interrupted");
    else if (!ended)
        snprintf(what, sizeof what, "driver gave no answer within %u s", limit_s);
    else if (WIFSIGNALED(status))
        snprintf(what, sizeof what, "driver crashed (%s)", strsignal(WTERMSIG(status)));
    else
        snprintf(what, sizeof what, "driver ended the process");
    last_line(errors, detail);
    return json_pack("{s:o, s:b}", "error",
                     json_sprintf("%s while %s%s%s", what, last_line(answers, stage),
                                  *detail ? ": " : "", detail),
                     "broken", 1);
}

json_t *info_child_run(info_task *task, const void *argument, unsigned limit_s)
{
    int status = 0;
    FILE *errors = info_child_file();
    answers = info_child_file();
    info_child_stage("loading");
    fflush(NULL);
    const pid_t pid = answers && errors ? fork() : -1;
    if (pid == 0)
        run_here(task, argument, errors);
    const bool ended = pid > 0 && wait_for(pid, limit_s, &status);
    json_t *answer = pid > 0 ? judge(ended, status, limit_s, errors)
                             : json_pack("{s:s}", "error",
                                         "cannot make a child process, or its two files in /tmp");
    if (answers)
        fclose(answers);
    answers = NULL;
    if (errors)
        fclose(errors);
    return answer;
}
