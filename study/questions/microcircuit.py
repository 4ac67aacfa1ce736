# SPDX-License-Identifier: MIT
"""How fast is a spiking network?"""
from study import rounds, runs
from study.page import in_ranks
from study.place import Failed
from study.rivals import problems

NAME = "microcircuit"
TITLE = "How fast is a spiking network?"
ABOUT = """Seconds that a second of the network takes: the [cortical microcircuit](../guide/microcircuit.md) of Potjans and Diesmann, 77,169
neurons with 299 million synapses, in steps of 0.1 ms, by `microcircuit`; *scale 4* has four times as many. First spikes are a
serial program's, all are the same on any number of ranks, and rates near the published ones. *NEST* runs on all cores of the machine, in turns.
Published times of the whole (Senk et al. 2026), each on its own machine: NEST on two EPYCs 0.67, NEST GPU on an RTX 4090 0.386, GeNN on an RTX 4090 0.272, neuroAIx on 35 FPGAs 0.05."""
KEYS = ("scale", "system")
GRAVEL, NEST = "gravel", "NEST"
PUBLISHED = ("GeNN, RTX 4090 (published)", 0.272)
STEPS = 1e4  # of a second


def measure(place):
    return place.each(runs.sized(place, (0.1,), (0.1,), (1, 4)), lambda scale: agreed(
        place.each(place.ranks, lambda n: of_ranks(place, scale, n))))


def of_ranks(place, scale, n_ranks):
    words = "--scale %g --seconds %g" % (scale, runs.sized(place, 0.2, 1, 10))
    if scale <= 1:
        runs.app(place, NAME, "-n 1 --scale %g --seconds 0.1" % scale, n_ranks, limit_s=300)
    has_nest = n_ranks == 1 and scale <= 1 and NEST in runs.rivals(place).get(NAME, ())

    def run(system):
        row = runs.rival(place, NAME, NEST, "-n 1 " + words, limit_s=560) if system == NEST else runs.app(
            place, NAME, "-n 1 " + words, n_ranks, facts=("checksum", "rates", "open_seconds", "array_bytes"), limit_s=300, is_checked=False)
        return {"scale": scale, "system": system, "of_populations": row.pop("rates", None), **row}

    return rounds.in_turn(place, [GRAVEL, NEST][:1 + has_nest], run, 3 if place.is_cpu() else 1)


def agreed(rows):
    """The rows, valid; Failed if ranks have other spikes than one, or rates are not the model's."""
    own = [row for row in rows if row["system"] == GRAVEL]
    if len(runs.values(own, "checksum")) > 1:
        raise Failed("%s: %s" % (own[0]["command"], ", ".join("%s on %d ranks" % (row["checksum"], row["ranks"]) for row in own)))
    for row in own:
        row["valid"] = not problems.far_rates(row["of_populations"])
        if not row["valid"]:
            raise Failed("%s: rates %s, not near %s" % (row["command"], row["of_populations"], problems.RATES))
    return rows


# ---- the answer --------------------------------------------------------------------------------

def lines_of(rows):
    """[(scale, ranks, row of Gravel, row of NEST or None)]"""
    own = sorted((row for row in rows if row["system"] == GRAVEL), key=lambda row: (row["scale"], row["ranks"]))
    nests = [runs.one(rows, system=NEST, scale=row["scale"], ranks=row["ranks"]) for row in own]
    return [(row["scale"], row["ranks"], *(rounds.typical(row, nest) if nest else (row, None))) for row, nest in zip(own, nests)]


def seconds(row):
    return "%.3g" % (STEPS / row["rate"]) if row else None


def made(row):
    """Of older rows nothing."""
    return " (made in %.2g s, %.2g GB)" % (row["open_seconds"], row["array_bytes"] / 1e9) if row.get("array_bytes") else ""


def network(scale):
    return "the whole" if scale == 1 else "scale %g" % scale


def sentence(rows):
    said = ["%s on %d%s takes %s s%s" % (network(scale), n, made(own), seconds(own), ", %.2f times NEST's rate on %d threads" % (
        own["rate"] / nest["rate"], nest["threads"]) if nest else "") for scale, n, own, nest in lines_of(rows)]
    return "a second of " + "; of ".join(said) + "." if said else None


def front(rows):
    for scale, n, own, nest in lines_of(rows):
        name, other = ("NEST %s, %d threads" % (nest["version"], nest["threads"]), STEPS / nest["rate"]) if nest else PUBLISHED
        if nest or (scale == 1 and n == 1):
            yield ("a second of a spiking network, " + network(scale), seconds(own) + " s", name, "%.3g s" % other,
                   other * own["rate"] / STEPS)


def pays(rows):
    for scale in runs.values(rows, "scale"):
        one, two = (runs.rate(rows, system=GRAVEL, scale=scale, ranks=n) for n in (1, 2))
        if one and two:
            yield "a spiking network, " + network(scale), two / one


def draw(machines, draw):
    found = {(name, scale): [line for line in lines_of(rows) if line[0] == scale]
             for name, rows in machines.items() for scale in runs.values(rows, "scale")}
    series = {in_ranks(n): [next((STEPS / own["rate"] for _, at, own, _ in lines if at == n), None) for lines in found.values()]
              for n in sorted({n for lines in found.values() for _, n, _, _ in lines})}
    nests = [next((STEPS / nest["rate"] for *_, nest in lines if nest), None) for lines in found.values()]
    if any(nests):
        series[NEST] = nests
    return draw.bars(["%s\nscale %g" % key for key in found], series, "seconds a second of the network", log_y=True)
