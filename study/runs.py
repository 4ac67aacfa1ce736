# SPDX-License-Identifier: MIT
"""Runs of applications and benchmarks for the questions of docs/results. Every result is checked."""
import copy


def sized(place, quick, cpu, gpu):
    return quick if place.quick else cpu if place.is_cpu() else gpu


def run(place, path, options, n_ranks, own_cores=False):
    argv, settings = place.on_ranks(n_ranks, [place.program(path)] + options.split(), own_cores)
    place.log("%d ranks: %s %s" % (n_ranks, path, options))
    return place.run(argv, settings, limit_s=300 if place.is_cpu() else 90)


def app(place, name, options, n_ranks=1, own_cores=False):
    """@return a row: ranks, rate, unit, seconds, valid, command; and crossed, bytes a second between nodes."""
    results, command = run(place, "apps/%s/%s" % (name, name), "-q -v --json " + options, n_ranks, own_cores)
    result = results[-1]
    sent = sum(node["network_bytes"] for node in result["statistics"] or [])
    return {"ranks": n_ranks, "rate": float(result["rate"]), "unit": result["unit"], "seconds": result["seconds"],
            "crossed": sent / result["seconds_each"][-1], "valid": result["valid"], "command": command}


def bench(place, name, options, n_ranks=1):
    """@return {variant: row}"""
    results, command = run(place, "bench/" + name, "--json " + options, n_ranks)
    return {result["variant"]: {"ranks": n_ranks, "rate": float(result["rate"]), "unit": result["unit"],
                                "valid": result["valid"], "command": command}
            for result in results if not result["name"].endswith("-ratio")}


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
