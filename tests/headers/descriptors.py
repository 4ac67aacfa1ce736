#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Descriptors that the library, the applications and the tools open are closed by exec.

usage: descriptors.py SOURCE
exit:  0; 1 with file, line and call

A descriptor that a program's children inherit keeps shared memory alive, and files open, after the program has ended.

Path: lib/, apps/, tools/, hrf/, bench/ -> descriptors.py.
"""
import glob
import os
import re
import sys

READ = ("lib/**/*.[ch]", "apps/**/*.[ch]", "tools/**/*.[ch]", "hrf/**/*.[ch]", "bench/*.[ch]")
NOT_CODE = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
MODES = re.compile(r'\b(?:fopen|gzopen|fdopen|popen)\s*\([^;]*?,\s*"(\w+)"\s*\)', re.S)
FLAGS = re.compile(r"(?<![\w>.])(open|openat|memfd_create|socket|accept4|pipe2|dup3|eventfd|epoll_create1"
                   r"|inotify_init1|signalfd|timerfd_create)\s*\(([^;{]*?)\)\s*[;),]", re.S)
NEVER = re.compile(r"(?<![\w>.])(accept|pipe|dup|creat|mkstemp|epoll_create|inotify_init)\s*\(")


def wrong(text):
    """Yield position and call."""
    for call in MODES.finditer(text):
        if "e" not in call[1] and not call[0].startswith("fdopen"):
            yield call.start(), call[0]
    for call in FLAGS.finditer(text):
        if "CLOEXEC" not in call[2]:
            yield call.start(), call[0]
    for call in NEVER.finditer(text):
        yield call.start(), call[0]


def main(source):
    found = 0
    for path in sorted(path for pattern in READ for path in glob.glob(os.path.join(source, pattern), recursive=True)):
        with open(path, encoding="utf-8") as file:
            text = NOT_CODE.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), file.read())
        for at, call in wrong(text):
            line = text.count("\n", 0, at) + 1
            print(f"{os.path.relpath(path, source)}:{line}: inherited by children: {' '.join(call.split())}")
            found = 1
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
