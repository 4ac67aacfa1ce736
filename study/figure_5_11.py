# SPDX-License-Identifier: MIT
"""Figure 5-11: every application in six models of GPU networking."""
from study import rounds
from study.workloads import some

NAME = "figure-5-11"
TITLE = "Figure 5-11: the applications in six models of GPU networking, relative to Gravel"
PUBLISHED = "Gravel equal to or faster than every other model in all applications"
MODELS = ("coprocessor", "coprocessor-1m", "lane", "coalesced", "coalesced-aggregated", "gravel")


def measure(place):
    return place.each(some(place), lambda workload: rounds.in_turn(place, MODELS, lambda model: run(place, workload, model)))


def run(place, workload, model):
    size = place.scale + (13 if place.quick else 18)
    return workload.run(place, place.some_ranks(), size, 1 if place.quick else 3, ["--model", model])


def relative(rows):
    """{workload: a rate a model over Gravel's, inside a round}, and Gravel's rows."""
    found = rounds.by(rows, "workload", "model")
    return {name: [rounds.ratio(of[model], of["gravel"]) for model in MODELS] for name, of in found.items()}, \
        {name: of["gravel"] for name, of in found.items()}


def table(rows):
    ratios, gravel = relative(rows)
    lines = [[name, gravel[name]["rate"] / 1e6, gravel[name]["unit"], *of] for name, of in ratios.items()]
    means = [rounds.geometric_mean(column) for column in zip(*ratios.values())]
    return ["", "Gravel, M/s", "unit", *MODELS], lines + [["geometric mean", None, None, *means]]


def draw(rows, draw):
    ratios, _ = relative(rows)
    return draw.bars(list(ratios), dict(zip(MODELS, zip(*ratios.values()))),
                     "rate over Gravel's", log_y=True, size=(8.6, 3.4), reference=1)
