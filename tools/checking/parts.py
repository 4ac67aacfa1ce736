# SPDX-License-Identifier: MIT
"""The commands of a check, each with a time limit and its output in a file.

Path: __main__.py, report.py -> this -> meson, ninja, study/figures.
"""
import os
import signal
import subprocess
import sys
import time

BUILD = "build-check"
LOGS = os.path.join(BUILD, "logs")
MPI_FOLDER = os.path.abspath(os.path.join(BUILD, "mpi"))  # where mpirun keeps its own files: see room.py
KERNELS = os.path.abspath(os.path.join(BUILD, "tests", "support", "kernel-cache"))
# Ranks on one machine, in containers too; one kernel cache for all builds, and programs that find in it what others
# have compiled (see tests/support/meson.build).
ENVIRONMENT = dict(os.environ, OMPI_MCA_btl_vader_single_copy_mechanism="none",
                   OMPI_MCA_btl_base_warn_component_unused="0", OMPI_MCA_orte_tmpdir_base=MPI_FOLDER,
                   GRAVEL_BUILD_OPTIONS="-DGRAVEL_SLICED", POCL_CACHE_DIR=KERNELS)
QUICK = ["-Doptimization=1", "-Db_ndebug=true", "-Ddocs=enabled"]  # half as long to compile as the default, -O3
TIMED_OUT = 124

child = None  # the command under way, in a process group of its own


def has_ended():
    """Whether the command under way has. Not Popen's wait: where a signal has interrupted that, it keeps its lock."""
    try:
        return os.waitpid(child.pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True


def end_child():
    """End the command under way with all that it has started."""
    if not child or child.returncode is not None:
        return
    for number in signal.SIGTERM, signal.SIGKILL:
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            return
        for _ in range(200):
            if has_ended():
                return
            time.sleep(0.1)


def run(command, log, limit_s, stdin=subprocess.DEVNULL, is_appended=False):
    """@return the exit status; TIMED_OUT."""
    global child
    with open(log, "a" if is_appended else "w", encoding="utf-8") as out:
        child = subprocess.Popen(command, stdin=stdin, stdout=out, stderr=subprocess.STDOUT, env=ENVIRONMENT,
                                 start_new_session=True)
        try:
            return child.wait(limit_s)
        except subprocess.TimeoutExpired:
            end_child()
            out.write("not ended after %d s: %s\n" % (limit_s, " ".join(command)))
            return TIMED_OUT


def log_of(name):
    return os.path.join(LOGS, "".join(c if c.isalnum() else "-" for c in name) + ".log")


def build(directory, compiler, *options):
    """@return (exit status, log)"""
    log = log_of("build " + directory)
    ENVIRONMENT["CC"] = compiler
    is_there = os.path.exists(os.path.join(directory, "build.ninja"))
    set_up = ["meson", "configure", directory] if is_there else ["meson", "setup", directory, "-Dwerror=true"]
    status = run(set_up + list(options), log, 300)
    del ENVIRONMENT["CC"]
    return status or run(["ninja", "-C", directory], log, 1200, is_appended=True), log


def figure(name):
    log = log_of(name)
    return run([sys.executable, "-B", "study/figures", "--quick", "--only", name, "--build", BUILD, "--out",
                os.path.join(BUILD, "figures")], log, 900), log


def tests(directory, setup, names):
    """Run them by a setup of Meson's. @return (exit status, log); results are in the build's meson-logs."""
    log = log_of("tests " + setup)
    n_at_once = str((os.cpu_count() or 1) + 2)  # some wait for time limits
    rebuild = ["--no-rebuild"] if setup == "check" else []  # sanitizers build only what these need
    return run(["meson", "test", "-C", directory, "--setup", setup, "--num-processes", n_at_once, *rebuild, *names], log,
               4200), log


def set_up_sanitizer(directory, kind):
    """@return (exit status, log)"""
    log = log_of("build " + directory)
    if os.path.exists(os.path.join(directory, "build.ninja")):
        return 0, log
    status = run(["meson", "setup", directory, "--native-file", "tests/sanitize/%s.ini" % kind], log, 300)
    if status == 0:
        os.makedirs(KERNELS, exist_ok=True)
        os.symlink(KERNELS, os.path.join(directory, "tests", "support", "kernel-cache"))  # they are not instrumented
    return status, log


# clang for its warnings, which do not depend on optimization; as packaged for those that gcc finds by optimizing more.
BUILDS = {"build with clang": lambda: build(BUILD + "-clang", "clang", "-Doptimization=0", "-Db_ndebug=true"),
          "build as packaged": lambda: build(BUILD + "-packaged", "gcc", "-Doptimization=2", "-Db_ndebug=true", "-Dtests=disabled")}
