#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls of OpenCL, MPI and threads that wait without a limit are those that docs/design/failure.md lists.

usage: waits.py SOURCE
exit:  0; 1 with each call that the code or the list has alone

A row of the list: | `call` | file of lib/, file | when | why |. A blocking command of OpenCL is
listed as its `CL_TRUE`.

Path: lib/ <-> docs/design/failure.md.
"""
import os
import re
import sys

CALLS = re.compile(
    r"\b(CL_TRUE\b|(?:clFinish|clWaitForEvents|pthread_join|pthread_cond_wait|sem_wait|waitpid|system"
    r"|MPI_(?:Wait\w*|Finalize|Init\w*|Comm_(?:dup|split\w*|create\w*|free)|All\w+|Bcast|Barrier|Gather\w*|Scatter\w*"
    r"|Reduce\w*|M?[Rr]ecv|[BRS]?[Ss]end|Sendrecv\w*|M?[Pp]robe|Win_\w+))(?=\())")
NOT_WAITING = {"MPI_Initialized"}
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', re.S)
ROW = re.compile(r"^\| `(\w+)` \| ((?:`[\w/]+\.[ch]`(?:, )?)+) \|")


def in_code(root):
    found = set()
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith((".c", ".h")) and name not in ("driver.h", "mpi_marked.h"):  # they call nothing by themselves
                path = os.path.join(folder, name)
                text = NOT_CODE.sub(" ", open(path, encoding="utf-8").read())
                found |= {(call, os.path.relpath(path, root))
                          for call in CALLS.findall(text) if call not in NOT_WAITING}
    return found


def in_list(path):
    rows = filter(None, map(ROW.match, open(path, encoding="utf-8")))
    return {(row[1], file) for row in rows for file in re.findall(r"`([^`]+)`", row[2])}


code = in_code(os.path.join(sys.argv[1], "lib"))
listed = in_list(os.path.join(sys.argv[1], "docs/design/failure.md"))
for call, path in sorted(code - listed):
    print(f"lib/{path}: {call} waits without a limit, and docs/design/failure.md does not list it")
for call, path in sorted(listed - code):
    print(f"docs/design/failure.md lists {call} in lib/{path}, where there is none")
print(f"{len(code)} calls that wait without a limit")
sys.exit(code != listed or not code)
