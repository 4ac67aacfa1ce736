# SPDX-License-Identifier: MIT
"""Pages of the bindings: C++ from its header, Python from its docstrings.

Path: include/gravel/gravel.hpp, python/gravel -> this -> reference.py.
"""
import ast
import re

from comments import NOTE, entry, linked, overview, paragraphs, pieces, read, stripped

# ---- C++ ---------------------------------------------------------------------------------------

OBJECT = re.compile(r"^(?:template <[^\n]*>\s*)?(?:class|struct) (\w+)[^;{}]*\{\n(.*?)^\};", re.M | re.S)


def is_scope(head):
    """Whether a brace after this text holds declarations, not what a function does or a value."""
    return re.search(r"(?:^|\n)\s*(?:template <[^\n]*>\s*)?(?:class|struct|namespace)\b[^;(){}]*$", head) is not None


def declarations(text):
    """C++ without what functions do: a body, and a constructor's list before it, is a semicolon."""
    out, depth = "", 0
    text = re.sub(r"(\w)\{([^{};\n]+)\}(?=[;,)])", r"\1(\2)", text)  # values
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
    shown = re.sub(r"\n\n+", "\n", shown)
    return re.sub(r"^((\w+)\(\2 &&\w*\)|/\*\* [^\n]* destructor does. \*/\n\w+ &operator=\().*\n", "", shown, flags=re.M)


def untyped(arguments):
    """Names of parameters, with their defaults."""
    depth, parts = 0, [""]
    for letter in arguments:
        depth += (letter in "<({") - (letter in ">)}")
        parts = parts + [""] if letter == "," and not depth else parts[:-1] + [parts[-1] + letter]
    return ", ".join(re.sub(r"^.*?(\.\.\.)?(\w+)((?: = .*)?)$", r"\2\1\3", " ".join(part.split())) for part in parts)


def compact(declared):
    """Members in one line, without types of parameters, void and what the header says of them."""
    declared = re.sub(r"(?:^void set\(cl_uint i, .*\n)+", "void set(cl_uint i, T value);\n", declared + "\n", flags=re.M)
    declared = re.sub(r"(?<=[\w=\]])\(((?:[^();]|\([^()]*\))*)\)(?=;)", lambda given: "(%s)" % untyped(given.group(1)), declared)
    declared = re.sub(r"^void (?=\w+\()", "", declared, flags=re.M)
    declared = re.sub(r"^(?:/\*\*(?:[^*]|\*(?!/))*\*/|//[^\n]*)\n", "", declared, flags=re.M)
    members = [" ".join(one.split()) for one in declared.split(";") if one.strip()]
    return ", ".join("`%s`" % one for one in dict.fromkeys(members) if "[]" not in one)  # [](i) is a link


def cxx_calls():
    path = "include/gravel/gravel.hpp"
    text = read(path)
    about = next(comment for comment, _ in pieces(text) if "@file" in comment)
    text = re.sub(r"^namespace detail \{.*?^\} // namespace detail$", "", text, flags=re.M | re.S)
    text = declarations(text[text.index("namespace gvl {") + len("namespace gvl {"):text.rindex("}")])
    out = [NOTE % path + "# C++\n\nExamples: [cxx](../guide/cxx.md).\n\n" + overview(about) +
           "\n\nMembers are shown as a caller uses them: without types of parameters, which are the C call's, void, const, "
           "references\nand templates. The header says of each which call it makes, and what else it does.\n"]
    for comment, code in pieces(text):
        found = OBJECT.search(code)
        members = public_members(found.group(2), "class " + found.group(1) in found.group(0)) if found else ""
        declared = members or "\n".join(re.findall(r"^(?:template|inline|constexpr|using)[^;]*;", code, re.M))
        if declared:
            declared = re.sub(r"/\*\* ([^\n]*?) \*/", r"// \1", declared)
            declared = re.sub(r"\bconst (?!char|void|T \*)([\w:]+(?:<[^>\n]*>)?) &(?=\w)", r"\1 ", declared)
            declared = re.sub(r"\btemplate <[^>]*>\s*(?=[^\n]*\b[ART]\b)|\bexplicit |(?: const)?(?: noexcept)?(?=;)", "", declared)
            name = found.group(1) if found else re.search(r"(\w+)(?:\(| =|;)", declared).group(1)
            shown = compact(declared) if members else "`%s`" % declared.rstrip(";")
            longer = re.findall(r"^/\*\*(\n(?:[^*]|\*(?!/))*)\*/", declared, re.M)  # what one line did not say
            said = [paragraphs(stripped(each)) for each in (comment, *longer)]
            out.append(entry("## %s" % name, "\n".join(said) + "\n", shown))
    return "\n".join(out)


# ---- Python ------------------------------------------------------------------------------------

def python_errors():
    """The classes of Python's exceptions, with the builtins that they are too, by the code of C."""
    classes = [node for node in ast.parse(read("python/gravel/_errors.py")).body if isinstance(node, ast.ClassDef)]
    return {ast.get_docstring(one).partition(":")[0]: ", ".join("`%s`" % name for name in [one.name, *map(ast.unparse, one.bases)]
                                                                if name != "Error") for one in classes}


def numpydoc(text, indent=""):
    """Markdown of a docstring: a section is items of a list."""
    body, *sections = re.split(r"^(Parameters|Returns|Yields|Raises)\n-+\n", text + "\n", flags=re.M)
    out = [re.sub(r"\n(?=[^\n])", "\n" + indent, paragraphs(body))]
    for kind, items in zip(sections[::2], sections[1::2]):
        for head, said in re.findall(r"^(\S.*)\n((?: +.*\n| *\n(?= ))*)", items, re.M):
            name, _, of = head.partition(" : ")
            what = "`%s`%s" % (name, of and " (%s)" % of) if kind != "Returns" else "returns " + head
            out.append(linked("%s- %s%s" % (indent, "raises " * (kind == "Raises") + what,
                                            ": " * bool(said) + " ".join(said.split())), {}))
    return "\n".join(out)


def signature(function):
    """As a caller writes it: without types, and without self."""
    given = function.args
    for one in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]:
        if one:
            one.annotation = None
    given.args = [one for one in given.args if one.arg not in ("self", "cls")]
    return re.sub(r"_library\.\w+", "...", ast.unparse(given))


def made_by(one, functions):
    """How a program makes the object: by a dataclass's fields, or the constructor; empty if another object makes it."""
    if one.decorator_list:
        fields = [each for each in one.body if isinstance(each, ast.AnnAssign)]
        return ", ".join(ast.unparse(each.target) + ("=" + ast.unparse(each.value) if each.value else "") for each in fields)
    return signature(functions["__init__"]) if one.name == "Graph" else ""


PREFIX = {"Node": "", "Deques": "steal_", "Accumulator": "accumulator_"}


def of_c(name, said, calls):
    """The address of the C call of the name, and what the docstring says besides."""
    said = re.sub(r"^.*?\.(?:\s+|$)", "", said, count=1, flags=re.S)
    said = numpydoc(re.sub(r"^(?:(?:Collective|Complete after|Any thread may)[^.]*\.\s*)+", "", said), "  ")
    return "%s.md#%s" % calls[name], (": " if said.strip() and said[0] != "\n" else "") + said.rstrip()


def python_class(one, calls):
    """A heading, what the class says of itself, and an item for each public member with a docstring."""
    functions = {each.name: each for each in one.body if isinstance(each, ast.FunctionDef)}
    made = made_by(one, functions).replace("dataclasses.field(default_factory=dict)", "{}")
    out = ["## %s\n\n%s%s\n" % (one.name, made and "`%s(%s)`: " % (one.name, made), numpydoc(ast.get_docstring(one)))]
    for name, each in functions.items():
        said = ast.get_docstring(each)
        if said and (not name.startswith("_") or name == "__call__"):
            is_value = any("property" in ast.unparse(mark) for mark in each.decorator_list)
            shown = name if is_value else "%s(%s)" % (name.replace("__call__", one.name.lower()), signature(each))
            call = "gravel_" + PREFIX.get(one.name, one.name.lower() + "_") + name
            is_same = call in calls and one.name != "Graph" and not is_value
            out.append("- [`%s`](%s)%s" % (shown, *of_c(call, said, calls)) if is_same else
                       "- `%s`: %s" % (shown, numpydoc(said, "  ")))
    return "\n".join(out) + "\n" * (len(out) > 1)


def python(calls):
    """@param calls  where the pages have C's: (page, heading) of each name"""
    package = ast.parse(read("python/gravel/__init__.py"))
    said = re.sub(r"^    .*\n", "", ast.get_docstring(package), flags=re.M)
    out = [NOTE % "python/gravel" + "# Python\n\nExamples: [python](../guide/python.md).\n", paragraphs(said) + "\n"]
    for module in ("_node", "_array", "_program", "_opening", "_stream", "_part", "_mirror", "_accumulator", "_block_pool",
                   "_rounds", "_flow", "_deques", "graph"):
        for one in ast.parse(read("python/gravel/%s.py" % module)).body:
            said = isinstance(one, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(one)
            if said and one.name == "open":
                out.insert(2, "## open(%s)\n\n%s\n" % (signature(one), numpydoc(said)))
            elif said and isinstance(one, ast.ClassDef) and not one.name.startswith("_") and one.name not in ("Functions", "PartOfArray"):
                out.append(python_class(one, calls))
    return "\n".join(out)
