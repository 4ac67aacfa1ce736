#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual in HTML is made without a warning, and whole: each link and picture is there, and the heading that a link
names; the navigation is docs/contents.md's, in its order; the search finds a call.

usage: manual.py SOURCE [HTML]    HTML: one that is made already
exit:  0; 1 after each that is missing

Path: docs/manual.py -> this.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

TERM, ITS_PAGES = "gravel_barrier_sum", "docs/reference/"


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def faults(source, folder):
    paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".html")]
    pages = {os.path.relpath(path, folder): read(path) for path in paths}
    ids = {name: set(re.findall(r'\bid="([^"]*)"', text)) for name, text in pages.items()}
    links = {name: re.findall(r'\b(?:href|src)="(?!\w+:|//)([^"]+)"', text) for name, text in pages.items()}
    for name, link in [(name, link) for name in links for link in links[name]]:
        path, _, heading = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(name), path.partition("?")[0])) if path else name
        if not os.path.isfile(os.path.join(folder, target)) or heading and heading not in ids.get(target, ()):
            yield "%s: there is no %s" % (name, link)
    rows = "".join(line for line in read(source, "docs", "contents.md").splitlines() if line.startswith("|"))
    wanted = [os.path.normpath("docs/" + link) for link in re.findall(r"\]\(([^)]*)\)", rows)]
    wanted = [(name[:-3] if name.endswith(".md") else name + "/README") + ".html" for name in wanted]
    found = list(dict.fromkeys(link for link in links["index.html"] if link in wanted))
    if found != wanted:
        yield "the navigation has\n%s\nwhere docs/contents.md has\n%s" % (found, wanted)
    index = json.loads(re.search(r"\{.*\}", read(folder, "searchindex.js"), re.S).group())
    places = [index[part].get(TERM, []) for part in ("terms", "titleterms")]  # a number if it is one page
    names = [index["docnames"][i] for at in places for i in (at if isinstance(at, list) else [at])]
    if ITS_PAGES not in "".join(names):
        yield "the search finds %s in %s, not in %s" % (TERM, names, ITS_PAGES)


def main(source, made=None):
    with tempfile.TemporaryDirectory() as work:
        html, others = made or work + "/html", [work + "/pages", work + "/html", work + "/html.d"]
        if not made:
            subprocess.run([sys.executable, "-B", source + "/docs/manual.py", source, *others, "0", "--werror"], check=True)
        found = list(faults(source, html))
    print("\n".join(found) or "all links lead somewhere")
    return 1 if found else 0


sys.exit(main(*sys.argv[1:]))
