/* SPDX-License-Identifier: MIT */
/*
 * A lock says whose the unfinished file is. See outfile.h.
 *
 * Path, owner, threads: see outfile.h.
 */
#include "frame/outfile.h"
#include "frame/die.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    FILE *file;
    const char *name;
    uint32_t number;
    char path[PATH_MAX],
        part[PATH_MAX + 8]; /* of a name that does not fit this is too long to open */
} out;

static void drop(void)
{
    unlink(out.part);
}

static _Noreturn void fail(const char *cause)
{
    die_alone("%s: cannot write: %s", out.path, cause);
}

/* Whether the name still leads there: the run that had the lock may have given the file its own name. */
static bool is_there(int descriptor)
{
    struct stat own, there;
    return fstat(descriptor, &own) == 0 && stat(out.part, &there) == 0 &&
           own.st_ino == there.st_ino && own.st_dev == there.st_dev;
}

/* Opens the file, and locks it. Where there are no locks, one that is there already is another run's. */
static int take(void)
{
    int descriptor = open(out.part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const bool is_new = descriptor >= 0;
    if (!is_new && errno == EEXIST)
        descriptor = open(out.part, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        fail(strerror(errno));
    const bool is_locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if ((!is_locked && (!is_new || errno == EWOULDBLOCK)) || !is_there(descriptor))
        fail("another run is writing it");
    return descriptor;
}

FILE *outfile_open(const char *name, uint32_t number)
{
    out.name = name;
    out.number = number;
    snprintf(out.path, sizeof out.path, "%s.%u", name, number);
    snprintf(out.part, sizeof out.part, "%s.part", out.path);
    const int descriptor = take();
    die_cleanup = drop;
    out.file = ftruncate(descriptor, 0) ? NULL : fdopen(descriptor, "w");
    if (!out.file)
        fail(strerror(errno));
    return out.file;
}

void outfile_flush(void)
{
    if (fflush(out.file) || fsync(fileno(out.file)))
        fail(strerror(errno));
    if (ferror(out.file))
        fail("a part could not be written");
}

static void tell_of_others(uint32_t n_files)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s.%u", out.name, n_files);
    if (out.number == 0 && access(path, F_OK) == 0)
        fprintf(stderr, "%s: %s is of an earlier run on more nodes, as any of a larger number is\n",
                program_invocation_short_name, path);
}

void outfile_keep(uint32_t n_files)
{
    if (rename(out.part, out.path))
        fail(strerror(errno));
    die_cleanup = NULL;
    fclose(out.file);
    tell_of_others(n_files);
}
