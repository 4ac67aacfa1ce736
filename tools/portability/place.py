# SPDX-License-Identifier: MIT
"""Where commands run: on this machine, or in a chroot that sees the sources and a build directory.

Every command has a time limit and an environment without settings of Gravel and of OpenCL drivers but those
that a row makes.
"""
import os
import shutil
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OTHERS_SETTINGS = ("GRAVEL_", "OCL_ICD_", "POCL_", "RUSTICL_", "CL_CONFIG_", "LP_NUM_THREADS", "MESON", "MALLOC_")
GRACE_S = 5     # between a timely end and a kill
TIMED_OUT = 124  # exit status of timeout(1), and ours

patience = 1.0  # times every limit; tools/matrix --patience


class CannotRun(Exception):
    """Why rows are skipped."""


class Broken(Exception):
    """Why rows have failed before they began."""


class Result:
    def __init__(self, status, out, err, limit_s):
        self.status, self.out, self.err, self.limit_s = status, out, err, limit_s

    def last_line(self):
        lines = [line for line in (self.out + "\n" + self.err).splitlines() if line.strip()]
        return lines[-1].strip() if lines else "no output, exit status %d" % self.status


def own_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith(OTHERS_SETTINGS)}


def patient(limit_s):
    return int(limit_s * patience)


def run_limited(argv, env, limit_s, cwd=TOP):
    """Run a command as leader of its process group, and end all of the group if it takes too long."""
    limit_s = patient(limit_s)
    with subprocess.Popen(["timeout", "-k", str(GRACE_S), str(limit_s)] + argv, env=env, cwd=cwd,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace") as child:
        out, err = child.communicate()
    return Result(child.returncode, out, err, limit_s)


def as_root():
    """The words before a command that needs root."""
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    if shutil.which("sudo") and subprocess.run(sudo + ["true"], capture_output=True, check=False).returncode == 0:
        return sudo
    raise CannotRun("needs root, or sudo without a password")


class Here:
    """This machine. `work` holds what is made: driver lists and kernel caches."""
    sources = TOP

    def __init__(self, build, work):
        self.build, self.work = os.path.abspath(build), os.path.abspath(work)
        self.files = self.work  # `work` as this process sees it
        shared = os.path.join(self.build, "tests", "support", "kernel-cache")  # the tests' own, maybe full
        self.cache = shared if os.path.isdir(shared) else os.path.join(self.work, "kernel-cache")
        os.makedirs(self.cache, exist_ok=True)

    def run(self, argv, settings, limit_s):
        return run_limited(argv, {**own_environment(), **settings}, limit_s)


# Arguments: root, sources, build directory, command... The mounts end with the command's namespace.
ENTER = """
set -e
mount --rbind /proc "$1/proc"
mount --rbind /sys "$1/sys"
mount --rbind /dev "$1/dev"
mount --bind "$2" "$1/src"
mount --bind "$3" "$1/build"
root=$1
shift 3
exec chroot "$root" "$@"
"""


class Chroot:
    """Debian in a directory; sources at /src, the build directory at /build, which is `work` too."""
    build = work = "/build"
    cache = "/build/kernel-cache"
    sources = "/src"

    def __init__(self, root, files):
        self.root, self.files = root, files
        os.makedirs(os.path.join(files, "kernel-cache"), exist_ok=True)

    def run(self, argv, settings, limit_s):
        env = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"]
        env += ["%s=%s" % item for item in settings.items()]
        command = as_root() + ["unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, "sh",
                               self.root, TOP, self.files, "env", "-i"] + env
        command += ["timeout", "-k", str(GRACE_S), str(patient(limit_s))] + argv
        return run_limited(command, own_environment(), limit_s + 2 * GRACE_S)


def build(place, log):
    """Bring the place's build directory up to date. Raises Broken."""
    source = "/src" if isinstance(place, Chroot) else TOP
    is_set_up = os.path.exists(os.path.join(place.files if source == "/src" else place.build, "build.ninja"))
    steps = [] if is_set_up else [["meson", "setup", place.build, source, "-Dwerror=true"]]
    steps.append(["ninja", "-C", place.build])
    for command in steps:
        log("%s: %s" % (type(place).__name__.lower(), " ".join(command)))
        result = place.run(command, {}, 900)
        if result.status:
            raise Broken("does not build: %s: %s" % (command[0], result.last_line()))
