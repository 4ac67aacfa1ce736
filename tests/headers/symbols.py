#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shared library exports the functions that the installed headers declare, and nothing else; Debian's list has them.

usage: symbols.py NM LIBRARY LIST HEADER...
exit:  0; 1 with each name that is on one side only

Path: lib/gravel.map -> the linker -> symbols.py <- include/gravel, debian/*.symbols.
"""
import re
import subprocess
import sys

BETWEEN = re.compile(r"/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\bextern \"C\" \{", re.S | re.M)
DECLARED = re.compile(r"^\s*(?:extern\s+)?(?!typedef\b|static\b)\w[\w\s*]*?\b(\w+)\s*(?:\(|$)")


def declared(path):
    text = BETWEEN.sub(" ", open(path, encoding="utf-8").read())
    shorter = None
    while text != shorter:  # bodies of structs and of inline functions
        shorter, text = text, re.sub(r"\{[^{}]*\}", ";", text)
    found = (DECLARED.match(statement) for statement in text.split(";") if "(" in statement or "extern" in statement)
    return {match[1] for match in found if match}


def exported(nm, library):
    lines = subprocess.run([nm, "-D", "--defined-only", library], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


nm, library, listing, headers = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
in_headers = set().union(*map(declared, headers))
in_library = exported(nm, library)
for name in sorted(in_headers - in_library):
    print(f"{name} is declared in a public header, and the library does not export it")
for name in sorted(in_library - in_headers):
    print(f"{name} is exported by the library, and no public header declares it")
with open(listing, encoding="utf-8") as lines:
    in_list = {line.split("@")[0].strip() for line in lines if line.startswith(" ")}
for name in sorted(in_list ^ in_library):
    print(f"{name} is in {'the list' if name in in_list else 'the library'} alone: {listing}")
print(f"{len(in_library)} exported, {len(in_headers)} declared")
sys.exit(not in_headers == in_library == in_list or not in_headers)
