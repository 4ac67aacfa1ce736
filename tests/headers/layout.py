# SPDX-License-Identifier: MIT
"""Comments have up to 120 columns, which the formatter leaves alone. A header's guard begins with its folder, which no other
header's does. No comment pushes a name down, away from its type: it belongs below. The rest is as .clang-format says, where
clang-format 14 is.

Path: include/, cl/, lib/; apps/, bench/, examples/, hrf/, tests/, tools/ -> this
"""
import re
import shutil
import subprocess
import sys

from check import place

LONG = re.compile(r"^.{121,}", re.M)
ONLY_A_TYPE = re.compile(r"^[ \t]+(?:(?:const|volatile|static|unsigned|struct|union|enum|global|local|_Atomic) )*(?!else$|do$)"
                         r"[a-z_0-9]+(?: \*+)?\n[ \t]+\*{0,2}[a-z_0-9]+(?:\[[^]]*\])*(?: = [^;]*)?;[ \t]*/\*", re.M)
FORMATTED = ("include", "cl", "lib", "apps", "bench", "examples", "graph", "hrf", "tests", "tools")


def faults(tree):
    for path in tree.files(*(top + "/**/*" + end for top in FORMATTED[:3] for end in (".[ch]", ".hpp", ".cl"))):
        text = tree.text(path)
        for kind, fault in (LONG, "longer than 120 columns"), (ONLY_A_TYPE, "only a type: the comment goes below the name"):
            yield from ("%s: %s" % (place(path, text, match.start()), fault) for match in kind.finditer(text))
        if path.startswith("lib/") and path.endswith(".h") and \
                not re.search("^#ifndef GRAVEL_%s_" % path.split("/")[1].upper(), text, re.M):
            yield "%s: its guard is another folder's" % path
    formatter = shutil.which("clang-format-14") or shutil.which("clang-format")
    version = formatter and subprocess.run([formatter, "--version"], capture_output=True, text=True).stdout
    if not version or "version 14." not in version:
        print("skipped: no clang-format 14: %s" % version)
        sys.exit(77)
    files = tree.files(*(top + "/**/*" + end for top in FORMATTED for end in (".[ch]", ".cl")))
    yield from subprocess.run([formatter, "--dry-run", "--Werror", *files], cwd=tree.root, text=True,
                              capture_output=True).stderr.splitlines()
