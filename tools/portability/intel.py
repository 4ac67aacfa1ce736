# SPDX-License-Identifier: MIT
"""Intel's CPU runtime for OpenCL, from the Python package index: its libraries in a directory of our own."""
import glob
import os
import platform
import shutil
import subprocess
import sys
import zipfile

from portability.place import CannotRun

WHEELS = ["intel-opencl-rt", "intel-cmplr-lib-rt"]  # the second has the mathematics that the first links to
DATA = ".data/data/lib/"
SYSTEMS_OWN = ("libOpenCL.", "libhwloc.")           # the machine's serve
LIMIT_S = 600


def find_pip():
    for command in ([sys.executable, "-m", "pip"], ["pip3"], ["pip"]):
        if shutil.which(command[0]) and \
                subprocess.run(command + ["--version"], capture_output=True, check=False).returncode == 0:
            return command
    raise CannotRun("no pip to fetch it with (Debian: python3-pip)")


def download(wheels, log):
    log("intel: pip download " + " ".join(WHEELS))
    try:
        result = subprocess.run(find_pip() + ["download", "--quiet", "--only-binary=:all:", "--dest", wheels] + WHEELS,
                                capture_output=True, text=True, check=False, timeout=LIMIT_S)
    except subprocess.TimeoutExpired as late:
        raise CannotRun("pip download took more than %d s" % LIMIT_S) from late
    if result.returncode:
        lines = [line for line in result.stderr.splitlines() if line.startswith("ERROR")] or ["pip download failed"]
        raise CannotRun(lines[-1])


def unpack(wheel, folder):
    """Everything under lib/ of its data."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            at = name.find(DATA)
            path = name[at + len(DATA):]
            if at < 0 or not path or path.endswith("/") or path.startswith(SYSTEMS_OWN):
                continue
            target = os.path.join(folder, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with archive.open(name) as source, open(target, "wb") as copy:
                shutil.copyfileobj(source, copy)


def prepare(work, log):
    """The folder with libintelocl.so. Raises CannotRun."""
    if platform.machine() != "x86_64":
        raise CannotRun("is for x86-64 alone")
    folder = os.path.join(work, "intel")
    if os.path.exists(os.path.join(folder, "libintelocl.so")):
        return folder
    new, wheels = folder + ".new", folder + ".wheels"
    for old in (new, wheels, folder):
        shutil.rmtree(old, ignore_errors=True)
    download(wheels, log)
    for wheel in glob.glob(os.path.join(wheels, "*.whl")):
        unpack(wheel, new)
    shutil.rmtree(wheels)
    if not os.path.exists(os.path.join(new, "libintelocl.so")):
        raise CannotRun("the wheel holds no libintelocl.so")
    os.rename(new, folder)
    return folder
