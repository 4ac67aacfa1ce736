#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutation test of the memory orders: weaken one at a time and expect ThreadSanitizer (or the data) to object.

usage: mutants.py [--compiler CC] [--list] [subject...]      subjects: see SUBJECTS; default: all
exit:  0 every subject runs clean and every mutant is caught or excused; 1 not so; 77 no compiler with TSan

A mutant is one acquire, release or seq_cst made relaxed, or one barrier of the group dropped, in a copy of the
sources; the shipping headers know nothing of it. It is caught by a report, by wrong data, or by getting stuck.
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = ["-fsanitize=thread", "-O1", "-g1", "-Werror=implicit-function-declaration",
         "-std=gnu11", "-D_GNU_SOURCE",
         "-DCL_TARGET_OPENCL_VERSION=300", "-DGRAVEL_MAX_GROUP=64", "-Iinclude",
         "-Icl", "-Icl/device", "-Ilib", "-Ibench", "-Itests/tsan", "-Itests/support"]
LIMIT_S = 60  # on a busy machine too
ATTEMPTS = 12  # a race must happen to be seen, and seldom does where other work takes the cores
REPORT = 66   # ThreadSanitizer's exit code

KERNEL = ["tests/tsan/traffic.c", "tests/tsan/lanes.c", "tests/tsan/shared.c", "lib/memory/arena.c",
          "lib/base/error.c"]
MAIL = ["tests/tsan/mailbox.c", "tests/tsan/shared.c", "lib/serve/mail.c", "lib/serve/mail_copies.c", "lib/opencl/wait.c",
        "lib/opencl/objects.c", "lib/opencl/pinned.c", "lib/base/error.c", "lib/base/mark.c"]
HEADERS = ["cl/device/send.cl.h", "cl/device/queue.cl.h", "cl/device/workgroup.cl.h", "lib/memory/package.h"]


def library():
    """Everything but MPI, what KERNEL has, and of the rooms that need a device only what needs none."""
    out = ["lib/device/ladder.c", "lib/device/cores.c", "lib/opencl/given.c", "lib/opencl/private.c", "lib/opencl/slice.c", "lib/opencl/wait.c",
           "lib/opencl/copier.c", "lib/opencl/objects.c", "lib/opencl/parameter.c", "lib/opencl/pinned.c", "lib/opencl/region.c"]
    for folder, _, files in os.walk(os.path.join(TOP, "lib")):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), TOP)
            if name.endswith(".c") and not path.startswith(("lib/device/", "lib/opencl/", "lib/self_test/")) and \
                    path not in ("lib/transport/mpi.c", "lib/transport/mpi_local.c", "lib/transport/mpi_process.c", "lib/transport/mpi_receives.c",
                                 "lib/memory/arena.c",
                                 "lib/base/error.c"):
                out.append(path)
    return sorted(out)


LIBRARY = library()
# Subjects of their own; the pump has no device to copy from here, and no host thread polls what gravel_put stores.
ELSEWHERE = ("lib/memory/heap_bytes", "lib/base/event", "lib/base/idle", "lib/pump/", "lib/transport/", "lib/serve/mail")
# name: sources, extra flags, arguments, files that are mutated
SUBJECTS = {
    "device": (["tests/tsan/device_queue.c"] + KERNEL, [], [], HEADERS),
    "device-serial": (["tests/tsan/device_queue.c"] + KERNEL, ["-DGRAVELP_SERIAL_GROUP"], [],
                      ["cl/device/workgroup.cl.h"]),
    "device-collective": (["tests/tsan/device_queue.c"] + KERNEL, ["-DGRAVELP_COLLECTIVES"], [],
                          ["cl/device/workgroup.cl.h"]),
    "device-subgroup": (["tests/tsan/device_queue.c"] + KERNEL, ["-DGRAVELP_SUBGROUPS"], [],
                        ["cl/device/workgroup.cl.h"]),
    "subgroups": (["tests/tsan/device_queue.c"] + KERNEL, ["-DGRAVELP_SUBGROUP_BUILTINS"], [],
                  ["cl/device/subgroup_send.cl.h", "cl/device/fbar_send.cl.h"]),
    "servers": (["tests/tsan/servers.c", "tests/tsan/lanes.c"], [], [],
                ["cl/device/inboxes.cl.h", "cl/device/inbox.cl.h", "cl/device/serve.cl.h", "cl/device/transaction.cl.h"]),
    "servers-serial": (["tests/tsan/servers.c", "tests/tsan/lanes.c"], ["-DGRAVELP_SERIAL_GROUP"], [],
                       ["cl/device/inboxes.cl.h", "cl/device/inbox.cl.h"]),
    "resident": (["tests/tsan/servers.c", "tests/tsan/lanes.c"], ["-DGRAVELP_RESIDENT"], [],
                 ["cl/device/inboxes.cl.h", "cl/device/resident.cl.h"]),
    "resident-serial": (["tests/tsan/servers.c", "tests/tsan/lanes.c"], ["-DGRAVELP_RESIDENT", "-DGRAVELP_SERIAL_GROUP"], [],
                        ["cl/device/inboxes.cl.h", "cl/device/resident.cl.h"]),
    "mail": (["tests/tsan/servers.c", "tests/tsan/lanes.c"] + MAIL, ["-DGRAVELP_RESIDENT", "-DGRAVELP_MAIL_SLOTS=2"], [],
             ["cl/device/mail.cl.h", "lib/serve/mail.c"]),
    "mail-serial": (["tests/tsan/servers.c", "tests/tsan/lanes.c"] + MAIL,
                    ["-DGRAVELP_RESIDENT", "-DGRAVELP_MAIL_SLOTS=2", "-DGRAVELP_SERIAL_GROUP"], [],
                    ["cl/device/mail.cl.h", "lib/serve/mail.c"]),
    "sender": (["tests/tsan/sender.c", "tests/tsan/lanes.c"], ["-DGRAVELP_RESIDENT"], [], ["cl/device/spill.cl.h"]),
    "sender-serial": (["tests/tsan/sender.c", "tests/tsan/lanes.c"], ["-DGRAVELP_RESIDENT", "-DGRAVELP_SERIAL_GROUP"], [],
                      ["cl/device/spill.cl.h"]),
    "fbar": (["tests/tsan/divergence.c", "tests/tsan/lanes.c"], ["-DGRAVELP_SUBGROUP_BUILTINS"], [], ["cl/device/fbar.cl.h"]),
    "share": (["tests/tsan/divergence.c", "tests/tsan/lanes.c"], [], [], ["cl/device/share.cl.h"]),
    "share-serial": (["tests/tsan/divergence.c", "tests/tsan/lanes.c"], ["-DGRAVELP_SERIAL_GROUP"], [], ["cl/device/share.cl.h"]),
    "share-collective": (["tests/tsan/divergence.c", "tests/tsan/lanes.c"], ["-DGRAVELP_COLLECTIVES"], [],
                         ["cl/device/share.cl.h"]),
    "steal": (["tests/tsan/steal.c", "tests/tsan/lanes.c"], [], [],
              ["cl/device/deque.cl.h", "cl/device/promote.cl.h", "cl/device/schedule.cl.h"]),
    "steal-abp": (["tests/tsan/steal.c", "tests/tsan/lanes.c"], ["-DGRAVELP_STEAL_POLICY=1"], [], ["cl/device/abp.cl.h"]),
    "block-pool": (["tests/tsan/block_pool.c", "tests/tsan/lanes.c"], ["-DGRAVELP_SERIAL_GROUP"], [], ["cl/device/block_words.cl.h", "cl/block_pool.cl.h"]),
    "flow": (["tests/tsan/flow.c", "tests/tsan/flow_memory.c", "tests/tsan/lanes.c", "lib/flow/graph.c", "lib/base/growing.c", "lib/flow/layout.c",
              "lib/base/error.c"], [], [], ["cl/device/members.cl.h", "cl/device/round.cl.h"]),
    "list": (["tests/stress/list.c", "tests/stress/queue.c"], [], ["1", "2x1", "2000"], ["lib/transport/list.h"]),
    "spsc": (["tests/stress/spsc.c", "tests/stress/queue.c", "bench/queue/spsc.c"], [],
             ["1", "1x1", "2000"], ["bench/queue/spsc.h"]),
    "mpmc": (["tests/stress/mpmc.c", "tests/stress/queue.c", "bench/queue/mpmc.c"], [],
             ["1", "2x2", "2000"], ["bench/queue/mpmc.h"]),
    "event": (["tests/tsan/event_edges.c", "lib/base/event.c"], [], [],
              ["lib/base/event.h", "lib/base/event.c"]),
    "handover": (["tests/tsan/handover.c", "lib/transport/handover.c", "lib/transport/segment.c",
                  "lib/transport/buffer.c", "bench/queue/spsc.c", "lib/base/error.c"], [], [],
                 ["lib/transport/handover.c"]),
    "path": (["tests/tsan/whole_path.c", "tests/tsan/ask.c", "tests/tsan/soft_device.c"] + KERNEL + LIBRARY, [], [],
             [f for f in LIBRARY if not f.startswith(ELSEWHERE)] +
             ["lib/resolve/heap_words.h", "cl/device/wait.cl.h"]),
}

# Edges whose absence only a stale load would show. ThreadSanitizer runs on real, never stale loads.
EXCUSED = {
    "E1": "store-load order; proved by tests/model/event.pml (mutants NO_SIGNAL_FENCE, NO_WAITER_FENCE)",
    "K7": "carries a number that says all; tests/hrf/protocols/flow_members.litmus spares it",
    "Z1": "orders words of slots, which are atomic, and who takes a task, which one swap decides",
    "Z3": "store-load order, which no sanitizer knows; a device runs it in `device steal`",
    "A1": "orders a load of `reserved` after the kernel's end; all data behind it is atomic",
    "U2": "only where slots are a mirror, which a device's copies fill; tests of steps pump and drain run it",
    "I3": "orders a load of `reserved`, which is atomic; proved by tests/hrf/protocols/serve_finish.litmus",
    "I4": "as I3",
    "O3": "a sender has mostly heard of the reader by other messages; proved by tests/hrf/protocols/serve_spill.litmus",
    "O4": "as O3; at a server's end orders loads of `reserved`, which are atomic; proved by tests/hrf/protocols/serve_sums.litmus",
    "B3": "no thread of a subject stands in a call of a driver; proved by tests/hrf/protocols/mark.litmus",
    "V1": "kernels in checked mode read it; proved by tests/hrf/protocols/bounds.litmus",
    "A2": "orders the network thread's look at `outgoing`; what it finds there is ordered by M3",
}

# An event orders what stands around it, and would hide the edge it comes with but for a moment. In the copy for
# this subject, looks and signals are slow, so that the moment is long.
NOISY = "path"
NOISE = [("gravel_event_prepare(struct gravel_event *event)\n{\n", 100),
         ("gravel_event_signal(struct gravel_event *event)\n{\n", 400)]

SITES = [
    (re.compile(r"\bgravelp_(?:device_)?load_acquire\("), "gravelp_load_relaxed("),
    (re.compile(r"\bgravelp_long_load_acquire\("), "gravelp_long_load_relaxed("),
    (re.compile(r"\bgravelp_(?:device_)?store_release\("), "gravelp_store_relaxed("),
    (re.compile(r"\bgravelp_local_load_acquire\("), "gravelp_local_load_relaxed("),
    (re.compile(r"\bgravelp_local_store_release\("), "gravelp_store_relaxed("),
    (re.compile(r"\bgravelp_local_add_release\("), "gravelp_local_add_relaxed("),
    (re.compile(r"\bgravelp_barrier_(?:sub)?group\(\);"), "(void)0;"),
    (re.compile(r"\bgravelp_steal_meet\(\s*deque->steal\);"), "(void)0;"),
    (re.compile(r"\bgravelp_service_meet\(g\.arena\);"), "(void)0;"),
    (re.compile(r"\bgravelp_device_fetch_add_release\("), "gravelp_device_fetch_add_relaxed("),
    (re.compile(r"\bgravelp_device_fetch_or_acquire\("), "gravelp_device_fetch_or_relaxed("),
    (re.compile(r"\bgravelp_device_fetch_and_release\("), "gravelp_device_fetch_and_relaxed("),
    (re.compile(r"\bgravelp_device_swap_acquire\("), "gravelp_device_swap_relaxed("),
    (re.compile(r"\bgravelp_near_load_acquire\("), "gravelp_load_relaxed("),
    (re.compile(r"\bgravelp_near_store_release\("), "gravelp_store_relaxed("),
    (re.compile(r"\bgravelp_near_swap_acq_rel\("), "gravelp_device_swap_relaxed("),
    (re.compile(r"\bgravelp_near_fence_seq_cst\(\);"), "(void)0;"),
    (re.compile(r"\b__ATOMIC_RELEASE\b"), "__ATOMIC_RELAXED"),
    (re.compile(r"\bmemory_order_(?:acquire|release|acq_rel|seq_cst)\b"), "memory_order_relaxed"),
]
# Barriers of the group by their other name. Outboxes and resident servers have some that stand beside another.
MEET = (re.compile(r"\bgravelp_group_meet(?:_apart)?\(g\.arena\);"), "(void)0;")
EACH_MEET_COUNTS = ("cl/device/send.cl.h", "cl/device/share.cl.h", "cl/block_pool.cl.h")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
LABEL = re.compile(r"/\*[^/]*?\b([A-Z][0-9])\b")


def find_sites(path):
    """Places to weaken: (start, end, replacement, line number, text, label)."""
    text = open(os.path.join(TOP, path), encoding="utf-8").read()
    code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    sites = []
    for pattern, weaker in SITES + [MEET] * (path in EACH_MEET_COUNTS):
        for match in pattern.finditer(code):
            line = text.count("\n", 0, match.start())
            lines = text.split("\n")
            label = LABEL.search(lines[line]) or LABEL.search("\n".join(lines[line:line + 2])) or \
                LABEL.search("\n".join(lines[max(line - 3, 0):line]))
            sites.append((match.start(), match.end(), weaker, line + 1, match.group(0).rstrip("(;)"),
                          label.group(1) if label else "--"))
    return text, sorted(sites)


def name_of(source):
    """Of its object, without the ending."""
    return source.replace("/", "_")


class Bench:
    """A copy of the sources, with the objects of the subject at hand."""

    def __init__(self, compiler, folder):
        self.compiler = compiler
        self.folder = folder
        for part in ("include", "cl", "lib", "tests/tsan", "tests/stress", "tests/support", "bench/queue"):
            shutil.copytree(os.path.join(TOP, part), os.path.join(folder, part))
        subprocess.run([sys.executable, "-B", os.path.join(TOP, "cl/forms.py"), os.path.join(TOP, "include/gravel/operation.h"),
                        os.path.join(folder, "cl/forms.cl.h"), os.path.join(folder, "cl/subgroup_forms.cl.h")], check=True)

    def slow_events(self, is_slow):
        path = "lib/base/event.h"
        text = open(os.path.join(TOP, path), encoding="utf-8").read()
        for function, us in NOISE if is_slow else []:
            assert function in text
            text = text.replace(function, function + "    usleep(%d);\n" % us)
        self.write(path, text.replace("#include <stdint.h>", "#include <stdint.h>\n#include <unistd.h>"))

    def run(self, command, limit_s=None):
        environment = dict(os.environ, TSAN_OPTIONS="exitcode=%d halt_on_error=1" % REPORT)
        return subprocess.run(command, cwd=self.folder, env=environment, timeout=limit_s,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def depends(self, source, path):
        """Whether the source is the file, or included it when it was compiled last."""
        with open(os.path.join(self.folder, name_of(source) + ".d"), encoding="utf-8") as rule:
            return path in (os.path.normpath(word) for word in rule.read().replace("\\\n", " ").split())

    def compile_one(self, flags, source):
        return self.run([self.compiler, *FLAGS, *flags, "-w", "-MMD", "-c", source, "-o", name_of(source) + ".o"])

    def compile(self, subject, changed=None):
        """Objects of the subject's sources (or of those that a file is part of), then the program. Error text, or None."""
        sources, flags, _, _ = SUBJECTS[subject]
        needed = [source for source in sources if not changed or self.depends(source, changed)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for result in pool.map(lambda source: self.compile_one(flags, source), needed):
                if result.returncode:
                    return result.stdout.decode()
        result = self.run([self.compiler, "-fsanitize=thread", "-o", "program", *(name_of(s) + ".o" for s in sources),
                           "-lpthread", *(["-lOpenCL"] if subject in ("path", "mail", "mail-serial") else [])])
        return result.stdout.decode() if result.returncode else None

    def has_line(self, subject, path, text, line):
        """Whether the subject compiles this line of the file at all."""
        lines = text.split("\n")
        self.write(path, "\n".join(lines[:line - 1] + ["#error here"] + lines[line - 1:]))
        sources, flags, _, _ = SUBJECTS[subject]
        return any(self.run([self.compiler, *FLAGS, *flags, "-E", source, "-o", os.devnull]).returncode
                   for source in sources if self.depends(source, path))

    def try_once(self, subject):
        """How a run ended: clean, or what caught the mutant; and its output."""
        try:
            result = self.run(["./program", *SUBJECTS[subject][2]], LIMIT_S)
        except subprocess.TimeoutExpired:
            return "stuck", ""
        text = result.stdout.decode(errors="replace")
        if result.returncode == 0:
            return "clean", text
        if result.returncode == REPORT:
            return "report", text
        return ("stuck" if "stuck" in text else "wrong data"), text

    def write(self, path, text):
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as out:
            out.write(text)


def judge(bench, subject, path, text, site):
    start, end, weaker, _, _, label = site
    bench.write(path, text[:start] + weaker + text[end:])
    error = bench.compile(subject, path)
    if error:
        print(error)
        return "broken"
    for _ in range(1 if label in EXCUSED else ATTEMPTS):
        verdict, _ = bench.try_once(subject)
        if verdict != "clean":
            return verdict
    return "survived"


def run_subject(bench, subject):
    """Counts of caught, excused and surviving mutants."""
    counts = {"caught": 0, "excused": 0, "survived": 0}
    bench.slow_events(subject == NOISY)
    error = bench.compile(subject)
    verdict, output = ("broken", error) if error else bench.try_once(subject)
    print("%-17s %-50s %s" % (subject, "as it ships", verdict), flush=True)
    if verdict != "clean":
        print(output)
        counts["survived"] = 1
        return counts
    for path in SUBJECTS[subject][3]:
        text, sites = find_sites(path)
        if not sites:
            print("%-17s %s: nothing to weaken" % (subject, path))
            counts["survived"] += subject != "path"
        for site in sites:
            if not bench.has_line(subject, path, text, site[3]):
                continue
            verdict = judge(bench, subject, path, text, site)
            label = site[5]
            if verdict in ("survived", "broken"):
                kind = "excused" if verdict == "survived" and label in EXCUSED else "survived"
            else:
                kind = "caught"
            counts[kind] += 1
            what = "%s:%d %s %s" % (os.path.relpath(path, "lib") if path.startswith("lib") else path,
                                    site[3], label, site[4])
            print("%-17s %-62s %s%s" % (subject, what, verdict,
                                        " (excused)" if kind == "excused" else ""), flush=True)
        bench.write(path, text)
        if sites:
            bench.compile(subject, path)
    return counts


def has_sanitizer(compiler):
    if not shutil.which(compiler):
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "t.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write("int main(void) { return 0; }\n")
        return subprocess.run([compiler, "-fsanitize=thread", source, "-o", source + ".x"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def main():
    parser = argparse.ArgumentParser(description="mutation test of the memory orders")
    parser.add_argument("--compiler", default="clang")
    parser.add_argument("--list", action="store_true", help="print the sites and stop")
    parser.add_argument("subjects", nargs="*", help=", ".join(SUBJECTS))
    arguments = parser.parse_args()
    subjects = arguments.subjects or list(SUBJECTS)
    for subject in subjects:
        if subject not in SUBJECTS:
            parser.error("no subject %s" % subject)
    if arguments.list:
        for subject in subjects:
            for path in SUBJECTS[subject][3]:
                for site in find_sites(path)[1]:
                    print("%-17s %s:%d %s %s" % (subject, path, site[3], site[5], site[4]))
        return 0
    if not has_sanitizer(arguments.compiler):
        print("skipped: %s does not link with -fsanitize=thread" % arguments.compiler)
        return 77
    total = {"caught": 0, "excused": 0, "survived": 0}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.compiler, folder)
        for subject in subjects:
            for kind, n in run_subject(bench, subject).items():
                total[kind] += n
    print("%(caught)d mutants caught, %(excused)d excused, %(survived)d survived" % total)
    for label, reason in EXCUSED.items():
        print("excused %s: %s" % (label, reason))
    return 1 if total["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
