# SPDX-License-Identifier: MIT
"""The applications of Wang et al. (ASPLOS 2019), by servers and by locks, on one node.

The pools of accounts and lists are the published ones; graphs are generated, and smaller.
"""
from study import rounds, runs

LOCKS, SERVERS = ("lock", "ttas"), ("phases", "servers")


class Sections:
    def __init__(self, name, app, full, quick, published=None):
        self.name, self.app, self.full, self.quick, self.published = name, app, full, quick, published

    def run(self, place, form, groups):
        """@return one row: rate of a form, checked."""
        words = ["-n", "3", *(self.quick if place.quick else self.full), "--form", form]
        words += ["--groups", str(groups)] if groups else []
        result, command = runs.result(place, self.app, words, limit_s=300)
        return {"workload": self.name, "form": form, "groups": groups, **runs.row_of(result, command, "input")}

    def measure(self, place):
        """Rows of all forms, in turn."""
        return rounds.in_turn(place, rivals(place, (32, 132, 1056)), lambda rival: self.run(place, *rival))


def rivals(place, groups, others=()):
    """Forms with numbers of groups, of which locks have several where that matters. Servers run beside their clients where several
    groups run at once for certain: not on CPUs of few cores."""
    served = [form for form in SERVERS if form != "servers" or not place.is_cpu()]
    return [(form, 0) for form in (*served, *others)] + [(form, n) for n in ((0,) if place.is_cpu() else groups) for form in LOCKS]


def best(rows, forms):
    """The fastest of some forms, or None."""
    return max((row for row in rows if row["form"] in forms), key=lambda row: row["rate"], default=None)


def hashtable(n, published=None):
    return Sections("HT-%s" % n, "hashtable", ["--buckets", lists(n), "--items", "20"],
                    ["--buckets", lists(n), "--items", "14"], published)


def atm(n, published=None):
    return Sections("ATM-%s" % n, "atm", ["--accounts", lists(n), "--orders", "19"],
                    ["--accounts", lists(n), "--orders", "13"], published)


def lists(n):
    return str(int(n[:-1]) * 1024) if n.endswith("k") else n


# published: speed-up of servers over locks; table 3 gives run times, of which these are the inverse, table 4 the rest
WORKLOADS = (hashtable("32", 18.3), hashtable("128", 8.9), hashtable("256", 7.7), hashtable("512", 4.0),
             hashtable("1k", 4.0), hashtable("32k"), hashtable("128k"), atm("256", 3.2), atm("1k", 1.5), atm("32k"),
             atm("128k"),
             Sections("MST, Kronecker", "boruvka", ["-g", "16"], ["-g", "10"], 9.1),
             Sections("MST, mesh", "boruvka", ["--mesh", "256"], ["--mesh", "16"], 7.7))


def chosen(place):
    return [workload for workload in WORKLOADS if workload.name in ("HT-256", "MST, mesh")] if place.quick else WORKLOADS
