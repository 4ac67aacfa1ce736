# SPDX-License-Identifier: MIT
"""Tables as text and in Markdown, and pages that have them between markers."""
from study.place import Failed


def cell(value):
    """About three digits, or what it is."""
    if not isinstance(value, float):
        return "-" if value is None else str(value)
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 0.1 else 3
    return "%.*f" % (digits, value)


def per_second(row):
    giga = row["rate"] >= 1e9
    return "%s %s %s" % (cell(row["rate"] / (1e9 if giga else 1e6)), "G" if giga else "M", row["unit"])


def in_ranks(n):
    return "%d rank%s" % (n, "s" * (n > 1))


def in_columns(heads, lines):
    texts = [list(heads)] + [[cell(value) for value in line] for line in lines]
    widths = [max(len(text[i]) for text in texts) for i in range(len(heads))]
    return "\n".join("  ".join(word.ljust(width) if i == 0 else word.rjust(width)
                               for i, (word, width) in enumerate(zip(text, widths))).rstrip() for text in texts)


def in_markdown(heads, lines):
    first, *rest = ["| %s |" % " | ".join(row) for row in [heads, *([cell(value) for value in line] for line in lines)]]
    return "\n".join([first, "|" + "---|" * len(heads), *rest])


def device_of(head):
    """PoCL's name of a device has the processor's."""
    return "PoCL" if head["device"].startswith("pthread-") else head["device"]


def how(head):
    """Where the numbers are from."""
    quick = ", quick" if head["quick"] else ""
    return "%d cores of %s, %s, %s; load %.1f%s; %s, %s." % (
        head["cores"], head["processor"], device_of(head), head["step"], head["load_before"], quick, head["revision"],
        head["date"].partition(" ")[0])


def replaced(path, begin, end, text):
    """The file's text with another text between two markers; Failed if they are missing."""
    before, found, rest = read(path).partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise Failed("%s: no markers %s and %s" % (path, begin, end))
    return before + begin + "\n" + text + "\n" + end + after


def read(path):
    with open(path, encoding="utf-8") as lines:
        return lines.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as lines:
        lines.write(text)
