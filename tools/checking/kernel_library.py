# SPDX-License-Identifier: MIT
"""PoCL with a short library of built-in functions, the same functions, for the tests of a check.

Each process that builds a program for a CPU reads PoCL's whole library of them, 10 MB of LLVM's bitcode: half a second
of the processor, a third of what most tests take. Each program begins with 14000 declarations of them, a tenth of a
second. The copies here lack the functions that no file of this tree names, and that no other calls. A kernel that needs
one all the same does not build, and the log names the function. PoCL looks for both files beside itself, so that a
folder of links and a list of drivers of its own make it take the copies.

usage: kernel_library.py FOLDER      makes FOLDER, of which FOLDER/vendors is for OCL_ICD_VENDORS
exit:  0; else nothing is of use: no PoCL, or not as it was found to be laid out (3.1, of Debian 12)

Path: parts.py -> this -> FOLDER, which PoCL reads.
"""
import ctypes
import glob
import os
import re
import shutil
import sys

VENDORS = "/etc/OpenCL/vendors"
HEADER = "opencl-c.h"
SOURCES = re.compile(r".*\.(cl|h|md)")  # all words of them; of C only those in literals, where kernels are
FOLDERS = ("apps", "bench", "cl", "docs", "examples", "include", "lib", "python", "study", "tests", "tools")
# What PoCL takes by the processor's flags, the best last; others keep all their functions.
VARIANTS = {"avx2": "avx2", "avx512f": "avx512"}
DECLARATION = re.compile(r"[^#/(]*\b__ovld\b[^(]*?\b(\w+)\s*\(.*\);\s*$")  # on a line of its own
BUILT_IN = re.compile(r"_Z\d+(?:_cl_)?[a-z]\w*")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
PASTED = "atom"  # what macros make of pieces


class Bitcode:
    """A module of LLVM, by the C interface of the LLVM that PoCL is linked with."""
    def __init__(self, llvm, path):
        self.llvm, self.module = llvm, ctypes.c_void_p()
        buffer, text, pointer = ctypes.c_void_p(), ctypes.c_char_p(), ctypes.c_void_p
        for name in "GetFirstFunction", "GetNextFunction", "GetFirstUse", "ContextCreate":
            getattr(llvm, "LLVM" + name).restype = pointer
        llvm.LLVMGetValueName2.restype = ctypes.c_char_p
        if llvm.LLVMCreateMemoryBufferWithContentsOfFile(path.encode(), ctypes.byref(buffer), ctypes.byref(text)) or \
                llvm.LLVMParseBitcodeInContext2(pointer(llvm.LLVMContextCreate()), buffer, ctypes.byref(self.module)):
            raise OSError("%s is no bitcode" % path)

    def functions(self):
        at = self.llvm.LLVMGetFirstFunction(self.module)
        while at:
            function = ctypes.c_void_p(at)
            at = self.llvm.LLVMGetNextFunction(function)  # before the caller deletes this one
            yield function

    def name(self, function):
        return self.llvm.LLVMGetValueName2(function, ctypes.byref(ctypes.c_size_t())).decode()

    def delete_unused(self, functions):
        """Of these, round after round, those that nothing uses. @return those that something does."""
        n_before = None
        while len(functions) != n_before:
            n_before, used = len(functions), []
            for function in functions:
                if self.llvm.LLVMGetFirstUse(function):
                    used.append(function)
                else:
                    self.llvm.LLVMDeleteFunction(function)
            functions = used
        return functions

    def write(self, path):
        if self.llvm.LLVMWriteBitcodeToFile(self.module, path.encode()):
            raise OSError("%s cannot be written" % path)


def words_of_tree():
    words = set()
    for top in FOLDERS:
        for folder, _, names in os.walk(top):
            for name in names:
                if SOURCES.fullmatch(name) or name.endswith(".c"):
                    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                        text = file.read()
                    words.update(re.findall(r"[a-z]\w+", " ".join(LITERAL.findall(text)) if name.endswith(".c") else text))
    return words


def is_called(plain, words):
    return plain in words or plain.startswith(PASTED)


def is_needed(name, words):
    """Whether a kernel of the tree may call it. Mangled names end with the types, which words do not tell apart."""
    if name.startswith("Sleef_"):  # what functions of mathematics are made of
        return False
    if not BUILT_IN.fullmatch(name):
        return True
    length = int(re.match(r"_Z(\d+)", name).group(1))
    plain = name[len("_Z%d" % length):][:length].removeprefix("_cl_")
    return is_called(plain, words)


def shorten_library(llvm, path, to, words):
    library = Bitcode(llvm, path)
    library.delete_unused([function for function in library.functions() if not is_needed(library.name(function), words)])
    library.write(to)


def shorten_header(path, to, words):
    """The declarations of built-in functions, of which a program has 14000 before its first line."""
    with open(path, encoding="utf-8") as whole, open(to, "w", encoding="utf-8") as short:
        for line in whole:
            declared = DECLARATION.match(line)
            if not declared or is_called(declared.group(1), words):
                short.write(line)


def find_driver():
    """@return (its file in VENDORS, the driver, loaded, and where it lies)"""
    for icd in sorted(glob.glob(os.path.join(VENDORS, "*.icd"))):
        with open(icd, encoding="utf-8") as file:
            name = file.read().strip()
        if "libpocl" in name:
            driver = ctypes.CDLL(name)
            with open("/proc/self/maps", encoding="utf-8") as maps:
                return icd, driver, next(line.split()[-1] for line in maps if "libpocl.so" in line)
    raise OSError("no PoCL")


def variant():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = set(next((line for line in file if line.startswith("flags")), "").split())
    return [VARIANTS[flag] for flag in VARIANTS if flag in flags][-1]


def link_all(pattern, folder, besides=()):
    os.makedirs(folder)
    for path in glob.glob(pattern):
        if path not in besides:
            os.symlink(path, os.path.join(folder, os.path.basename(path)))


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    icd, driver, path = find_driver()
    home, share, words = os.path.dirname(path), os.path.join(folder, "share", "pocl"), words_of_tree()
    (library,) = glob.glob(os.path.join(home, "..", "..", "share", "pocl", "kernel-*-%s.bc" % variant()))
    include = os.path.join(os.path.dirname(library), "include")
    link_all(os.path.join(os.path.dirname(library), "*"), share, [library, include])
    shorten_library(driver, library, os.path.join(share, os.path.basename(library)), words)
    link_all(os.path.join(include, "*"), os.path.join(share, "include"), [os.path.join(include, HEADER)])
    shorten_header(os.path.join(include, HEADER), os.path.join(share, "include", HEADER), words)
    link_all(os.path.join(home, "libpocl.so.*"), os.path.join(folder, "lib", "driver"))
    os.symlink(os.path.join(home, "pocl"), os.path.join(folder, "lib", "driver", "pocl"))
    link_all(os.path.join(VENDORS, "*"), os.path.join(folder, "vendors"), [icd])
    with open(os.path.join(folder, "vendors", os.path.basename(icd)), "w", encoding="utf-8") as file:
        file.write(os.path.join(folder, "lib", "driver", os.path.basename(path)) + "\n")


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
