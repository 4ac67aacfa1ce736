# SPDX-License-Identifier: MIT
"""Each call of the OpenCL driver in lib/ is marked, so that the watch of a node sees a thread that is in it.

A call is marked where its name is a macro of lib/device/driver.h and the file includes that, by itself or by others.
A function of an extension is called by a pointer of the type cl..._fn, and then by GRAVEL_MARKED_AS and under its name.
What only asks about objects, or counts references, needs no mark: see the header. Copies of rectangles go astray where a
buffer is large (memory/arena.c), and only the slots of the pump's queues lie before that.

Path: lib/ <-> lib/device/driver.h
"""
import os
import re

HEADER = "lib/device/driver.h"
CALL = re.compile(r"\b(cl[A-Z]\w*)\b(?<!_fn)(?=\s*[(),])")  # a name that a macro of the file's own gets counts too
MARKED = re.compile(r"^#define (cl\w+)\(\.\.\.\) GRAVEL_MARKED\(\1, __VA_ARGS__\)$", re.M)
RECTANGLES, THEIR_ROOM = re.compile(r"cl\w+Rect\b"), "lib/pump/"
UNMARKED = re.compile(r"cl(Get(?!EventInfo)|Retain)\w+")
POINTER = re.compile(r"\b(cl\w+)_fn\s+(\w+)")  # of a function of an extension: the function, the pointer
UNKEPT = re.compile(r"\(\s*(cl\w+)_fn\s*\)[^;=]*\)\s*\)\s*\(")  # one that is called without a name
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def by_pointer(text):
    """Yields what is wrong with the calls that a file's text makes by pointers."""
    for function, pointer in POINTER.findall(text):
        if re.search(rf"(?<!\w){pointer}\s*\(", text) or f'GRAVEL_MARKED_AS("{function}", {pointer},' not in text:
            yield f"{function} is called by {pointer}, and not as GRAVEL_MARKED_AS(\"{function}\", {pointer}, ...)"
    for function in UNKEPT.findall(text):
        yield f"{function} is called by a pointer that has no name"


def included(texts, path, seen):
    for name in INCLUDE.findall(texts[path]):
        for near in os.path.join(os.path.dirname(path), name), os.path.join("lib", name):
            if near in texts and near not in seen:
                seen.add(near)
                included(texts, near, seen)
    return seen


def faults(tree):
    texts = {path: tree.text(path) for path in tree.files("lib/**/*.[ch]")}
    marked, used = set(MARKED.findall(texts[HEADER])), set()
    for path, text in texts.items():
        if path == HEADER:
            continue
        calls = {call for call in CALL.findall(tree.code(path)) if not UNMARKED.match(call)}
        used |= calls
        yield from (f"{path}: {fault}" for fault in by_pointer(text))
        yield from (f"{path}: {call} is not among the calls that {HEADER} marks" for call in sorted(calls - marked))
        yield from (f"{path}: {call}: only {THEIR_ROOM} may copy rectangles" for call in sorted(calls)
                    if RECTANGLES.match(call) and not path.startswith(THEIR_ROOM))
        if calls and HEADER not in included(texts, path, set()):
            yield f"{path} does not include {HEADER}, and calls {', '.join(sorted(calls))}"
    yield from (f"{HEADER} marks {call}, which nothing calls" for call in sorted(marked - used))
