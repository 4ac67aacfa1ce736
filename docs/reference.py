#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the reference pages that the sources imply: calls, settings, counters, errors, and the limits of waits.

usage: docs/reference.py                      writes docs/reference/NAME.md
       docs/reference.py --check              writes nothing
       docs/reference.py --man DIR VERSION    writes a manual page (section 3) of each header and each of its calls
exit:  0; with --check 1 if a page is not what this would write, after its name and the first line that differs

Path: include/gravel/, gravel.hpp too, cl/gravel.cl.h, cl/steal.cl.h, cl/server.cl.h, ... -> this -> docs/reference/.
"""
import functools
import itertools
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

COMMENT = re.compile(r"^/\*\*?(.*?)\*/", re.M | re.S)
SECTION = re.compile(r"^ *-{4} (.*?) -+ *$")
FIELD = re.compile(r"^(Memory|Source|Threads|Note|Path|Errors): +", re.M)
NOTE = "<!-- Written by docs/reference.py from %s. -->\n\n"


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


# ---- comments ----------------------------------------------------------------------------------

def stripped(comment):
    """The lines of a C comment without its stars."""
    lines = [re.sub(r"^ ?\* ?", "", line).rstrip() for line in comment.strip("\n").split("\n")]
    return "\n".join(lines).strip("\n").strip(" ")


def escaped(text):
    """*collective* is meant as in Markdown; <name> and __x__ are not."""
    return text.replace("<", "&lt;").replace("__", r"\_\_")


def linked(text, names):
    """Names of calls and constants as code. Those of the set names, which have a heading, are links once: they leave it."""
    def link(match):
        name = match.group(0)
        bare = name.partition("(")[0].rpartition(" ")[2]
        if bare not in names:
            return "`%s`" % name
        names.remove(bare)
        return "[`%s`](#%s)" % (name, bare)
    pattern = r"(?<![\w./])(?:struct )?(?:gravel_|GRAVEL_)\w*(?:\(\w*\)|\.\.\.|\*)?(?![\w.]\w)"
    spans = re.split(r"(`[^`]+`)", text)
    return "".join(span if span.startswith("`") else re.sub(pattern, link, escaped(span)) for span in spans)


def paragraphs(text, names=()):
    """Markdown of a comment: indented lines are code, `Source:` and the like are items of a list. `Path:` is left out."""
    out, code, field = [], [], None
    for line in text.split("\n") + [""]:
        begins = FIELD.match(line)
        is_indented = re.match(r" {4,}\S", line)
        field = begins.group(1) if begins else field if is_indented and not code else None
        if is_indented and not field:
            code.append(line)
            continue
        if code:
            indent = min(len(c) - len(c.lstrip()) for c in code)
            out = out[:-1] if out and not out[-1] else out
            out += ["```"] + [c[indent:] for c in code] + ["```"]
            code = []
            if not line:
                continue
        if begins and out and not out[-1]:
            out.pop()
        if field != "Path":
            out.append(FIELD.sub(r"- *\1:* ", line.strip() if field else line))
    text = "\n".join(out).replace("```\n```\n", "\n")  # code that a blank line divides is one block
    parts = re.split(r"(^```$.*?^```$)", text, flags=re.M | re.S)  # code spans may go over lines
    out = "".join(part if part.startswith("```") else linked(part, names) for part in parts)
    return re.sub(r"\n{3,}", "\n\n", out).strip()


def tagged(text):
    """@param and @return of a docstring: (what comes before and after them, parameters, returned)."""
    body, parameters, returned, into = [], [], [], None
    for line in re.sub(r" @(?=param|return)", r"\n@", text).split("\n"):
        tag = re.match(r"@(param|return)\s+(.*)", line)
        if tag and tag.group(1) == "param":
            into = parameters
            parameters.append(re.sub(r"^(\w+)\s+", r"`\1`: ", tag.group(2)))
        elif tag:
            into = returned
            returned.append(tag.group(2))
        elif into and line.startswith(" "):
            into[-1] += " " + line.strip()
        else:
            into = None
            body.append(line)
    return "\n".join(body).strip(), parameters, returned


def described(comment, names):
    body, parameters, returned = tagged(stripped(comment))
    items = parameters + (["returns " + " ".join(returned)] if returned else [])
    return "\n".join([paragraphs(body, names)] + [linked("- " + item, names) for item in items])


def pieces(text):
    """(comment, code after it) of each comment that begins a line."""
    marks = list(COMMENT.finditer(text))
    for mark, following in zip(marks, marks[1:] + [None]):
        yield mark.group(1), text[mark.end():following.start() if following else len(text)]


def fenced(code, language="c"):
    return "```%s\n%s\n```" % (language, code)


def entry(*parts):
    """What belongs together, without blank lines between a heading, code and what is said of them: Markdown needs none."""
    return "\n".join(filter(None, parts)) + "\n"


def title(text):
    return text[0].upper() + text[1:]


# ---- pages -------------------------------------------------------------------------------------

def declared_in(code):
    code = re.sub(r"^ *#.*\n?", "", code, flags=re.M).strip()
    return re.findall(r"^(?:typedef .*?;|struct \w+ \{.*?^\};|struct \w+;|[a-z][^;{}]*\);)", code, re.M | re.S)


def host_body(path):
    """Every declaration of a header under its comment; declarations without one are under the one before."""
    text = read(path)
    names = set(re.findall(r"\b(gravel_\w+)\(", re.sub(COMMENT, "", text))) - {"gravel_error"}
    names |= set(re.findall(r"^typedef \w+ (gravel_\w+)\(", text, re.M))
    out = []
    for comment, code in pieces(text):
        heading = SECTION.match(comment)
        if heading:
            out.append("## %s\n" % title(heading.group(1)))
        if "@file" in comment:
            types = "\n\n## Types\n" if re.search(r"^struct \w+( \{|;)", text, re.M) else "\n"
            out.append(paragraphs(re.sub(r"@file \S+\n", "", stripped(comment))) + types)
        declared = declared_in(code)
        if not declared or "X(" in comment:
            continue
        for name in re.findall(r"@param (\w+)", comment):
            assert re.search(r"\b%s\b" % name, code), "%s: @param %s is no parameter of %s" % (path, name, declared)
        found = [re.search(r"(gravel_\w+)\(|struct (\w+)|(\w+)\(", d) for d in declared]
        own = [f.group(1) or f.group(2) or f.group(3) for f in found]
        shown = "\n".join(d.replace("/**<", "/*") for d in declared if not re.fullmatch(r"struct \w+;", d))  # opaque: the heading
        out.append(entry("### %s" % ", ".join(own), shown and fenced(shown),
                         "" if heading else described(comment, names - set(own))))
    return "\n".join(out)


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
        elif struct:
            found.setdefault(struct_name, struct)
    return list(found.values())


def device_body(path):
    """The comments of a device header with what they describe; those of private macros and functions are left out, and so
    are sections that have nothing else."""
    out, section, text = [], "", read(path)
    for comment, code in pieces(text):
        heading = SECTION.match(comment)
        if "SPDX" in comment:
            continue
        if not out:
            out.append(paragraphs(stripped(comment)) + "\n")
            continue
        declared = device_declarations(code)
        if heading:
            section = "## %s" % title(heading.group(1).split(":")[0])
            if declared:
                out.append(entry(section, fenced("\n".join(declared))))
                section = ""
        elif declared:
            out.append((section and section + "\n") + entry(paragraphs(stripped(comment)), fenced("\n".join(declared))))
            section = ""
    return "\n".join(out)


CALLS = {
    "host-calls": ("Host calls", "include/gravel/gravel.h"),
    "device-calls": ("Device calls", "cl/gravel.cl.h"),
    "flow-calls": ("Calls of flows", "include/gravel/flow.h"),
    "flow-device-calls": ("Device calls of flows", "cl/flow.cl.h"),
    "steal-calls": ("Work stealing", "include/gravel/steal.h", "cl/steal.cl.h"),
    "server-calls": ("Clients and servers", "include/gravel/server.h", "cl/server.cl.h"),
    "mirror-calls": ("Mirrors", "include/gravel/mirror.h", "cl/slots.cl.h"),
    "accumulator-calls": ("Accumulators", "include/gravel/accumulator.h", "cl/accumulator.cl.h"),
    "block-pool-calls": ("Pools of blocks", "include/gravel/block_pool.h", "cl/block_pool.cl.h"),
    "rounds-calls": ("Rounds", "include/gravel/rounds.h", "cl/rounds.cl.h"),
    "graph-calls": ("Graphs", "graph/include/gravel/graph.h"),
    "print-calls": ("Lines, records and assertions of kernels", "cl/print.cl.h"),
    "subgroup-calls": ("Calls of sub-groups", "cl/subgroup.cl.h"),
}


def calls(name, *paths):
    bodies = [device_body(path) if path.endswith(".cl.h") else host_body(path) for path in paths]
    page = NOTE % " and ".join(paths) + "# %s\n\n" % name + "\n## In kernels\n\n".join(bodies)
    if name == "Calls of flows":
        page += "\n## Counters of a flow\n\n" + table_of(paths[0], "GRAVEL_FLOW_STATS_FIELDS", "field", "unit", "meaning")
    return page


# ---- C++ ---------------------------------------------------------------------------------------

OBJECT = re.compile(r"^(?:template <[^\n]*>\s*)?(?:class|struct) (\w+)[^;{}]*\{\n(.*?)^\};", re.M | re.S)


def is_scope(head):
    """Whether a brace after this text holds declarations, not what a function does or a value."""
    return re.search(r"(?:^|\n)\s*(?:template <[^\n]*>\s*)?(?:class|struct|namespace)\b[^;(){}]*$", head) is not None


def declarations(text):
    """C++ without what functions do: a body, and a constructor's list before it, is a semicolon."""
    out, depth = "", 0
    text = re.sub(r"(\w)\{([^{}\n]+)\};", r"\1(\2);", text)  # values
    for piece in re.split(r"([{}])", text):
        if piece == "{" and (depth or not is_scope(out)):
            depth += 1
        elif piece == "}" and depth:
            depth -= 1
            out += ";" if not depth else ""
        elif not depth:
            out += piece
    out = re.sub(r" *;;", ";", out)
    out = re.sub(r" try;(?: catch \([^)]*\);)*", ";", out)
    return re.sub(r"(\)(?: noexcept)?)\s*:\s[^;]*;+\n", r"\1;\n", re.sub(r" +;", ";", out))


def public_members(body, is_class):
    """Of a class, with their comments, and two spaces fewer than a line's own; without moves, which all objects have."""
    parts = re.split(r"^(public|private|protected):\n", ("public:\n" if not is_class else "private:\n") + body, flags=re.M)
    shown = "".join(text for access, text in zip(parts[1::2], parts[2::2]) if access == "public")
    lines = [line[4:] if line.startswith("    ") else line for line in shown.strip("\n").split("\n")]
    shown = "\n".join(line for line in lines if not re.match(r" *friend |.* = delete;$", line))
    return re.sub(r"^((\w+)\(\2 &&\w*\)|/\*\* [^\n]* destructor does. \*/\n\w+ &operator=\().*\n", "", shown, flags=re.M)


def cxx_calls():
    path = "include/gravel/gravel.hpp"
    text = read(path)
    about = next(comment for comment, _ in pieces(text) if "@file" in comment)
    text = re.sub(r"^namespace detail \{.*?^\} // namespace detail$", "", text, flags=re.M | re.S)
    text = declarations(text[text.index("namespace gvl {") + len("namespace gvl {"):text.rindex("}")])
    out = [NOTE % path + "# Objects of C++\n\n" + paragraphs(re.sub(r"@file \S+\n", "", stripped(about))) + "\n"]
    for comment, code in pieces(text):
        found = OBJECT.search(code)
        members = public_members(found.group(2), "class " + found.group(1) in found.group(0)) if found else ""
        declared = members or "\n".join(re.findall(r"^(?:template|inline|constexpr|using)[^;]*;", code, re.M))
        if declared:
            name = found.group(1) if found else re.search(r"(\w+)(?:\(| =|;)", declared).group(1)
            out.append(entry("## %s" % name, paragraphs(stripped(comment)), fenced(declared, "cpp")))
    return "\n".join(out)


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


def table_of(path, macro, *heads):
    return table(heads, [("`%s`" % name, *others) for name, *others in rows(path, macro)])


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
            size(kind, number(preset)), "%s to %s" % (size(kind, number(low)), size(kind, number(high))))
        categories.setdefault(category, []).append(("`%s`, `%s`" % (variable, field), preset, choices, meaning))
    heads = "variable, field", "default", "range or choices", "meaning"
    out = ["\n## %s\n\n%s" % (title(category), table(heads, lines)) for category, lines in categories.items()]
    return (NOTE % "include/gravel/config.h" + "# Settings\n\n"
            "`gravel_config_load` fills `struct gravel_config` with the defaults and the environment; a program may set every "
            "field\nafterwards, or set it by its name: `gravel_config_set`. Sizes take the suffixes k, M, G and T. An empty variable counts as not set; a malformed one is "
            "an error,\nand so is a misspelt name (`GRAVEL_HEEP`). Where 0 derives a setting, `gravel_config_of` returns the derived value of an open node, and "
            "`gravel-info` prints it\nfor a single node. `gravel-info --env` shows what the environment sets. "
            "[Tuning](../guide/tuning.md) says what to turn first.\n" + "".join(out))


def counters():
    path = "include/gravel/stats.h"
    return (NOTE % path + "# Counters\n\nCounters begin at 0 when the node opens and at `gravel_stats_reset`. "
            "`GRAVEL_STATS=1` prints them when the node\ncloses; the applications' `--json` has them under these names.\n\n"
            "`gravel_stats_read` fills `struct gravel_stats` for the node, or for one destination; `gravel_stats_get` gives them "
            "one by one.\n\n" + table_of(path, "GRAVEL_STATS_FIELDS", "field", "unit", "meaning"))


def errors():
    path = "include/gravel/gravel.h"
    return (NOTE % path + "# Errors\n\nA call returns 0 or one of these codes, and its description says what each means there. "
            "`gravel_strerror` gives the code's\ntext, `gravel_last_error` what exactly went wrong. Once a node has failed, every "
            "call returns the error that ended it:\n[failure](../design/failure.md). So any call may return `GRAVEL_EABORT`, after "
            "`gravel_abort`.\n\n" + table_of(path, "GRAVEL_ERRORS", "code", "value", "text"))


def failure():
    """The page on failure, with the limits of waits in it."""
    path, page = "lib/base/timeouts.h", "docs/design/failure.md"
    lines = []
    for _, eighths, besides, what, clock, error, test in rows(path, "GRAVEL_LIMITS"):
        limit = {"0": "", "8": "T"}.get(eighths, "%g T" % (int(eighths) / 8))
        lines.append((what, limit + besides, clock, error, test))
    begin, _, rest = read(page).partition(NOTE % path)
    heads = "what waits", "limit", "whose clock", "error", "test"
    return begin + NOTE % path + table(heads, lines) + "\n" + rest.partition("\n\n")[2]


PAGES = {"cxx-calls": cxx_calls, "settings": settings, "counters": counters, "errors": errors, "../design/failure": failure}
PAGES.update((name, functools.partial(calls, *page)) for name, page in CALLS.items())


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
    for header in (os.path.basename(path) for _, path, *_ in CALLS.values() if path.startswith("include")):
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
