# SPDX-License-Identifier: MIT
"""The applications and inputs of chapter 4 (table 4-3): recursions as flows, on one node.

The inputs are the published ones; quick ones are small. --scale makes the work about so many doublings larger.
"""
from study import rounds, runs


class Flow:
    def __init__(self, name, app, full, quick, published):
        self.name, self.app, self.full, self.quick, self.published = name, app, full, quick, published

    def run(self, place, options=(), settings=None, n_trials=3):
        """@return one row: application, input, rate, seconds, what its flow counted (flow_...), command."""
        words = ["-n", str(n_trials), self.quick if place.quick else str(self.full(place.scale)), *options]
        result, command = runs.result(place, self.app, words, settings=settings, limit_s=300)
        counted = {name: value for name, value in result["parameters"].items() if name.startswith("flow_")}
        return {"app": self.name, **runs.row_of(result, command, "input", "seconds"), **counted}


# published: kernels, width, wavefronts, cycles each; GPU blocked on the simple scheduler, and the best [%]
FLOWS = (Flow("Fibonacci", "fib", lambda scale: 24 + scale, "12",
              {"kernels": 2, "width": 32768, "wavefronts": 2192, "cycles": 7046, "blocked": (41.5, 29.8)}),
         Flow("Queens", "queens", lambda scale: 13 + scale // 3, "8",
              {"kernels": 2, "width": 16384, "wavefronts": 1114, "cycles": 35407, "blocked": (2.9, 1.5)}),
         Flow("Sort", "sort", lambda scale: 1000000 << scale, "4000",
              {"kernels": 4, "width": 32768, "wavefronts": 4238, "cycles": 30673, "blocked": (8.9, 5.6)}),
         Flow("Strassen, 8-way", "strassen", lambda scale: 512 << scale // 3, "64",
              {"kernels": 1, "width": 8192, "wavefronts": 587, "cycles": 259299, "blocked": (3.4, 1.8)}))
BY_NAME = {flow.name: flow for flow in FLOWS}
QUICK = ("Fibonacci", "Sort")


def chosen(place):
    return [BY_NAME[name] for name in QUICK] if place.quick else FLOWS


def once(place, flow):
    return flow.run(place)


def of_each(place):
    """A row a flow, of which all figures show counts."""
    return place.each(chosen(place), lambda flow: [runs.once(place, once, flow)])


def sweep(place, key, values, settings):
    """Each flow with each value of what the figure varies, in turn. @return rows with the value under `key`."""
    return place.each(chosen(place), lambda flow: rounds.in_turn(
        place, values, lambda value: {**flow.run(place, settings=settings(value)), key: value}))


def relative(rows, key, reference):
    """{application: {value: rate over that of the reference, inside a round}}; one without the reference is left out."""
    return {app: {value: rounds.ratio(row, of[reference]) for value, row in of.items()}
            for app, of in rounds.by(rows, "app", key).items() if reference in of}
