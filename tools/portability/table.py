# SPDX-License-Identifier: MIT
"""The matrix as text or JSON."""
import datetime
import json
import os
import platform
import subprocess

from portability.measure import SKIPPED, Row
from portability.parts import PARTS
from portability.place import TOP

HEADS = ("implementation", "version", "step", "self-test", "conformance", "requests", "records", "ledger", *PARTS,
         "queue", "gups", "time", "verdict")


def first_line(command):
    try:
        done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.partition("\n")[0].strip() if done.returncode == 0 else ""


def system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError, AttributeError):  # no such file, or Python before 3.10
        return platform.system()


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def circumstances(command):
    return {"date": datetime.date.today().isoformat(), "command": command,
            "gravel": first_line(["git", "describe", "--always", "--dirty"]) or "unknown",
            "system": system(),
            "kernel": platform.release(), "processor": processor(), "cores": len(os.sched_getaffinity(0))}


def share(counts):
    """Passed, of how many; and those among them that the device cannot run."""
    if not counts:
        return "-"
    text = "%d/%d" % tuple(counts[:2])
    return text + ", %d skipped" % counts[2] if len(counts) > 2 and counts[2] else text


def rate(per_second):
    return "%.1f M/s" % (per_second / 1e6) if per_second is not None else "-"


def cells(row):
    step = "%s, %s" % (row.step, row.form) if row.form else row.step or "-"
    verdict = row.verdict if row.as_expected or row.verdict == SKIPPED else row.verdict + " (unexpected)"
    return (row.implementation, (row.driver or "-")[:16], step, row.self_test or "-", share(row.conformance),
            share(row.requests), share(row.records), share(row.ledger), *(share(getattr(row, part)) for part in PARTS),
            rate(row.queue_rate), rate(row.gups_rate), "%.0f s" % row.seconds, verdict)


class Table:
    """Line by line, as rows are done."""
    WIDTHS = (17, 16, 16, 9, 11, 8, 6, 6, 6, 6, 6, 11, 11, 5)

    def line(self, texts):
        print("  ".join(text.ljust(width) for text, width in zip(texts, self.WIDTHS + (0,))).rstrip(), flush=True)

    def begin(self, told):
        print("%(date)s  gravel %(gravel)s  %(system)s, Linux %(kernel)s  %(cores)d x %(processor)s" % told)
        print("queue: messages of 32 bytes from a kernel to a thread, where both share memory; "
              "gups: updates, two nodes in one process, checked")
        self.line(HEADS)

    def add(self, row):
        self.line(cells(row))
        if row.reason:
            print("    " + row.reason[:240], flush=True)


class Markdown(Table):
    """The same as a page of text shows it: a reason stands beside its verdict."""

    def line(self, texts):
        print("| " + " | ".join(text.replace("|", "/") for text in texts) + " |", flush=True)

    def begin(self, told):
        print("%(date)s, gravel %(gravel)s, %(system)s, %(cores)d x %(processor)s\n" % told)
        self.line(HEADS)
        print("|---" * len(HEADS) + "|", flush=True)

    def add(self, row):
        texts = cells(row)
        self.line(texts[:-1] + (texts[-1] + (": " + row.reason[:240] if row.reason else ""),))


def print_json(told, rows):
    print(json.dumps({**told, "rows": [{name: getattr(row, name) for name in Row.SHOWN} for row in rows]}, indent=2))
