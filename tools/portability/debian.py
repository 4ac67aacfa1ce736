# SPDX-License-Identifier: MIT
"""A Debian in a directory, made by mmdebstrap from the mirror that this machine's apt uses."""
import os
import shutil
import subprocess

from portability.place import TOP, CannotRun, as_root, own_environment, run_limited

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


def make_root(root, suite, packages, mirror, log):
    """Make it beside its place and move it there whole, with the list of packages that it has. Raises CannotRun."""
    new = root + ".new"
    install_tool("mmdebstrap")
    remove_root(new)
    remove_root(root)
    log("mmdebstrap %s, %d packages and what they need" % (suite, len(packages)))
    command = as_root() + ["mmdebstrap", "--quiet", "--variant=apt", "--include=" + ",".join(packages),
                           "--customize-hook=mkdir $1/src $1/build && echo '%s' >$1/gravel" % " ".join(packages),
                           suite, new, mirror]
    result = run_limited(command, own_environment(), LIMIT_S)
    if result.status:
        raise CannotRun("mmdebstrap: " + result.last_line())
    subprocess.run(as_root() + ["mv", new, root], check=True)


def remove_root(root):
    subprocess.run(as_root() + ["rm", "-rf", "--one-file-system", root], check=True)
