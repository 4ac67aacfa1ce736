#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls of OpenCL, MPI and threads that wait without a limit are those that docs/design/failure.md lists.

usage: waits.py SOURCE
exit:  0; 1 with each call that the code or the list has alone

A row of the list: | `call` | file of lib/, file | when | why |. A blocking command of OpenCL is
listed as its `CL_TRUE`. A lock that is taken without a limit, and held while the driver is called, is listed as its
`pthread_mutex_lock`: of calls by a pointer the test does not know.

Limits are rows of lib/base/timeouts.h, from which docs/reference.py writes that page's other table: each with a time is used, and
no other file makes a time of GRAVEL_TIMEOUT.

Path: lib/ <-> docs/design/failure.md.
"""
import os
import re
import sys

CALLS = re.compile(
    r"\b(CL_TRUE\b|(?:clFinish|clWaitForEvents|pthread_join|pthread_cond_wait|sem_wait|waitpid|system"
    r"|MPI_(?:Wait\w*|Finalize|Init\w*|Comm_(?:dup|split\w*|create\w*|free)|All\w+|Bcast|Barrier|Gather\w*|Scatter\w*"
    r"|Reduce\w*|M?[Rr]ecv|[BRS]?[Ss]end|Sendrecv\w*|M?[Pp]robe|Win_\w+))(?=\())")
NOT_WAITING = {"MPI_Initialized", "MPI_Comm_create_keyval"}
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', re.S)
ROW = re.compile(r"^\| `(\w+)` \| ((?:`[\w/]+\.[ch]`(?:, )?)+) \|")


DEFINITION = re.compile(r"^(?!#|typedef|enum)[\w \*\n]*?\b(\w+)\([^;{}]*?\)\s*\n\{\n(.*?)\n\}", re.S | re.M)
DRIVER = re.compile(r"\bcl(?!Retain|ReleaseEvent)[A-Z]\w*(?=\()")
CALLED = re.compile(r"\b(\w+)(?=\s*\()")
LOCK = re.compile(r"pthread_mutex_lock\((.*?)\);(.*?)(?=pthread_mutex_lock\(\1\)|\Z)", re.S)


def locks_in_driver(texts):
    """Files in which a lock is taken without a limit, and held while a call may reach the driver."""
    bodies = {(path, d[1]): d[2] for path, text in texts.items() for d in DEFINITION.finditer(text)}
    files = {}
    for path, name in bodies:
        files.setdefault(name, []).append(path)

    def functions(path, text):
        """The functions that a text calls: of its own file, or else of the one file that has the name."""
        return {(path if path in files[name] else files[name][0], name) for name in CALLED.findall(text)
                if path in files.get(name, []) or len(files.get(name, [])) == 1}

    calls = {function: functions(function[0], body) for function, body in bodies.items()}
    reach = {function for function, body in bodies.items() if DRIVER.search(body)}
    while more := {function for function in calls if function not in reach and calls[function] & reach}:
        reach |= more
    held, entered = [], set()  # texts under a lock; functions that return with one
    for (path, name), body in bodies.items():
        for lock, rest in LOCK.findall(body):
            under, unlock, _ = rest.rpartition(f"pthread_mutex_unlock({lock})")
            held.append((path, under if unlock else rest))
            entered |= set() if unlock else {(path, name)}
    for function in entered:
        for (path, _), body in bodies.items():
            if function in functions(path, body):
                held.append((path, body.split(function[1] + "(", 1)[1]))
    return {path for path, text in held if DRIVER.search(text) or functions(path, text) & reach}


def in_code(root):
    found, texts = set(), {}
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith((".c", ".h")) and name not in ("driver.h", "mpi_parts.h"):  # they call nothing by themselves
                path = os.path.join(folder, name)
                text = NOT_CODE.sub(" ", open(path, encoding="utf-8").read())
                texts[os.path.relpath(path, root)] = text
                found |= {(call, os.path.relpath(path, root))
                          for call in CALLS.findall(text) if call not in NOT_WAITING}
    return found | {("pthread_mutex_lock", path) for path in locks_in_driver(texts)}


def in_list(path):
    rows = filter(None, map(ROW.match, open(path, encoding="utf-8")))
    return {(row[1], file) for row in rows for file in re.findall(r"`([^`]+)`", row[2])}


def in_limits(root):
    """What is wrong with the limits: those without a use, files that make their own."""
    texts = {os.path.relpath(os.path.join(folder, name), root): open(os.path.join(folder, name), encoding="utf-8").read()
             for folder, _, names in os.walk(root) for name in names if name.endswith((".c", ".h"))}
    table = texts.pop("base/timeouts.h")
    for name in re.findall(r"\bX\((\w+), [1-9]", table):
        if not any("GRAVEL_LIMIT_%s" % name in text for text in texts.values()):
            yield "lib/base/timeouts.h: no wait has the limit %s" % name
    for path, text in texts.items():
        if re.search(r"\btimeout_ms \*|\* [\w>.-]*\btimeout_ms\b", NOT_CODE.sub(" ", text)):
            yield "lib/%s: a time is made of timeout_ms, and not by lib/base/timeouts.h" % path


code = in_code(os.path.join(sys.argv[1], "lib"))
listed = in_list(os.path.join(sys.argv[1], "docs/design/failure.md"))
for call, path in sorted(code - listed):
    print(f"lib/{path}: {call} waits without a limit, and docs/design/failure.md does not list it")
for call, path in sorted(listed - code):
    print(f"docs/design/failure.md lists {call} in lib/{path}, where there is none")
wrong = sorted(in_limits(os.path.join(sys.argv[1], "lib")))
print("".join(line + "\n" for line in wrong) + f"{len(code)} calls that wait without a limit")
sys.exit(code != listed or not code or bool(wrong))
