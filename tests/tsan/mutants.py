#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutation test of the memory orders: weaken one at a time and expect ThreadSanitizer (or the data) to object.

usage: mutants.py [--compiler CC] [subject...]      subjects: see SUBJECTS; default: all
exit:  0 every subject runs clean and every mutant is caught or excused; 1 not so; 77 no compiler with TSan

A mutant is one acquire, release or seq_cst made relaxed, one barrier of the group dropped, or one step of STEPS, in a copy
of the sources; the shipping headers know nothing of it. It is caught by a report, by wrong data, or by getting stuck.
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
         "-Icl", "-Icl/device", "-Ilib", "-Itests/tsan", "-Itests/support"]
LIMIT_S = 60  # on a busy machine too
ATTEMPTS = 12  # a race must happen to be seen, and seldom does where other work takes the cores
REPORT = 66   # ThreadSanitizer's exit code

KERNEL = ["tests/tsan/traffic.c", "tests/tsan/lanes.c", "tests/tsan/shared.c", "lib/memory/arena.c",
          "lib/base/error.c"]
FLOW = ["tests/tsan/flow_memory.c", "tests/tsan/lanes.c", "lib/flow/graph.c", "lib/base/growing.c", "lib/flow/layout.c", "lib/base/error.c"]
HEADERS = ["cl/device/send.cl.h", "cl/device/queue.cl.h", "cl/device/workgroup.cl.h", "lib/memory/package.h"]


# name: sources, extra flags, arguments, files that are mutated
SUBJECTS = {
    "device": (["tests/tsan/device_queue.c"] + KERNEL, [], [], HEADERS),
    "device-serial": (["tests/tsan/device_queue.c"] + KERNEL, ["-DGRAVELP_SERIAL_GROUP"], [],
                      ["cl/device/workgroup.cl.h"]),
    "subgroups": (["tests/tsan/device_queue.c"] + KERNEL, ["-DGRAVELP_SUBGROUP_BUILTINS"], [],
                  ["cl/subgroup.cl.h"]),
    "servers": (["tests/tsan/servers.c", "tests/tsan/lanes.c"], [], [],
                ["cl/device/serve.cl.h", "cl/device/transaction.cl.h"]),
    "servers-serial": (["tests/tsan/servers.c", "tests/tsan/lanes.c"], ["-DGRAVELP_SERIAL_GROUP"], [],
                       ["cl/device/transaction.cl.h"]),
    "resident": (["tests/tsan/servers.c", "tests/tsan/lanes.c"], ["-DGRAVELP_RESIDENT"], [],
                 ["cl/device/inbox.cl.h", "cl/device/serving.cl.h"]),
    "resident-serial": (["tests/tsan/servers.c", "tests/tsan/lanes.c"], ["-DGRAVELP_RESIDENT", "-DGRAVELP_SERIAL_GROUP"], [],
                        ["cl/device/inbox.cl.h", "cl/device/serving.cl.h", "cl/device/outbox.cl.h"]),
    "fbar": (["tests/tsan/divergence.c", "tests/tsan/lanes.c"], ["-DGRAVELP_SUBGROUP_BUILTINS"], [], ["cl/device/fbar.cl.h"]),
    "share-serial": (["tests/tsan/divergence.c", "tests/tsan/lanes.c"], ["-DGRAVELP_SERIAL_GROUP"], [], ["cl/gravel.cl.h"]),
    "steal": (["tests/tsan/steal.c", "tests/tsan/lanes.c"], [], [],
              ["cl/device/schedule.cl.h"]),
    "block-pool": (["tests/tsan/block_pool.c", "tests/tsan/lanes.c"], ["-DGRAVELP_SERIAL_GROUP"], [], ["cl/block_pool.cl.h"]),
    "flow": (["tests/tsan/flow.c"] + FLOW, [], [], ["cl/device/members.cl.h", "cl/device/round.cl.h", "cl/layout/choose.h"]),
    "held": (["tests/tsan/flow_held.c"] + FLOW, [], [], ["cl/flow.cl.h", "cl/layout/choose.h", "cl/layout/flow.h"]),
    "rounds": (["tests/tsan/rounds.c", "tests/tsan/lanes.c"], ["-DGRAVELP_ROUNDS", "-DGRAVELP_STAYS", "-DGRAVELP_DIRECT", "-DGRAVELP_SERIAL_GROUP"], [],
               ["cl/rounds.cl.h", "cl/device/meeting.cl.h", "cl/device/direct.cl.h"]),
    "rounds-nodes": (["tests/tsan/rounds_nodes.c", "tests/tsan/lanes.c"],
                     ["-DGRAVELP_ROUNDS", "-DGRAVELP_STAYS", "-DGRAVELP_DIRECT", "-DGRAVELP_NODES", "-DGRAVELP_SERIAL_GROUP"], [],
                     ["cl/rounds.cl.h", "cl/device/meeting.cl.h", "cl/device/exchange.cl.h"]),
    "event": (["tests/tsan/event_edges.c", "lib/base/event.c"], [], [],
              ["lib/base/event.h", "lib/base/event.c"]),
}

# Edges whose absence only a stale load would show. ThreadSanitizer runs on real, never stale loads.
EXCUSED = {
    "E1": "store-load order; proved by tests/hrf/protocols/event.litmus",
    "K7": "carries a number that says all; tests/hrf/protocols/flow_members.litmus spares it",
    "U2": "only where slots are a mirror, which a device's copies fill; tests of steps pump and drain run it",
    "O1": "only where handlers send; proved by tests/hrf/protocols/serve_spill.litmus",
    "O2": "as O1",
    "O4": "only where handlers send; proved by tests/hrf/protocols/serve_sums.litmus",
    "I3": "orders a load of `reserved`, which is atomic; proved by tests/hrf/protocols/serve_finish.litmus",
    "I4": "as I3",
}

# Steps of a protocol left out, or taken too early or apart: (subject, file, text, text instead).
STEPS = [
    ("device", "cl/device/queue.cl.h", "ticket - consumed >= arena->n_slots", "ticket - consumed > arena->n_slots"),
    ("device", "cl/device/queue.cl.h", "    package->command = command;",
     "    gravelp_store_release(&package->published, ticket + 1);\n    package->command = command;"),
    ("device", "lib/memory/package.h", "    gravel_unseen_package(queue->words);",
     "    gravel_word_store(&queue->words->consumed, queue->head + 1, memory_order_release);"),
    ("device", "lib/memory/package.h", "published != queue->head + 1", "published == 0"),
    ("flow", "cl/device/members.cl.h",
     "    uint n = gravelp_device_fetch_add_relaxed(&members->enrolled, GRAVELP_MEMBERS_CLOSED);",
     "    uint n = gravelp_device_load_relaxed(&members->enrolled);\n    usleep(1000);\n"
     "    gravelp_device_fetch_add_relaxed(&members->enrolled, GRAVELP_MEMBERS_CLOSED);"),
    ("flow", "cl/device/members.cl.h", "&members->out, 1) + 1 ==\n           n;", "&members->out, 1) == 0;"),
    ("flow", "cl/device/members.cl.h", "    gravelp_device_store_relaxed(&members->out, 0);\n"
     "    gravelp_device_store_release(&members->phase, phase); /* K6 */",
     "    gravelp_device_store_release(&members->phase, phase);\n    usleep(1000);\n"
     "    gravelp_device_store_relaxed(&members->out, 0);"),
    ("flow", "cl/device/round.cl.h", "    if (may_follow) { /* else",
     "    gravelp_members_advance(&launch->members, f.scratch->phase + 1);\n    usleep(1000);\n    if (may_follow) { /* else"),
    ("flow", "cl/layout/choose.h", "(room - used) / edge.at_most", "(room - used) / edge.at_most + 1"),
    ("held", "cl/flow.cl.h", "gravelp_device_fetch_add_relaxed(state, 0xffffffffu);",
     "gravelp_device_load_relaxed(state);\n    usleep(100);\n    gravelp_device_store_relaxed(state, left - 1);"),
    ("held", "cl/flow.cl.h", "return left == last;", "return (left & 0xffffff) > 1;"),
    ("held", "cl/layout/choose.h", "if (!gravelp_held_is_done(channel.width, first, n_made, done))", "if (done + 1 == 0)"),
    ("held", "cl/layout/flow.h", "(ce / width & 1);", "0;"),
    ("steal", "cl/device/schedule.cl.h", "    own->head += n;\n",
     "    own->head += n;\n    me->n_offered = n;\n    gravelp_device_store_release(&me->offer, GRAVELP_OFFER_MADE);\n"),
    ("steal", "cl/device/schedule.cl.h", "    return gravelp_deque_move(own, GRAVELP_MOVE_TAKE,",
     "    gravelp_device_store_release(&whose->offer, GRAVELP_OFFER_EMPTY);\n    return gravelp_deque_move(own, GRAVELP_MOVE_TAKE,"),
    ("steal", "cl/device/schedule.cl.h", "    if (!gravelp_device_swap_acquire(&whose->offer, GRAVELP_OFFER_MADE,\n"
     "                                     GRAVELP_OFFER_TAKEN)) {",
     "    if (usleep(100), gravelp_device_store_relaxed(&whose->offer, GRAVELP_OFFER_TAKEN), false) {"),
    ("steal", "cl/device/schedule.cl.h", "GRAVELP_OFFER_MADE) { /* relaxed: X3 decides */",
     "GRAVELP_OFFER_MADE || victim == own->group) {"),
    ("resident-serial", "cl/device/outbox.cl.h", "        gravelp_outbox_publish_all(servers, outbox);\n    }\n    while", "    }\n    while"),
    ("rounds", "cl/device/meeting.cl.h", "met / GRAVELP_ROUNDS_MEMBER < r.scratch->n_members", "met / GRAVELP_ROUNDS_MEMBER < 1"),
    ("resident-serial", "cl/device/inbox.cl.h", "in_use < servers->n_slots ? servers->n_slots - in_use : 0;", "n + 0 * in_use;"),
    ("event", "lib/base/event.c", "    atomic_fetch_add_explicit(&event->epoch, 1, memory_order_release); /* E2 */\n", ""),
]

SITES = [
    (re.compile(r"\bgravelp_(?:device_)?load_acquire\("), "gravelp_load_relaxed("),
    (re.compile(r"\bgravelp_long_load_acquire\("), "gravelp_long_load_relaxed("),
    (re.compile(r"\bgravelp_device_long_load_acquire\("), "gravelp_device_long_load_relaxed("),
    (re.compile(r"\bgravelp_device_long_add_release\("), "gravelp_device_long_add_relaxed("),
    (re.compile(r"\bgravelp_(?:device_)?store_release\("), "gravelp_store_relaxed("),
    (re.compile(r"\bgravelp_local_load_acquire\("), "gravelp_local_load_relaxed("),
    (re.compile(r"\bgravelp_local_store_release\("), "gravelp_store_relaxed("),
    (re.compile(r"\bgravelp_local_add_release\("), "gravelp_local_add_relaxed("),
    (re.compile(r"\bgravelp_barrier_(?:sub)?group\(\);"), "(void)0;"),
    (re.compile(r"\bgravelp_steal_meet\(\s*deque->steal\);"), "(void)0;"),
    (re.compile(r"\bgravelp_service_meet\(server\);"), "(void)0;"),
    (re.compile(r"\bgravelp_(?:device_)?fetch_add_release\("), "gravelp_device_fetch_add_relaxed("),
    (re.compile(r"\bgravelp_device_fetch_or_acquire\("), "gravelp_device_fetch_or_relaxed("),
    (re.compile(r"\bgravelp_device_fetch_and_release\("), "gravelp_device_fetch_and_relaxed("),
    (re.compile(r"\bgravelp_device_swap_acquire\("), "gravelp_device_swap_relaxed("),
    (re.compile(r"\b__ATOMIC_RELEASE\b"), "__ATOMIC_RELAXED"),
    (re.compile(r"\bmemory_order_(?:acquire|release|acq_rel|seq_cst)\b"), "memory_order_relaxed"),
]
# Barriers of the group by their other name. Outboxes and resident servers have some next to another.
MEET = (re.compile(r"\bgravelp_group_meet(?:_apart)?\((?:g|group|r\.group)\.arena\);"), "(void)0;")
EACH_MEET_COUNTS = ("cl/device/send.cl.h", "cl/gravel.cl.h", "cl/block_pool.cl.h", "cl/rounds.cl.h")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
LABEL = re.compile(r"/\*[^/]*?\b([A-Z][0-9])\b")


def find_sites(path, subject):
    """Places to change: (start, end, replacement, line number, text, label)."""
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
    for _, _, step, instead in (step for step in STEPS if step[:2] == (subject, path)):
        start = text.index(step)
        sites.append((start, start + len(step), instead, text.count("\n", 0, start) + 1, " ".join(step.split())[:40], "step"))
    return text, sorted(sites)


def check_steps():
    """Refuses a step that no subject would take, or whose text its file has not exactly once."""
    for subject, path, step, _ in STEPS:
        files = SUBJECTS[subject][3] if subject in SUBJECTS else []
        n = open(os.path.join(TOP, path), encoding="utf-8").read().count(step) if path in files else 0
        if n != 1:
            sys.exit("mutants.py: step %r of %s in %s: found %d times (1 expected)" % (step[:60], subject, path, n))


def name_of(source):
    """Of its object, without the ending."""
    return source.replace("/", "_")


class Bench:
    """A copy of the sources, with the objects of the subject at hand."""

    def __init__(self, compiler, folder):
        self.compiler = compiler
        self.folder = folder
        for part in ("include", "cl", "lib", "tests/tsan", "tests/support"):
            shutil.copytree(os.path.join(TOP, part), os.path.join(folder, part))
        subprocess.run([sys.executable, "-B", os.path.join(TOP, "cl/forms.py"), os.path.join(TOP, "include/gravel/operation.h"),
                        os.path.join(folder, "cl/forms.cl.h"), os.path.join(folder, "cl/subgroup_forms.cl.h")], check=True)

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
                           "-lpthread"])
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
    error = bench.compile(subject)
    verdict, output = ("broken", error) if error else bench.try_once(subject)
    print("%-17s %-50s %s" % (subject, "as it ships", verdict), flush=True)
    if verdict != "clean":
        print(output)
        counts["survived"] = 1
        return counts
    for path in SUBJECTS[subject][3]:
        text, sites = find_sites(path, subject)
        if not sites:
            print("%-17s %s: nothing to weaken" % (subject, path))
            counts["survived"] += 1
        for site in sites:
            if not bench.has_line(subject, path, text, site[3]):
                continue
            verdict = judge(bench, subject, path, text, site)
            is_excused = verdict == "survived" and site[5] in EXCUSED
            kind = "excused" if is_excused else "survived" if verdict in ("survived", "broken") else "caught"
            counts[kind] += 1
            what = "%s:%d %s %s" % (path, site[3], site[5], site[4])
            print("%-17s %-62s %s%s" % (subject, what, verdict, " (excused)" * is_excused), flush=True)
        bench.write(path, text)
        if sites:
            bench.compile(subject, path)
    return counts


def has_sanitizer(compiler):
    with tempfile.TemporaryDirectory() as folder:
        return shutil.which(compiler) and subprocess.run(
            [compiler, "-fsanitize=thread", "-x", "c", "-", "-o", os.path.join(folder, "empty")], input=b"int main(void) { return 0; }",
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description="mutation test of the memory orders")
    parser.add_argument("--compiler", default="clang")
    parser.add_argument("subjects", nargs="*", help=", ".join(SUBJECTS))
    arguments = parser.parse_args()
    unknown = [subject for subject in arguments.subjects if subject not in SUBJECTS]
    if unknown:
        parser.error("no subject %s" % unknown[0])
    check_steps()
    if not has_sanitizer(arguments.compiler):
        print("skipped: %s does not link with -fsanitize=thread" % arguments.compiler)
        return 77
    total = {"caught": 0, "excused": 0, "survived": 0}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.compiler, folder)
        for subject in arguments.subjects or SUBJECTS:
            for kind, n in run_subject(bench, subject).items():
                total[kind] += n
    print("%(caught)d mutants caught, %(excused)d excused, %(survived)d survived" % total)
    return 1 if total["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
