#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run Doxygen and make a manual page of every call of the public headers.

manual.py DOXYGEN DOXYFILE OUT    makes OUT/html and OUT/man3

Doxygen writes one page for a whole header; readers of MPI's and OpenSHMEM's manuals expect one for each call.
"""
import os
import re
import shutil
import subprocess
import sys

HEADERS = {"gravel.h": "gravel.h", "flow.h": "gravel_flow.h", "steal.h": "gravel_steal.h", "mirror.h": "gravel_mirror.h", "accumulator.h": "gravel_accumulator.h", "block_pool.h": "gravel_block_pool.h", "server.h": "gravel_server.h"}
# those that have calls, and their pages' names, which other packages have not

PAGE = """.TH "{name}" 3 "{version}" "Gravel" "Gravel manual"
.SH NAME
{name} \\- {brief}
.SH SYNOPSIS
.nf
\\fB#include <gravel/{header}>\\fP
.fi
.PP
\\fB{prototype};\\fP
.SH DESCRIPTION
{body}
.SH "SEE ALSO"
\\fB{whole}\\fP(3), \\fBgravel-info\\fP(1)
"""


def calls(page):
    """(name, prototype, body) of each function on Doxygen's page; one comment may stand for several."""
    section = page.split('.SH "Function Documentation"')[1].split("\n.SH ")[0]
    shared = ""
    for part in section.split('\n.SS "')[1:]:
        heading, body = part.split('"\n', 1)
        prototype = re.sub(r"\\fB|\\fP", "", heading).replace(" (", "(").replace("* ", "*")
        name = re.search(r"(gravel_\w+)\(", prototype).group(1)
        shared = body.strip().removeprefix(".PP").strip() or shared
        yield name, prototype, shared


def first_sentence(body):
    text = re.sub(r"\\f[A-Z]", "", body.split("\n.br")[0].split("\n.PP")[0]).replace("\n", " ")
    return text.split("\\&. ")[0].removesuffix("\\&.")


def split(header, page, out):
    version = re.search(r'"Version ([\d.]+)"', page).group(1)
    found = list(calls(page))
    for name, prototype, body in found:
        with open(os.path.join(out, name + ".3"), "w", encoding="utf-8") as file:
            file.write(PAGE.format(header=header, whole=HEADERS[header], name=name, version=version, brief=first_sentence(body),
                                   prototype=prototype, body=body))
    return len(found)


def main(doxygen, doxyfile, out):
    for old in ("html", "man", "man3"):
        shutil.rmtree(os.path.join(out, old), ignore_errors=True)
    if subprocess.run([doxygen, os.path.abspath(doxyfile)], cwd=out).returncode:
        sys.exit("doxygen failed")
    man3 = os.path.join(out, "man3")
    os.mkdir(man3)
    for header, whole in HEADERS.items():
        source = os.path.join(out, "man", "man3", header + ".3")
        with open(source, encoding="utf-8") as file:
            if split(header, file.read(), man3) == 0:
                sys.exit("no function found in " + source)
        shutil.move(source, os.path.join(man3, whole + ".3"))
    shutil.rmtree(os.path.join(out, "man"))


if __name__ == "__main__":
    main(*sys.argv[1:4])
