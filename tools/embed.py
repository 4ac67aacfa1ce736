#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Join text files into one, or into a C string.

join OUT FILE...            one OpenCL header: quoted includes of the listed files are dropped, each file once
     [--drop FILE...]       and so are those of files that another header has
string OUT SYMBOL FILE...   C source that defines `const char SYMBOL[]` with the joined text, which OpenCL compiles: without the
                            system's headers, which the host includes where both compile a file
"""
import os
import re
import sys


def joined(files):
    names = {os.path.basename(f) for f in files}
    files = files[:files.index("--drop")] if "--drop" in files else files
    parts = []
    for path in files:
        text = open(path, encoding="utf-8").read()
        text = re.sub(r'^#include "([^"]+)"\n',
                      lambda m: "" if os.path.basename(m.group(1)) in names else m.group(0),
                      text, flags=re.M)
        parts.append(text)
    return "\n".join(parts)


def string(symbol, files):
    lines = re.sub(r"^#include <.*>\n", "", joined(files), flags=re.M).split("\n")
    escaped = [line.replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    body = "\n".join('    "%s\\n"' % line for line in escaped)
    return "extern const char %s[];\nconst char %s[] =\n%s;\n" % (symbol, symbol, body)


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(joined(sys.argv[3:]) if sys.argv[1] == "join" else string(sys.argv[3], sys.argv[4:]))
