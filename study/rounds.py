# SPDX-License-Identifier: MIT
"""Rivals take turns, so that what else the machine does falls on all of them; medians, and ratios inside a round."""
import statistics

from study.place import NoTime


def in_turn(place, rivals, run, n_rounds=3):
    """Run every rival once a round, starting with another one each time; of a quick place a round.

    run: (a rival of the list) -> a row with "rate" and "command"
    @return the last row of each, with the median rate, "rates" of all rounds, "min", "max" and "rounds"
    """
    rows, rates = {}, {name: [] for name in rivals}
    for number in range(1 if place.quick else n_rounds):
        first = number % len(rivals)
        try:
            rows = {name: run(name) for name in rivals[first:] + rivals[:first]}
        except NoTime:
            if number == 0:
                raise
            break  # the rounds before it count
        for name, row in rows.items():
            rates[name].append(row["rate"])
    for name, row in rows.items():
        row.update(rate=statistics.median(rates[name]), rates=rates[name], min=min(rates[name]),
                   max=max(rates[name]), rounds=len(rates[name]))
    return [rows[name] for name in rivals]


def by(rows, outer, inner):
    """{a value of the outer field: {a value of the inner one: the row}}"""
    found = {}
    for row in rows:
        found.setdefault(row[outer], {})[row[inner]] = row
    return found


def ratio(row, against):
    """Median over the rounds of a row's rate divided by another's."""
    return statistics.median(a / b for a, b in zip(row["rates"], against["rates"]))


def typical(row, against):
    """Both rows with the rates of the round whose ratio is the median, of an even number of rounds the lower one."""
    pairs = sorted(zip(row["rates"], against["rates"]), key=lambda pair: pair[0] / pair[1])
    rate, other = pairs[(len(pairs) - 1) // 2]
    return {**row, "rate": rate}, {**against, "rate": other}


def geometric_mean(values):
    return statistics.geometric_mean(values)
