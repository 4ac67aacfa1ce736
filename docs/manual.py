#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the manual in HTML, by Sphinx. README.md is its first page; docs/contents.md has its other pages, and the order of its
navigation. Whatever a page links to is in the manual too, outside of the navigation: other pages, sources as pages of their
text, folders as pages of their names, data as copies. So only web addresses lead out of it.

usage: manual.py SOURCE PAGES OUT DEPFILE VERSION [--werror]    PAGES gets what Sphinx reads, DEPFILE what a rule of ninja reads
exit:  0; 1 if Sphinx fails, or warns and there is --werror

Path: README.md, docs/contents.md and what they link to -> this -> Sphinx with myst_parser, furo -> OUT/index.html.
"""
import os
import re
import shutil
import sys

import furo
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

FIRST, CONTENTS = "README.md", "docs/contents.md"
COPIED = (".ipynb", ".jsonl", ".png", ".svg")
LINK = re.compile(r"(?<=\]\()(?!\w+:)[^)\s#]+")  # `[](int x)` of C++ looks like one, and names no file
ROW = re.compile(r"^\| (\w.*?) \| (.*) \|$", re.M)
OPTIONS = {
    "project": "Gravel", "language": "en", "root_doc": "index",
    "extensions": ["myst_parser"], "myst_heading_anchors": 6,  # links name headings as they do in a repository
    "myst_disable_syntax": ["myst_role", "myst_target", "myst_line_comment", "myst_block_break"],  # the pages are plain Markdown
    "suppress_warnings": ["myst.header", "misc.highlighting_failure"],  # a level left out; a source that Pygments cannot read
    "highlight_language": "none", "smartquotes": False,
    "html_theme": "furo", "html_copy_source": False, "html_show_copyright": False, "html_use_index": False,
}


def dark_colors():
    """Returns furo's dark colors: Debian's has them behind its button alone, and a system that is dark asks for them too."""
    with open(os.path.join(os.path.dirname(furo.__file__), "theme/furo/static/styles/furo.css"), encoding="utf-8") as file:
        block = re.search(r'body\[data-theme="?dark"?\]\s*\{([^}]*)', file.read())
    return dict(re.findall(r"--([\w-]+):\s*([^;]+?)\s*(?:;|$)", block.group(1) if block else ""))


class Manual:
    """The pages as Sphinx reads them, with sources as Markdown. Names are paths in the tree."""

    def __init__(self, top, folder):
        self.top, self.folder, self.done = top, folder, set()
        self.parts = [(part, self.linked(CONTENTS, cell)[1]) for part, cell in ROW.findall(self.read(CONTENTS))]
        self.navigation = {FIRST, *(name for _, names in self.parts for name in names)}

    def read(self, name):
        with open(os.path.join(self.top, name), encoding="utf-8") as file:
            return file.read()

    def named(self, page, link):
        """Returns what a link of a page leads to, a folder's README.md if it has one; None if nothing is there."""
        name = os.path.normpath(os.path.join(os.path.dirname(page), link))
        readme = os.path.join(name, "README.md")
        name = readme if os.path.exists(os.path.join(self.top, readme)) else name
        return name if os.path.exists(os.path.join(self.top, name)) else None

    def place(self, name):
        """Returns where Sphinx finds it."""
        if name == FIRST:
            return "index.md"
        return name if name.endswith((".md", *COPIED)) else name + ".md"

    def linked(self, page, text):
        """Returns the text with links to places, and the names behind them."""
        names = []

        def replace(link):
            name = self.named(page, link.group())
            if not name:
                return link.group()
            names.append(name)
            return os.path.relpath(self.place(name), os.path.dirname(self.place(page)))
        return LINK.sub(replace, text), names

    def as_markdown(self, name):
        """Returns a page that shows a source, or the names in a folder."""
        path = os.path.join(self.top, name)
        if os.path.isdir(path):
            links = "".join("- [%s](%s/%s)\n" % (file, os.path.basename(name), file) for file in sorted(os.listdir(path))
                            if file != "__pycache__")
            return "# %s\n\n%s" % (name, links)
        try:
            language = "c" if name.endswith(".cl") else get_lexer_for_filename(name).aliases[0]
        except ClassNotFound:
            language = "none"
        return "# %s\n\n`````%s\n%s`````\n" % (name, language, self.read(name))

    def toctrees(self):
        for part, names in self.parts:
            entries = "".join("/%s\n" % os.path.splitext(self.place(name))[0] for name in names)
            yield "\n```{toctree}\n:hidden:\n:caption: %s\n\n%s```\n" % (part[0].upper() + part[1:], entries)

    def write(self, name):
        """Writes a page or a copy. Returns what it links to."""
        path, names = os.path.join(self.folder, self.place(name)), []
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if name.endswith(COPIED):
            shutil.copyfile(os.path.join(self.top, name), path)
            return names
        text = self.read(name) if name.endswith(".md") else self.as_markdown(name)
        if name.endswith(".md") or os.path.isdir(os.path.join(self.top, name)):
            text, names = self.linked(name, text)
        text = "".join([text, *self.toctrees()]) if name == FIRST else text
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if name in self.navigation else "---\norphan: true\n---\n" + text)
        return names

    def write_all(self):
        waiting = [FIRST, CONTENTS]
        while waiting:
            name = waiting.pop()
            if name not in self.done:
                self.done.add(name)
                waiting += self.write(name)


def main(top, folder, out, depfile, version, *options):
    for stale in folder, out:
        shutil.rmtree(stale, ignore_errors=True)
    manual = Manual(top, folder)
    manual.write_all()
    with open(depfile, "w", encoding="utf-8") as file:
        needed = [os.path.join(top, name).replace(" ", "\\ ") for name in sorted(manual.done)]
        file.write("%s: %s\n" % (out.replace(" ", "\\ "), " ".join(needed)))
    settings = dict(OPTIONS, version=version, html_title="Gravel " + version, html_theme_options={"dark_css_variables": dark_colors()})
    with patch_docutils(), docutils_namespace():
        sphinx = Sphinx(folder, None, out, folder + ".doctrees", "html", settings, status=None, freshenv=True,
                        warningiserror="--werror" in options, parallel=os.cpu_count(), keep_going=True)
        sphinx.build(force_all=True)
    shutil.rmtree(folder + ".doctrees")
    return sphinx.statuscode


sys.exit(main(*sys.argv[1:]))
