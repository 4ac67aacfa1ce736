/* SPDX-License-Identifier: MIT */
/*
 * Writes to a descriptor. See output.h.
 *
 * A pipe, a socket or a terminal gets what it takes without waiting, so that a reader that has stopped keeps no thread
 * in the system: poll says that there is room, and as much as POSIX promises a pipe to take then is written.
 */
#include "spool/output.h"

#include "base/counter.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES 4096u /* PIPE_BUF of Linux: a pipe with room for some has room for so many */
#define LOOK_MS 50        /* between two looks whether to give up */

static bool is_file(int descriptor)
{
    struct stat facts;
    return fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* @return 0; the system's error; ECANCELED. */
static int await_room(int descriptor, const _Atomic bool *abandoned)
{
    struct pollfd room = {.fd = descriptor, .events = POLLOUT};
    for (;;) {
        const int n = poll(&room, 1, LOOK_MS);
        if (n > 0) /* write tells what else may be */
            return 0;
        if (n < 0 && errno != EINTR)
            return errno;
        if (atomic_load_explicit(abandoned, memory_order_relaxed)) /* S4 */
            return ECANCELED;
    }
}

int gravel_output_write(int descriptor, const char *text, size_t bytes, size_t *n_written,
                        const _Atomic bool *abandoned, _Atomic uint64_t *n_bytes)
{
    const bool waits = !is_file(descriptor);
    for (*n_written = 0; *n_written < bytes;) {
        int code = waits ? await_room(descriptor, abandoned) : 0;
        if (code)
            return code;
        const size_t left = bytes - *n_written;
        const size_t most = waits && left > PIECE_BYTES ? PIECE_BYTES : left;
        const ssize_t n = write(descriptor, text + *n_written, most);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
        if (n <= 0)
            continue;
        gravel_counter_add(n_bytes, (uint64_t)n);
        *n_written += (size_t)n;
    }
    return 0;
}
