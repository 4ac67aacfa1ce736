# SPDX-License-Identifier: MIT
"""The applications of Wang et al. (ASPLOS 2019), by servers and by locks, on one node.

The pools of accounts and lists are the published ones; graphs are generated, and smaller.
"""
from study import rounds

LOCKS, SERVERS = ("lock", "ttas"), ("phases", "servers")


class Sections:
    def __init__(self, name, app, full, quick, published=None):
        self.name, self.app, self.full, self.quick, self.published = name, app, full, quick, published

    def run(self, place, form, groups):
        """@return one row: rate of a form, checked."""
        program = place.app(self.app)
        words = (self.quick if place.quick else self.full) + ["--form", form]
        words += ["--groups", str(groups)] if groups else []
        place.log("%s %s %s" % (self.name, form, groups or ""))
        results, command = place.run([program, "-q", "-v", "--json", "-n", "3"] + words)
        result = results[-1]
        return {"workload": self.name, "input": result["input"], "form": form, "groups": groups, "rate": result["rate"],
                "unit": result["unit"], "valid": result["valid"], "command": command}

    def forms_on(self, place):
        """Servers run beside their clients where several groups run at once for certain: not on CPUs of few cores."""
        return [form for form in SERVERS if form != "servers" or not place.is_cpu()]

    def measure(self, place):
        """Rows of all forms, in turn; locks at several numbers of groups where that matters."""
        rivals = {(form, 0): lambda form=form: self.run(place, form, 0) for form in self.forms_on(place)}
        for form in LOCKS:
            for groups in [0] if place.is_cpu() else [32, 132, 1056]:
                rivals[form, groups] = lambda form=form, groups=groups: self.run(place, form, groups)
        return list(rounds.in_turn(rivals, 1 if place.quick else 3).values())


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
