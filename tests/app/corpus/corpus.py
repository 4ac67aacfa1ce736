#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Give the applications' readers the files of cases.py, and compare what they read with answers.txt.

corpus.py READERS

A line of answers.txt is a group of cases, in their order: for each the first digits of a hash of what an independent program
reads, or the letters of a kind of refusal. The lines ahead of those are the kinds. answers.py writes it.
"""
import hashlib
import os
import re
import subprocess
import sys
import tempfile

from cases import cases

ANSWERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "answers.txt")
SECONDS = 100


# ---- outcomes: a list of lines that were read, or the kind of refusal -----------------------------

def kind_of(name, line):
    """A refusal without the file's own name, numbers and words."""
    reason = re.sub(r"^readers: %s(:\d+)?(: record \d+ '[^']*')?: " % re.escape(name), "", line)
    if reason == line:
        return line
    reason = re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", reason)
    reason = re.sub(r"\b(weight|vertex|row|column|neighbour|number of \w+|edge weight|capacity|entry|fmt|ncon is) -?[\d.eE+-]+",
                    r"\1 N", reason)
    return re.sub(r"(?<![\w-])(0x[0-9a-f]+|\d+(\.\.\.)?)", "N", reason)


def outcome_of(name, lines):
    crashed = [line for line in lines if line.startswith("! ")]
    refused = [line for line in lines if line.startswith("readers: ")]
    if crashed:
        return "crashed: " + crashed[0]
    return kind_of(name, refused[0]) if refused else lines


def read_all(readers, all_cases):
    """@return name -> outcome"""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in all_cases:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        said = subprocess.run([os.path.abspath(readers)], cwd=folder, text=True, errors="replace", timeout=SECONDS, check=True,
                              input="".join(name + "\n" for name, _ in all_cases), stdout=subprocess.PIPE).stdout
    outcomes = {}
    for part in said.split("= ")[1:]:
        name, *lines = part.split("\n")
        outcomes[name] = outcome_of(name, lines[:-1])
    return outcomes


# ---- answers.txt ---------------------------------------------------------------------------------

def code_of(outcome, kinds):
    if isinstance(outcome, str):
        number = kinds.setdefault(outcome, len(kinds))
        return chr(ord("A") + number // 26) + chr(ord("A") + number % 26)
    return hashlib.sha256("\n".join(sorted(outcome)).encode()).hexdigest()[:6]


def group_of(name):
    """recoded-crlf.el is of the group recoded.el."""
    packed = name.removesuffix(".gz")
    return name.split("-")[0].removesuffix(os.path.splitext(packed)[1]) + os.path.splitext(packed)[1]


def rows_of(outcomes):
    kinds, rows = {}, {}
    for name, outcome in outcomes.items():
        rows.setdefault(group_of(name), []).append(code_of(outcome, kinds))
    return kinds, rows


def write_answers(outcomes):
    kinds, rows = rows_of(outcomes)
    with open(ANSWERS, "w", encoding="ascii") as file:
        for kind in kinds:
            print(code_of(kind, kinds), kind, sep="\t", file=file)
        for group, codes in rows.items():
            print(group, " ".join(codes), sep="\t", file=file)


def read_answers():
    """@return kinds: code -> text; rows: group -> codes"""
    with open(ANSWERS, encoding="ascii") as file:
        pairs = [line.rstrip("\n").split("\t", 1) for line in file]
    kinds = dict(pair for pair in pairs if pair[0].isupper())
    return kinds, {group: codes.split() for group, codes in pairs if not group.isupper()}


# ---- main ----------------------------------------------------------------------------------------

def main():
    kinds, rows = read_answers()
    outcomes = read_all(sys.argv[1], list(cases()))
    known = {text: code for code, text in kinds.items()}
    numbers, n_wrong = {}, 0
    for name, outcome in outcomes.items():
        group = group_of(name)
        number = numbers[group] = numbers.get(group, -1) + 1
        expected = rows[group][number]
        if outcome == "built without mer":
            continue
        found = known.get(outcome, "??") if isinstance(outcome, str) else code_of(outcome, {})
        if found != expected:
            n_wrong += 1
            print("%s: %s, and not %s" % (name, outcome if isinstance(outcome, str) else "reads " + " | ".join(outcome[:9]),
                                          kinds.get(expected, "what has the hash " + expected)))
    print("%d of %d files as they should be" % (len(outcomes) - n_wrong, sum(len(row) for row in rows.values())))
    return 1 if n_wrong or len(outcomes) != sum(len(row) for row in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
