# SPDX-License-Identifier: MIT
"""docs/results/README.md: three tables of rates; docs/results/all.md: a sentence, a chart and a table for each question; and
the table of README.md. All of it is from the data in the folder data beside it.

A chart says in its metadata which data it was drawn from, so that a check needs no matplotlib.
"""
import datetime
import hashlib
import itertools
import json
import os
import re
import textwrap

from portability.place import TOP
from study import page, records

DATA = os.path.join(TOP, "docs", "results", "data")
BEGIN = "<!-- written by study/results --page: begin -->"
END = "<!-- end -->"
OLD_DAYS = 1  # rows that are older than the newest by more are in italics


class Data:
    """All rows: by_question is {question: {machine: rows}}, in the order of machines.jsonl, used are the machines that have any."""

    def __init__(self, folder, questions):
        found = {question: records.checked(folder, question) for question in questions}
        machines = {machine["machine"]: machine for machine in records.machines(folder)}
        self.by_question = {question: {name: own for name in machines if (own := [row for row in rows if row["machine"] == name])}
                            for question, rows in found.items()}
        self.used = [machine for name, machine in machines.items() if any(name in of for of in self.by_question.values())]
        self.newest = max((row["date"] for rows in found.values() for row in rows), default=None)

    def having(self, function):
        """Yields (question, machine's name, its rows) of the questions that have the function."""
        for question, machines in self.by_question.items():
            for name, rows in machines.items() if hasattr(question, function) else ():
                yield question, name, rows

    def shown(self, line, rows):
        """A line's cells, in italics if the rows, which are of one run, are old."""
        newest, date = (datetime.date.fromisoformat(day) for day in (self.newest, rows[0]["date"]))
        is_old = (newest - date).days > OLD_DAYS
        return ["*%s*" % page.cell(value) if is_old and value not in (None, "") else value for value in line]


# ---- the first pages ---------------------------------------------------------------------------

def first_page(data):
    """Rates by device, beside rivals, and of two devices over one; what the machines are."""
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
    for question, name, rows in data.having(function):
        for what, value in getattr(question, function)(rows):
            lines.setdefault(what, {})[name], = data.shown([value], rows)
    names = [machine["machine"] for machine in data.used if any(machine["machine"] in of for of in lines.values())]
    table = page.in_markdown(["", *names], [[what] + [of.get(name) for name in names] for what, of in lines.items()])
    return table if lines else ""


def fronts(data, only=None):
    """[(rows, line)] of the questions' rates beside rivals', by machine; only: those that begin with this attribute of them."""
    found = [(rows, [what, name, *line]) for question, name, rows in data.having("front")
             for what, *line in question.front(rows) if not only or what.startswith(getattr(question, only, ()))]
    names = [machine["machine"] for machine in data.used]
    return sorted(found, key=lambda one: names.index(one[1][1]))


def front_table(data, found):
    heads = ["", "machine", "Gravel", "rival", "", "times as fast"]
    return page.in_markdown(heads, [data.shown(line, rows) for rows, line in found])


def beside_rivals(data):
    found, said = fronts(data), []
    for name in dict.fromkeys(line[1] for _, line in found):
        ratios = [line[5] for _, line in found if line[1] == name]
        if len(ratios) > 1:
            said.append("- **%s**: faster than the rival in %d of %d rows, %s to %s times as fast." % (
                name, sum(ratio > 1 for ratio in ratios), len(ratios), page.cell(min(ratios)), page.cell(max(ratios))))
    return filled(said), front_table(data, found)


def front_page(data):
    """Graphs' rates beside their rivals', by machine, and what the machines are."""
    found = fronts(data, "README")
    used = ["*%s*: %s, %s, %d cores" % (row["machine"], page.device_of(row), row["processor"], row["cores"])
            for row in data.used if any(line[1] == row["machine"] for _, line in found)]
    return "%s\n\n%s." % (front_table(data, found), "; ".join(used))


def machines_table(machines):
    heads = ["machine", "device", "step", "devices", "processor", "cores"]
    return page.in_markdown(heads, [[str(machine[name]) for name in heads] for machine in machines])


# ---- all questions -----------------------------------------------------------------------------

def section(question, data):
    """A question without data says so."""
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
    found = sorted({(row["revision"], row["date"]) for row in rows})
    return "%s; load %.1f" % ("; ".join("%s, %s" % run for run in found), max(row["load"] for row in rows))


# ---- the page ----------------------------------------------------------------------------------

def beside(folder, *names):
    """Returns the path of a page, or of a chart, that belongs to this data."""
    return os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(folder)), *names))


def pages(folder, data):
    """{path: the whole text} of docs/results/README.md, all.md next to it, and README.md two folders above."""
    texts = {"README.md": first_page(data), "all.md": "\n\n".join(section(question, data) for question in data.by_question),
             "../../README.md": front_page(data)}
    return {path: page.replaced(path, BEGIN, END, text) for path, text in ((beside(folder, name), texts[name]) for name in texts)}


def charts(folder, data):
    """Yields (question, machines, path, what its metadata say of where it is from), of what was measured."""
    for question, machines in data.by_question.items():
        if machines:
            digest = hashlib.sha256(json.dumps(machines, sort_keys=True).encode()).hexdigest()
            yield question, machines, beside(folder, "charts", question.NAME + ".svg"), "data " + digest[:16]


def write(folder, questions, draw):
    data = Data(folder, questions)
    for path, text in pages(folder, data).items():
        page.write(path, text)
    os.makedirs(beside(folder, "charts"), exist_ok=True)
    for question, machines, path, source in charts(folder, data):
        draw.save_chart(question.draw(machines, draw), path, source)


def differences(folder, questions):
    """Yields what the pages and the charts say otherwise than the data."""
    data = Data(folder, questions)
    for path, should in pages(folder, data).items():
        lines, right = page.read(path).splitlines(), should.splitlines()
        for number, (old, new) in enumerate(itertools.zip_longest(lines, right), 1):
            if old != new:
                yield "%s:%d: '%s' where the data say '%s'" % (path, number, old, new)
                break
    for _, _, path, source in charts(folder, data):
        drawn = page.read(path) if os.path.exists(path) else ""
        if not re.search(r"<dc:source>\s*(<[^>]*>\s*)*%s<" % re.escape(source), drawn):
            yield "%s: not drawn from this data" % path
