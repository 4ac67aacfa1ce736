# SPDX-License-Identifier: MIT
"""No name means two things: types, functions and macros of cl/, include/ and lib/ have one definition, a stem one file.

One file may define a function or macro several times, for one compiler or device each, and a macro
that a file takes back (#undef) is that file's. A function may be named after a type of its own side,
host or device: the one it gives. Names without the project's prefix belong to their file.
No two folders of lib/ on a message's way have files of one stem, but each may have its parts.h; what is off
that way (OFF_THE_WAY) has names of its own. The variables of launchers are listed three times, alike.

Path: cl/, include/, lib/ -> names.py.
"""
import collections
import os
import re

DEFINITIONS = {
    "type": re.compile(r"^(?:struct|union|enum) (gravelp?_\w+)\s*\{", re.M),
    "macro": re.compile(r"^ *# *define (gravelp?_\w+)", re.M | re.I),
    "function": re.compile(r"^(?!typedef|return|else)\w[\w \t*]*?\b(gravelp?_\w+)\([^;{}]*?\)\s*\{", re.M),
    "variable": re.compile(r"^(?!extern|typedef|return)(?:\w+[ \t*]+)+(gravelp?_\w+)(?:\[\w*\])*\s*=", re.M),
}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STANDS_IN = {"lib/transport/no_mpi.c": "for mpi.c"}
BOTH_SIDES_ASK = {"gravel_node", "gravel_n_nodes"}  # a host call and a device call that give one number


def definitions(tree):
    """Returns {name: {(file, kind)}}."""
    places = collections.defaultdict(set)
    for path in tree.files(*(top + "/**/*" + end for top in ("cl", "include", "lib") for end in (".[ch]", ".cl"))):
        if path in STANDS_IN:
            continue
        text = COMMENT.sub(" ", tree.text(path))
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


OFF_THE_WAY = ("accumulate", "flow", "serve", "server", "steal")


def stems(tree):
    """Returns {stem: folders of lib/ that have a file of it}."""
    places = collections.defaultdict(set)
    for folder, name in map(os.path.split, tree.files("lib/**/*.[ch]")):
        if os.path.basename(folder) not in OFF_THE_WAY and name != "parts.h" and name != "parts.c":
            places[os.path.splitext(name)[0]].add(folder)
    return places


def launchers(tree):
    """Yields the lists of launchers' variables, in an application and in Python, that differ from the library's."""
    rows = re.findall(r'\{(NULL|"\w+"), "(\w+)", (true|false)\}', tree.text("lib/transport/launcher.c"))
    of_mpi = [rank if size == "NULL" else size.strip('"') for size, rank, is_mpi in rows if is_mpi == "true"]
    for path, wanted, begin, end in (("apps/frame/process.h", [rank for _, rank, _ in rows], "variables[]", ";"),
                                     ("python/gravel/_opening.py", of_mpi, "_LAUNCHED = (", ")")):
        text = tree.text(path)
        if not rows or re.findall(r'"(\w+)"', text[text.index(begin):].split(end)[0]) != wanted:
            yield path


def faults(tree):
    for name, places in sorted(definitions(tree).items()):
        if mean_two_things(name, places):
            yield f"{name} has two definitions: " + ", ".join(f"{kind} in {path}" for path, kind in sorted(places))
    for stem, folders in sorted(stems(tree).items()):
        if len(folders) > 1:
            yield f"{stem} is a file in two folders: " + ", ".join(sorted(folders))
    for path in launchers(tree):
        yield f"{path}: launchers' variables are not those of lib/transport/launcher.c, in their order"
