#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README's and the guide's C as their readers get it: programs are compiled and run, the host's code is compiled, and the
device's is built on a node that has the handlers of its comments. Of a diff both sides are.

usage: guide.py SOURCE BUILD    with CC, of a compiler
exit:  0; 1 with the page, the line and the compiler's text of each block that fails; 77 without pkg-config

Path: docs/guide, README.md -> blocks.py, contexts.py -> this -> build_blocks.c.
"""
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

SOURCE, BUILD = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.append(os.path.join(SOURCE, "tests", "matrix"))
from blocks import Block, blocks_of  # noqa: E402
from contexts import CONTEXTS, Context  # noqa: E402

OF_DEVICE = re.compile(r"#include \"gravel\.cl\.h|struct gravel_call |kernel void|GRAVEL_(RECORD|FOR\w*|FBAR)\(|_wg_if\(")
HANDLER = re.compile(r"/\* [^/]*?(\.n_args = [^:;*]*?)\s*(?:[:;]|\*/)")
BUILDERS = {"kernel void fib_flow": "build_fib", "GRAVEL_SERVER_OPEN": "build_server", "GRAVEL_ROUND_OPEN": "build_rounds"}
HOST = "#include <gravel/accumulator.h>\n#include <gravel/block_pool.h>\n#include <gravel/flow.h>\n#include <gravel/mirror.h>\n#include <gravel/rounds.h>\n#include <gravel/server.h>\n#include <gravel/steal.h>\n#include <stddef.h>\n" \
       "struct gravel *gravel; cl_program program; cl_kernel kernel; const char *source; void *mine; size_t n_items, bytes;\n"


class Failures:
    def __init__(self):
        self.texts = []

    def run(self, what, words, **settings):
        ended = subprocess.run(words, capture_output=True, text=True, check=False, **settings)
        if ended.returncode:
            self.texts.append("%s: exit status %d\n%s" % (what, ended.returncode, (ended.stdout + ended.stderr)[-3000:]))
        return not ended.returncode


def context_of(block, used):
    keys = [key for key in CONTEXTS if key in block.text]
    used += keys
    if len(keys) > 1:
        raise SystemExit("%s has two entries in contexts.py: %s" % (block, keys))
    return CONTEXTS[keys[0]] if keys else Context()


def host_text(text, context):
    """The block in a function."""
    return "%s%s\nint f(void);\nint f(void)\n{\n%s\nreturn 0;\n}\n" % (HOST, context.before, text)


def handler_of(text, context):
    if context.handlers:
        return context.handlers
    found = HANDLER.search(text)
    if not found:
        return "{0}"
    names = [name for name in re.findall(r"^\w+ (\w+)\(struct gravel_call", text, re.M) if not re.search("_(load|store)$", name)]
    return '{.name = "%s", %s}' % (names[-1], found.group(1))


def device_entry(block, text, context):
    plain = "build_program" if "kernel void" in text else "NULL"
    build = next((name for mark, name in BUILDERS.items() if mark in text), plain)
    function = (re.findall(r"kernel void (\w+)", text) or [""])[0]
    return '{"%s", %s, "-I.", "%s", %s, %s},\n' % (
        block, json.dumps(text, ensure_ascii=False), function, handler_of(text, context), build)


def sides_of(block):
    """A diff is two blocks, what was there and what is."""
    if block.language != "diff":
        return [block]
    lines = block.text.splitlines(True)
    return [Block(block.page, block.line, "c", "".join(line[1:] for line in lines if line[0] in side)) for side in (" -", " +")]


def flags_of(build):
    """Compiler's and linker's words for the library that lies in the build."""
    if not shutil.which("pkg-config"):
        print("skipped: no pkg-config")
        sys.exit(77)
    settings = dict(os.environ, PKG_CONFIG_PATH=os.path.join(build, "meson-uninstalled"))
    said = subprocess.run(["pkg-config", "--cflags", "--libs", "gravel"], env=settings, capture_output=True, text=True, check=True)
    words = shlex.split(said.stdout)
    return words + ["-Wl,-rpath," + word[2:] for word in words if word.startswith("-L")]


def main(work):
    cc, flags, failures, used, entries, n_host = os.environ.get("CC", "cc").split(), flags_of(BUILD), Failures(), [], "", 0
    pages = [os.path.join(SOURCE, "README.md")] + sorted(glob.glob(os.path.join(SOURCE, "docs", "guide", "*.md")))
    blocks = [side for page in pages for block in blocks_of(page, os.path.relpath(page, SOURCE)) for side in sides_of(block)]
    for block in [block for block in blocks if block.language == "c"]:
        context = context_of(block, used)
        text = block.text
        path = os.path.join(work, "block.c")
        if text.startswith("struct fib {"):
            with open(os.path.join(work, "fib.h"), "w", encoding="utf-8") as file:
                file.write(text)
        elif "int main(" in text or not OF_DEVICE.search(text):
            is_program = "int main(" in text
            with open(path, "w", encoding="utf-8") as file:
                file.write(text if is_program else host_text(text, context))
            program = os.path.join(work, "program")
            ready = failures.run(block, cc + ["-std=c11", "-Wall", "-Werror", "-Wno-unused"] + (
                ["-o", program] if is_program else ["-fsyntax-only", "-Wno-uninitialized", "-I" + work]) + [path] + flags)
            if is_program and ready:
                failures.run(block, [program])
            n_host += 1
        else:
            entries += device_entry(block, context.before + text + context.after, context)
    for key in set(CONTEXTS) - set(used):
        failures.texts.append("contexts.py: no block has %r" % key)
    with open(os.path.join(work, "blocks.h"), "w", encoding="utf-8") as file:
        file.write("static const struct block blocks[] = {\n%s};\n" % entries)
    builder = os.path.join(work, "build_blocks")
    if failures.run("build_blocks.c", cc + ["-I" + work, "-o", builder, os.path.join(HERE, "build_blocks.c")] + flags):
        failures.run("device code", [builder], cwd=work)  # where -I. finds files, whatever its path
    print("\n".join(failures.texts) or "%d blocks of the host and %d of the device" % (n_host, entries.count("\n")))
    return bool(failures.texts)


if __name__ == "__main__":
    FOLDER = os.path.join(BUILD, "tests", "guide", "blocks")
    os.makedirs(FOLDER, exist_ok=True)
    sys.exit(main(FOLDER))
