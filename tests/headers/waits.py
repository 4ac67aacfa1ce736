# SPDX-License-Identifier: MIT
"""Calls of OpenCL, MPI and threads that wait without a limit are those that docs/design/failure.md lists.

A row of the list: | `call`, `call` | file of lib/, file | when | why |. A blocking command of OpenCL is
listed as its `CL_TRUE`. A lock that is taken without a limit, and held while the driver is called, is listed as its
`pthread_mutex_lock`: of calls by a pointer the test does not know.

Limits are rows of lib/base/timeouts.h, from which docs/reference.py writes that page's other table: each with a time is used, and
no other file makes a time of GRAVEL_TIMEOUT.

Path: lib/ <-> docs/design/failure.md.
"""
import os
import re

CALLS = re.compile(
    r"\b(CL_TRUE\b|(?:clFinish|clWaitForEvents|pthread_join|pthread_cond_wait|sem_wait|waitpid|system"
    r"|MPI_(?:Wait\w*|Finalize|Init\w*|Comm_(?:dup|split\w*|create\w*|free)|All\w+|Bcast|Barrier|Gather\w*|Scatter\w*"
    r"|Reduce\w*|M?[Rr]ecv|[BRS]?[Ss]end|Sendrecv\w*|M?[Pp]robe|Win_\w+))(?=[(,]))")  # TRY_MPI(call, ...) has a comma
NOT_WAITING = {"MPI_Initialized", "MPI_Comm_create_keyval"}
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| ((?:`[\w/]+\.[ch]`(?:, )?)+) \|")
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


def in_code(tree):
    codes = {path: tree.code(path) for path in tree.files("lib/**/*.[ch]")
             if os.path.basename(path) != "driver.h"}  # it calls nothing by itself
    found = {(call, path) for path, code in codes.items() for call in CALLS.findall(code) if call not in NOT_WAITING}
    return found | {("pthread_mutex_lock", path) for path in locks_in_driver(codes)}


def limits(tree):
    """Yields what is wrong with the limits: those without a use, files that make their own."""
    codes = {path: tree.code(path) for path in tree.files("lib/**/*.[ch]") if path != "lib/base/timeouts.h"}
    for name in re.findall(r"\bX\((\w+), [1-9]", tree.text("lib/base/timeouts.h")):
        if not any("GRAVEL_LIMIT_%s" % name in code for code in codes.values()):
            yield "lib/base/timeouts.h: no wait has the limit %s" % name
    for path, code in codes.items():
        if re.search(r"\btimeout_ms \*|\* [\w>.-]*\btimeout_ms\b", code):
            yield "%s: a time is made of timeout_ms, and not by lib/base/timeouts.h" % path


def faults(tree):
    code, rows = in_code(tree), filter(None, map(ROW.match, tree.text("docs/design/failure.md").split("\n")))
    listed = {(call, "lib/" + file) for row in rows for call in re.findall(r"\w+", row[1])
              for file in re.findall(r"`([^`]+)`", row[2])}
    for call, path in sorted(code - listed):
        yield f"{path}: {call} waits without a limit, and docs/design/failure.md does not list it"
    for call, path in sorted(listed - code):
        yield f"docs/design/failure.md lists {call} in {path}, where there is none"
    yield from limits(tree)
