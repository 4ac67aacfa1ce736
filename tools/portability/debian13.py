# SPDX-License-Identifier: MIT
"""Debian 13 in a chroot, with Gravel built in it."""
import os

from portability.debian import find_mirror, make_root
from portability.place import CannotRun, Chroot, as_root, build

SUITE = "trixie"
PACKAGES = ["gcc", "libc6-dev", "pkg-config", "meson", "ninja-build", "python3", "ocl-icd-opencl-dev",
            "pocl-opencl-icd", "mesa-opencl-icd", "libjansson-dev", "zlib1g-dev", "libcmocka-dev",
            "libopenmpi-dev", "openmpi-bin"]


def has_packages(root):
    try:
        with open(os.path.join(root, "gravel"), encoding="utf-8") as packages:
            return packages.read().split() == PACKAGES
    except OSError:
        return False


def prepare(work, mirror, log):
    """The chroot with Gravel built in it. Raises CannotRun."""
    root, files = os.path.join(work, "debian13", "root"), os.path.join(work, "debian13", "build")
    os.makedirs(files, exist_ok=True)
    as_root()
    if not has_packages(root):
        make_root(root, SUITE, PACKAGES, mirror or find_mirror(), lambda text: log("debian13: " + text))
    place = Chroot(root, files)
    result = place.run(["true"], {}, 30)
    if result.status:
        raise CannotRun("no chroot: " + result.last_line())
    build(place, log)
    return place
