# SPDX-License-Identifier: MIT
"""docs/results/README.md: three tables of rates; docs/results/all.md: a sentence, a chart and a table for each question; and
the table of README.md. All of it is from the data in the folder data beside it.

A chart says in its metadata which data it was drawn from, so that a check needs no matplotlib.
"""
import datetime
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
OLD_DAYS = 1  # rows that are older than the newest by more are in italics


def by_machine(folder, question):
    """{machine: rows}, in the order of machines.jsonl."""
    rows = records.checked(folder, question)
    names = [machine["machine"] for machine in records.machines(folder)]
    return {name: own for name in names for own in [[row for row in rows if row["machine"] == name]] if own}


def digest(machines):
    return hashlib.sha256(json.dumps(machines, sort_keys=True).encode()).hexdigest()[:16]


class Data:
    """All rows: by_question is {question: {machine: rows}}, used are the machines that have any."""

    def __init__(self, folder, questions):
        self.by_question = {question: by_machine(folder, question) for question in questions}
        found = [rows for machines in self.by_question.values() for rows in machines.values()]
        self.newest = max((row["date"] for rows in found for row in rows), default=None)
        names = {rows[0]["machine"] for rows in found}
        self.used = [machine for machine in records.machines(folder) if machine["machine"] in names]

    def of(self, function):
        """Yields (question's function, machine's name, its rows) of the questions that have the function."""
        for question, machines in self.by_question.items():
            for name, rows in machines.items() if hasattr(question, function) else ():
                yield getattr(question, function), name, rows

    def shown(self, line, rows):
        """A line's cells, in italics if the rows, which are of one run, are old."""
        newest, date = (datetime.date.fromisoformat(day) for day in (self.newest, rows[0]["date"]))
        is_old = (newest - date).days > OLD_DAYS
        return ["*%s*" % page.cell(value) if is_old and value not in (None, "") else value for value in line]


# ---- the first pages ---------------------------------------------------------------------------

def first_of(folder, questions):
    """Rates by device, beside rivals, and of two devices over one; what the machines are."""
    data = Data(folder, questions)
    sections = [("How fast?", by_device(data, "rates")),
                ("Against what people use?", *beside_rivals(data)),
                ("When does a second device pay?", by_device(data, "pays")),
                ("Machines", machines_table(data.used))]
    return "\n\n".join("\n\n".join(filter(None, ["## " + title, *parts])) for title, *parts in sections)


def filled(items):
    return "\n".join(textwrap.fill(item, 119, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)
                     for item in items)


def by_device(data, function):
    """A table with a column a machine: what, and the number of it that the questions' function yields."""
    lines = {}
    for yields, name, rows in data.of(function):
        for what, value in yields(rows):
            lines.setdefault(what, {})[name], = data.shown([value], rows)
    names = [machine["machine"] for machine in data.used if any(machine["machine"] in of for of in lines.values())]
    table = page.in_markdown(["", *names], [[what] + [of.get(name) for name in names] for what, of in lines.items()])
    return table if lines else ""


def fronts(data, only=None):
    """[(rows, line)] of the questions' rates beside rivals', by machine; only: those that begin with this attribute of them."""
    found = []
    for machine in data.used:
        for question, machines in data.by_question.items():
            rows = machines.get(machine["machine"])
            for what, *line in question.front(rows) if rows and hasattr(question, "front") else ():
                if not only or what.startswith(getattr(question, only, ())):
                    found.append((rows, [what, machine["machine"], *line]))
    return found


def front_table(data, found):
    heads = ["", "machine", "Gravel", "rival", "", "times as fast"]
    return page.in_markdown(heads, [data.shown(line, rows) for rows, line in found])


def beside_rivals(data):
    found, said = fronts(data), []
    for name in dict.fromkeys(line[1] for _, line in found):
        ratios = [line[5] for _, line in found if line[1] == name]
        said.append("- **%s**: faster than the rival in %d of %d rows, %s to %s times as fast." % (
            name, sum(ratio > 1 for ratio in ratios), len(ratios), page.cell(min(ratios)), page.cell(max(ratios))))
    return filled(said), front_table(data, found)


def front_of(folder, questions):
    """Graphs' rates beside their rivals', by machine, and what the machines are."""
    data = Data(folder, questions)
    found = fronts(data, "README")
    used = ["*%s*: %s, %s, %d cores" % (row["machine"], page.device_of(row), row["processor"], row["cores"])
            for row in data.used if any(line[1] == row["machine"] for _, line in found)]
    return "%s\n\n%s." % (front_table(data, found), "; ".join(used))


def machines_table(machines):
    heads = ["machine", "device", "step", "devices", "processor", "cores"]
    return page.in_markdown(heads, [[str(machine[name]) for name in heads] for machine in machines])


# ---- all questions -----------------------------------------------------------------------------

def text_of(folder, questions):
    """All that is between the markers; a question without data says so."""
    data = Data(folder, questions)
    return "\n\n".join(section(question, data) for question in questions)


def section(question, data):
    title, machines = "## " + question.TITLE, data.by_question[question]
    if not machines:
        return title + "\n\nNot measured yet."
    chart = "![%s](charts/%s.svg)" % (question.NAME, question.NAME)
    about = "%s\n[The data](data/%s.jsonl)." % (question.ABOUT, question.NAME)
    return "\n\n".join([title, filled(answer(question, *of) for of in machines.items()), chart, about,
                        *tables(question, data)])


def answer(question, name, rows):
    """An item of a list: the machine, where its rows are from, and what they say."""
    said = question.sentence(rows)
    return "- **%s** (%s)%s" % (name, source_of_rows(rows), ": " + said if said else "")


def tables(question, data):
    """One for all machines: its columns for each of them where the question has NAMED, else a line each for every machine;
    where then their columns differ, one for those with the same columns. A question whose sentence and chart say all has none."""
    machines = data.by_question[question].items() if hasattr(question, "table") else ()
    if hasattr(question, "NAMED"):
        return [side_by_side(question, data, machines)]
    found = {}
    for name, rows in machines:
        heads, lines = question.table(rows)
        found.setdefault(tuple(heads), []).extend(data.shown([name, *line], rows) for line in lines)
    return [page.in_markdown(["machine", *heads], lines) for heads, lines in found.items()]


def side_by_side(question, data, machines):
    """Lines whose first NAMED cells are equal become one, with the other cells of each machine."""
    heads, lines, width = [], {}, 0
    for name, rows in machines:
        own, found = question.table(rows)
        heads = (heads or own[:question.NAMED]) + ["%s: %s" % (name, head) for head in own[question.NAMED:]]
        for line in found:
            of = lines.setdefault(tuple(line[:question.NAMED]), [])
            of += [None] * (width - len(of)) + data.shown(line[question.NAMED:], rows)
        width += len(own) - question.NAMED
    return page.in_markdown(heads, [[*names, *of, *[None] * (width - len(of))] for names, of in lines.items()])


def source_of_rows(rows):
    runs = sorted({(row["revision"], row["date"]) for row in rows})
    return "%s; load %.1f" % ("; ".join("%s, %s" % run for run in runs), max(row["load"] for row in rows))


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
    """{path: the whole text} of docs/results/README.md, all.md next to it, and README.md two folders above."""
    found = {beside(folder, "README.md"): first_of(folder, questions), beside(folder, "all.md"): text_of(folder, questions),
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
