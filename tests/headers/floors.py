# SPDX-License-Identifier: MIT
"""A room, a folder of the sources, includes only rooms below it: CONTRIBUTING.md lists the rooms, lowest first. Inside a
room of lib/ calls run one way: no files call each other in a circle.

A room is a folder in lib/, cl/ or apps/ with all below it, cl/ itself, or include/gravel. Includes in quotes are read,
of .c, .h and .cl alike. A room's parts.h is for its own files. Rooms of one row are on one floor. Applications find no header in lib/.

Path: include/, cl/, lib/, apps/ <-> CONTRIBUTING.md, "Rooms".
"""
import os
import re

SECTION = re.compile(r"^## Rooms\n(.*?)(?=^## )", re.M | re.S)
ROW = re.compile(r"^- (`[\w/-]+`(?:, `[\w/-]+`)*): ", re.M)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
# As the compilers do, below the source.
SEARCHED = {"apps": ("apps", "cl", "cl/kernels")}
ELSE_SEARCHED = ("lib", "cl", "include", "cl/device", "cl/layout", "cl/kernels")
# A function that other files may call; clang-format gives its brace a line.
DEFINED = re.compile(r"^(?!static\b|__attribute__)\w[\w *]*[ *\n](\w+)\([^;{}]*\)\n\{", re.M)
WORD = re.compile(r"(?<!struct )\b[a-z]\w+\b")
ELSEWHERE = {"forms.cl.h": "made by cl/forms.py", "subgroup_forms.cl.h": "made by cl/forms.py",
             "host_c11.h": "of tests/tsan",
             "gravel.cl.h": "in kernels: the joined header"}


def room_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def target_of(name, path, found):
    for folder in (os.path.dirname(path),) + SEARCHED.get(path.split("/")[0], ELSE_SEARCHED):
        target = os.path.normpath(os.path.join(folder, name))
        if target in found:
            return target
    return None


def climbs(tree, floors):
    found = set(tree.files(*(top + "/**/*" + end for top in ("include", "cl", "lib", "apps") for end in (".[ch]", ".cl"))))
    rooms = {room_of(path) for path in found}
    yield from ("%s is a room that CONTRIBUTING.md does not list" % room for room in rooms - set(floors))
    yield from ("CONTRIBUTING.md lists the room %s, which is not there" % room for room in set(floors) - rooms)
    for path in found:
        for name in INCLUDE.findall(tree.text(path)):
            target = target_of(name, path, found)
            if not target and name not in ELSEWHERE:
                yield "%s includes %s, which is not there" % (path, name)
            elif target and {room_of(target), room_of(path)} <= set(floors) and room_of(target) != room_of(path) and \
                    floors[room_of(target)] >= floors[room_of(path)]:
                yield "%s includes %s of a floor that is not below" % (path, target)
            elif target and os.path.basename(target) == "parts.h" and room_of(target) != room_of(path):
                yield "%s includes %s, which is for files of its room" % (path, target)


def calls(tree, paths):
    """Returns {file: {file that it calls: {function}}} of a room."""
    codes = {path: tree.code(path) for path in paths}
    home = {name: path for path, code in codes.items() for name in DEFINED.findall(code)}
    out = {path: {} for path in paths}
    for path, code in codes.items():
        for name in set(WORD.findall(code)):
            if home.get(name, path) != path:
                out[path].setdefault(home[name], set()).add(name)
    return out


def reached(arrows, start):
    seen, left = set(), [start]
    while left:
        for path in arrows[left.pop()]:
            if path not in seen:
                seen.add(path)
                left.append(path)
    return seen


def circles(tree):
    """Yields each arrow of a circle of files."""
    rooms = {}
    for path in tree.files("lib/**/*.c"):
        rooms.setdefault(room_of(path), []).append(path)
    for paths in rooms.values():
        arrows = calls(tree, paths)
        all_of = {path: reached(arrows, path) for path in paths}
        yield from ("%s calls %s, which calls it again by way of others (%s)" % (path, target, ", ".join(sorted(names)))
                    for path in paths for target, names in arrows[path].items() if path in all_of[target])


def faults(tree):
    section = SECTION.search(tree.text("CONTRIBUTING.md"))
    rows = ROW.findall(section.group(1)) if section else []
    listed = {room: floor for floor, row in enumerate(rows) for room in row.strip("`").split("`, `")}
    yield from sorted({*climbs(tree, listed), *circles(tree)})
