# SPDX-License-Identifier: MIT
"""The shared library exports the functions that the installed headers declare, and nothing else; Debian's list has them, and
the rules of calls are tested of each.

Path: lib/gravel.map -> the linker -> this <- include/gravel, debian/*.symbols, tests/spec
"""
import os
import re
import subprocess

BETWEEN = re.compile(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\bextern \"C\" \{", re.S | re.M)
DECLARED = re.compile(r"^\s*(?:extern\s+)?(?!typedef\b|static\b)\w[\w\s*]*?\b(\w+)\s*(?:\(|$)")


def declared(text):
    text, shorter = BETWEEN.sub(" ", text), None
    while text != shorter:  # bodies of structs and of inline functions
        shorter, text = text, re.sub(r"\{[^{}]*\}", ";", text)
    found = (DECLARED.match(statement) for statement in text.split(";") if "(" in statement or "extern" in statement)
    return {match[1] for match in found if match}


def faults(tree, nm, library, listing, *headers):
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, text=True, stdout=subprocess.PIPE).stdout
    exported = {line.split()[-1].split("@")[0] for line in lines.splitlines()}
    in_headers = set().union(*(declared(tree.text(header)) for header in headers))
    name = re.escape(os.path.basename(library).partition(".so")[0])
    of_library = re.search(r"^%s\.so\S* .*\n((?: .*\n)*)" % name, tree.text(listing), re.M)[1]
    in_list = {line.split("@")[0].strip() for line in of_library.splitlines()}
    for name in sorted((exported | in_headers | in_list) - (exported & in_headers & in_list)):
        yield "%s is in %s only" % (name, ", ".join(where for where, names in (
            ("the library", exported), ("public headers", in_headers), ("Debian's list", in_list)) if name in names))
    tested = set(re.findall(r"\b(gravel_\w+)[(,]", tree.code("tests/spec/calls.c") + tree.code("tests/spec/rules.c")))
    yield from ("%s has no row in tests/spec/calls.c" % name for name in sorted(exported - tested))
