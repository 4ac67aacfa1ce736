# SPDX-License-Identifier: MIT
"""What must be there before a check begins: the tree to itself, room on the disk, and a folder of Open MPI's."""
import fcntl
import os
import shutil
import socket

import parts

SOME_MB = 800  # the two builds of one check, with their kernels
ALL_MB = 2000
LEAST_MB = 64  # below, tests fail for want of it


def find(needed_mb):
    """@return None, or a line that says what to do."""
    free_mb = shutil.disk_usage(".").free >> 20
    if free_mb >= needed_mb:
        return None
    return "%d MB are free in %s, and a check needs %d MB: make room there, and run it again" % (
        free_mb, os.getcwd(), needed_mb)


def take_lock():
    """@return (a file that is locked while it is open, None), or (None, a line that says what to do)."""
    os.makedirs(parts.LOGS, exist_ok=True)
    lock = open(os.path.join(parts.BUILD, "lock"), "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return None, "another check runs in this tree: wait for its end"
    return lock, None


def make_mpi_folder():
    """Make the folder that all mpiruns of this user share, and keep it. Open MPI 4.1: of two mpiruns that start without
    it one fails (mkdir: File exists), and the last to end removes it if it is empty."""
    folder = "ompi.%s.%d" % (socket.gethostname().split(".")[0], os.getuid())
    os.makedirs(os.path.join(parts.MPI_FOLDER, folder, "stays"), exist_ok=True)
