# SPDX-License-Identifier: MIT
"""What _library.py and _graph_library.py say of the headers is what they say: calls, structures, numbers and errors.

usage: with_pyopencl.sh SOURCE BUILD table.py SOURCE    with CC
exit:  0; 1 with each call, member or number that differs

Path: include/gravel, graph/include, python/gravel/_library.py, _graph_library.py, _errors.py -> this.
"""
import ctypes as c
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from gravel import _errors, _graph_library, _library

HEADERS = ("gravel.h", "mirror.h", "accumulator.h", "block_pool.h", "channel.h", "flow.h", "rounds.h", "steal.h", "server.h")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
PROTOTYPE = re.compile(r"^((?:const )?(?:struct )?\w+[ *]+)(gravel_\w+)\(([^;{}]*?)\);", re.M)
HANDLES = ("cl_program", "cl_kernel", "cl_context", "cl_device_id", "cl_command_queue", "cl_event", "cl_mem")
KINDS = {"int": c.c_int, "bool": c.c_bool, "size_t": c.c_size_t, "uint32_t": c.c_uint32, "cl_uint": c.c_uint32,
         "uint64_t": c.c_uint64, "cl_map_flags": c.c_uint64, "char *": c.c_char_p, "char **": c.POINTER(c.c_char_p),
         "void *": c.c_void_p, "void **": c.POINTER(c.c_void_p), "uint8_t": c.c_uint8, "double": c.c_double}


def kind_of(declared):
    """ctypes' type of a parameter or a result; its name, if it has one, is left out."""
    words = declared.replace("const ", "").replace("struct ", "")
    found = re.fullmatch(r"(\w+) ?(\**)(?:\w+)?(\[\w*\])?", words.strip())
    name, stars = found.group(1), found.group(2) + ("*" if found.group(3) else "")
    if name in HANDLES:
        name, stars = "void", stars + "*"
    elif name.startswith("gravel"):
        name = "void"
    if (name, stars) == ("void", ""):
        return None
    if words.split() == ["uint32_t", "node"]:
        return _library.node
    plain = KINDS.get((name + " " + stars).strip())
    return plain or c.POINTER(KINDS[name])


def calls(header):
    for result, name, parameters in PROTOTYPE.findall(COMMENT.sub(" ", header)):
        listed = [] if parameters.strip() == "void" else [" ".join(one.split()) for one in parameters.split(",")]
        yield name, kind_of(result), tuple(map(kind_of, listed))


def wrong_calls(header, module):
    declared = {name: (result, parameters) for name, result, parameters in calls(header)}
    for name, said in module.CALLS.items():
        if declared.get(name) != said:
            yield "%s is %r in the headers, and %r in %s" % (name, declared.get(name), said, module.__name__)


def structures(module):
    """The structures of a module, by C's names."""
    return {one.__name__: one for one in vars(module).values()
            if isinstance(one, type) and issubclass(one, _library.Block) and one is not _library.Block}


def numbers_of(module):
    """(C, what Python says) of each number that both have of structures."""
    for name, structure in structures(module).items():
        yield "sizeof(struct %s)" % name, c.sizeof(structure)
        for member, kind in structure._fields_:
            yield "offsetof(struct %s, %s)" % (name, member), getattr(structure, member).offset
            yield "sizeof(((struct %s *)0)->%s)" % (name, member), c.sizeof(kind)


def numbers():
    """(C, what Python says) of each number that both have."""
    yield from numbers_of(_library)
    for name, number in {**_library.OPERATIONS, **_library.CHANNELS}.items():
        yield "GRAVEL_" + name.upper(), number
    for name, number in _library.TYPES.items():
        kind = ("FLOAT" if name == "f4" else "DOUBLE") if name[0] == "f" else \
            ("U" if name[0] == "u" else "") + ("INT" if name[1] == "4" else "LONG")
        yield "GRAVEL_" + kind, number
    for i, number in enumerate(_library.API):
        yield ("GRAVEL_API_MAJOR", "GRAVEL_API_MINOR")[i], number
    for name in ("AM_MAX_ARGS", "MAX_COUNTERS", "CONFIG_STRING_BYTES", "ALL_NODES", "MAY_FILL", "GROUP_NODE",
                 "ALL_GROUPS", "UNTIL_MOST", "UNTIL_ZERO", "PARAMETER_VALUE", "PARAMETER_OBJECT", "PARAMETER_LOCAL", "PARAMETER_ARENA",
                 "PARAMETER_ACCUMULATOR"):
        yield "GRAVEL_" + name, getattr(_library, name)


def numbers_of_graphs():
    yield from numbers_of(_graph_library)
    for name in "FAR", "NONE":
        yield "GRAVEL_GRAPH_" + name, getattr(_graph_library, name)


def wrong_numbers(source, work, headers, listed):
    listed = list(listed)
    program, path = os.path.join(work, "numbers"), os.path.join(work, "numbers.c")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("#include <gravel/%s>\n" % name for name in headers)
        file.write("#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n")
        file.writelines('    printf("%%lld\\n", (long long)(%s));\n' % text for text, _ in listed)
        file.write("    return 0;\n}\n")
    cc = shlex.split(os.environ.get("CC", "cc"))
    folders = ["-I" + os.path.join(source, *names) for names in (("include",), ("graph", "include"))]
    subprocess.run(cc + folders + ["-o", program, path], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    for (what, said), number in zip(listed, printed, strict=True):
        if (int(number) - said) % (1 << 64):  # C's printed as signed ones
            yield "%s is %s in C, and %d in Python" % (what, number, said)


def wrong_errors(header):
    declared = {int(number): name for name, number in re.findall(r"X\((GRAVEL_E\w+), (-\d+),", header)}
    for number in declared.keys() | _errors.BY_CODE.keys():
        error = _errors.BY_CODE.get(number)
        said = error and re.match(r"GRAVEL_\w+", error.__doc__).group()
        if declared.get(number) != said:
            yield "error %d is %s in gravel.h, and %s in _errors.py" % (number, declared.get(number), said)


def main(source):
    header = "".join(Path(source, "include", "gravel", name).read_text(encoding="utf-8") for name in HEADERS)
    of_graphs = Path(source, "graph", "include", "gravel", "graph.h").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as work:
        wrong = [*wrong_calls(header, _library), *wrong_calls(of_graphs, _graph_library), *wrong_errors(header),
                 *wrong_numbers(source, work, HEADERS, numbers()),
                 *wrong_numbers(source, work, ["graph.h"], numbers_of_graphs())]
    print("\n".join(wrong + ["%d calls, %d structures, %d errors: %d differ"
                             % (len(_library.CALLS) + len(_graph_library.CALLS), len(structures(_library)) + len(structures(_graph_library)),
                                len(_errors.BY_CODE), len(wrong))]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
