# SPDX-License-Identifier: MIT
"""Documents and sources do without phrases for which the field has words, and a comment above a function of SOURCES
says what the function does: its first word is none of NO_VERB. Sources do without GONE, in their names too.

A phrase is found across the end of a line, in capitals too. Generated tables are read like all others: mend their source.

Path: README.md, NEWS, CONTRIBUTING.md, docs/, apps/, examples/, include/gravel/, cl/, lib/, python/, bench/, study/, tools/, hrf/ -> words.py.
"""
import re

from check import place

SOURCES = ("include/gravel/*.h*", "cl/**", "lib/**", "hrf/**", "bench/**", "tools/**", "docs/design/*.md", "docs/guide/*.md", "docs/reference/*.md",
           "docs/*.1", "CONTRIBUTING.md", "tests/tsan/*", "tests/hrf/**", "tests/support/*",
           "tests/unit/*", "tests/fuzz/*", "tests/cxx/*", "tests/bindings/*",
           "apps/[!cms]*/*", "apps/m[ao]*/*", "apps/c*/*", "apps/s*/*")
READ = *SOURCES, "README.md", "NEWS", "docs/*.md", "docs/results/*.md", "examples/*.[cm]*", "apps/*/*", "python/gravel/*.py", "study/*"
INSTEAD = {
    r"stands? still": "hangs",
    r"signs? of life": "heartbeat",
    r"(?:can|could|cannot|to) be had": "is available",
    r"gets? on(?= [a-z]|[.,;])": "makes progress",
    r"of (?:the (?:caller|user|program|node)|gravel)'s own": "the caller's, or: own X",
    r"for ever(?!y)": "without limit",
    r"(?:^|[.:;] )the same of": "name the noun",
    r"^\s*/\*\*? the same": "as F, but ...: name the noun",
    r"(?:is|are|was|were|be|being) told": "is reported, or: X reports",
    r"tells? for": "lists",
    r"nobody": "no thread, no test, nothing: name it",
    r"whoever": "the thread that",
    r"(?:some|any|every)body|everyone": "a thread, a node, all nodes: name it",
    r"(?:has|have|had) (?:been )?told": "has reported, or: has been reported",
    r"no use to": "name what fails",
    r"yet to (?!ne)": "not yet, still has to",
    r"may yet": "may still",
    r"the others": "name the noun",
    r"was tried|were tried": "measure, and say the result",
    r"for good": "permanently",
    r"as ever": "as before",
    r"in (?:the )?place of": "instead of",
    r"0\.\d+ of (?:it|what|the)": "N % slower",
    r"waits? on(?: for ever| without|;|\.)": "no limit, or: waits for",
    r"himself": "itself, or: you",
    r"does so": "name the verb",
    r"in no order": "have no order",
    r"any more": "no longer",
    r"(?:is|are|were) mended": "history is git's",
    r"say so": "name what is said",
    r"what it lacks for": "what rules out",
    r"by an? (?:earlier|older|former) build": "history is git's",
    r"looks? each": "polls",
    r"fails?(?: the node)?,? by name": "fails with an error that names what",
    r"in vain": "for nothing, useless",
    r"likewise": "too, also",
    r"in mid-\w+": "while it sends, while a kernel runs",
    r"tak\w+ no notice": "ignores",
    r"mak\w+ do with": "accepts",
    r"beyond use": "unusable",
    r"stands? at the end": "is added at the end",
    r"all the same(?= [a-z]|[.,;])": "nevertheless",
    r"beforehand|meanwhile": "before, while ...",
    r"(?:go|goes|going) on(?= [a-z]|[.,;])": "continues, keeps working",
}

# In names of SOURCES too.
GONE = {
    r"code \? code :": "GRAVEL_TRY, an if, or gravel_first_failure",
    r"(?!xdg_)\w*_home|(?:com(?:e|es|ing)|came|go|goes|at) home": "in flight, is returned",
    r"(?:is_)?lent|lend(?:s|ing)?|loans?": "in flight, borrows",
    r"\w*settl\w*": "drains, joins, is applied in place",
    r"\w*_tells?(?:_\w+)?|tell(?:s|ing)?(?:_\w+)?|\w*_told|told(?:_\w+)?": "logs, reports, describes, shows",
    r"hears?|heard": "gets, is sent",
    r"bears?|but for|one behind the other": "supports, except for, in order",
    r"those who wait|who waits|gets? past|goes round": "a waiter, the thread that, continues",
    r"stands(?! for)|stood": "is, is stuck, does not advance",
    r"\w*_beside|beside": "concurrently with, while, next to, except",
    r"books?|\w+_books": "allocation table, table",
    r"(?:take|give|key|test|network)_turn|gravelp_(?!test)(?:\w+_)?turns?(?:_\w+)?|turn_(?:take|give|end|of)": "lock, parity, order",
    r"place_\w+|\w+_of_place|(?:change|changes|own|its|their) places?": "index, slot, offset; the verb: insert",
    r"n_looks|looks? (?:at|again|on)": "polls, reads",
    r"stand behind|stays? apart|liv(?:es|ing)? on|where node buffers go": "follows, is separate, is stored at, the receiver",
}

NO_VERB = re.compile(r"^/\*\*?[ \n*]+(?:\w+\.c: )?(As|Of|On|What|Where|Who|Whether|Whose|How|Why|Bytes|Messages|NULL|It)\b"
                     r"(?:[^*]|\*(?!/))*\*/\n(?=[A-Za-z_][^;{}=#]*\()", re.M)


def pattern(phrase):
    """Words may have a line's end and a comment's star between them."""
    return re.compile(r"(?<!\w)(?:%s)(?![\w'])" % phrase.replace(" ", r"(?:[ \t]|\n[ \t]*\*?[ \t]*)+"), re.I | re.M)


def may_hold(phrase):
    """A search that runs through a file's squeezed text at once, as one that looks behind each letter does not."""
    return re.compile("" if "^" in phrase else phrase)


def faults(tree):
    for files, words in (READ, INSTEAD), (SOURCES, GONE):
        for path in tree.files(*files):
            text = tree.text(path)
            squeezed = re.sub(r"[ \t\n*]+", " ", text).lower()
            for phrase, better in words.items():
                if may_hold(phrase).search(squeezed):
                    yield from ("%s: '%s': %s" % (place(path, text, match.start()), " ".join(match[0].split()), better)
                                for match in pattern(phrase).finditer(text))
    for path in tree.files(*SOURCES):
        text = tree.text(path)
        yield from ("%s: a comment that begins with %s: say what the function does" % (place(path, text, match.start()), match[1])
                    for match in NO_VERB.finditer(text))
