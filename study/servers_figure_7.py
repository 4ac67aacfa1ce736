# SPDX-License-Identifier: MIT
"""Figure 7 of Wang et al. (ASPLOS 2019), with tables 3 and 4: servers over locks."""
from study import rounds, servers

NAME = "servers-figure-7"
TITLE = "Figure 7 of Wang et al., tables 3 and 4: servers over the better lock"
PUBLISHED = "on a GTX 1080 Ti, mean over all of its programs 3.6; HT and ATM by number of lists and accounts"
AS_PUBLISHED = {workload.name: workload.published for workload in servers.WORKLOADS}


def measure(place):
    return place.each(servers.chosen(place), lambda workload: workload.measure(place))


def by_workload(rows):
    """{workload: (served, locked)}, those with both."""
    of = {}
    for row in rows:
        of.setdefault(row["workload"], []).append(row)
    pairs = {name: (servers.best(some, servers.SERVERS), servers.best(some, servers.LOCKS)) for name, some in of.items()}
    return {name: pair for name, pair in pairs.items() if all(pair)}


def table(rows):
    heads = ["", "input", "by servers, M/s", "form", "better lock, M/s", "form", "unit", "servers / lock", "published"]
    lines = [[name, served["input"], served["rate"] / 1e6, served["form"], locked["rate"] / 1e6, locked["form"],
              served["unit"], rounds.ratio(served, locked),
              str(AS_PUBLISHED[name] or "-")] for name, (served, locked) in by_workload(rows).items()]
    mean = rounds.geometric_mean([rounds.ratio(*pair) for pair in by_workload(rows).values()] or [1])
    return heads, lines + [["geometric mean", "-", "-", "-", "-", "-", "-", mean, "3.6"]]


def draw(rows, draw):
    names = list(by_workload(rows))
    return draw.bars(names, {"measured": [rounds.ratio(*by_workload(rows)[name]) for name in names],
                             "published": [AS_PUBLISHED[name] or 0 for name in names]},
                     "rate of servers over that of the better lock", log_y=False)
