# SPDX-License-Identifier: MIT
"""Runs of applications, benchmarks and rivals for the questions of docs/results. Every result is checked."""
import copy
import json
import os
import subprocess

from portability.place import TOP
from study.place import Failed

RIVAL = os.path.join(TOP, "study", "rival")


def sized(place, quick, cpu, gpu):
    return quick if place.quick else cpu if place.is_cpu() else gpu


def run(place, program, options, n_ranks, own_cores=False, limit_s=None, is_checked=True):
    argv, settings = place.on_ranks(n_ranks, [program] + options.split(), own_cores)
    place.log("%d ranks: %s %s" % (n_ranks, os.path.basename(program), options))
    return place.run(argv, settings, limit_s=limit_s or (300 if place.is_cpu() else 90), is_checked=is_checked)


def app(place, name, options, n_ranks=1, own_cores=False, facts=(), limit_s=None, is_checked=True):
    """@return a row: ranks, rate, unit, seconds, valid, command; crossed, bytes a second between nodes; and the facts.

    is_checked: False if its own check takes too long; the caller has another, and sets valid.
    """
    words = "-q %s--json " % ("-v " if is_checked else "")
    results, command = run(place, place.app(name), words + options, n_ranks, own_cores, limit_s, is_checked)
    result = results[-1]
    sent = sum(node["network_bytes"] for node in result["statistics"] or [])
    return {"ranks": n_ranks, "rate": float(result["rate"]), "unit": result["unit"], "seconds": result["seconds"],
            "crossed": sent / result["seconds_each"][-1], "valid": result["valid"], "command": command,
            **{fact: result["parameters"][fact] for fact in facts}}


def bench(place, name, options, n_ranks=1):
    """@return {variant: row}"""
    results, command = run(place, place.program("bench/" + name), "--json " + options, n_ranks)
    return {result["variant"]: {"ranks": n_ranks, "rate": float(result["rate"]), "unit": result["unit"],
                                "valid": result["valid"], "command": command}
            for result in results if not result["name"].endswith("-ratio")}


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


def rival(place, problem, name, options, facts=()):
    """@return a row, with version and threads of the rival, and the facts."""
    place.log("%s: %s %s" % (name, problem, options))
    results, command = place.run([RIVAL, problem, name, "--build", place.build] + options.split(), limit_s=300)
    result = results[-1]
    return {"ranks": 1, "rate": float(result["rate"]), "unit": result["unit"], "valid": result["valid"], "command": command,
            "version": result["version"], "threads": result["threads"], **{fact: result["parameters"][fact] for fact in facts}}


def once(place, measure, *arguments):
    """What two questions ask is run for the first of them."""
    key = (measure.__name__,) + arguments
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
    return rate / other if rate and other else None
