# SPDX-License-Identifier: MIT
"""The labels of memory-order edges in the code are those of the table in docs/design/memory-order.md. Each is in comments at
two places at least, except the G's: a barrier has both ends at one. The litmus programs of Gravel's protocols have the code's
labels, with the code's orders and scopes. Other documents name no other labels; where a paragraph of theirs names labels and
files, each label is in one of these. A word that a file of lib/ reads or changes atomically has a label at one of these
operations, or is one of UNPAIRED.

In the code a label begins the comment of an atomic operation or barrier; in a program it is a comment at the end of a
statement's line. Kernels' calls without `device` or `local` in their names have the host's scope.

Path: cl/, lib/, include/, bench/queue/ <-> docs/design/memory-order.md <-> tests/hrf/protocols/<name>.litmus, other documents
"""
import collections
import re

LABEL = re.compile(r"(?<![\w-])[A-KM-Z][0-9]+(?![\w-])")  # L1 to L3 are caches
LABELS = r"[A-KM-Z][0-9]+(?:, [A-KM-Z][0-9]+)*"
COMMENT = re.compile(r"/\*+ *(" + LABELS + r")\b")
ORDER = re.compile(r"\b(?:memory_order_|__ATOMIC_)(\w+)")
CALL = re.compile(r"\bgravelp_(device_|local_|long_)*(load|store|add|fetch_add|fetch_and|fetch_or|exchange|swap)_(acquire|release|relaxed|acq_rel)\(")
BARRIER = re.compile(r"\bgravelp_(?:barrier_(group|subgroup)|(?:group|steal|service)_meet)\(")
STATEMENT = re.compile(r"\b(load|store|await|add|sub|and|or|xor|min|max|xchg|cas|fence)\((.*)\)")
ROW = re.compile(r"^\| *([A-Z][0-9][A-Z0-9, ]*) *\|", re.M)
IN_COMMENT = re.compile(r"(?:/\*|^ *\* ).*", re.M)
ATOMIC = re.compile(r"\b(?:atomic_\w+_explicit|gravel_word_(?:load|store))\(((?:[^,()]|\([^()]*\))*),[^;{]*[;{].*")
WORD = re.compile(r"(\w+)(?:\[[^\]]*\]|\))*$")
FILE = re.compile(r"`([a-z0-9_./]+\.(?:c|h|cl))`")
NO_LABELS = {"C11"}
# Only a row and its reason stand for these: no one operation has the order, or none orders anything.
APART = {"G3": "an order of waits, not of memory", "G4": "the barrier of gravelp_await_group, as G1", "H13": "read anew at each poll",
         "U12": "a caller's own earlier calls", "U13": "advice"}

# Words that pair with nothing, and why.
UNPAIRED = {"word": "lib/base/counter.h: its callers pair it", "counter": "statistics, of one writer", "reserved": "as counter",
            "waits": "as counter", "n_bytes": "whether limits begin anew", "call": "a name for people", "opening_call": "as call", "in_function": "as call",
            "wanted": "how much may be needed", "knows_locals": "as wanted", "error": "goes with the list of frames, M3", "is_ending": "its event orders"}


def sources(tree, *more):
    return tree.files(*(top + "/**/*" + end for top in ("cl", "lib", "bench/queue") + more for end in (".[ch]", ".cl")))


def operations(text):
    """Yields (order, scope) of each atomic operation or barrier in a statement of code."""
    for match in CALL.finditer(text):
        prefix = match.group(0)
        yield match.group(3), "dev" if "device_" in prefix else "wg" if "local_" in prefix else "sys"
    for order in ORDER.findall(text):
        yield order.lower(), "sys"
    for match in BARRIER.finditer(text):
        yield "barrier", "sg" if match.group(1) == "subgroup" else "wg"


def in_code(tree):
    """Returns {label: {(order, scope)}}."""
    found = collections.defaultdict(set)
    for path in sources(tree):
        lines = tree.text(path).split("\n")
        for number, line in enumerate(lines):
            match = COMMENT.search(line)
            if not match:
                continue
            first = number
            if line.strip().startswith("/*"):
                statement = lines[number + 1] if line.rstrip().endswith("*/") else ""
            else:
                while first and not re.search(r"[;{}]\s*(/\*.*)?\\?$|\*/\s*\\?$|^\s*$|^#", lines[first - 1]):
                    first -= 1
                statement = "\n".join(lines[first:number + 1])
            for label in match.group(1).split(", "):
                found[label] |= set(operations(re.sub(r"/\*.*?(\*/|$)", " ", statement)))
    return found


def in_programs(tree):
    found = collections.defaultdict(set)
    for path in tree.files("tests/hrf/protocols/*.litmus"):
        for line in tree.text(path).split("\n"):
            statement, _, comment = line.partition("#")
            match = re.match(r" *(" + LABELS + r")\b", comment)
            if not match:
                continue
            operation = STATEMENT.search(statement)
            fields = [field.strip() for field in operation.group(2).split(",")] if operation else []
            for label in match.group(1).split(", "):
                if re.search(r"\bbarrier\b", statement):
                    found[label].add(("barrier", "sg" if "barrier(sg" in statement else "wg"))
                elif fields:
                    found[label].add((fields[-2].split("/")[0], fields[-1].split(")")[0]))
    return found


def of_orders(tree, labels):
    code, programs = in_code(tree), in_programs(tree)
    show = lambda operations: ", ".join("%s at %s" % operation for operation in sorted(operations)) or "nothing"
    for label in sorted(labels):
        if label not in APART and code[label] != programs[label]:
            yield "%s is %s in the code, %s in tests/hrf/protocols" % (label, show(code[label]), show(programs[label]))
    for label in sorted(set(programs) - labels):
        if programs[label]:
            yield "%s is in tests/hrf/protocols, not in docs/design/memory-order.md" % label


def of_words(tree):
    for path in tree.files("lib/**/*.[ch]"):
        text, labelled = tree.text(path), {}
        for match in ATOMIC.finditer(text):
            word = WORD.search(match.group(1)).group(1)
            labelled[word] = labelled.get(word, False) or any(map(LABEL.search, IN_COMMENT.findall(match.group(0))))
        for word in sorted(word for word in labelled if not labelled[word] and word not in UNPAIRED):
            yield "%s: no atomic operation of %s has a label" % (path, word)


def of_documents(tree, labels, places):
    for path in tree.files("README.md", "CONTRIBUTING.md", "docs/*/*.md"):
        if path == "docs/design/memory-order.md":
            continue
        for paragraph in re.split(r"\n\n|\n(?=\|)", tree.text(path)):  # a row of a table is one
            named = FILE.findall(paragraph)
            for label in sorted(set(LABEL.findall(paragraph))):
                if label not in labels and len(label) == 2:
                    yield "%s: docs/design/memory-order.md has no label %s: %s" % (path, label, paragraph)
                elif label in labels and named and not any(("/" + place).endswith("/" + name) for name in named for place in places[label]):
                    yield "%s: %s is in none of %s" % (path, label, " ".join(named))


def faults(tree):
    labels = {label for row in ROW.findall(tree.text("docs/design/memory-order.md")) for label in re.findall(r"\w+", row)}
    places = collections.defaultdict(list)  # of each label the file of each comment that names it
    for path in sources(tree, "include"):
        for comment in IN_COMMENT.findall(tree.text(path)):
            for label in set(LABEL.findall(comment)) - NO_LABELS:
                places[label].append(path)
    for label in sorted(set(places) ^ labels):
        yield "%s is in %s only" % (label, "the code" if label in places else "docs/design/memory-order.md")
    for label in sorted(places):
        if len(places[label]) < 2 and label[0] != "G":
            yield "%s is at one place only: %s" % (label, places[label][0])
    yield from of_orders(tree, labels)
    yield from of_documents(tree, labels, places)
    yield from of_words(tree)
