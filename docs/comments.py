# SPDX-License-Identifier: MIT
"""Markdown of comments in C and of what they describe.

Path: comments of headers, docstrings -> this -> reference.py, bindings.py.
"""
import os
import re

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

COMMENT = re.compile(r"^/\*\*?(.*?)\*/", re.M | re.S)
SECTION = re.compile(r"^ *-{4} (.*?) -+ *$")
FIELD = re.compile(r"^(Memory|Source|Threads|Note|Path|Errors): +", re.M)
SOURCE = re.compile(r"^ \* Source:.*(?:\n \*    .*)*\n?", re.M)  # a call's papers, which its header and manual page have
EXAMPLE = re.compile(r"^(?: \* {5}.*\n)+", re.M)  # or a list of calls, which has no line that ends in a semicolon or brace
NOTE = "<!-- Written by docs/reference.py from %s. -->\n\n"


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def stripped(comment):
    """The lines of a C comment without its stars."""
    lines = [re.sub(r"^ ?\* ?", "", line).rstrip() for line in comment.strip("\n").split("\n")]
    return "\n".join(lines).strip("\n").strip(" ")


def overview(comment):
    """What a file says of itself, without its papers and its example, which the guide has."""
    text = EXAMPLE.sub(lambda code: "" if re.search(r"[;{]$", code.group(0), re.M) else code.group(0), SOURCE.sub("", comment))
    return paragraphs(re.sub(r"@file \S+\n", "", stripped(text)))


def escaped(text):
    """*collective* is meant as in Markdown; <name> and __x__ are not."""
    return text.replace("<", "&lt;").replace("__", r"\_\_")


def linked(text, targets):
    """Names of calls and constants as code. Those of the dict `targets` are links to it once: they leave it."""
    def link(match):
        name = match.group(0)
        bare = name.partition("(")[0].rpartition(" ")[2]
        target = targets.pop(bare, None)
        return "[`%s`](%s)" % (name, target) if target else "`%s`" % name
    pattern = r"(?<![\w./])(?:struct )?(?:gravel_|GRAVEL_)\w*(?:\(\w*\)|\.\.\.|\*)?(?![\w.]\w)"
    spans = re.split(r"(`[^`]+`)", text)
    return "".join(span if span.startswith("`") else re.sub(pattern, link, escaped(span)) for span in spans)


def paragraphs(text, targets=None):
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
    out = "".join(part if part.startswith("```") else linked(part, {} if targets is None else targets)
                  for part in parts)
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


def described(comment, targets):
    body, parameters, returned = tagged(stripped(comment))
    returns = re.sub(r"^returns 0; ", "errors: ", "returns " + " ".join(returned))
    items = [each for each in parameters if not each.endswith(": [out]")] + ([returns] if returned else [])
    return "\n".join([paragraphs(body, targets)] + [linked("- " + item, targets) for item in items])


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
