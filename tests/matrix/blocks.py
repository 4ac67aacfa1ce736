# SPDX-License-Identifier: MIT
"""The fenced blocks of a page of Markdown: programs and commands that a test runs as a reader would.

Path: README.md, docs/guide -> this -> fresh.py, tests/guide/guide.py.
"""
import re

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


class Block:
    def __init__(self, page, line, language, text):
        self.page, self.line, self.language, self.text = page, line, language, text

    def __str__(self):
        return "%s:%d" % (self.page, self.line)


def blocks_of(path, page):
    """@param page  its name for messages."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return [Block(page, text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2))
            for match in FENCE.finditer(text)]


def commands(block):
    """Of a block that shows a terminal: (command, the lines that it printed)."""
    shown = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            shown.append((line[2:], []))
        elif shown:
            shown[-1][1].append(line)
    return shown
