#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each call of the OpenCL driver in lib/ is marked, so that the watch of a node sees a thread that stands in it.

usage: calls.py SOURCE
exit:  0; 1 with each call that is not marked, each copy of rectangles outside lib/pump/, and each name of
       lib/device/driver.h that nothing calls

A call is marked where its name is a macro of lib/device/driver.h and the file includes that, by itself or by others.
A function of an extension is called by a pointer of the type cl..._fn, and then by GRAVEL_MARKED_AS and under its name.
What only asks about objects, or counts references, needs no mark: see the header. Copies of rectangles go astray where a
buffer is large (memory/arena.c), and only the slots of the pump's queues lie before that.

Path: lib/ <-> lib/device/driver.h.
"""
import os
import re
import sys

HEADER = "device/driver.h"
CALL = re.compile(r"\b(cl[A-Z]\w*)\b(?<!_fn)(?=\s*[(),])")  # a name that a macro of the file's own gets counts too
MARKED = re.compile(r"^#define (cl\w+)\(\.\.\.\) GRAVEL_MARKED\(\1, __VA_ARGS__\)$", re.M)
RECTANGLES, THEIR_ROOM = re.compile(r"cl\w+Rect\b"), "pump/"
UNMARKED = re.compile(r"cl(Get(?!EventInfo)|Retain)\w+")
POINTER = re.compile(r"\b(cl\w+)_fn\s+(\w+)")  # of a function of an extension: the function, the pointer
UNKEPT = re.compile(r"\(\s*(cl\w+)_fn\s*\)[^;=]*\)\s*\)\s*\(")  # one that is called without a name
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', re.S)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def sources(root):
    for folder, _, names in os.walk(root):
        yield from (os.path.relpath(os.path.join(folder, name), root) for name in names if name.endswith((".c", ".h")))


def by_pointer(text):
    """What is wrong with the calls that a file's text makes by pointers."""
    for function, pointer in POINTER.findall(text):
        if re.search(rf"(?<!\w){pointer}\s*\(", text) or f'GRAVEL_MARKED_AS("{function}", {pointer},' not in text:
            yield f"{function} is called by {pointer}, and not as GRAVEL_MARKED_AS(\"{function}\", {pointer}, ...)"
    for function in UNKEPT.findall(text):
        yield f"{function} is called by a pointer that has no name"


def included(root, path, seen):
    for name in INCLUDE.findall(read(os.path.join(root, path))):
        for near in (os.path.join(os.path.dirname(path), name), name):
            if near not in seen and os.path.exists(os.path.join(root, near)):
                seen.add(near)
                included(root, near, seen)
    return seen


root = os.path.join(sys.argv[1], "lib")
marked = set(MARKED.findall(read(os.path.join(root, HEADER))))
wrong, used = [], set()
for path in sorted(sources(root)):
    if path == HEADER:
        continue
    calls = {call for call in CALL.findall(NOT_CODE.sub(" ", read(os.path.join(root, path)))) if not UNMARKED.match(call)}
    used |= calls
    wrong += [f"lib/{path}: {fault}" for fault in by_pointer(read(os.path.join(root, path)))]
    wrong += [f"lib/{path}: {call} is not among the calls that lib/{HEADER} marks" for call in sorted(calls - marked)]
    wrong += [f"lib/{path}: {call}: only lib/{THEIR_ROOM} may copy rectangles" for call in sorted(calls)
              if RECTANGLES.match(call) and not path.startswith(THEIR_ROOM)]
    if calls and HEADER not in included(root, path, set()):
        wrong.append(f"lib/{path} does not include {HEADER}, and calls {', '.join(sorted(calls))}")
wrong += [f"lib/{HEADER} marks {call}, which nothing calls" for call in sorted(marked - used)]
print("\n".join(wrong + [f"{len(marked)} calls, {len(wrong)} faults"]))
sys.exit(bool(wrong) or not marked)
