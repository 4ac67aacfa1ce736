# SPDX-License-Identifier: MIT
"""Files and folders that comments and documents name exist.

Read are comments of C and OpenCL C, the `Path:` fields of scripts, and the documents' links and
`names in backticks`. A name may be the end of a path: job.c, network/job.c and lib/network/job.c
are one file. A *, <word> or WORD in a name stands for any text, and a name that a meson.build gives
an output is a file. <name.h> is another project's, BUILD/name is built.

Path: every source, README.md, docs/ -> paths.py.
"""
import os
import re

SOURCES = (".c", ".h", ".cpp", ".hpp", ".cl", ".py", ".sh", ".pml")
TOP = ("apps", "bench", "cl", "debian", "docs", "examples", "hrf", "include", "lib", "python", "study", "tests", "tools")
ENDING = r"(?:c|cl|cpp|h|hpp|py|sh|md|svg|pml|build|txt|in|supp|json)"
FIELD = re.compile(r"\bPath:((?:.*\n)(?:(?![^\n]*(?:\b[A-Z]\w+(?:, \w+)?:\s|\*/|\"\"\"))[ \t]*[*#]?[ \t]+\S.*\n)*)")
FILE = re.compile(r"(?<![\w./<>*-])(?!BUILD/)((?:[\w.<>*-]+/)*[\w.<>*-]*[\w-][\w>*]\." + ENDING +
                  r")(?![\w/(])(?!\.\w)")
FOLDER = re.compile(r"(?<![\w./<>*-])((?:" + "|".join(TOP) + r")(?:/[\w-]+)*)/?(?![\w./*-])")
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
STRING = re.compile(r'"[^"\n]*"')
QUOTED = re.compile(r"`([^`\s]+)`")
HEADING = re.compile(r"^#+ (.*)$", re.M)


class Names:
    """Paths of all files and folders, except builds and what git ignores by name, and of what builds make."""

    def __init__(self, tree):
        self.paths = set()
        for folder, folders, files in os.walk(tree.root):
            folders[:] = [f for f in folders if not f.startswith((".", "build")) and f != "__pycache__"]
            self.paths |= {os.path.relpath(os.path.join(folder, name), tree.root) for name in files + folders}
        for build in [p for p in self.paths if os.path.basename(p) == "meson.build"]:
            for outputs in re.findall(r"output: (\[[^]]*\]|'[\w.]+')", tree.text(build)):
                self.paths |= set(re.findall(r"'([\w.]+)'", outputs))
        self.ends = {path[cut:] for path in self.paths for cut in [0] + [slash.end() for slash in re.finditer("/", path)]}
        self.text = "\n" + "\n".join(self.paths) + "\n"

    def have(self, name, folder=""):
        if os.path.normpath(os.path.join(folder, name)) in self.paths or name.rstrip("/") in self.ends:
            return True
        pattern = re.sub(r"<\w+>|\*|\b(?!README\b)[A-Z]{3,}\b|(?<=_)[A-Z]{3,}\b", "\0", name.rstrip("/"))
        pattern = re.escape(pattern).replace(re.escape("\0"), r"[^/\n]*")
        return re.search(r"[\n/]" + pattern + r"\n", self.text) is not None


def named_in_source(text, is_script):
    parts = FIELD.findall(text) if is_script else COMMENT.findall(text)
    for part in parts:
        part = STRING.sub(" ", re.sub(r"https?:\S+|<[\w/.]+\.h>", " ", part))
        yield from FILE.findall(part)
        yield from FOLDER.findall(part)


def named_in_document(text):
    text = re.sub(r"^```.*?^```|Save this as `\S+`", "", text, flags=re.M | re.S)
    yield from LINK.findall(text)
    for quoted in QUOTED.findall(text):
        yield from FILE.findall(quoted) if FILE.fullmatch(quoted) else FOLDER.findall(quoted) if (
            FOLDER.fullmatch(quoted) and "/" in quoted) else []


def anchor(heading):
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def stale_anchors(tree, path, text):
    for target, section in re.findall(r"\]\((?!\w+:)([^)#\s]*)#([^)\s]+)\)", text):
        document = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        if os.path.exists(os.path.join(tree.root, document)):
            if section not in map(anchor, HEADING.findall(tree.text(document))):
                yield f"{target}#{section}"


def faults(tree):
    names, stale = Names(tree), set()
    for path in names.paths:
        is_document = path.endswith(".md") or path == "NEWS"
        if not (is_document or (path.endswith(SOURCES) and path.split("/")[0] in TOP)):
            continue
        text = tree.text(path)
        for name in named_in_document(text) if is_document else named_in_source(text, path.endswith((".py", ".sh"))):
            if not names.have(name, os.path.dirname(path)):
                stale.add(f"{path}: there is no {name}")
        if is_document:
            stale |= {f"{path}: there is no section {name}" for name in stale_anchors(tree, path, text)}
    yield from sorted(stale)
