# SPDX-License-Identifier: MIT
"""Where the programs are and run: a build, the ranks to try, sizes. Every result must say that it was checked."""
import json
import os
import shlex
import shutil
import subprocess
import time

from portability.place import TIMED_OUT, run_limited

# A rank's own cores: its number on this host, as Open MPI and others tell it, chooses one of the lists.
PIN = ('set -- $STUDY_CORES -- "$@"; shift ${OMPI_COMM_WORLD_LOCAL_RANK:-${MPI_LOCALRANKID:-0}}; cores=$1; '
       'while [ "$1" != -- ]; do shift; done; shift; exec taskset -c "$cores" "$@"')
MPI_SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_btl_base_warn_component_unused": "0"}
SHOWN_SETTINGS = ("GRAVEL_", "POCL_", "CUDA_DEVICE_")  # of the environment, in data files
FOLDERS = {**dict.fromkeys(("fib", "queens", "sort", "strassen"), "cilk"),  # of apps; others have one of their name
           **dict.fromkeys(("hashtable", "atm", "boruvka"), "sections"),
           **dict.fromkeys(("bfs", "color", "mst", "pagerank", "sssp"), "graphs")}
SKIPPED = 77  # exit status


class Failed(Exception):
    """A measurement that did not end, or was wrong; the text names it."""


class Skipped(Exception):
    """What this device cannot do, by the program's own word."""


class NoTime(Exception):
    """A measurement that does not fit into the time that was given; the text names it."""


def in_shell_words(argv, settings):
    """The command as one would type it in the build directory."""
    words = ["%s=%s" % (name, shlex.quote(value)) for name, value in settings.items()
             if name.startswith(SHOWN_SETTINGS)]
    return " ".join(words + [shlex.quote(os.path.basename(word) if os.path.isabs(word) else word) for word in argv])


def check(results, command, is_checked):
    right = (True,) if is_checked else (True, None)
    wrong = [result for result in results if result.get("valid") not in right]
    if not results or wrong:
        what = ", ".join("%s=%s" % (key, wrong[0][key]) for key in ("variant", "model", "valid") if wrong and
                         key in wrong[0])
        raise Failed("%s: %s" % (command, "the result is not right: " + what if wrong else "printed no result"))


class Place:
    def __init__(self, build, out, quick, ranks, scale, log):
        self.build, self.out = os.path.abspath(build), os.path.abspath(out)
        self.quick, self.ranks, self.scale, self.log = quick, ranks, scale, log
        self.cores = sorted(os.sched_getaffinity(0))
        self.kept = {}  # rows that more than one figure shows
        self.failures = []  # texts, of attempts
        self.devices, self.device = [], None  # of gravel-info, once it was asked: all, and the one that a rank takes
        self.ends = float("inf")  # on the monotonic clock; what would run longer is left out

    def attempt(self, measure):
        """Rows, or none and one more failure: the rest of a figure is still measured."""
        try:
            return measure()
        except Failed as error:
            self.log("FAILED: %s" % error)
            self.failures.append(str(error))
        except (NoTime, Skipped) as error:
            self.log("left out: %s" % error)
        return []

    def each(self, values, measure):
        """The rows of each value, by attempts."""
        return [row for value in values for row in self.attempt(lambda: measure(value))]

    # ---- programs ----

    def app(self, name):
        """The program of a folder of its name, or of the one that FOLDERS says; FOLDER/NAME: of another."""
        return self.program("apps/" + (name if "/" in name else "%s/%s" % (FOLDERS.get(name, name), name)))

    def program(self, path):
        whole = os.path.join(self.build, path)
        if not os.access(whole, os.X_OK):
            raise Failed("%s is not there: build it first (ninja -C %s)" % (whole, self.build))
        return whole

    def run(self, argv, settings=None, limit_s=300, is_checked=True):
        """@return the JSON objects that the command printed, a line each, all of them valid; and its words.

        is_checked: False if the program is not asked to check, so that its results are only not wrong.
        """
        settings = dict(settings or {})
        command = in_shell_words(argv, settings)
        left_s = self.ends - time.monotonic()
        if left_s < 1:
            raise NoTime(command)
        self.log(command)
        done = run_limited(argv, {**os.environ, **MPI_SETTINGS, **settings}, int(min(limit_s, left_s)), cwd=self.out)
        results = [json.loads(line) for line in done.out.splitlines() if line.startswith("{")]
        if done.status == SKIPPED:
            raise Skipped(results[-1]["skipped"] if results and "skipped" in results[-1] else done.last_line())
        if done.status == TIMED_OUT and left_s < limit_s:
            raise NoTime(command)
        if done.status == TIMED_OUT:
            raise Failed("%s: no end within %d s" % (command, limit_s))
        if done.status:
            said = (done.err.strip() or done.out.strip() or "no output").splitlines()
            wrong = [result for result in results if result.get("valid") is False]
            why = "the result is not right" if wrong else next((line for line in said if line.strip("- ")), said[0])
            raise Failed("%s: exit status %d: %s" % (command, done.status, why))
        check(results, command, is_checked)
        return results, command

    def on_ranks(self, n_ranks, argv, own_cores=False):
        """The command on so many ranks, and its settings; one rank needs no launcher."""
        settings, pin = {}, []
        if self.is_cpu() and (own_cores or n_ranks > 1):  # docs/guide/performance.md: several ranks on the cores of a machine
            each = self.cores_each() if own_cores else len(self.cores) // n_ranks
            settings["POCL_MAX_PTHREAD_COUNT"] = str(max(2, each))
        if self.is_cpu() and own_cores:
            settings["STUDY_CORES"], pin = self.cores_of(n_ranks), ["sh", "-c", PIN, "pin"]
        if n_ranks == 1:
            return pin + argv, settings
        launcher = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
        if not launcher:
            raise Failed("mpirun is not installed")
        return [launcher, "--oversubscribe", "--bind-to", "none", "-np", str(n_ranks)] + pin + argv, settings

    # ---- the machine ----

    def found_device(self):
        if not self.device:
            info = subprocess.run([self.program("tools/gravel-info"), "--json"], capture_output=True, text=True,
                                  check=False)
            found = json.loads(info.stdout) if info.stdout else {}
            if not found.get("default"):
                raise Failed("gravel-info: %s" % (found.get("default_error") or info.stderr.strip() or "no device"))
            self.devices = found["devices"]
            self.device = next(d for d in found["devices"] if d["number"] == found["default"])
            self.device["n_equal"] = len(found["defaults"])
        return self.device

    def is_cpu(self):
        return self.found_device()["is_cpu"]

    def shares_memory(self):
        return self.found_device()["step"] in ("svm", "usm")

    def cores_each(self):
        """As many cores a rank, whatever the number of ranks, as there are for the largest number."""
        return max(1, len(self.cores) // max(self.ranks))

    def cores_of(self, n_ranks):
        each, lists = self.cores_each(), []
        for rank in range(n_ranks):
            own = [str(self.cores[(rank * each + i) % len(self.cores)]) for i in range(each)]
            lists.append(",".join(own))
        return " ".join(lists)

    def some_ranks(self):
        """For comparisons on one number of ranks: the largest that has two cores, or a device, each; at least 2."""
        room = len(self.cores) // 2 if self.is_cpu() else self.found_device()["n_equal"]
        return max([n for n in self.ranks if n <= max(2, room)] or [min(self.ranks)])
