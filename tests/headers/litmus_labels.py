#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The litmus programs of Gravel's protocols have the code's labels, with the code's orders and scopes.

usage: litmus_labels.py SOURCE
exit:  0; 1 with each label whose operations differ, or that only code or programs have; --list shows them

In the code a label begins the comment of an atomic operation or barrier; in a program it is a comment at the end of a
statement's line. Kernels' calls without `device` or `local` in their names have the host's scope.

Path: cl/, lib/, bench/queue/ <-> tests/hrf/protocols/<name>.litmus; docs/design/memory-order.md has the labels that need a program.
"""
import collections
import glob
import os
import re
import sys

LABELS = r"[A-KM-Z][0-9](?:, [A-KM-Z][0-9])*"
COMMENT = re.compile(r"/\*+ *(" + LABELS + r")\b")
ORDER = re.compile(r"\b(?:memory_order_|__ATOMIC_)(\w+)")
CALL = re.compile(r"\bgravelp_(device_|local_|long_)*(load|store|add|fetch_add|fetch_and|fetch_or|exchange|swap)_(acquire|release|relaxed|acq_rel)\(")
BARRIER = re.compile(r"\bgravelp_(?:barrier_(group|subgroup)|(?:group|steal|service)_meet)\(")
STATEMENT = re.compile(r"\b(load|store|await|add|sub|and|or|xor|min|max|xchg|cas|fence)\((.*)\)")
ROW = re.compile(r"^\| *([A-Z][0-9][A-Z0-9, ]*) *\|", re.M)
# Only a row and its reason stand for these: no one operation has the order.
APART = {"G3": "an order of waits, not of memory", "G4": "the barrier of gravelp_await_group, as G1"}


def sources(root):
    for top in ("cl", "lib", "bench/queue"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            yield from (os.path.join(folder, name) for name in names if name.endswith((".c", ".h", ".cl")))


def operations(text, path):
    """(order, scope) of each atomic operation or barrier in a statement of code."""
    for match in CALL.finditer(text):
        prefix = match.group(0)
        yield match.group(3), "dev" if "device_" in prefix else "wg" if "local_" in prefix else "sys"
    for order in ORDER.findall(text):
        yield order.lower(), "sys"
    for match in BARRIER.finditer(text):
        yield "barrier", "sg" if match.group(1) == "subgroup" else "wg"


def in_code(root):
    found = collections.defaultdict(set)
    for path in sources(root):
        lines = open(path, encoding="utf-8").read().split("\n")
        for number, line in enumerate(lines):
            match = COMMENT.search(line)
            if not match:
                continue
            first = number
            if line.strip().startswith("/*"):
                statement = lines[number + 1] if line.rstrip().endswith("*/") else ""
            else:
                while first and not re.search(r"[;{}]\s*(/\*.*)?\\?$|\*/\s*\\?$|^\s*$|^#", lines[first - 1]):
                    first -= 1
                statement = "\n".join(lines[first:number + 1])
            for label in match.group(1).split(", "):
                found[label] |= set(operations(re.sub(r"/\*.*?(\*/|$)", " ", statement), path))
    return found


def in_programs(root):
    found = collections.defaultdict(set)
    for path in glob.glob(os.path.join(root, "tests/hrf/protocols/*.litmus")):
        for line in open(path, encoding="utf-8"):
            statement, _, comment = line.partition("#")
            match = re.match(r" *(" + LABELS + r")\b", comment)
            if not match:
                continue
            operation = STATEMENT.search(statement)
            fields = [field.strip() for field in operation.group(2).split(",")] if operation else []
            for label in match.group(1).split(", "):
                if re.search(r"\bbarrier\b", statement):
                    found[label].add(("barrier", "sg" if "barrier(sg" in statement else "wg"))
                elif fields:
                    found[label].add((fields[-2].split("/")[0], fields[-1].split(")")[0]))
    return found


def main(root):
    code, programs = in_code(root), in_programs(root)
    rows = ROW.findall(open(os.path.join(root, "docs/design/memory-order.md"), encoding="utf-8").read())
    labels = sorted({label for row in rows for label in row.replace(" ", "").split(",")})
    show = lambda operations: ", ".join("%s at %s" % operation for operation in sorted(operations)) or "nothing"
    faults = 0
    for label in labels:
        if "--list" in sys.argv:
            print("%s  code: %s  programs: %s" % (label, show(code[label]), show(programs[label])))
        if label not in APART and code[label] != programs[label]:
            faults += 1
            print("%s is %s in the code, %s in tests/hrf/protocols" % (label, show(code[label]), show(programs[label])))
    for label in sorted(set(programs) - set(labels)):
        if programs[label]:
            faults += 1
            print("%s is in tests/hrf/protocols, not in docs/design/memory-order.md" % label)
    print("%d labels, %d faults" % (len(labels), faults))
    return bool(faults) or not labels


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
