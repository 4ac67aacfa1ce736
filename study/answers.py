# SPDX-License-Identifier: MIT
"""docs/results/README.md: a sentence, a chart and a table for each question, from the data in the folder data beside it;
and the table of README.md, with a few of the rates.

A chart says in its metadata which data it was drawn from, so that a check needs no matplotlib.
"""
import hashlib
import json
import os
import re
import textwrap

from portability.place import TOP
from study import page, records
from study.place import Failed

DATA = os.path.join(TOP, "docs", "results", "data")
BEGIN = "<!-- written by study/results --page: begin -->"
END = "<!-- end -->"


def by_machine(folder, question):
    """{machine: rows}, in the order of machines.jsonl."""
    rows = records.checked(folder, question)
    names = [machine["machine"] for machine in records.machines(folder)]
    return {name: own for name in names for own in [[row for row in rows if row["machine"] == name]] if own}


def digest(machines):
    return hashlib.sha256(json.dumps(machines, sort_keys=True).encode()).hexdigest()[:16]


# ---- text --------------------------------------------------------------------------------------

def text_of(folder, questions):
    """All that is between the markers; a question without data says so."""
    used = {name for question in questions for name in by_machine(folder, question)}
    sections = [machines_table([machine for machine in records.machines(folder) if machine["machine"] in used])]
    for question in questions:
        sections.append(section(question, by_machine(folder, question)))
    return "\n\n".join(sections)


def front_of(folder, questions):
    """Rates beside their rivals', by machine, and what the machines are."""
    machines = records.machines(folder)
    fronts = [(question.front, by_machine(folder, question)) for question in questions if hasattr(question, "front")]
    lines = [(what, row["machine"], *line) for row in machines for front, rows in fronts
             for what, *line in front(rows.get(row["machine"], []))]
    used = ["*%s*: %s, %s, %d cores" % (row["machine"], page.device_of(row), row["processor"], row["cores"])
            for row in machines if any(line[1] == row["machine"] for line in lines)]
    return "%s\n\n%s." % (page.in_markdown(["", "machine", "Gravel", "rival", "", "times as fast"], lines), "; ".join(used))


def machines_table(machines):
    heads = ["machine", "device", "step", "devices", "processor", "cores"]
    return page.in_markdown(heads, [[str(machine[name]) for name in heads] for machine in machines])


def section(question, machines):
    title = "## " + question.TITLE
    if not machines:
        return title + "\n\nNot measured yet."
    chart = "![%s](charts/%s.svg)" % (question.TITLE, question.NAME)
    about = "%s\n[The data](data/%s.jsonl)." % (question.ABOUT, question.NAME)
    return "\n\n".join([title, "\n".join(answer(question, *of) for of in machines.items()), chart, about,
                        *tables(question, machines)])


def answer(question, name, rows):
    """An item of a list: the machine, where its rows are from, and what they say."""
    said = question.sentence(rows)
    item = "- **%s** (%s)%s" % (name, source_of_rows(rows), ": " + said if said else "")
    return textwrap.fill(item, 119, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def tables(question, machines):
    """One for all machines; where their columns differ (a machine has fewer ranks), one for those with the same columns."""
    found = {}
    for name, rows in machines.items():
        heads, lines = question.table(rows)
        found.setdefault(tuple(heads), []).extend([name, *line] for line in lines)
    return [page.in_markdown(["machine", *heads], lines) for heads, lines in found.items()]


def source_of_rows(rows):
    runs = sorted({(row["revision"], row["date"], row["driver"]) for row in rows})
    load = max(row["load"] for row in rows)
    return "%s; load %.1f before" % ("; ".join("revision %s, %s, driver %s" % run for run in runs), load)


# ---- the page ----------------------------------------------------------------------------------

def beside(folder, *names):
    """The path of a page, or of a chart, that belongs to this data."""
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(folder)), *names))


def split(path):
    """What the page has before and behind the markers; Failed if they are missing."""
    with open(path, encoding="utf-8") as lines:
        before, found, rest = lines.read().partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise Failed("%s: no markers %s and %s" % (path, BEGIN, END))
    return before, after


def pages(folder, questions):
    """{path: the whole text} of docs/results/README.md, and of README.md two folders above."""
    found = {beside(folder, "README.md"): text_of(folder, questions),
             beside(folder, "..", "..", "README.md"): front_of(folder, questions)}
    for path, text in found.items():
        before, after = split(path)
        found[path] = before + BEGIN + "\n" + text + "\n" + END + after
    return found


def write(folder, questions, draw):
    for path, text in pages(folder, questions).items():
        with open(path, "w", encoding="utf-8") as lines:
            lines.write(text)
    os.makedirs(beside(folder, "charts"), exist_ok=True)
    for question in questions:
        machines = by_machine(folder, question)
        if machines:
            draw.save_chart(question.draw(machines, draw), chart_of(folder, question), source_of(machines))


def chart_of(folder, question):
    return beside(folder, "charts", question.NAME + ".svg")


def source_of(machines):
    return "data " + digest(machines)


def differences(folder, questions):
    """What the pages and the charts say otherwise than the data."""
    found = []
    for path, should in pages(folder, questions).items():
        with open(path, encoding="utf-8") as lines:
            is_written = lines.read()
        found += [] if is_written == should else [first_difference(path, is_written, should)]
    for question in questions:
        machines = by_machine(folder, question)
        chart = chart_of(folder, question)
        if machines and not (os.path.exists(chart) and is_of(chart, source_of(machines))):
            found.append("%s: not drawn from this data" % chart)
    return found


def is_of(chart, source):
    with open(chart, encoding="utf-8") as lines:
        return re.search(r"<dc:source>\s*(<[^>]*>\s*)*%s<" % re.escape(source), lines.read()) is not None


def first_difference(path, is_written, should):
    for number, (old, new) in enumerate(zip(is_written.splitlines(), should.splitlines()), 1):
        if old != new:
            return "%s:%d: '%s' where the data say '%s'" % (path, number, old, new)
    return "%s: %d lines, %d from the data" % (path, is_written.count("\n"), should.count("\n"))
