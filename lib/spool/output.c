/* SPDX-License-Identifier: MIT */
/*
 * Writes to standard output. See output.h.
 *
 * A pipe, a socket or a terminal gets what it takes without waiting, so that a reader that has stopped keeps no thread
 * in the system: poll says that there is room, and as much as POSIX promises a pipe to take then is written.
 *
 * What the program has written to stdout, and the C library still buffers, is written first: a reader sees both in
 * order.
 */
#include "spool/output.h"

#include "base/counter.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES 4096u /* PIPE_BUF of Linux: a pipe that is ready has room for as many */
#define POLL_MS 50        /* between two polls whether to give up */

/* Waits until standard output takes something. @return 0; the system's error; ECANCELED. */
static int await_room(const struct gravel_thread *writer)
{
    struct pollfd room = {.fd = STDOUT_FILENO, .events = POLLOUT};
    for (;;) {
        const int n = poll(&room, 1, POLL_MS);
        if (n > 0) /* write says what else may be */
            return 0;
        if (n < 0 && errno != EINTR)
            return errno;
        if (gravel_thread_state(writer) >= GRAVEL_THREAD_GIVES_UP)
            return ECANCELED;
    }
}

/* Writes what the program has left in the buffer of stdout, unless one of its threads has the stream now, or it is more
 * than can be written without waiting. @return whether it has written some. */
static bool flush_program(size_t most)
{
    if (fileno(stdout) != STDOUT_FILENO || ftrylockfile(stdout))
        return false;
    const size_t n = __fpending(stdout);
    const bool has_written = n && n <= most && fflush_unlocked(stdout) == 0;
    funlockfile(stdout);
    return has_written;
}

int gravel_output_write(const char *text, size_t bytes, const struct gravel_thread *writer,
                        _Atomic uint64_t *count, size_t *n_written)
{
    struct stat facts;
    const bool waits = fstat(STDOUT_FILENO, &facts) || !S_ISREG(facts.st_mode);
    for (*n_written = 0; *n_written < bytes;) {
        int code = waits ? await_room(writer) : 0;
        if (code)
            return code;
        const size_t left = bytes - *n_written, most = waits ? PIECE_BYTES : SIZE_MAX;
        if (*n_written == 0 && flush_program(most))
            continue;
        const ssize_t n = write(STDOUT_FILENO, text + *n_written, left < most ? left : most);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
        if (n <= 0)
            continue;
        gravel_counter_add(count, (uint64_t)n);
        *n_written += (size_t)n;
    }
    return 0;
}
