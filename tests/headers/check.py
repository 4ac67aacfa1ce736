#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A rule that the sources keep: a module of this folder, whose faults(tree, ...) yields a line for each place that does not.

usage: check.py SOURCE RULE [ARGUMENT...]
exit:  0; 1 with the faults, also if the rule has read nothing; 77 with what it lacks

Path: the sources -> this -> alone.py, calls.py, descriptors.py, floors.py, labels.py, layout.py, markdown.py, names.py,
      paths.py, promises.py, symbols.py, waits.py, words.py
"""
import glob
import importlib
import os
import re
import sys

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)


class Tree:
    """The sources below a folder; paths are relative to it."""

    def __init__(self, root):
        self.root, self.n_read = root, 0

    def files(self, *patterns):
        """Returns the files of patterns in which ** stands for folders, in order."""
        found = {path for pattern in patterns for path in glob.glob(os.path.join(self.root, pattern), recursive=True)}
        return [os.path.relpath(path, self.root) for path in sorted(found) if os.path.isfile(path)]

    def text(self, path):
        self.n_read += 1
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            return file.read()

    def code(self, path):
        """Returns the text with comments and strings as blanks; lines keep their numbers."""
        return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), self.text(path))


def place(path, text, at):
    return "%s:%d" % (path, text.count("\n", 0, at) + 1)


def main(source, rule, *arguments):
    tree = Tree(source)
    wrong = list(importlib.import_module(rule).faults(tree, *arguments))
    print("\n".join(wrong + ["%d files, %d faults" % (tree.n_read, len(wrong))]))
    return bool(wrong) or not tree.n_read


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
