# SPDX-License-Identifier: MIT
"""The applications and inputs of chapter 4 (table 4-3): recursions as flows, on one node.

The inputs are the published ones; quick ones are small. --scale makes the work about so many doublings larger.
"""
from study import rounds


class Flow:
    def __init__(self, name, app, full, quick, published):
        self.name, self.app, self.full, self.quick, self.published = name, app, full, quick, published

    def argv(self, place, n_trials):
        program = place.app(self.app)
        words = self.quick() if place.quick else self.full(place.scale)
        return [program, "-q", "-v", "--json", "-n", str(n_trials)] + words

    def run(self, place, options=(), settings=None, n_trials=3):
        """@return one row: application, input, rate, seconds, what its flow counted (flow_...), command."""
        settings = settings or {}
        place.log("%s %s %s" % (self.name, " ".join(options), " ".join("%s=%s" % item for item in settings.items())))
        results, command = place.run(self.argv(place, n_trials) + list(options), settings)
        result = results[-1]
        counted = {name: value for name, value in result["parameters"].items() if name.startswith("flow_")}
        return {"app": self.name, "input": result["input"], "rate": result["rate"], "unit": result["unit"],
                "seconds": result["seconds"], "valid": result["valid"], "command": command, **counted}

    def once(self, place):
        """As run, and one row for all figures that show its counts."""
        key = ("flow", self.name)
        if key not in place.kept:
            place.kept[key] = self.run(place)
        return place.kept[key]


# published: kernels, width, wavefronts, cycles each; GPU blocked on the simple scheduler, and the best [%]
FLOWS = (Flow("Fibonacci", "fib", lambda scale: [str(24 + scale)], lambda: ["12"],
              {"kernels": 2, "width": 32768, "wavefronts": 2192, "cycles": 7046, "blocked": (41.5, 29.8)}),
         Flow("Queens", "queens", lambda scale: [str(13 + scale // 3)], lambda: ["8"],
              {"kernels": 2, "width": 16384, "wavefronts": 1114, "cycles": 35407, "blocked": (2.9, 1.5)}),
         Flow("Sort", "sort", lambda scale: [str(1000000 << scale)], lambda: ["4000"],
              {"kernels": 4, "width": 32768, "wavefronts": 4238, "cycles": 30673, "blocked": (8.9, 5.6)}),
         Flow("Strassen, 8-way", "strassen", lambda scale: [str(512 << scale // 3)], lambda: ["64"],
              {"kernels": 1, "width": 8192, "wavefronts": 587, "cycles": 259299, "blocked": (3.4, 1.8)}))
BY_NAME = {flow.name: flow for flow in FLOWS}
QUICK = ("Fibonacci", "Sort")


def chosen(place):
    return [BY_NAME[name] for name in QUICK] if place.quick else FLOWS


def of_each(place):
    """A row a flow."""
    rows = []
    for flow in chosen(place):
        rows += place.attempt(lambda flow=flow: [flow.once(place)])
    return rows


def sweep(place, key, values, settings, options=lambda value: ()):
    """Each flow with each value of what the figure varies, in turn. @return rows with the value under `key`."""
    rows = []
    for flow in chosen(place):
        rivals = {value: lambda flow=flow, value=value: flow.run(place, options(value), settings(value))
                  for value in values}
        rows += place.attempt(lambda rivals=rivals: [{**row, key: value} for value, row in
                              rounds.in_turn(rivals, 1 if place.quick else 3).items()])
    return rows


def by_app(rows, key):
    """{application: {value: row}}"""
    apps = {}
    for row in rows:
        apps.setdefault(row["app"], {})[row[key]] = row
    return apps


def relative(rows, key, reference):
    """{application: {value: rate over that of the reference, inside a round}}; one without the reference is left out."""
    return {app: {value: rounds.ratio(row, of[reference]) for value, row in of.items()}
            for app, of in by_app(rows, key).items() if reference in of}
