#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The guide's first page on a fresh Debian 12, which has the packages that the page lists and no other: its commands
run as they stand there, in a chroot that is made for that and removed.

usage: fresh.py SOURCE BUILD    BUILD gets the chroot, 1 GB, while the test runs
exit:  0; 1 with what went wrong; 77 where no chroot can be made: no root, no mmdebstrap, no mirror

Path: docs/guide/start.md -> blocks.py -> this -> tools/portability/place.py (mmdebstrap, chroot).
"""
import os
import re
import subprocess
import sys

SOURCE, BUILD = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.append(os.path.join(SOURCE, "tools"))
from blocks import blocks_of, commands  # noqa: E402
from portability.place import CannotRun, Debian, remove_root  # noqa: E402

RELEASE = "bookworm"  # the page says Debian 12
CLONE, HOME = "/srv/gravel-clone", "/srv/user"  # in the chroot
LIMIT_S = 1500  # of a block of commands, two of which build everything
# What a terminal of an ordinary user does not need: the chroot has no sudo and one user, root.
SETTINGS = {"HOME": HOME, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMPI_MCA_btl_base_warn_component_unused": "0"}


class Failed(Exception):
    pass


def packages_of(block):
    """`sudo apt-get install NAME...`, over several lines."""
    words = block.text.replace("\\\n", " ").split()
    if words[:3] != ["sudo", "apt-get", "install"]:
        raise Failed("%s does not begin with sudo apt-get install" % block)
    return words[3:]


def typed(place, folder, commands_text):
    """In one shell, which ends at the first command that fails. @return what it printed."""
    text = "set -e\ncd %s\n%s" % (folder, commands_text.replace("sudo ", ""))
    result = place.run(["bash", "-c", text], SETTINGS, LIMIT_S)
    if result.status:
        raise Failed("exit status %d of\n%s\n%s" % (result.status, text, (result.out + result.err)[-3000:]))
    return result.out


def copy_sources(root):
    """What a clone would have: no build directories."""
    clone = root + CLONE
    os.makedirs(clone)
    os.makedirs(root + HOME)
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "-z"], capture_output=True, check=False)
    if listed.returncode:
        raise CannotRun("%s is no git repository, so the files of a clone are not known" % SOURCE)
    top = os.fsencode(SOURCE)
    files = b"\0".join(name for name in listed.stdout.split(b"\0") if name and os.path.exists(os.path.join(top, name)))
    archive = subprocess.run(["tar", "-C", SOURCE, "--null", "-T", "-", "-cf", "-"], input=files, capture_output=True,
                             check=True)
    subprocess.run(["tar", "-C", clone, "-xf", "-"], input=archive.stdout, check=True)


def of_any_node(line):
    return re.sub(r"^node \d+ ", "node N ", line)


def run_program(place, program, terminal, ahead=""):
    """The page's program by the page's commands; each must print such lines as it shows, and mpirun one a node."""
    folder = HOME + "/first"
    os.makedirs(place.root + folder, exist_ok=True)
    with open(place.root + folder + "/count.c", "w", encoding="utf-8") as file:
        file.write(program.text)
    for command, shown in commands(terminal):
        out = typed(place, folder, ahead + command)
        wanted = [of_any_node(line) for line in shown if line != "..."]
        n_nodes = int((re.search(r"-np (\d+)", command) or [0, len(wanted)])[1])
        n_found = sum(of_any_node(line) in wanted for line in out.splitlines())
        if n_found != n_nodes:
            raise Failed("%s: `%s` prints\n%swhere the page shows %s" % (terminal, command, out, shown))


def follow(place, blocks):
    packages, install, own_prefix = [block for block in blocks if block.language == "sh"]
    program = next(block for block in blocks if block.language == "c")
    terminal = next(block for block in blocks if block.language == "")
    copy_sources(place.root)
    own = own_prefix.text.splitlines()
    typed(place, CLONE, own_prefix.text + "gravel-info --version\n")
    run_program(place, program, terminal, own[-1] + "\n")
    typed(place, "/", "! ldconfig -p | grep -q libgravel\nrm -r %s/gravel" % HOME)  # so far nothing is for all users
    out = typed(place, CLONE, install.text)
    if "svm" not in out:
        raise Failed("%s: gravel-info shows no device with step svm:\n%s" % (install, out[-2000:]))
    run_program(place, program, terminal)


def main():
    blocks = blocks_of(os.path.join(SOURCE, "docs", "guide", "start.md"), "docs/guide/start.md")
    root, files = os.path.join(BUILD, "fresh", "root"), os.path.join(BUILD, "fresh", "build")
    try:
        if os.geteuid():
            raise CannotRun("only root can make a chroot")
        packages = packages_of(next(block for block in blocks if block.language == "sh"))
        remove_root(root)
        follow(Debian(root, files, RELEASE, packages), blocks)
    except CannotRun as reason:
        print("skipped: %s" % reason)
        return 77
    except Failed as reason:
        print(reason)
        return 1
    finally:
        if not os.geteuid():
            remove_root(root)
            remove_root(root + ".new")
    print("the guide's commands work on %s with the %d packages that it lists" % (RELEASE, len(packages)))
    return 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
