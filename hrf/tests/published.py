#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gravel-hrf agrees with what others have published of programs of one shape.

usage: published.py GRAVEL_HRF FACTS FOLDER
exit:  0; 1 with each fact of FACTS that is not so of a program of FOLDER

Path: published.txt, hrf/litmus/<name>.litmus -> gravel-hrf --json -> this.
"""
import json
import os
import subprocess
import sys


def verdicts(tool, model, program):
    """{free or race, never or sometimes}"""
    result = subprocess.run([tool, "--json", "--model", model, program], stdout=subprocess.PIPE, check=False)
    found = json.loads(result.stdout)[0]["models"][0]
    return {"RACE": "race"}.get(found["verdict"], found["verdict"]), "sometimes" if found.get("exists") else "never"


tool, facts, folder = sys.argv[1:]
n_facts = n_wrong = 0
for line in open(facts, encoding="utf-8"):
    if line.startswith("#"):
        continue
    model, fact, program, source = line.split(None, 3)
    found = verdicts(tool, model, os.path.join(folder, program + ".litmus"))
    n_facts += 1
    if fact not in found:
        n_wrong += 1
        print("%s is %s under %s, and published as %s: %s" % (program, ", ".join(found), model, fact, source.strip()))
print("%d published facts, %d contradicted" % (n_facts, n_wrong))
sys.exit(bool(n_wrong) or not n_facts)
