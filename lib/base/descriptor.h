/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of our own: above those that programs print to, and closed by exec.
 *
 * A process may start with descriptors 0 to 2 closed, as daemons do. What is opened next takes their numbers, and what
 * the program prints goes into it.
 *
 * Path:    each open of a file -> this.
 * Threads: any.
 */
#ifndef GRAVEL_BASE_DESCRIPTOR_H
#define GRAVEL_BASE_DESCRIPTOR_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define GRAVEL_FIRST_OWN_DESCRIPTOR 3

/** Makes a number above 2 for what `low` leads to, closed by exec. @param low  taken; or -1. @return -1: see errno. */
static inline int gravel_descriptor_lift(int low)
{
    if (low < 0)
        return low;
    if (low >= GRAVEL_FIRST_OWN_DESCRIPTOR && fcntl(low, F_SETFD, FD_CLOEXEC) == 0)
        return low;
    int own = fcntl(low, F_DUPFD_CLOEXEC, GRAVEL_FIRST_OWN_DESCRIPTOR), error = errno;
    close(low);
    errno = error;
    return own;
}

/**
 * Take those numbers, where they are closed, from the libraries below us, which open descriptors of their own: MPI, the
 * drivers. To read from or write to them fails as before, and exec closes them.
 */
static inline void gravel_descriptor_guard(void)
{
    for (int low = 0; low < GRAVEL_FIRST_OWN_DESCRIPTOR; low++)
        if (fcntl(low, F_GETFD) < 0) {
            int taken = open("/dev/null", (low == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
            if (taken > low) /* another thread was first */
                close(taken);
        }
}

#endif
