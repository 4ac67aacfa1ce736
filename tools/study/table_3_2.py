# SPDX-License-Identifier: MIT
"""Table 3-2: lines of GUPS in each model of GPU networking."""
import json
import os
import subprocess

from study.place import TOP, Failed

NAME = "table-3-2"
TITLE = "Table 3-2: lines of code of GUPS in each model"
PUBLISHED = "coprocessor 342, coalesced APIs 318, message per lane and Gravel 193"


def measure(place):
    place.log("lines of code")
    counter = os.path.join(TOP, "tools", "count-models")
    if not os.path.exists(counter):
        raise Failed("tools/count-models is not there")
    done = subprocess.run([counter, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed("tools/count-models --json: exit status %d: %s" % (done.returncode, done.stderr.strip()))
    return json.loads(done.stdout)


def table(rows):
    return list(rows[0]), [list(row.values()) for row in rows]


def draw(rows, draw):
    return None
