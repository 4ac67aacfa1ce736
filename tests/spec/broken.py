#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks a promise of the library and expects the test of that promise to fail, with what it says then.

usage: broken.py [BUILD NAME]     a build inside the sources, and a row of the table broken; without: whether the changes of all rows fit
exit:  0 the test fails as the row says; 1 it passes, or fails otherwise, or the change does not fit or build;
       77 the build lies elsewhere, or the test cannot run here

A copy of the sources and the build, BUILD/tests/spec/copy/N, of which there is one for each test that a check runs at a time,
is made equal to them; then the row's change is made, and ninja builds the test and the library, of which it finds all but the changed parts built. That
the paths in a build are relative allows it; those that are not name the original's tools. Of a test of cases only the one that
has to fail runs; and a test ends when its output is that of one that fails as the row says, whatever it would do then.

Path: BUILD, tests/spec/broken -> this -> the test's command.
"""
import fcntl
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(TOP, "tests", "spec", "broken")
NOT_COPIED = "build.ninja", "tests/spec/copy", "tests/support/kernel-cache", "meson-logs", "logs", "mpi", "fresh"
LIMIT_S = 120
FAILED = re.compile(r"not ok \d|\[  FAILED  \] ")  # begins a line of a test that fails, whatever else it does


class Row:
    def __init__(self, line):
        self.name, self.test, self.says, self.promise = (field.strip() for field in line.split(" | "))
        self.is_sure = self.says.startswith("! ")
        self.says = self.says.removeprefix("! ")
        self.changes = []  # (path, lines that begin with a space, - or +)

    def settings(self):
        """Returns those of the test: each call once, and waits as on a machine that is not busy where one has to run out."""
        case = re.fullmatch(r"FAILED  \\\] (\w+)", self.says)
        patience = 1 if "hangs:" in self.says else min(2, int(os.environ.get("TEST_PATIENCE", "1")))
        return {"TEST_TIMES": "1", "TEST_PATIENCE": str(patience), **({"TEST_ONLY": case.group(1)} if case else {})}

    def change(self, folder):
        """Changes the sources in a folder. @return {path: text}; None if a change fits nowhere, or at several places"""
        texts = {}
        for path, lines in self.changes:
            with open(os.path.join(folder, path), encoding="utf-8") as source:
                text = texts.setdefault(path, "\n" + source.read())
            old, new = ("".join("\n" + line[1:] for line in lines if line[0] != left_out) for left_out in "+-")
            if text.count(old + "\n") != 1:
                print("%s: fits %d places of %s" % (self.name, text.count(old + "\n"), path))
                return None
            texts[path] = text.replace(old + "\n", new + "\n")
        return {path: text[1:] for path, text in texts.items()}


def read_rows():
    rows = []
    with open(TABLE, encoding="utf-8") as table:
        for line in table.read().splitlines():
            if line.startswith("@@ "):
                rows[-1].changes.append((line[3:], []))
            elif line[0] in " +-":
                rows[-1].changes[-1][1].append(line)
            elif line[0] != "#":
                rows.append(Row(line))
    return rows


def copy_changed(source, target, left_out):
    """Makes a folder like another, where a file of another time or size differs."""
    os.makedirs(target, exist_ok=True)
    entries = {entry.name: entry for entry in os.scandir(source)}
    for old in os.scandir(target):
        if old.name not in entries:
            shutil.rmtree(old.path) if old.is_dir(follow_symlinks=False) else os.remove(old.path)
    for name, entry in entries.items():
        path = os.path.join(target, name)
        if entry.path in left_out:
            continue
        if entry.is_dir(follow_symlinks=False):
            copy_changed(entry.path, path, left_out)
            continue
        new, old = entry.stat(follow_symlinks=False), os.lstat(path) if os.path.lexists(path) else None
        if not old or (new.st_mtime_ns, new.st_size) != (old.st_mtime_ns, old.st_size):
            if old:
                os.remove(path)
            shutil.copy2(entry.path, path, follow_symlinks=False)


def copy_all(build, copy):
    copied_build = os.path.join(copy, os.path.basename(build))
    copy_changed(TOP, copy, {build} | {entry.path for entry in os.scandir(TOP) if entry.name.startswith(("build", ".git"))})
    copy_changed(build, copied_build, {os.path.join(build, path) for path in NOT_COPIED})
    with open(os.path.join(build, "build.ninja"), encoding="utf-8") as whole:
        text = re.sub(r"(?m)^build build\.ninja:.*\n(?: .*\n)*", "", whole.read())  # Meson would make the original again
    with open(os.path.join(copied_build, "build.ninja"), "w", encoding="utf-8") as rest:
        rest.write(text)


def find_test(build, name):
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as tests:
        for test in json.load(tests):
            if "%s: %s" % (test["suite"][0].partition(":")[2], test["name"]) == name:
                return test
    return None


def take_copy(build, number):
    """Takes a copy that is free, else waits for one. @return its folder, and the open file that keeps it"""
    n_copies = (os.cpu_count() or 1) + 2
    for i in range(n_copies + 1):
        copy = os.path.join(build, "tests", "spec", "copy", str((number + i) % n_copies))
        os.makedirs(copy, exist_ok=True)
        lock = open(copy + ".lock", "w", encoding="utf-8")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (fcntl.LOCK_NB if i < n_copies else 0))
            break
        except BlockingIOError:
            lock.close()
    return copy, lock


def run(row, command, folder, environment):
    """Returns the exit status of a test that has ended, or was ended because it fails as the row says; and its output."""
    test = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    watch = threading.Timer(LIMIT_S * int(os.environ.get("TEST_PATIENCE", "1")), os.killpg, (test.pid, signal.SIGKILL))
    output, is_seen = "", False
    watch.start()
    for line in test.stdout:
        output += line
        is_seen = (row.is_sure or FAILED.match(line)) and re.search(row.says, output)
        if is_seen:
            os.killpg(test.pid, signal.SIGTERM)  # mpirun ends its ranks
            break
    try:
        test.wait(10 if is_seen else None)
    except subprocess.TimeoutExpired:
        os.killpg(test.pid, signal.SIGKILL)
        test.wait()
    watch.cancel()
    return 1 if is_seen else test.returncode, output


def break_promise(build, rows, name):
    """Returns the exit status, and why."""
    number, row = next((number, row) for number, row in enumerate(rows) if row.name == name)
    test = find_test(build, row.test)
    if not test:
        return 77, "skipped: this build has no test '%s'" % row.test
    copy, lock = take_copy(build, number)
    copy_all(build, copy)
    changed = row.change(copy)
    for path, text in (changed or {}).items():
        with open(os.path.join(copy, path), "w", encoding="utf-8") as source:
            source.write(text)
    copied_build = os.path.join(copy, os.path.basename(build))

    def moved(text):
        if os.path.commonpath([text or "/", build]) == build and "kernel-cache" not in text:
            return text.replace(build, copied_build)
        return text

    command = [moved(word) if os.path.isabs(word) else word for word in test["cmd"]]
    words = [os.path.join(copied_build, word) for word in command]
    programs = [word for word in words if word.startswith(copied_build + os.sep) and os.path.isfile(word)] + glob.glob(copied_build + "/lib/libgravel.so.*.*[0-9]")
    targets = [os.path.relpath(program, copied_build) for program in programs]
    if not changed or subprocess.run(["ninja", "-C", copied_build] + targets, check=False).returncode:
        return 1, "the change does not fit, or does not build"
    environment = dict(os.environ, **{key: moved(value) if os.path.isabs(value) else value for key, value in test["env"].items()})
    environment.update(row.settings())
    status, output = run(row, command, moved(test["workdir"]) if test["workdir"] else copied_build, environment)
    if status < 0:  # in the last test that has begun, if it has several
        begun = re.findall(r"RUN +\] (\w+)", output) or [row.test]
        output += "[  FAILED  ] %s: ended by %s" % (begun[-1], signal.Signals(-status).name)
    print(output)
    if status == 77:
        return 77, "skipped: so does '%s'" % row.test
    if status == 0:
        return 1, "'%s' passes with %s" % (row.test, name)
    if not re.search(row.says, output):
        return 1, "'%s' fails, and does not say '%s'" % (row.test, row.says)
    return 0, "caught"


def main():
    rows = read_rows()
    if len(sys.argv) == 1:
        stale = [row.name for row in rows if not row.change(TOP)]
        print("changes that do not fit: %s" % (" ".join(stale) or "none"))
        return bool(stale)
    build = os.path.realpath(sys.argv[1])
    if os.path.dirname(build) != os.path.realpath(TOP):
        print("skipped: a build in a folder of the sources is due, of which a copy builds what has changed alone")
        return 77
    status, text = break_promise(build, rows, sys.argv[2])
    print(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
