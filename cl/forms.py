#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every call that sends, in every scope, from the table in operation.h.

    cl/forms.py OPERATION.H FORMS SUBGROUP_FORMS

Each is a macro and not a function: what a kernel does not call costs its compiler nothing, and in checked mode the line
of the call is known. What a call means is in gravel.cl.h; what it does, in device/.

Path: include/gravel/operation.h -> this -> forms.cl.h -> gravel.cl.h; subgroup_forms.cl.h -> subgroup.cl.h.
"""
import re
import sys

HEAD = """/* SPDX-License-Identifier: MIT */
/* Every call that sends%s. Written by cl/forms.py; %s.cl.h says what the calls mean. */
#ifndef GRAVEL%s_FORMS_CL_H
#define GRAVEL%s_FORMS_CL_H
"""
N_ARGS = 4
N_ASK_ARGS = 3
N_PRINTED = 16
NO_REPLY = "GRAVELP_NO_REPLY"

# Suffix, parameters before the message's own, what the call becomes (check.cl.h), whether that takes a reply.
BY_GROUPS = [
    ("_wg", "", "GRAVELP_%s_WG(g, ", True),
    ("_wg_if", "active, ", "GRAVELP_%s_WG_IF(g, active, ", True),
    ("_wi", "", "GRAVELP_%s_WI(g, ", True),
]
BY_SUBGROUPS = [
    ("_sg", "", "GRAVELP_%s_SG(g, 1, ", False),
    ("_sg_if", "active, ", "GRAVELP_%s_SG(g, active, ", False),
    ("_fbar", "f, ", "GRAVELP_%s_FBAR(g, f, 1, ", False),
    ("_fbar_if", "f, active, ", "GRAVELP_%s_FBAR(g, f, active, ", False),
]


def rows_of(text, name, given=()):
    """The rows of an X macro of operation.h, those of the macros that it calls among them."""
    macro = re.search(r"^#define %s\(([^)]*)\)(.*)$" % name, text, re.M)
    words = dict(zip(re.split(r"\s*,\s*", macro.group(1)), given))
    rows = []
    for call, arguments in re.findall(r"(\w+)\(([^)]*)\)", macro.group(2)):
        row = [words.get(word, word) for word in re.split(r"\s*,\s*", arguments)]
        rows += [row] if call == "X" else rows_of(text, call, row)
    return rows


class Message:
    """What a call is made of: its parameters between scope and node, and what they become."""

    def __init__(self, name, parameters, command, base, reply, index, values):
        self.name, self.parameters, self.is_answered = name, parameters, reply != NO_REPLY
        self.before, self.reply, self.after = [command, base], [reply], [index, values]

    def define(self, form):
        suffix, before, function, can_be_answered = form
        parameters = "g, %s%snode" % (before, "".join(p + ", " for p in self.parameters))
        sent = ", ".join(self.before + self.reply * can_be_answered + self.after)
        function %= "ASK" if self.is_answered else "SEND"
        return "#define gravel_%s%s(%s) \\\n    %s%s, node)\n" % (self.name, suffix, parameters, function, sent)


def values(position, *given):
    """What a message brings besides base, index and node; position is where its answer goes."""
    return "GRAVELP_VALUES(%s, %s)" % (position, ", ".join(list(given) + ["0"] * (N_ARGS - len(given))))


def element(op, name, kind_name, kind, given=("value",), more=(), reply=NO_REPLY):
    """A message to an element, with the values given; a request's `more` parameters say where its answer goes."""
    has_position = "position" in more
    command = "GRAVELP_COMMAND(GRAVEL_%s, GRAVEL_%s) | GRAVELP_FAR_BY(index)" % (op, kind_name) + " | GRAVELP_FAR_BY(position)" * has_position
    return Message("%s_%s" % (name, kind), ["base", "index", *given, *more], command, "base", reply, "index",
                   values("position" if has_position else "0", *["gravelp_bits_%s(%s)" % (kind, word) for word in reversed(given)]))


def request(op, name, kind_name, kind):
    given = {"get": (), "cas": ("expected", "value")}.get(name, ("value",))
    return element(op, name, kind_name, kind, given, ("reply", "position"), "reply")


def put_signal(kind_name, kind):
    return element("PUT_SIGNAL", "put_signal", kind_name, kind, more=("signal",), reply="GRAVELP_SIGNAL(signal)")


def call(name, op, n, more=(), reply=NO_REPLY):
    """An active message of n arguments."""
    names = ["a%d" % i for i in range(n)]
    far = " | GRAVELP_FAR_BY(position)" if more else ""
    return Message("%s%d" % (name, n), ["handler", *names, *more], "GRAVELP_COMMAND_%s(handler, %d)%s" % (op, n, far), "0", reply,
                   "0", values("position" if more else "0", *names))


def messages_of(text):
    """(macros that must be defined, messages) of every group of calls."""
    plain = [element(*row) for row in rows_of(text, "GRAVEL_VALUE_OPERATIONS")]
    plain += [element("INC", "inc", *row, given=()) for row in rows_of(text, "GRAVEL_INC_TYPES")]
    plain += [request(*row) for row in rows_of(text, "GRAVEL_REQUESTS")]
    plain += [request("CAS", "cas", *row) for row in rows_of(text, "GRAVEL_INC_TYPES")]
    plain += [put_signal(*row) for row in rows_of(text, "GRAVEL_SIGNAL_TYPES")]
    plain += [call("am", "AM", n) for n in range(N_ARGS + 1)]
    plain += [call("ask", "ASK", n, ("reply", "position"), "reply") for n in range(N_ASK_ARGS + 1)]
    double = [element(*row) for row in rows_of(text, "GRAVEL_DOUBLE_OPERATIONS")]
    double += [request(*row) for row in rows_of(text, "GRAVEL_DOUBLE_REQUESTS")] + [put_signal("DOUBLE", "double")]
    return [([], plain), (["GRAVEL_HAS_DOUBLE"], double)]


def lists(most):
    """GRAVELP_EACH_n(X, end, text, first, ... last): X(first, ... X(last, end)), for print.cl.h."""
    return ["#define GRAVELP_EACH_0(X, end, text) end\n", "#define GRAVELP_EACH_1(X, end, text, a) X(a, end)\n"] + [
        "#define GRAVELP_EACH_%d(X, end, text, a, ...) \\\n    X(a, GRAVELP_EACH_%d(X, end, text, __VA_ARGS__))\n" % (n, n - 1)
        for n in range(2, most + 1)]


def write_header(path, head, groups, forms, guards, more=()):
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEAD % head)
        for more_guards, messages in groups:
            condition = " && ".join("defined(%s)" % guard for guard in guards + more_guards)
            out.write("\n" + ("#if %s\n" % condition if condition else ""))
            out.writelines(m.define(form) for m in messages for form in forms if form[3] or not m.is_answered)
            out.write("#endif\n" if condition else "")
        out.writelines(["\n", *more, "\n#endif\n"])


def main(operations_path, forms_path, subgroup_path):
    with open(operations_path, encoding="utf-8") as file:
        groups = messages_of(file.read().replace("\\\n", " "))
    write_header(forms_path, ("", "gravel", "", ""), groups, BY_GROUPS, [], lists(N_PRINTED))
    write_header(subgroup_path, (" by sub-groups", "subgroup", "_SUBGROUP", "_SUBGROUP"), groups, BY_SUBGROUPS,
                 ["GRAVEL_HAS_SUBGROUPS"])


if __name__ == "__main__":
    main(*sys.argv[1:])
