# SPDX-License-Identifier: MIT
"""Data as JSON lines. Those of docs/results are a file a question, a row a measurement; and machines.jsonl.

A row says on which machine, of which revision, by which command its rate was measured, and that the result was checked. Rows
of a machine are replaced together, so that they are of one run.
"""
import json
import math
import os
import re

from study.place import Failed

HASH, DAY = r"[0-9a-f]{7,40}", r"\d{4}-\d\d-\d\d"
MACHINE = {"machine": str, "device": str, "step": str, "devices": int, "processor": str, "cores": int}
ROW = {"machine": str, "revision": str, "date": str, "driver": str, "command": str, "ranks": int, "load": (int, float),
       "unit": str}
MACHINES = "machines"


def faults_of(row, types):
    for name, kind in types.items():
        value = row.get(name)
        if not isinstance(value, kind) or isinstance(value, bool) or value == "":
            yield "%s is %s" % (name, json.dumps(value))


def faults_of_row(row, keys):
    """What is wrong with a measurement; keys: names of the fields that tell it from others of the machine."""
    yield from faults_of(row, ROW)
    if row.get("valid") is not True:
        yield "its result was not checked"
    if not (isinstance(row.get("rate"), float) and math.isfinite(row["rate"]) and row["rate"] > 0):
        yield "rate is %s, not a number above 0" % json.dumps(row.get("rate"))
    for name, pattern in (("revision", HASH), ("date", DAY)):
        if not re.fullmatch(pattern, str(row.get(name))):
            yield "%s is %s" % (name, json.dumps(row.get(name)))
    if row.get("quick"):
        yield "it is of small inputs (--quick)"
    for name in keys:
        if name not in row:
            yield "it has no %s" % name


def path_of(folder, name):
    return os.path.join(folder, name + ".jsonl")


def load(folder, name):
    """Rows, none if there is no file."""
    path = path_of(folder, name)
    if not os.path.exists(path):
        return []
    rows = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                rows.append(json.loads(line))
            except ValueError as error:
                raise Failed("%s:%d: %s" % (path, number, error)) from None
    return rows


def checked(folder, question):
    """A question's rows; Failed if one is not as it should be, or is there twice, or is of an unknown machine."""
    path, rows, seen = path_of(folder, question.NAME), load(folder, question.NAME), set()
    known = {row["machine"] for row in machines(folder)}
    for number, row in enumerate(rows, 1):
        faults = list(faults_of_row(row, question.KEYS))
        key = (row.get("machine"), row.get("ranks")) + tuple(row.get(name) for name in question.KEYS)
        faults += ["it is there twice"] * (key in seen)
        faults += ["machine '%s' is not in %s.jsonl" % (row.get("machine"), MACHINES)] * (row.get("machine") not in known)
        if faults:
            raise Failed("%s:%d: %s" % (path, number, "; ".join(faults)))
        seen.add(key)
    return rows


def machines(folder):
    rows = load(folder, MACHINES)
    for number, row in enumerate(rows, 1):
        for fault in faults_of(row, MACHINE):
            raise Failed("%s:%d: %s" % (path_of(folder, MACHINES), number, fault))
    return rows


def write(folder, name, rows):
    os.makedirs(folder, exist_ok=True)
    with open(path_of(folder, name), "w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


def replace(folder, name, rows):
    """Put rows instead of those of the same machines, behind all other rows."""
    new = {row["machine"] for row in rows}
    write(folder, name, [row for row in load(folder, name) if row["machine"] not in new] + rows)


def put_machine(folder, machine):
    """Failed if another machine has this name."""
    known = machines(folder)
    for row in known:
        if row["machine"] == machine["machine"] and row != machine:
            other = ["%s %s" % (name, row[name]) for name in MACHINE if row[name] != machine[name]]
            raise Failed("machine '%s' has %s in %s: name this one otherwise" % (
                row["machine"], ", ".join(other), path_of(folder, MACHINES)))
    if machine not in known:
        write(folder, MACHINES, known + [machine])


def take(source, folder, questions):
    """Take over what another machine has written. @return names of the questions."""
    taken = [question for question in questions if os.path.exists(path_of(source, question.NAME))]
    if not taken:
        raise Failed("%s: no data" % source)
    rows = {question.NAME: checked(source, question) for question in taken}
    for machine in machines(source):
        put_machine(folder, machine)
    for name in rows:
        replace(folder, name, rows[name])
    return [question.NAME for question in taken]
