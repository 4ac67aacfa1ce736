# SPDX-License-Identifier: MIT
"""Pages of Markdown render as they were meant: no table is cut by a blank line, no code span begins inside another.

Path: README.md of every room, CONTRIBUTING.md, docs/, examples/, hrf/ -> this.
"""
import re

PAGES = ("README.md", "CONTRIBUTING.md", "docs/*.md", "docs/*/*.md", "apps/*/README.md", "examples/*.md",
         "*/README.md", "hrf/docs/*.md")
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)


def without_code(text):
    """Returns fenced blocks as empty lines, so that numbers of lines stay."""
    return FENCED.sub(lambda match: "\n" * match.group(0).count("\n"), text)


def cut_tables(lines):
    """Yields rows that begin a table, and have no line of dashes below."""
    for i, line in enumerate(lines):
        begins = line.startswith("|") and not (i > 0 and lines[i - 1].startswith("|"))
        if begins and not re.match(r"\|[ :|-]+\|$", (lines + [""])[i + 1]):
            yield i + 1, "a row without a head: a blank line cuts the table"


def split_spans(lines):
    """Yields paragraphs, list items and rows with an odd number of backticks, or with words that touch the spans around them."""
    first, paragraph = 0, ""
    for i, line in enumerate(lines + [""]):
        if line and not line.startswith(("|", "- ")):
            paragraph += " " + line
            continue
        if paragraph.count("`") % 2:
            yield first + 1, "an odd number of backticks: %s" % paragraph.strip()[:60]
        elif any(re.match(r"\w{2}.*\w$", text) for text in paragraph.split("`")[2:-1:2]):
            yield first + 1, "a code span begins inside another: %s" % paragraph.strip()[:60]
        first, paragraph = i, line


def faults(tree):
    for path in tree.files(*PAGES):
        lines = without_code(tree.text(path)).split("\n")
        yield from ("%s:%d: %s" % (path, number, what) for number, what in [*cut_tables(lines), *split_spans(lines)])
