#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the calls of OpenCL as macros, for wrapped_opencl.h: CALL_NAME(of) is of(type, NAME, (parameters), (arguments)).

usage: wrapped_opencl.py OUT INCLUDE_DIRECTORY COMPILER...

The names are those of the Khronos headers.
"""
import re
import subprocess
import sys

CALL = re.compile(r"extern\s+([\w ]+?\*?)\s*\b(cl[A-Z]\w*)\s*\((.*?)\)\s*(?:__attribute__.*)?", re.S)


def arguments_of(parameters):
    """Returns the names of parameters, of which one may be a function with its own."""
    each = re.split(r", (?![^()]*\))", parameters)
    return ", ".join(re.search(r"(\w+)(\[\]|\)\(.*\))?$", parameter).group(1) for parameter in each)


def main():
    out, include, *compiler = sys.argv[1:]
    text = subprocess.run(compiler + ["-E", "-P", "-I" + include, "-DCL_TARGET_OPENCL_VERSION=300", "-x", "c", "-"],
                          input="#include <CL/cl.h>\n", stdout=subprocess.PIPE, text=True, check=True).stdout
    with open(out, "w", encoding="utf-8") as file:
        for declaration in text.split(";"):
            call = CALL.fullmatch(declaration.strip())
            if call:
                result, name, parameters = (" ".join(part.split()) for part in call.groups())
                file.write("#define CALL_%s(of) of(%s, %s, (%s), (%s))\n"
                           % (name, result, name, parameters, arguments_of(parameters)))


main()
