/* SPDX-License-Identifier: MIT */
/*
 * A task in a child process. See child.h.
 *
 * The answer comes back through a shared page and not a pipe: nothing blocks, and a driver's own
 * children cannot keep it open. What the driver writes to standard error goes to a file, whose last
 * line explains a crash.
 */
#include "child.h"

#include "base/clock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_BYTES (1u << 18)
#define POLL_NS 2000000 /* between looks at the child: far below what a driver takes to load */

/* Written by the child, read by the parent after the child's end. */
struct page {
    char stage[64];
    size_t n_bytes;
    char answer[ANSWER_BYTES];
};

static struct page *page; /* of the running child */
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
    if (page)
        snprintf(page->stage, sizeof page->stage, "%s", stage);
}

bool info_child_broke(const json_t *answer)
{
    return json_is_true(json_object_get(answer, "broken"));
}

/* Never returns. No exit handlers: a driver that cannot clean up has still answered. */
static void run_here(info_task *task, const void *argument, FILE *errors)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0); /* so that a compiler started by the driver dies with it */
    dup2(fileno(errors), STDERR_FILENO);
    json_t *answer = task(argument);
    if (answer)
        page->n_bytes = json_dumpb(answer, page->answer, sizeof page->answer, 0);
    _exit(answer && page->n_bytes <= sizeof page->answer ? 0 : 1);
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

/* The last line that is not empty, after ": ", in ASCII; "" if there is none. */
static void last_line(FILE *file, char *line, size_t bytes)
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
            snprintf(line, bytes, ": %s", next);
    }
}

static json_t *judge(bool ended, int status, unsigned limit_s, FILE *errors)
{
    char what[128], detail[260];
    if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return json_loadb(page->answer, page->n_bytes, 0, NULL);
    if (!ended && is_stopped)
        return json_pack("{s:s+, s:b}", "error", "interrupted while ", page->stage, "broken", 1);
    if (!ended)
        snprintf(what, sizeof what, "gave no answer within %u s", limit_s);
    else if (WIFSIGNALED(status))
        snprintf(what, sizeof what, "crashed (%s)", strsignal(WTERMSIG(status)));
    else
        snprintf(what, sizeof what, "ended the process");
    last_line(errors, detail, sizeof detail);
    json_t *error = json_sprintf("driver %s while %s%s", what, page->stage, detail);
    return json_pack("{s:o, s:b}", "error", error, "broken", 1);
}

json_t *info_child_run(info_task *task, const void *argument, unsigned limit_s)
{
    json_t *answer;
    int status = 0;
    FILE *errors = info_child_file();
    void *memory =
        mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    page = memory == MAP_FAILED ? NULL : memory;
    info_child_stage("loading");
    fflush(NULL);
    const pid_t pid = page && errors ? fork() : -1;
    if (pid == 0)
        run_here(task, argument, errors);
    if (pid < 0) {
        answer = json_pack("{s:s}", "error", "cannot make a child process, its page or its file");
    } else {
        const bool ended = wait_for(pid, limit_s, &status);
        answer = judge(ended, status, limit_s, errors);
    }
    if (page)
        munmap(page, sizeof *page);
    page = NULL;
    if (errors)
        fclose(errors);
    return answer;
}
