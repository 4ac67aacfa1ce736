# SPDX-License-Identifier: MIT
"""Lines that are neither blank nor comment: of GUPS under each model, and of the forms of an application, flow and plain.

A model's are those of gups.c and gups.cl: options, set-up, trials, kernels; and of what the model needs besides, which the library
does not do: for `coalesced` the sort and the calls of a work-group, for `coprocessor` that sort, the queues, their exchange and
their application, which here know every operation. The check and what all applications share are not counted, nor
apps/models/calls.cl.h, which only lets the models share their kernels. `coprocessor-1m` differs from `coprocessor` in a number, and
`coalesced-aggregated` from `coalesced` in a setting.

A form is its kernels, its records, and the part of the host's program that builds and launches it, each a section of a file of
apps/cilk (NAME: SECTION). Source: Orr 2016, tables 3-2 and 4-4.
"""
import os
import re

from portability.place import TOP
from study.place import Failed

SORT = ["by_destination.cl.h"]
BESIDES = {"coprocessor": SORT + ["boxes.h", "coprocessor.cl.h", "coprocessor.c", "apply.cl"], "lane": [],
           "coalesced": SORT + ["coalesced.cl.h"], "gravel": []}
FORMS = {"flow": ("%s.c: as a flow", "records.h: %s", "%s.cl: as a flow", "%s.cl: both forms"),
         "plain": ("%s.c: with ", "%s.cl: plain", "%s.cl: both forms")}


def count(path, begin=None):
    """@param begin  of the heading of the one section that counts; None: all do."""
    with open(os.path.join(TOP, "apps", path), encoding="utf-8") as source:
        text = source.read()
    if begin:
        sections = [part for part in re.split(r"^/\* ---- ", text, flags=re.M)[1:] if part.startswith(begin)]
        if len(sections) != 1:
            raise Failed("%s: %d sections begin with '%s'" % (path, len(sections), begin))
        text = "/* " + sections[0]
    text = re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", "", text, flags=re.S))
    return sum(1 for line in text.splitlines() if line.strip())


def of_models():
    """{model: lines of gups, lines besides}"""
    own = count("gups/gups.c") + count("gups/gups.cl")
    return {model: (own, sum(count("models/" + part) for part in parts)) for model, parts in BESIDES.items()}


def of_form(app, form):
    """And of what both forms call."""
    return sum(count("cilk/" + name, section) for name, section in (part.replace("%s", app).split(": ") for part in FORMS[form]))
