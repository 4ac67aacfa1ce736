# SPDX-License-Identifier: MIT
"""Every public header compiles alone, in every language it is meant for, without a warning; so do kernels that call the
device's headers, for each kind of device. What a compiler that is missing would compile is left out, and said.

Path: include/gravel, cl/; apps/gups/gups.cl, apps/gups/divergent.cl -> this <- gravel.cl.h, accumulator.cl.h, subgroup.cl.h
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

# The OpenCL headers are a system's own: their warnings are not ours.
STRICT = "-Wall -Wextra -pedantic -Werror -fsyntax-only -DCL_TARGET_OPENCL_VERSION=300"
OF_CL = "-x cl -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra -Werror -Wno-unused-function -Wno-unused-parameter"
SPIR, C11 = "-target spir64-unknown-unknown ", "-DGRAVELP_ATOMICS_C11 -DGRAVEL_HAS_DOUBLE -DGRAVELP_HOST_SCOPE=memory_scope_"
KERNELS = ("apps/gups/gups.cl", "apps/gups/divergent.cl")
CALLS = """#include "gravel.cl.h"
void handler(struct gravel_call call, ulong offset)
{
    atomic_inc((volatile global uint *)gravel_call_local(call, offset + call.source));
}
kernel void calls(GRAVELP_CALL_RUN)
{
    GRAVELP_CALL_EACH(number)
        handler(GRAVELP_CALL, GRAVELP_CALL_ARGUMENT(0, number));
}
kernel void served_calls(GRAVELP_CALL_RUN)
{
    GRAVELP_CALL_SERVED(number)
        handler(GRAVELP_CALL, GRAVELP_CALL_ARGUMENT(0, number));
}
"""
DEVICES = {
    "OpenCL 1.2 atomics": SPIR,
    "C11 atomics": SPIR + C11 + "all_svm_devices",
    "serial": C11 + "device -DGRAVELP_SERIAL_GROUP -DGRAVELP_YIELD_SYSCALL",
    "sub-groups": SPIR + C11 + "all_svm_devices -DGRAVELP_SUBGROUPS -DGRAVELP_SUBGROUP_BUILTINS -D__opencl_c_subgroups=1",
    "warps": "-target nvptx64 " + C11 + "device -DGRAVELP_WARP_ITEMS=32",
}


def compilers():
    """Returns {language: words of its compiler} of those that are here."""
    found = {"C": os.environ.get("CC", "cc"), "C++": os.environ.get("CXX", "c++"), "OpenCL": os.environ.get("CLANG", "clang")}
    words = {language: shlex.split(command) for language, command in found.items()}
    missing = [language for language in words if not shutil.which(words[language][0])]
    if missing:
        print("left out: %s, whose compiler is missing" % ", ".join(missing))
    return {language: words[language] for language in words if language not in missing}


def compilations(tree, folder):
    """Yields language, file and options."""
    include = shlex.join("-I" + os.path.join(tree.root, top) for top in ("include", "cl"))
    layouts = tree.files("cl/layout/*.h")
    for header in tree.files("include/gravel/*.h") + layouts:
        for language, end, standard in ("C", ".c", "c11"), ("C++", ".cc", "c++11"):
            path = os.path.join(folder, os.path.basename(header) + end)
            with open(path, "w", encoding="utf-8") as file:
                file.write('#include "%s"\n' % header.split("/", 1)[1] * 2 + "extern int alone;\n")
            yield language, path, "-std=%s %s %s" % (standard, STRICT, include)
    with open(os.path.join(folder, "calls.cl"), "w", encoding="utf-8") as file:
        file.write(CALLS)
    kernels = [os.path.join(tree.root, kernel) for kernel in KERNELS] + [os.path.join(folder, "calls.cl")]
    for version in "CL1.2", "CL2.0", "CL3.0":
        for header in layouts:
            yield "OpenCL", os.path.join(tree.root, header), "%s -cl-std=%s %s%s" % (OF_CL, version, SPIR, include)
        for device, options in DEVICES.items():
            for kernel in kernels if version != "CL1.2" or device == "OpenCL 1.2 atomics" else ():
                yield "OpenCL", kernel, "%s -cl-std=%s %s %s" % (OF_CL, version, options, shlex.join(["-I" + folder]))


def faults(tree, *joined):
    found = compilers()
    if "C" not in found:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for header in joined:
            shutil.copy(header, folder)
        for language, path, options in compilations(tree, folder):
            tree.n_read += 1
            words = found.get(language, ["true"]) + shlex.split(options) + [path]
            ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if ended.returncode or ended.stdout:
                yield "%s:\n%s" % (shlex.join(words), ended.stdout)
