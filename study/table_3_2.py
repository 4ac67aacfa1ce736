# SPDX-License-Identifier: MIT
"""Table 3-2: lines of GUPS in each model of GPU networking, as study/count-models counts them."""
import os
import subprocess

from portability.place import TOP
from study.place import Failed

NAME = "table-3-2"
TITLE = "Table 3-2: lines of code of GUPS in each model"
AS_PUBLISHED = {"coprocessor": 342, "lane": 193, "coalesced": 318, "gravel": 193}
PUBLISHED = "coprocessor 342, coalesced APIs 318, message per lane and Gravel 193"
COLUMNS = ("model", "gups", "besides", "lines")


def measure(place):
    place.log("lines of code")
    counter = os.path.join(TOP, "study", "count-models")
    if not os.path.exists(counter):
        raise Failed("study/count-models is not there")
    done = subprocess.run([counter], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed("study/count-models: exit status %d: %s" % (done.returncode, done.stderr.strip()))
    heads, *lines = [line.split() for line in done.stdout.splitlines()]
    if not lines or tuple(heads[:4]) != COLUMNS:
        raise Failed("study/count-models: printed no table of %s" % ", ".join(COLUMNS))
    return [{"model": line[0], **{name: int(word) for name, word in zip(COLUMNS[1:], line[1:])},
             "command": "study/count-models"} for line in lines]


def ratio(lines, model):
    return lines[model] / lines["gravel"] if model in lines else None


def table(rows):
    lines = {row["model"]: row["lines"] for row in rows}
    heads = ["model", "application", "besides", "lines", "/ Gravel", "published: lines", "/ Gravel"]
    return heads, [[row["model"], str(row["gups"]), str(row["besides"]), str(row["lines"]),
                    ratio(lines, row["model"]), str(AS_PUBLISHED.get(row["model"], "-")),
                    ratio(AS_PUBLISHED, row["model"])] for row in rows]


def draw(rows, draw):
    return None
