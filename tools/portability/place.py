# SPDX-License-Identifier: MIT
"""Where commands run: on this machine, or in a Debian in a directory, which mmdebstrap makes.

Every command has a time limit and an environment without settings of Gravel and of OpenCL drivers except those it is
given.
"""
import os
import platform
import shutil
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OTHERS_SETTINGS = ("GRAVEL_", "OCL_ICD_", "POCL_", "RUSTICL_", "CL_CONFIG_", "LP_NUM_THREADS", "MESON", "MALLOC_")
GRACE_S = 5      # between a timely end and a kill
TIMED_OUT = 124  # exit status of timeout(1), and ours
DEBIAN_LIMIT_S = 600

patience = 1.0  # times every limit; tools/matrix --patience


class CannotRun(Exception):
    """Why something is skipped."""


class Result:
    def __init__(self, status, out, err, limit_s):
        self.status, self.out, self.err, self.limit_s = status, out, err, limit_s

    def last_line(self):
        lines = [line for line in (self.out + "\n" + self.err).splitlines() if line.strip()]
        return lines[-1].strip() if lines else "no output, exit status %d" % self.status


def own_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith(OTHERS_SETTINGS)}


def run_limited(argv, env, limit_s, cwd=TOP):
    """Run a command as leader of its process group, and end all of the group if it takes too long."""
    limit_s = int(limit_s * patience)
    with subprocess.Popen(["timeout", "-k", str(GRACE_S), str(limit_s)] + argv, env=env, cwd=cwd,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace") as child:
        out, err = child.communicate()
    return Result(child.returncode, out, err, limit_s)


class Here:
    """This machine."""
    root, sources = "", TOP

    def __init__(self, build):
        self.build = self.files = os.path.abspath(build)  # `files` is `build` as this process sees it

    def run(self, argv, settings, limit_s):
        return run_limited(argv, {**own_environment(), **settings}, limit_s)


# ---- Debian in a directory ------------------------------------------------------------------------------------

# Arguments: root, sources, build directory, command... The mounts end with the command's namespace.
ENTER = """
set -e
for folder in /proc /sys /dev; do mount --rbind $folder "$1$folder"; done
mount --bind "$2" "$1/src"
mount --bind "$3" "$1/build"
root=$1
shift 3
exec chroot "$root" "$@"
"""


def as_root():
    """Returns the words before a command that needs root."""
    if os.geteuid() == 0:
        return []
    sudo = ["sudo", "-n"]
    if shutil.which("sudo") and subprocess.run(sudo + ["true"], capture_output=True, check=False).returncode == 0:
        return sudo
    raise CannotRun("needs root, or sudo without a password")


def remove_root(root):
    subprocess.run(as_root() + ["rm", "-rf", "--one-file-system", root], check=True)


def find_mirror():
    """Returns in a list where apt gets this Debian's packages from; an empty one: mmdebstrap knows a mirror."""
    release = platform.freedesktop_os_release().get("VERSION_CODENAME")
    listed = subprocess.run(["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Created-By: Packages"],
                            capture_output=True, text=True, check=False).stdout
    return [line.split()[1] for line in listed.splitlines() if line.split()[0] == release][:1]


class Debian:
    """A release with these packages; sources at /src, a build directory at /build."""
    build, sources = "/build", "/src"

    def __init__(self, root, files, release, packages):
        """Make it under another name and rename it, unless it is there with these packages. Raises CannotRun."""
        self.root, self.files = root, files
        os.makedirs(files, exist_ok=True)
        made_of = "%s %s\n" % (release, " ".join(packages))
        if not os.path.exists(root + "/gravel") or open(root + "/gravel", encoding="utf-8").read() != made_of:
            self.make(release, packages, made_of)
        entered = self.run(["true"], {}, 30)
        if entered.status:
            raise CannotRun("no chroot: " + entered.last_line())

    def make(self, release, packages, made_of):
        new = self.root + ".new"
        tool = subprocess.run([os.path.join(TOP, "tools", "install-packages"), "mmdebstrap=mmdebstrap"],
                              capture_output=True, text=True, check=False)
        if tool.returncode:
            raise CannotRun(tool.stdout.strip())
        remove_root(new)
        remove_root(self.root)
        made = run_limited(as_root() + ["mmdebstrap", "--quiet", "--variant=apt", "--include=" + ",".join(packages),
                                        "--customize-hook=mkdir $1/src $1/build; echo '%s' >$1/gravel" % made_of.strip(),
                                        release, new] + find_mirror(), own_environment(), DEBIAN_LIMIT_S)
        if made.status:
            raise CannotRun("mmdebstrap: " + made.last_line())
        subprocess.run(as_root() + ["mv", new, self.root], check=True)

    def run(self, argv, settings, limit_s):
        env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", **settings}
        command = as_root() + ["unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, "sh", self.root, TOP,
                               self.files, "env", "-i"] + ["%s=%s" % item for item in env.items()]
        command += ["timeout", "-k", str(GRACE_S), str(int(limit_s * patience))] + argv
        return run_limited(command, own_environment(), limit_s + 2 * GRACE_S)
