# SPDX-License-Identifier: MIT
"""A figure's data: JSON lines, the first of which says how, where and when; and the same rows as CSV."""
import csv
import datetime
import os
import platform
import subprocess

from portability.place import TOP
from study import records
from study.place import SHOWN_SETTINGS, Failed


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def revision():
    try:
        done = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=TOP, capture_output=True, text=True,
                              check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def circumstances(place, figure, command):
    device = place.found_device()
    return {"figure": figure.NAME, "title": figure.TITLE, "command": command, "quick": place.quick,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "revision": revision(), "device": device["name"], "step": device["step"],
            "processor": processor(), "cores": len(place.cores), "kernel": platform.release(),
            "load_before": round(os.getloadavg()[0], 1),
            "settings": {name: value for name, value in sorted(os.environ.items()) if name.startswith(SHOWN_SETTINGS)}}


def write(out, figure, head, rows):
    records.write(out, figure.NAME, [head] + rows)
    names = list(dict.fromkeys(name for row in rows for name in row if name != "rates"))
    with open(os.path.join(out, figure.NAME + ".csv"), "w", encoding="utf-8", newline="") as table:
        for name, value in head.items():
            table.write("# %s: %s\n" % (name, value))
        writer = csv.DictWriter(table, names, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read(out, figure):
    """@return head and rows; Failed if there are none, or they are another figure's."""
    head, *rows = records.load(out, figure.NAME) or [{}]
    if head.get("figure") != figure.NAME or not rows:
        raise Failed("%s: no data of %s" % (records.path_of(out, figure.NAME), figure.NAME))
    return head, rows
