# SPDX-License-Identifier: MIT
"""Debian 13 in a directory, made by mmdebstrap from the mirror that this machine's apt uses."""
import os
import shutil
import subprocess

from portability.place import TOP, CannotRun, Chroot, as_root, build, own_environment, run_limited

SUITE = "trixie"
PACKAGES = ["gcc", "libc6-dev", "pkg-config", "meson", "ninja-build", "python3", "ocl-icd-opencl-dev",
            "pocl-opencl-icd", "mesa-opencl-icd", "libjansson-dev", "zlib1g-dev", "libcmocka-dev",
            "libopenmpi-dev", "openmpi-bin"]
LIMIT_S = 600


def own_release():
    """ID and VERSION_CODENAME of this machine."""
    words = {}
    with open("/etc/os-release", encoding="utf-8") as lines:
        for line in lines:
            name, _, value = line.strip().partition("=")
            words[name] = value.strip('"')
    return words.get("ID", ""), words.get("VERSION_CODENAME", "")


def find_mirror():
    """Where apt gets this release's packages from, whatever its sources look like."""
    system, release = own_release()
    if system != "debian" or not shutil.which("apt-get"):
        raise CannotRun("no Debian mirror in apt's sources; name one with --mirror")
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"],
                            capture_output=True, text=True, check=False).stdout
    for line in listed.splitlines():
        name, _, mirror = line.partition(" ")
        if name == release:
            return mirror
    raise CannotRun("apt's sources name no mirror of %s; name one with --mirror" % release)


def install_tool(package):
    result = subprocess.run([os.path.join(TOP, "tools", "install-packages"), "%s=%s" % (package, package)],
                            capture_output=True, text=True, check=False)
    if result.returncode:
        raise CannotRun(result.stdout.strip())


def make_root(root, mirror, log):
    """Make it beside its place and move it there whole, with the list of packages that it has."""
    new = root + ".new"
    install_tool("mmdebstrap")
    subprocess.run(as_root() + ["rm", "-rf", "--one-file-system", new, root], check=True)
    log("debian13: mmdebstrap %s, %d packages and what they need" % (SUITE, len(PACKAGES)))
    command = as_root() + ["mmdebstrap", "--quiet", "--variant=apt", "--include=" + ",".join(PACKAGES),
                           "--customize-hook=mkdir $1/src $1/build && echo '%s' >$1/gravel" % " ".join(PACKAGES),
                           SUITE, new, mirror]
    result = run_limited(command, own_environment(), LIMIT_S)
    if result.status:
        raise CannotRun("mmdebstrap: " + result.last_line())
    subprocess.run(as_root() + ["mv", new, root], check=True)


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
        make_root(root, mirror or find_mirror(), log)
    place = Chroot(root, files)
    result = place.run(["true"], {}, 30)
    if result.status:
        raise CannotRun("no chroot: " + result.last_line())
    build(place, log)
    return place
