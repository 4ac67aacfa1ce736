# SPDX-License-Identifier: MIT
"""One row of the matrix: self-test, conformance, requests, records, ledger, parts, rates of queue and gups, a verdict.

A row passes if everything does; it is refused if the self-test, or the device's own word, rules the step out.
"""
import json
import re
import time

from portability import parts
from portability.place import TIMED_OUT

PASS, REFUSED, FAILED, SKIPPED = "pass", "refused", "FAILED", "skipped"
REFUSED_LATER = "device lacks a capability (-5): self-test: "  # every gravel_open proves the step anew
SHARED = ("svm", "usm")  # steps that bench-queue measures
CONFORMANCE = "tools/gravel-conformance"
ONE_SLOT = {"GRAVEL_QUEUE": "9280"}
SMALL_BUFFERS = {"GRAVEL_BUFFER": "512", "GRAVEL_BUFFERS": "2"}


class Row:
    """What is run, and what came out; None where nothing did."""
    SHOWN = ("implementation", "platform", "device", "driver", "step", "form", "self_test", "conformance", "requests",
             "records", "ledger", *parts.PARTS, "queue_rate", "gups_rate", "verdict", "as_expected", "reason",
             "seconds")

    def __init__(self, implementation, step, expect, place=None, settings=None, form=None):
        self.implementation, self.step, self.form = implementation, step, form
        self.expect = expect  # verdicts that are as expected
        self.place, self.settings = place, dict(settings or {})
        self.platform = self.device = self.driver = None
        self.self_test = self.conformance = self.requests = self.records = self.ledger = None
        self.flow = self.serve = self.steal = self.hrf = None
        self.queue_rate = self.gups_rate = None
        self.units = {}  # settings that give kernels more compute units, for groups that meet
        self.verdict = self.reason = self.remark = None
        self.seconds = 0.0

    @property
    def as_expected(self):
        return self.verdict in self.expect

    def end(self, verdict, reason=None):
        self.verdict, self.reason = verdict, reason
        return self

    def name_device(self, device):
        self.platform, self.device, self.driver = device["platform"], device["name"], device["driver"]


def run(row, program, limit_s, settings=None, arguments=()):
    all_settings = {"GRAVEL_TRANSPORT": "self", "GRAVEL_LOOPBACK": "2", "GRAVEL_STEP": row.step,
                    **row.settings, **(settings or {})}
    return row.place.run([row.place.build + "/" + program] + list(arguments), all_settings, limit_s)


def why(result):
    if result.status in (TIMED_OUT, 128 + 9):
        return "no end within %d s" % result.limit_s
    if result.status > 128 or result.status < 0:
        return "ended by signal %d" % (result.status - 128 if result.status > 128 else -result.status)
    return result.last_line()


# ---- the parts --------------------------------------------------------------------------------------------

def self_test(row):
    """@return None if it passed, else the verdict and its reason."""
    result = run(row, "tools/gravel-info", 90, {"GRAVEL_LOOPBACK": "1"},
                 ["--selftest", "--json", "-d", row.settings.get("GRAVEL_DEVICE", "0:0")])
    try:
        device = json.loads(result.out)["devices"][0]
    except (ValueError, KeyError, IndexError):
        return FAILED, "self-test: " + why(result)
    row.name_device(device)
    probe = device.get("probe") or {}
    error = probe.get("error") or device.get("reason")
    row.self_test = PASS if not error and result.status == 0 else "refused"
    if row.self_test == PASS:
        return None
    text = " ".join((error or "self-test: " + why(result)).split())
    # A device that cannot, says so or fails an exact check; a driver that ends the process proves nothing.
    refuses = text.startswith("self-test: ") or "cannot take step" in text or device.get("probe") is None
    return (REFUSED if refuses else FAILED), text.replace(device["name"], "the device")


def tap(row, suite, limit_s):
    """@return [lines passed, planned, skipped] and the reason for which it failed, or None."""
    result = run(row, CONFORMANCE, limit_s, None, ["--tap", "--suite", suite])
    skipped = len(re.findall(r"^ok .*# SKIP", result.out, re.M))
    passed = len(re.findall(r"^ok ", result.out, re.M)) - skipped
    plan = re.search(r"^1\.\.(\d+)$", result.out, re.M)
    n_lines = int(plan.group(1)) if plan else passed + skipped + len(re.findall(r"^not ok ", result.out, re.M)) + 1
    is_whole = result.status == 0 and passed > 0 and passed + skipped == n_lines
    return [passed, n_lines, skipped], None if is_whole else why(result)


def conformance(row):
    row.conformance, reason = tap(row, "words", 400)
    return reason and "conformance: " + reason


def requests(row):
    """Kernels that ask and wait for the answer."""
    row.requests, reason = tap(row, "requests", 400)
    return reason and "requests: " + reason


def records(row):
    """Kernels that print, append records, and ask functions of the host."""
    row.records, reason = tap(row, "records", 400)
    return reason and "records: " + reason


def ledger_runs(row, quick):
    """(mode, messages, settings). On step drain no group may find the queue full."""
    if quick:
        return [("am", 250000, {}), ("put_if", 125000, {})]
    waits = row.step != "drain"
    runs = [("am", 1000000, {}), ("put", 1000000, {}), ("add", 500000, {}), ("am_if", 250000, SMALL_BUFFERS),
            ("put_if", 250000, {})]
    return runs + ([("put", 250000, {**ONE_SLOT, **SMALL_BUFFERS}), ("am_wi", 100000, {})] if waits else [])


def ledger(row, quick):
    runs, passed, reason = ledger_runs(row, quick), 0, None
    for mode, messages, settings in runs:
        result = run(row, CONFORMANCE, 200, settings, ["--tap", "--suite", "ledger", mode, str(messages)])
        if result.status == 0:
            passed += 1
        else:
            reason = reason or "ledger %s: %s" % (mode, why(result))
    row.ledger = [passed, len(runs)]
    return reason


def rate_of(result):
    """Of the first JSON line, if its run is valid."""
    for line in result.out.splitlines():
        if line.startswith("{"):
            measured = json.loads(line)
            return measured["rate"] if measured.get("valid") else None
    return None


def rates(row, quick):
    """Messages of 32 bytes a second through the queue, updates a second of gups, checked."""
    if row.step in SHARED:
        result = run(row, "bench/bench-queue", 120, None,
                     ["-v", "work-group", "-b", "32", "-g", "256", "--json", "-r", "1" if quick else "5"])
        row.queue_rate = rate_of(result) if result.status == 0 else None
        if row.queue_rate is None:
            return "bench-queue: " + why(result)
    log2 = "20" if quick else "22"
    result = run(row, "apps/gups/gups", 200, None,
                 ["--table", "20", "--updates", log2, "-n", "3", "--json", "-q", "-v"])
    row.gups_rate = rate_of(result) if result.status == 0 else None
    return None if row.gups_rate is not None else "gups: " + why(result)


def run_parts(row, quick):
    """@return why parts failed. What a device cannot run of them is the row's remark, and no failure."""
    failures, refusals = [], []
    for part in parts.PARTS:
        counts, failure, refusal = parts.measure(run, row, part, quick, why)
        setattr(row, part, counts)
        failures.append(failure)
        refusals += [refusal] if refusal else []
    row.remark = "; ".join(refusals) or None
    return failures


def oclgrind(row):
    """The device half under the simulator: its own kernels clean, planted faults reported."""
    version = row.place.run(["oclgrind", "--version"], {}, 20)
    if version.status:
        return row.end(SKIPPED, "not installed")
    row.platform, row.device = "oclgrind", "simulator"
    row.driver = next((w for w in version.out.split() if w[0].isdigit()), "?")
    folder = row.place.sources + "/tests/oclgrind"
    for mode in ("clean", "planted"):
        result = row.place.run([folder + "/run.sh", row.place.build + "/tests/oclgrind/device_half", folder,
                                row.place.build + "/cl/gravel.cl.h", mode], {}, 200)
        if result.status:
            return row.end(FAILED, "%s: %s" % (mode, why(result)))
    return row.end(PASS, "device half without races, divergence or stray accesses; planted ones reported")


def judge(row, quick):
    if row.step == "device half":
        return oclgrind(row)
    refusal = self_test(row)
    if refusal:
        return row.end(*refusal)
    suites = [conformance(row), requests(row), records(row)]
    reasons = suites + [ledger(row, quick), rates(row, quick), *run_parts(row, quick)]
    reasons = [reason for reason in reasons if reason]
    failures = [reason for reason in reasons if REFUSED_LATER not in reason]
    if not reasons:
        return row.end(PASS, row.remark)
    return row.end(FAILED, failures[0]) if failures else row.end(REFUSED, reasons[0])


def measure(row, quick):
    if row.verdict is None:
        begin = time.monotonic()
        judge(row, quick)
        row.seconds = time.monotonic() - begin
    return row
