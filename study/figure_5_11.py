# SPDX-License-Identifier: MIT
"""Figure 5-11: every application in six models of GPU networking."""
from study import rounds
from study.workloads import BY_NAME, WORKLOADS

NAME = "figure-5-11"
TITLE = "Figure 5-11: the applications in six models of GPU networking, relative to Gravel"
PUBLISHED = "Gravel equal to or faster than every other model in all applications"
MODELS = ("coprocessor", "coprocessor-1m", "lane", "coalesced", "coalesced-aggregated", "gravel")


def measure(place):
    rows = []
    for workload in [BY_NAME["GUPS"], BY_NAME["PR-1"]] if place.quick else WORKLOADS:
        rivals = {model: rival(place, workload, model) for model in MODELS}
        n_rounds = 1 if place.quick else 3
        rows += place.attempt(lambda rivals=rivals: list(rounds.in_turn(rivals, n_rounds).values()))
    return rows


def rival(place, workload, model):
    size = place.scale + (13 if place.quick else 18)
    return lambda: workload.run(place, place.some_ranks(), size, 1 if place.quick else 3, ["--model", model])


def relative(rows):
    """{workload: {model: rate over Gravel's, inside a round}}"""
    by_name = {}
    for row in rows:
        by_name.setdefault(row["workload"], {})[row["model"]] = row
    return {name: {model: rounds.ratio(of[model], of["gravel"]) for model in MODELS} for name, of in by_name.items()}


def table(rows):
    of = relative(rows)
    gravel = {row["workload"]: row for row in rows if row["model"] == "gravel"}
    lines = [[name, gravel[name]["rate"] / 1e6, gravel[name]["unit"]] + [of[name][model] for model in MODELS]
             for name in of]
    mean = [rounds.geometric_mean([of[name][model] for name in of]) for model in MODELS]
    return ["", "Gravel, M/s", "unit"] + list(MODELS), lines + [["geometric mean", None, None] + mean]


def draw(rows, draw):
    of = relative(rows)
    return draw.bars(list(of), {model: [of[name][model] for name in of] for model in MODELS},
                     "rate over Gravel's", log_y=True, size=(8.6, 3.4), reference=1)
