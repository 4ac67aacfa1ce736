#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the reference pages that the sources imply: a page for each feature, with its calls of the host and of kernels.

usage: docs/reference.py                      writes docs/reference/NAME.md, except promises.md
       docs/reference.py --check              writes nothing
       docs/reference.py --man DIR VERSION    writes a manual page (section 3) of each header and each of its calls
exit:  0; with --check 1 if a page is not what this would write, after its name and the first line that differs

Path: include/gravel/, graph/include/, cl/*.cl.h, python/gravel/, lib/base/timeouts.h -> this -> docs/reference/, docs/design/failure.md.
"""
import functools
import itertools
import os
import re
import sys

sys.dont_write_bytecode = True
from bindings import cxx_calls, python, python_errors  # noqa: E402
from comments import (NOTE, SECTION, SOURCE, TOP, described, entry, fenced, overview, paragraphs, pieces, read,  # noqa: E402
                      stripped, tagged, title)

# ---- pages -------------------------------------------------------------------------------------

def declared_in(code):
    code = re.sub(r"^ *#.*\n?", "", code, flags=re.M).strip()
    return re.findall(r"^(?:typedef .*?;|struct \w+ \{.*?^\};|struct \w+;|[a-z][^;{}]*\);)", code, re.M | re.S)


def host_pieces(path):
    """Yields of each comment of a header its section, itself, its declarations and their names."""
    section = ""
    for comment, code in pieces(read(path)):
        heading = SECTION.match(comment)
        section = heading.group(1) if heading else section
        declared = [] if "X(" in comment or "Opaque;" in comment else [d for d in declared_in(code) if "_FIELDS(" not in d]
        for name in re.findall(r"@param (\w+)", comment):
            assert re.search(r"\b%s\b" % name, code), "%s: @param %s is no parameter of %s" % (path, name, declared)
        own = [re.search(r"struct (\w+) \{|(\w+)\(|struct (\w+)", d).group for d in declared]
        yield section, "" if heading else comment, declared, [name(1) or name(2) or name(3) for name in own]


def untyped(declaration):
    """In one line; a pointer to the struct of a parameter's name, or one that ends in it, is that name."""
    return re.sub(r"(?:const )?struct (?:gravel \*(?=gravel\b)|gravel_(?:\w+_)?([a-z]+) \*(?=\1\b))", "", " ".join(declaration.split()))


@functools.lru_cache(None)
def headings():
    """Where each host call is: (page, heading)."""
    return {name: (page, "-".join(own)) for page, (_, _, *parts) in CALLS.items() for _, path, *wanted in parts
            if not path.endswith(".cl.h") for section, _, declared, own in host_pieces(path) if is_wanted(path, wanted, section)
            for name, declaration in zip(own, declared) if not declaration.startswith("struct " + name)}


def host_entries(path, page):
    """What a header says of itself, and (section, Markdown) of each comment with declarations."""
    about, entries = "", []
    for section, comment, declared, own in host_pieces(path):
        targets = {name: ("" if at == page else at + ".md") + "#" + heading
                   for name, (at, heading) in headings().items() if name not in own}
        if "@file" in comment:
            about = overview(comment)
        if declared:
            said = described(SOURCE.sub("", comment), targets)
            if any("{" in d for d in declared):
                shown = fenced(re.sub(r"/\*\*< ([^\n]*?) \*/$", r"// \1", "\n".join(declared), flags=re.M).replace("/**<", "/*"))
            else:
                shown, said = ", ".join("`%s`" % untyped(d.rstrip(";")) for d in declared) + ": " + said, ""
            entries.append((section, entry("#### %s" % ", ".join(own), shown, said)))
    for macro, name in re.findall(r"^#define (GRAVEL_(\w+_STATS)_FIELDS)\(X\)", read(path), re.M):
        entries.append(("", "#### gravel_%s\n\n%s" % (name.lower(), counters(path, macro))))
    return about, entries


DECLARED = re.compile(r"^#define ((GRAVEL_\w+|gravel_\w+)(?:\([^)]*\))?)(?= |$)(.*)$"
                      r"|^GRAVELP_INLINE ([^{]*?\b(gravel_\w+)\([^)]*\))|^(struct (gravel_\w+) \{[^}]*\};)", re.M)


def device_declarations(code):
    """Public macros, functions and structs, each name once; a macro that only says why there is none is left out."""
    found = {}
    for macro, name, value, function, function_name, struct, struct_name in DECLARED.findall(code.replace("\\\n", " ")):
        if macro and "gravel_error_" not in value and not name.endswith("_H"):
            found.setdefault(name, macro)
        elif function:
            found.setdefault(function_name, function + ";")
        elif struct and struct.count("gravelp_") < 2:
            found.setdefault(struct_name, struct)
    return list(found.values())


def ungrouped(declaration):
    """What GRAVEL_OPEN and its like declare is the name that examples give it."""
    return re.sub(r"(?:local )?struct gravel_\w+ \*?(?=[gf]\b)", "", declaration)


def is_listed(declared, about):
    """Whether a line of what a header says of itself begins with the call, or with its form for all suffixes S."""
    name = re.search(r"\w+(?=\(|$)|$", declared.rstrip(";")).group(0)
    either = "(?:%s|%s)" % (name, re.sub(r"_(?:wg|sg|wi)(?:_if)?$", "_S", name))
    return bool(name) and re.search(r"^(?:\w[\w ]* )?%s\([^()\n]*\)(?: {2}|$)" % either, about, re.M) is not None


def device_entries(path, _page):
    """As host_entries. Comments of private macros and functions are left out, and calls that the header's first comment
    lists; a comment without code is of its section."""
    section, about, entries, seen = "", "", [], set()
    for comment, code in pieces(read(path)):
        heading = SECTION.match(comment)
        section = heading.group(1).split(":")[0] if heading else section
        declared = [d for d in device_declarations(code) if d not in seen and not is_listed(d, about)]
        seen.update(declared)
        said = "" if heading else paragraphs(stripped(SOURCE.sub("", comment))) if about else overview(comment)
        if not about and "SPDX" not in comment:
            about = said
        elif said and declared and not re.search(r"\n\n|```", said) and "\n" not in "".join(declared):
            entries.append((section, "- %s: %s\n" % (", ".join("`%s`" % ungrouped(one.rstrip(";")) for one in declared),
                                                    said.replace("\n", "\n  "))))
        elif declared or not code.strip() and not heading and "SPDX" not in comment:
            entries.append((section, entry(said, declared and fenced("\n".join(declared)))))
    return about, entries


# A page, its guides, and its parts: a heading, a header, and sections of it; without these, all sections that no other part names.
CALLS = {
    "messages": ("Nodes and messages", "kernels",
                 ("On the host", "include/gravel/gravel.h"), ("In kernels", "cl/gravel.cl.h"), ("By sub-groups", "cl/subgroup.cl.h")),
    "handlers": ("Requests, handlers, servers", "handlers servers",
                 ("Requests and waits", "cl/gravel.cl.h", "requests and waits"),
                 ("Handlers", "include/gravel/gravel.h", "handlers", "active messages from the host"),
                 ("Handlers in OpenCL C", "cl/gravel.cl.h", "a handler written in OpenCL C"),
                 ("Servers", "include/gravel/server.h"), ("Servers in kernels", "cl/server.cl.h")),
    "printing": ("Lines, records, assertions", "printing", ("In kernels", "cl/print.cl.h"),
                 ("On the host", "include/gravel/gravel.h", "records and lines")),
    "work": ("Flows and work stealing", "flows stealing tutorial",
             ("Flows", "include/gravel/flow.h"), ("Flows in kernels", "cl/flow.cl.h"),
             ("Work stealing", "include/gravel/steal.h"), ("Work stealing in kernels", "cl/steal.cl.h")),
    "sharing": ("Accumulators, mirrors, pools of blocks", "sharing",
                ("Accumulators", "include/gravel/accumulator.h"), ("Accumulators in kernels", "cl/accumulator.cl.h"),
                ("Mirrors", "include/gravel/mirror.h"), ("Mirrors in kernels", "cl/slots.cl.h"),
                ("Pools of blocks", "include/gravel/block_pool.h"), ("Pools of blocks in kernels", "cl/block_pool.cl.h")),
    "rounds": ("Rounds and graphs", "rounds tutorial graphs",
               ("Rounds", "include/gravel/rounds.h"), ("Rounds in kernels", "cl/rounds.cl.h"),
               ("Graphs", "graph/include/gravel/graph.h")),
}


def is_wanted(path, sections, section):
    others = {other for _, _, *parts in CALLS.values() for _, header, *named in parts if header == path for other in named}
    return section in sections if sections else section not in others


def calls(page, name, guides, *parts):
    shown = ", ".join("[%s](../guide/%s.md)" % (guide, guide) for guide in guides.split())
    rules = "A parameter without a type is a pointer: `flow` is a `struct gravel_flow *`" if page == "messages" else \
        "[Rules of all calls](messages.md#on-the-host)"
    out, paths = ["# %s\n\nExamples: %s. %s.\n" % (name, shown, rules)], list(dict.fromkeys(path for _, path, *_ in parts))
    for heading, path, *sections in parts:
        about, entries = (device_entries if path.endswith(".cl.h") else host_entries)(path, page)
        wanted = [(section, text) for section, text in entries if is_wanted(path, sections, section)]
        is_divided, last = len({section for section, _ in wanted if section}) > 1, ""
        out += ["## %s\n" % heading] + ([] if sections else [about + "\n"])
        for section, text in wanted:
            if is_divided and section not in ("", last) and title(section) != heading:
                out.append("### %s\n" % title(section))
            out.append(text if is_divided else re.sub(r"^####", "###", text))
            last = section
    return NOTE % ", ".join(paths) + re.sub(r"(\n- `.*(?:\n  .*)*)\n(?=\n- )", r"\1", "\n".join(out))


# ---- tables of macros --------------------------------------------------------------------------

CALL = re.compile(r'\bX\(((?:[^()"]|"(?:\\.|[^"\\])*")*)\)')
ARGUMENT = re.compile(r'\s*((?:"(?:\\.|[^"\\])*"|[^",])+)')


def rows(path, macro):
    """The arguments of each X(...) of a table; neighbouring strings are joined, and lose their quotes."""
    body = re.search(r"^#define %s\(X\)(.*)$" % macro, read(path).replace("\\\n", " "), re.M).group(1)
    return [[re.sub(r'"\s*"', "", word.strip()).strip('"') for word in ARGUMENT.findall(call)] for call in CALL.findall(body)]


def table(heads, lines):
    head = "| %s |\n|%s\n" % (" | ".join(heads), "---|" * len(heads))
    return head + "".join("| %s |\n" % " | ".join(line) for line in lines)


def counters(path, macro):
    """Counters, whose names say their unit."""
    return "".join("- `%s`: %s\n" % (name, meaning) for name, _, meaning in rows(path, macro))


def number(text):
    """The value of a constant expression of config.h."""
    text = re.sub(r"\bGRAVEL_\w+", lambda name: re.search(r"#define %s (\d+)" % name.group(0),
                                                          read("include/gravel/config.h")).group(1), text)
    value, _, shift = re.sub(r"(?<=\d)[uUlL]+", "", text).partition("<<")
    return int(value) << int(shift or 0)


def size(kind, value):
    """As the variable takes it: 64k, not 65536."""
    suffixes = ["", "k", "M", "G"]
    while kind == "BYTES" and value and value % 1024 == 0 and len(suffixes) > 1:
        value, suffixes = value // 1024, suffixes[1:]
    return "%d%s" % (value, suffixes[0])


def settings():
    categories = {}
    for kind, field, variable, preset, low, high, category, meaning in rows("include/gravel/config.h",
                                                                            "GRAVEL_CONFIG_FIELDS"):
        preset, choices = (preset or '""', "text" if low == "0" else low) if kind == "STRING" else (
            size(kind, number(preset)), "%s..%s" % (size(kind, number(low)), size(kind, number(high))))
        given = preset if preset == choices else "%s; %s" % (preset, choices)
        categories.setdefault(category, []).append("- `%s`, `%s` (%s): %s\n" % (variable, field, given,
                                                                                re.sub(r" \[[\w-]+\]", "", meaning)))
    out = ["\n### %s\n\n%s" % (title(category), "".join(lines)) for category, lines in categories.items()]
    path, classes = "include/gravel/gravel.h", python_errors()
    errors = "".join("- `%s` (%s): %s; %s\n" % (code, value, text, classes[code]) for code, value, text in rows(path, "GRAVEL_ERRORS"))
    return (NOTE % "include/gravel/config.h, stats.h, gravel.h" + "# Settings, counters, errors\n\n## Settings\n\n"
            "`gravel_config_load` fills `struct gravel_config` with the defaults and the environment; then a program sets "
            "fields,\ndirectly or by `gravel_config_set`. Each entry: variable, field (default; range or choices): meaning. "
            "Sizes take the\nsuffixes k, M, G and T. An empty variable counts as not set; a malformed value and a misspelt name "
            "(`GRAVEL_HEEP`) are\nerrors. Where 0 derives a setting, `gravel_config_of` returns an open node's derived value, and "
            "`gravel-info` prints a\nsingle node's. [Performance](../guide/performance.md) says what to change first.\n"
            + "".join(out) +
            "\n## Counters\n\n`gravel_stats_read` fills `struct gravel_stats`, which counts from the node's opening or `gravel_stats_reset` on. "
            "`GRAVEL_STATS=1` prints\nthem when the node closes, and the applications' `--json` has them.\n\n"
            + counters("include/gravel/stats.h", "GRAVEL_STATS_FIELDS") +
            "\n## Errors\n\nA call returns 0 or one of these codes; `gravel_last_error` says what exactly went wrong. Once a node has "
            "failed, every call\nreturns the error that ended it ([failure](../design/failure.md)). C++ throws `gvl::error`, Python "
            "the class named last.\n\n" + errors)


def failure():
    """The page on failure, with the limits of waits in it."""
    path, page = "lib/base/timeouts.h", "docs/design/failure.md"
    lines = []
    for _, eighths, besides, what, _, error, _ in rows(path, "GRAVEL_LIMITS"):
        limit = {"0": "", "8": "T"}.get(eighths, "%g T" % (int(eighths) / 8))
        lines.append((what, limit + besides, error))
    begin, _, rest = read(page).partition(NOTE % path)
    heads = "what waits", "limit", "error"
    return begin + NOTE % path + table(heads, lines) + "\n" + rest.partition("\n\n")[2]


PAGES = {"cxx": cxx_calls, "python": lambda: python(headings()), "settings": settings, "../design/failure": failure}
PAGES.update((name, functools.partial(calls, name, *page)) for name, page in CALLS.items())


# ---- manual pages ------------------------------------------------------------------------------

MANUAL = """.\\" Written by docs/reference.py.
.TH "%(name)s" 3 "%(version)s" "Gravel" "Gravel manual"
.SH NAME
%(name)s \\- %(brief)s
.SH SYNOPSIS
.nf
#include <gravel/%(header)s>
.PP
%(code)s
.fi
.SH DESCRIPTION
%(text)s
.SH "SEE ALSO"
.BR %(whole)s (3),
.BR gravel\\-info (1)
"""


def roff(text, is_code=False):
    """As troff takes it: no escape, and no request where a line begins."""
    text = text if is_code else re.sub(r"^ +", "", text, flags=re.M)
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", r"\e").replace("-", r"\-"), flags=re.M)


def man_text(comment):
    body, parameters, returned = tagged(re.sub(r"@file \S+\n", "", stripped(comment)))
    parts = [".nf\n%s\n.fi" % roff(part, True) if part.startswith("    ") else ".PP\n" + roff(part)
             for part in re.split(r"\n\n+|\n(?=(?:Memory|Source|Threads|Note|Errors): )", body) if not part.startswith("Path:")]
    parts += [".TP\n.I %s\n%s" % tuple(map(roff, re.match("`(.*)`: (.*)", parameter).groups())) for parameter in parameters]
    return "\n".join(parts + ([".PP\nReturns " + roff(" ".join(returned))] if returned else []))


def write_manual(out, version):
    os.makedirs(out, exist_ok=True)
    headers = {path: None for _, _, *parts in CALLS.values() for _, path, *_ in parts if path.startswith("include")}
    for header in map(os.path.basename, headers):
        whole = "gravel_" * (header != "gravel.h") + header
        for comment, code in pieces(read("include/gravel/" + header)):
            pages = {re.search(r"(gravel_\w+)\(", call).group(1): call for call in declared_in(code)
                     if not call.startswith(("typedef", "struct")) or re.match(r"struct \w+ \*?gravel_\w+\(", call)}
            for name, call in ({whole: ""} if "@file" in comment else pages).items():
                text = man_text(comment)
                brief = re.split(r"\.(?:\s|$)", text.partition("\n")[2], maxsplit=1)[0].replace("\n", " ")
                with open(os.path.join(out, name + ".3"), "w", encoding="utf-8") as page:
                    page.write(MANUAL % {"name": name, "version": version, "brief": brief, "header": header, "whole": whole,
                                         "code": roff(call, True), "text": text})


def differs(path, text):
    """The first line that differs, or None."""
    have = read(path).split("\n") if os.path.exists(os.path.join(TOP, path)) else []
    for i, (old, new) in enumerate(itertools.zip_longest(have, text.split("\n")), 1):
        if old != new:
            return "%s:%d: has %r, would be %r; run docs/reference.py" % (path, i, old, new)
    return None


def main(is_check):
    stale = []
    for name, page in PAGES.items():
        path, text = "docs/reference/%s.md" % name, page()
        if is_check:
            stale += filter(None, [differs(path, text)])
        else:
            with open(os.path.join(TOP, path), "w", encoding="utf-8") as file:
                file.write(text)
    print("\n".join(stale + ["%d pages, %d stale" % (len(PAGES), len(stale))]))
    return bool(stale)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--man"] and len(sys.argv) == 4:
        sys.exit(write_manual(*sys.argv[2:]))
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(bool(sys.argv[1:])))
