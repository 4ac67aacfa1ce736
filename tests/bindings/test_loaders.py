# SPDX-License-Identifier: MIT
"""The library's loader of OpenCL and PyOpenCL's are two, as where a wheel brings its own: a node takes the device and
the queue that either of them gave. Without any driver the error says what is missing.

usage: test_loaders.py two       each loader sees drivers
       test_loaders.py other     PyOpenCL's alone
       test_loaders.py none      neither

Path: pytest -> this -> this, as a program, on copies of libOpenCL.so.1 and libgravel.so -> python/gravel/_opening.py
"""
import os
import re
import subprocess
import sys

import numpy as np
import pyopencl as cl
import pytest

import gravel
from conftest import ALONE, refuse

KERNEL = """#include "gravel.cl.h"
kernel void count(GRAVEL_ARENA, ulong words)
{
    GRAVEL_OPEN(g);
    gravel_inc_uint_wg(g, words, 0, gravel_n_nodes(g) - 1);
}
"""
TWO = {**ALONE, "loopback_nodes": 2}
N = 256


def loaders():
    """Those in this process; the copy of one has an X in its name."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {found.group() for found in re.finditer(r"/\S*/libOpenC[LX]\S*", maps.read())}


def counts(node):
    words = node.array(1, np.uint32)
    node.program(KERNEL).count(N, None, words)
    node.barrier()
    return words.get(1)[0] == N


def two():
    with gravel.open(**TWO) as node:
        assert counts(node)
        name = node.device.name
    own = next(device for platform in cl.get_platforms() for device in platform.get_devices() if device.name == name)
    with gravel.open(device=own, **TWO) as node:
        assert counts(node) and node.device.name == name
    queue = cl.CommandQueue(cl.Context([own]))
    with gravel.open(queue, **TWO) as node:
        assert counts(node) and node.queue is queue
    assert len(loaders()) == 2, loaders()


def other():
    # A device by its name is the library's to find.
    refuse(gravel.DeviceError, "no OpenCL platform", lambda: gravel.open(device="cpu", **TWO))
    with gravel.open(**TWO) as node:
        assert counts(node)
    assert len(loaders()) == 2, loaders()


def none():
    refuse(gravel.DeviceError, "no OpenCL platform.*install a driver", lambda: gravel.open(**TWO))


def run(words, settings):
    return subprocess.run([sys.executable, *words], env={**os.environ, **settings}, capture_output=True, text=True,
                          timeout=100, check=False)


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """A folder with a loader that has another name and another variable for its folder of drivers, and a library on it."""
    folder = tmp_path_factory.mktemp("copies")
    (folder / "none").mkdir()
    loader = next((path for path in loaders() if "libOpenCL.so.1" in path), None)
    if not loader:
        pytest.skip("PyOpenCL has no libOpenCL.so.1")
    for path, name in (loader, "libOpenCX.so.1"), (os.environ["GRAVEL_LIBRARY"], "libgravel.so"):
        with open(path, "rb") as file:  # names as long as the ones before them: nothing in the files moves
            copy = file.read().replace(b"libOpenCL.so.1", b"libOpenCX.so.1").replace(b"OCL_ICD_VENDORS", b"OCX_ICD_VENDORS")
        (folder / name).write_bytes(copy)
    return folder


@pytest.mark.parametrize("case, drivers", [("two", os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")), ("other", "none")])
def test_of_two_loaders(case, drivers, copies):
    ended = run([__file__, case], {"GRAVEL_LIBRARY": str(copies / "libgravel.so"), "OCX_ICD_VENDORS": str(copies / drivers),
                                   "LD_LIBRARY_PATH": "%s:%s" % (copies, os.environ.get("LD_LIBRARY_PATH", ""))})
    assert ended.returncode == 0, ended


def test_without_drivers(copies):
    settings = {"OCL_ICD_VENDORS": str(copies / "none"), "GRAVEL_TRANSPORT": "self"}
    assert run([__file__, "none"], settings).returncode == 0
    ended = run(["-m", "gravel"], settings)
    said = ended.stdout + ended.stderr
    assert ended.returncode == 1 and re.search("^DeviceError: no OpenCL platform found: install a driver", said, re.M), said


if __name__ == "__main__":
    {"two": two, "other": other, "none": none}[sys.argv[1]]()
