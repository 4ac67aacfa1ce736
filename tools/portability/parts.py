# SPDX-License-Identifier: MIT
"""What a row runs of the parts beside messages: flow (channels), serve (servers), steal, hrf (litmus programs).

Path: measure.py -> this -> applications, which check their own results, the ledger of flows, conformance, gravel-hrf.
A part's programs are few and small if the matrix is quick; else each form and policy, and more litmus programs.
"""
import re

from portability.place import TIMED_OUT

PARTS = ("flow", "serve", "steal", "hrf")
# How every program of a node says that a device cannot; gravel-hrf; and a compiler without the order that steal-only asks
# for, which no query tells before: some have it and do not list it.
CANNOT = re.compile(r"device lacks a capability(?: \(-5\))?: (.*)| is not run: (.*)|(undeclared identifier 'memory_order_seq_cst')")
LIMIT_S = 120
HRF_LIMIT_S = 20  # of a program's checker, compiler and seconds of playing
SECTIONS = ("servers", "lock", "ttas", "atomic")
POLICIES = ("promoted", "steal-only", "scope-only", "baseline", "private")
QUICK_LITMUS = ("sb", "barrier_atomics")
LITMUS = QUICK_LITMUS + ("mp_atomics_dev", "counter", "mp_atomics", "isa2_relaxed", "sb_ra", "lb", "iriw", "iriw_ra",
                         "coherence", "two_plus_two")


class Command:
    """One program of a part, with how it ended."""

    def __init__(self, name, program, arguments, settings=None):
        self.name, self.program, self.arguments = name, program, list(arguments)
        self.settings = dict(settings or {})
        self.is_resident = bool({"resident", "servers", "--schedule"} & {*self.settings.values(), *self.arguments})

    def settings_on(self, row):
        """Groups that meet need compute units beside each other."""
        return {"GRAVEL_LOOPBACK": "1", **(row.units if self.is_resident else {}), **self.settings}


def app(name, *words, **settings):
    """An application that checks its result."""
    label = [word for word in words if not word.isdigit() and not word.startswith("-")]
    return Command(" ".join([name] + label + list(settings.values())), "apps/%s/%s" % (name, name),
                   ("-n", "1", "-q", "-v") + words, settings)


def flow_ledger(seed, elements, scheduler):
    """A random graph with held channels, stacks and streams, as narrow as it can be."""
    return Command("ledger " + scheduler, "tests/ledger/flow_ledger", (seed, "1", elements, "1", scheduler))


def device_test(name):
    """A test of the whole library, where no application calls all that it does."""
    return Command("test " + name, "tests/device/test_device_" + name, (), {"GRAVEL_SCHEDULER": "host"})


def flow(quick):
    host, resident = {"GRAVEL_SCHEDULER": "host"}, {"GRAVEL_SCHEDULER": "resident"}
    commands = [app("fib", "14", **host), app("strassen", "32", **resident), flow_ledger("276", "5000", "host"),
                flow_ledger("276", "5000", "resident")]
    if quick:
        return commands
    for by in (host, resident):
        commands += [app("fib", "18", **by), app("queens", "8", **by), app("sort", "5003", **by),
                     app("strassen", "64", **by), app("strassen", "64", "--ways", "8", **by)]
    return commands + [app("queens", "8", "--deal", "2", GRAVEL_LOOPBACK="2"),
                       flow_ledger("223", "20000", "lone"), flow_ledger("223", "20000", "resident"),
                       device_test("flow_messages")]


def serve(quick):
    mst, sgd, net = ("-g", "9"), ("--ratings", "12", "--epochs", "2"), ("--rows", "20", "--columns", "9")
    commands = [app("hashtable", "--items", "12", "--op", "upsert"), app("sgd", *sgd), app("mst", *mst),
                app("hashtable", "--items", "12", "--form", "servers", "--buckets", "4")]
    if quick:
        return commands
    commands += [Command("handlers", "tools/gravel-conformance", ("--tap", "--suite", "handlers")),
                 app("maxflow", *net), app("atm", "--orders", "12"), app("atm", "--orders", "12", "--form", "nested")]
    commands += [app("sgd", *sgd, "--form", form) for form in ("lock", "ttas")]
    for form in SECTIONS:
        commands += [app("hashtable", "--items", "12", "--op", "upsert", "--form", form),
                     app("atm", "--orders", "12", "--form", form), app("mst", *mst, "--form", form),
                     app("maxflow", *net, "--form", form)]
    return commands


def steal(quick):
    commands = [app("uts", "-t", "default", "--schedule", policy)
                for policy in (("promoted", "steal-only") if quick else POLICIES)]
    if not quick:
        commands += [app("uts", "-t", "T4", "-d", "8"), app("sssp", "-g", "8", "--schedule", "promoted"),
                     app("color", "-g", "8", "--schedule", "steal-only"),
                     app("pagerank", "-g", "8", "--schedule", "counter")]
    return commands


def hrf(row, quick):
    folder = row.place.sources + "/hrf/litmus/"
    device = row.settings.get("GRAVEL_DEVICE", "0:0")
    return [Command(name, "hrf/gravel-hrf", ("--run", "--device", device, folder + name + ".litmus"))
            for name in (QUICK_LITMUS if quick else LITMUS)]


def commands_of(part, row, quick):
    if part == "hrf":
        return hrf(row, quick)
    return {"flow": flow, "serve": serve, "steal": steal}[part](quick)


def refuses(result):
    """@return why the device cannot, in its own words; None if it does not tell."""
    if result.status in (0, TIMED_OUT):
        return None
    said = CANNOT.search(result.out + "\n" + result.err)
    return said and said.group(said.lastindex).strip()


def measure(run, row, part, quick, why):
    """@return [passed, of how many, refused], the reason of the first that failed or None, and of the first refused."""
    passed, refused, failure, refusal = 0, 0, None, None
    commands = commands_of(part, row, quick)
    for command in commands:
        result = run(row, command.program, HRF_LIMIT_S if part == "hrf" else LIMIT_S, command.settings_on(row),
                     command.arguments)
        reason = refuses(result)
        if result.status == 0:
            passed += 1
        elif reason:
            refused += 1
            refusal = refusal or "%s, %s: %s" % (part, command.name, reason)
        else:
            failure = failure or "%s, %s: %s" % (part, command.name, why(result))
    return [passed, len(commands), refused], failure, refusal
