#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The blocks of docs/guide/cxx.md as files: what a reader saves.

usage: page.py PAGE FOLDER
out:   FOLDER/histogram.cpp, FOLDER/CMakeLists.txt; FOLDER/handlers.cpp, the block of handlers in a function

Path: docs/guide/cxx.md -> this -> run.sh, cmake.sh.
"""
import os
import re
import sys

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
AROUND = "#include <gravel/gravel.hpp>\nint main()\ntry {\n%s    return sum != 7;\n" \
         "} catch (const std::exception &) {\n    return 1;\n}\n"


def files(page):
    for language, text in FENCE.findall(page):
        if language == "cmake":
            yield "CMakeLists.txt", text
        elif language == "cpp" and "int main(" in text:
            yield "histogram.cpp", text
        elif language == "cpp":
            yield "handlers.cpp", AROUND % text


def main(path, folder):
    with open(path, encoding="utf-8") as file:
        found = list(files(file.read()))
    if sorted(name for name, _ in found) != ["CMakeLists.txt", "handlers.cpp", "histogram.cpp"]:
        sys.exit("%s: its blocks are %s" % (path, [name for name, _ in found]))
    for name, text in found:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


main(*sys.argv[1:])
