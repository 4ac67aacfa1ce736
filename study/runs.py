# SPDX-License-Identifier: MIT
"""Runs of applications, benchmarks and rivals, for figures and questions. Every result is checked."""
import copy
import json
import os
import subprocess

from portability.place import TOP
from study.place import Failed

RIVAL = os.path.join(TOP, "study", "rival")


def sized(place, quick, cpu, gpu):
    return quick if place.quick else cpu if place.is_cpu() else gpu


def run(place, argv, n_ranks=1, own_cores=False, settings=None, limit_s=None, is_checked=True):
    argv, own = place.on_ranks(n_ranks, argv, own_cores)
    return place.run(argv, {**own, **(settings or {})}, limit_s or (300 if place.is_cpu() else 90), is_checked)


def result(place, name, words, n_ranks=1, is_checked=True, **how):
    """@return an application's last result, and the command."""
    results, command = run(place, [place.app(name), "-q", "--json"] + ["-v"] * is_checked + words, n_ranks, is_checked=is_checked, **how)
    return results[-1], command


def row_of(found, command, *more):
    """What every row has of a result, and more of its fields."""
    return {**{name: found[name] for name in ("unit", "valid") + more}, "rate": float(found["rate"]), "command": command}


def app(place, name, options, n_ranks=1, facts=(), **how):
    """@return a row: ranks, rate, unit, seconds, valid, command; crossed, bytes a second between nodes; and the facts.

    is_checked: False if its own check takes too long; the caller has another, and sets valid.
    """
    found, command = result(place, name, options.split(), n_ranks, **how)
    sent = sum(node["network_bytes"] for node in found["statistics"] or [])
    return {"ranks": n_ranks, "crossed": sent / found["seconds_each"][-1], **row_of(found, command, "seconds"),
            **{fact: found["parameters"][fact] for fact in facts}}


def bench(place, name, options, n_ranks=1):
    """@return {variant: row}"""
    results, command = run(place, [place.program("bench/" + name), "--json"] + options.split(), n_ranks)
    return {found["variant"]: {"ranks": n_ranks, **row_of(found, command)}
            for found in results if not found["name"].endswith("-ratio")}


def variant(place, name, options, n_ranks, chosen):
    """The row of this variant, which a benchmark leaves out, and says so, where it cannot run."""
    rows = bench(place, name, "%s --variant %s" % (options, chosen), n_ranks)
    if chosen not in rows:
        raise Failed("%s: %s took no part" % (name, chosen))
    return rows[chosen]


def rivals(place):
    """{problem: names of the programs and libraries that solve it here}; the log names those that are not here."""
    done = subprocess.run([RIVAL, "--list", "--build", place.build], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failed("%s --list: %s" % (RIVAL, done.stderr.strip()))
    found = {}
    for line in (json.loads(text) for text in done.stdout.splitlines()):
        if "skipped" in line:
            place.log("skipped: " + line["skipped"])
        for problem in [] if "skipped" in line else line["problems"]:
            found.setdefault(problem, []).append(line["rival"])
    return found


def rival(place, problem, name, options, facts=(), limit_s=300):
    """@return a row, with version and threads of the rival, and the facts."""
    results, command = place.run([RIVAL, problem, name, "--build", place.build] + options.split(), limit_s=limit_s)
    return {"ranks": 1, **row_of(results[-1], command, "version", "threads"),
            **{fact: results[-1]["parameters"][fact] for fact in facts}}


def once(place, measure, *arguments):
    """What two figures or questions ask is run for the first of them."""
    key = (measure,) + arguments
    if key not in place.kept:
        place.kept[key] = measure(place, *arguments)
    return copy.deepcopy(place.kept[key])


def one(rows, **fields):
    """The first row with these fields, or None."""
    return next((row for row in rows if all(row.get(name) == value for name, value in fields.items())), None)


def rate(rows, **fields):
    row = one(rows, **fields)
    return row["rate"] if row else None


def over(rate, other):
    """The ratio of two rates; None if one is missing."""
    return rate / other if rate and other else None


def values(rows, field):
    return sorted({row[field] for row in rows})
