#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No name means two things: types, functions and macros of cl/, include/ and lib/ have one definition, a stem one file.

usage: names.py SOURCE
exit:  0; 1 with each name that has two definitions, and each list that differs

One file may define a function or macro several times, for one compiler or device each, and a macro
that a file takes back (#undef) is that file's. A function may be named after a type of its own side,
host or device: the one it gives. Names without the project's prefix belong to their file.
No two folders of lib/ on a message's way have files of one stem, but each may have its parts.h; what stands beside
that way (BESIDE) has names of its own. The variables of launchers are listed three times, alike.

Path: cl/, include/, lib/ -> names.py.
"""
import collections
import os
import re
import sys

DEFINITIONS = {
    "type": re.compile(r"^(?:struct|union|enum) (gravelp?_\w+)\s*\{", re.M),
    "macro": re.compile(r"^ *# *define (gravelp?_\w+)", re.M | re.I),
    "function": re.compile(r"^(?!typedef|return|else)\w[\w \t*]*?\b(gravelp?_\w+)\([^;{}]*?\)\s*\{", re.M),
    "variable": re.compile(r"^(?!extern|typedef|return)(?:\w+[ \t*]+)+(gravelp?_\w+)(?:\[\w*\])*\s*=", re.M),
}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STANDS_IN = {"lib/transport/no_mpi.c": "for mpi.c"}
BOTH_SIDES_ASK = {"gravel_node", "gravel_n_nodes"}  # a host call and a device call that give one number


def definitions(root):
    """{name: {(file, kind)}}"""
    places = collections.defaultdict(set)
    for top in ("cl", "include", "lib"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for path in (os.path.relpath(os.path.join(folder, name), root) for name in names):
                if path in STANDS_IN or not path.endswith((".c", ".h", ".cl")):
                    continue
                text = COMMENT.sub(" ", open(os.path.join(root, path), encoding="utf-8").read())
                taken_back = set(re.findall(r"^ *# *undef (\w+)", text, re.M))
                for kind, pattern in DEFINITIONS.items():
                    for name in set(pattern.findall(text)) - taken_back:
                        places[name].add((path, kind))
    return places


def mean_two_things(name, places):
    types = [path for path, kind in places if kind == "type"]
    calls = {path for path, kind in places if kind != "type"}
    sides = {path.startswith("cl/") for path, _ in places}
    return len(types) > 1 or (len(calls) > 1 and name not in BOTH_SIDES_ASK) or (types and len(sides) > 1)


BESIDE = ("accumulate", "flow", "serve", "server", "steal")


def stems(root):
    """{stem: folders of lib/ that have a file of it}"""
    places = collections.defaultdict(set)
    for folder, _, names in os.walk(os.path.join(root, "lib")):
        if os.path.basename(folder) in BESIDE:
            continue
        for stem, end in map(os.path.splitext, names):
            if end in (".c", ".h") and stem != "parts":
                places[stem].add(os.path.relpath(folder, root))
    return places


def launchers(root):
    """Lists of launchers' variables in an application and in Python that differ from the library's."""
    def quoted(path, begin, end):
        text = open(os.path.join(root, path), encoding="utf-8").read()
        return re.findall(r'"(\w+)"', text[text.index(begin):].split(end)[0])
    rows = re.findall(r'\{(NULL|"\w+"), "(\w+)", (true|false)\}', open(os.path.join(root, "lib/transport/launcher.c")).read())
    lists = {"apps/frame/launched.h": ([rank for _, rank, _ in rows], ("variables[]", ";")),
             "python/gravel/_opening.py": ([rank if size == "NULL" else size.strip('"') for size, rank, is_mpi in rows
                                            if is_mpi == "true"], ("_LAUNCHED = (", ")"))}
    return [path for path, (wanted, ends) in lists.items() if not rows or quoted(path, *ends) != wanted]


names = definitions(sys.argv[1])
others = launchers(sys.argv[1])
files = {stem: folders for stem, folders in stems(sys.argv[1]).items() if len(folders) > 1}
twice = {name: places for name, places in names.items() if mean_two_things(name, places)}
for name, places in sorted(twice.items()):
    print(f"{name} has two definitions: " + ", ".join(f"{kind} in {path}" for path, kind in sorted(places)))
for stem, folders in sorted(files.items()):
    print(f"{stem} is a file in two folders: " + ", ".join(sorted(folders)))
print(f"{len(names)} names, {len(twice)} with two definitions; {len(files)} stems in two folders")
for path in others:
    print(f"{path}: launchers' variables are not those of lib/transport/launcher.c, in their order")
sys.exit(bool(twice or files or others) or not names)
