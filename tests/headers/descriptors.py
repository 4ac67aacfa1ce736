# SPDX-License-Identifier: MIT
"""Descriptors that the library, the applications and the tools open are closed by exec: one that a program's children inherit
keeps shared memory alive, and files open, after the program has ended.

Path: lib/, apps/, tools/, hrf/, bench/ -> this
"""
import re

from check import place

READ = ("lib/**/*.[ch]", "apps/**/*.[ch]", "tools/**/*.[ch]", "hrf/**/*.[ch]", "bench/*.[ch]")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
MODES = re.compile(r'\b(?:fopen|gzopen|popen)\s*\([^;]*?,\s*"([^"e]+)"\s*\)', re.S)
FLAGS = re.compile(r"(?<![\w>.])(?:open|openat|memfd_create|socket|accept4|pipe2|dup3|eventfd|epoll_create1"
                   r"|inotify_init1|signalfd|timerfd_create)\s*\((?![^;{]*CLOEXEC)[^;{]*?\)\s*[;),]", re.S)
NEVER = re.compile(r"(?<![\w>.])(?:accept|pipe|dup|creat|mkstemp|epoll_create|inotify_init)\s*\(")


def faults(tree):
    for path in tree.files(*READ):
        text = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), tree.text(path))
        for kind in MODES, FLAGS, NEVER:
            yield from ("%s: inherited by children: %s" % (place(path, text, call.start()), " ".join(call[0].split()))
                        for call in kind.finditer(text))
