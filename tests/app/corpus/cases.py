# SPDX-License-Identifier: MIT
"""Hostile input files, made systematically: every format, cut, recoded, compressed, counted wrongly, with odd numbers.

cases() yields (name, bytes), the same ones every time. A name's suffix is the file's format, as applications choose it.
"""
import gzip
import struct
import zlib

MTX = b"%%MatrixMarket matrix coordinate "

# A small sound file of each format, plain text with LF.
SOUND = {
    ".el": b"# a\n0 1\n1 2\n% b\n2 0\n3 3\n0 1\n",
    ".wel": b"# a\n0 1 4\n1 2 2.5\n2 0 7\n3 3 1\n0 1 3e-1\n",
    ".txt": b"# a\n0 1 4\n1 2 2\n2 0 7\n",
    ".tsv": b"0\t1\t4\t77\n1\t2\t2\t78\n",
    ".graph": b"% a\n4 3 1\n2 5 3 6\n1 5\n1 6 4 1\n3 1\n",
    ".mtx": MTX + b"real general\n% a\n4 4 4\n1 2 4\n2 3 2.5\n3 1 7\n4 4 1\n",
    ".gr": b"c a\np sp 4 4\na 1 2 4\na 2 3 2\nc b\na 3 1 7\na 4 4 1\n",
    ".max": b"c a\np max 4 4\nn 1 s\nn 4 t\na 1 2 4\na 2 3 2\na 3 4 7\na 1 4 1\n",
    ".fa": b">one two\nACGTT\nGGA\n\n>three\nACNNT\n",
    ".fq": b"@one two\nACGT\n+\n@+I!\n@three\nGGA\n+three\nIII\n",
    ".csv": b"userId,movieId,rating,timestamp\n1,10,3.5,100\n2,10,4,101\n1,20,0.5,102\n",
    ".dat": b"1::10::3.5::100\n2::10::4::101\n1::20::0.5::102\n",
}
GRAPHS = (".el", ".wel", ".txt", ".tsv", ".graph", ".mtx", ".gr")


# ---- bytes ---------------------------------------------------------------------------------------

def cut(text):
    """Up to each place where a word or a line begins or ends."""
    for at in range(len(text)):
        if at == 0 or (text[at] in b" \t\n,:") != (text[at - 1] in b" \t\n,:") or text[at - 1] in b"\n":
            yield "%d" % at, text[:at]


def recoded(text):
    lines = text.splitlines(keepends=True)
    yield "mark-8", b"\xef\xbb\xbf" + text
    for code in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        yield code, text.decode().encode(code)
    yield "crlf", text.replace(b"\n", b"\r\n")
    yield "cr", text.replace(b"\n", b"\r")
    yield "lfcr", text.replace(b"\n", b"\n\r")
    yield "crcrlf", text.replace(b"\n", b"\r\r\n")
    yield "mixed-ends", b"".join(line.replace(b"\n", (b"\n", b"\r\n", b"\r")[i % 3]) for i, line in enumerate(lines))
    yield "one-cr", text.replace(b"\n", b"\r", 1)
    yield "cr-at-end", text + b"\r"
    yield "unended", text[:-1]
    yield "blank-lines-behind", text + b"\n\n \n\t\n"
    yield "blank-lines-ahead", b"\n\n" + text
    yield "spaces-behind", text.replace(b"\n", b" \t \n")
    yield "spaces-ahead", b"".join(b"  " + line for line in lines)
    yield "tabs", text.replace(b" ", b"\t")
    yield "wide-spaces", text.replace(b" ", b"   ")
    for name, byte in (("nul", b"\0"), ("feed", b"\f"), ("vertical", b"\v"), ("nbsp", b"\xc2\xa0"), ("escape", b"\x1b"),
                       ("next-line", b"\xc2\x85"), ("line-separator", b"\xe2\x80\xa8"), ("high", b"\xff")):
        middle = len(lines) // 2
        yield name + "-at-end", text + byte
        yield name + "-ahead", byte + text
        yield name + "-in-line", b"".join(lines[:middle]) + lines[middle][:-1] + byte + b"\n" + b"".join(lines[middle + 1:])
    yield "ctrl-z", text + b"\x1a"


def compressed(text):
    """Names end in .gz."""
    whole = gzip.compress(text, mtime=0)
    empty = gzip.compress(b"", mtime=0)
    half = len(text) // 2
    halves = gzip.compress(text[:half], mtime=0) + gzip.compress(text[half:], mtime=0)
    yield "plain", whole
    yield "stored", gzip.compress(text, 0, mtime=0)
    yield "named", whole[:3] + b"\x08" + whole[4:10] + b"name\0" + whole[10:]
    yield "members", halves
    yield "member-a-byte", b"".join(gzip.compress(text[i:i + 1], mtime=0) for i in range(len(text)))
    yield "empty-member-ahead", empty + whole
    yield "empty-member-between", gzip.compress(text[:half], mtime=0) + empty + gzip.compress(text[half:], mtime=0)
    yield "empty-member-behind", whole + empty
    yield "zeros-behind", whole + bytes(1024)
    yield "zero-behind", whole + b"\0"
    yield "many-zeros-behind", whole + bytes(200000)
    yield "zeros-then-member", whole + bytes(16) + whole
    yield "zeros-then-byte", whole + bytes(16) + b"x"
    yield "text-behind", whole + text
    yield "newline-behind", whole + b"\n"
    yield "half-magic-behind", whole + b"\x1f"
    yield "magic-behind", whole + b"\x1f\x8b"
    yield "other-magic-behind", whole + b"\x1f\x9d"
    yield "header-behind", whole + empty[:10]
    yield "cut-member-behind", whole + whole[:-1]
    for n in (1, 2, 5, 9, 10, 11, len(whole) // 2, len(whole) - 8, len(whole) - 4, len(whole) - 1):
        yield "cut-%d" % n, whole[:n]
    yield "crc", whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:]
    yield "length", whole[:-4] + struct.pack("<I", len(text) + 1)
    yield "method", whole[:2] + b"\x07" + whole[3:]
    yield "flags", whole[:3] + b"\xe0" + whole[4:]
    yield "twice", gzip.compress(whole, mtime=0)
    yield "zlib", zlib.compress(text)
    yield "not-packed", text


# ---- numbers -------------------------------------------------------------------------------------

WHOLE = ("0", "00", "01", "+1", "-0", "-1", "1.0", "1e0", "0x1", "1_0", "1,0", "\u0661", "one", "nan", "true", "1-", "--1",
         "2147483647", "2147483648", "4294967294", "4294967295", "4294967296", "4294967297", "9223372036854775807",
         "9223372036854775808", "18446744073709551615", "18446744073709551616", "18446744073709551617", "0" * 80 + "1",
         "1" * 80, "0" * 70000 + "1")
DECIMAL = WHOLE + (
    "-0.0", "+0", ".5", "5.", ".", "-.5", "1e3", "1E+3", "1e", "e5", "1e+", "1d3", "1f", "1.5.5", "0x1p3", "inf", "-inf",
    "infinity", "nan(1)", "1e38", "3.4028235e38", "3.4028236e38", "1e39", "1e400", "1e-38", "1e-45", "1e-46", "-1e-46",
    "1e-400", "-1e-400", "-1e39", "16777217", "0.1", "0." + "3" * 100, "1." + "0" * 70000, "99999999999", "1e99999999999")

DECIMAL_OF_DOUBLES = tuple(number for number in DECIMAL if number != "-1e-400")  # which is -0 to scipy

# NAME: text with a place for a number, and what goes there.
PLACES = {
    "vertex.el": ("0 1\n1 %s\n", WHOLE), "vertex.wel": ("%s 1 2\n", WHOLE),
    "weight.wel": ("0 1 %s\n1 2 0.5\n", DECIMAL), "whole-weight.wel": ("0 1 3\n1 2 %s\n", DECIMAL),
    "weight.txt": ("0 1 %s\n", DECIMAL), "time.tsv": ("0 1 2 %s\n", WHOLE),
    "vertices.graph": ("%s 1\n2\n1\n", WHOLE), "edges.graph": ("2 %s\n2\n1\n", WHOLE),
    "format.graph": ("2 1 %s\n2\n1\n", WHOLE + ("10", "100", "11", "011", "111", "2", "1000", "001")),
    "constraints.graph": ("2 1 10 %s\n1 2\n1 1\n", WHOLE + ("2",)), "neighbour.graph": ("2 1\n%s\n1\n", WHOLE + ("2",)),
    "weight.graph": ("2 1 1\n2 %s\n1 5\n", WHOLE),
    "rows.mtx": (MTX.decode() + "pattern general\n%s 2 1\n1 2\n", WHOLE + ("2",)),
    "entries.mtx": (MTX.decode() + "pattern general\n2 2 %s\n1 2\n", WHOLE),
    "row.mtx": (MTX.decode() + "pattern general\n2 2 1\n%s 2\n", WHOLE),
    "real.mtx": (MTX.decode() + "real general\n2 2 2\n1 2 %s\n2 1 0.5\n", DECIMAL_OF_DOUBLES),
    "integer.mtx": (MTX.decode() + "integer general\n2 2 2\n1 2 %s\n2 1 1\n", DECIMAL),
    "skew.mtx": (MTX.decode() + "real skew-symmetric\n2 2 1\n2 1 %s\n", WHOLE),
    "vertices.gr": ("p sp %s 1\na 1 1 3\n", WHOLE), "arcs.gr": ("p sp 2 %s\na 1 2 3\n", WHOLE),
    "vertex.gr": ("p sp 2 1\na %s 2 3\n", WHOLE), "weight.gr": ("p sp 2 1\na 1 2 %s\n", WHOLE),
    "capacity.max": ("p max 2 1\nn 1 s\nn 2 t\na 1 2 %s\n", WHOLE), "source.max": ("p max 2 1\nn %s s\nn 2 t\na 1 2 3\n", WHOLE),
    "user.csv": ("%s,10,3\n2,20,4\n", WHOLE), "item.dat": ("1::%s::3\n", WHOLE),
    "rating.csv": ("1,10,%s\n2,20,4\n", DECIMAL), "time.dat": ("1::10::3::%s\n", WHOLE),
}


# ---- structure -----------------------------------------------------------------------------------

def commented(text, comment):
    """A comment ahead of each line, behind the last, indented, unended; and lines that only look like one."""
    lines = text.splitlines(keepends=True)
    for i in range(len(lines) + 1):
        for name, line in (("comment", comment + b" x\n"), ("bare", comment + b"\n"), ("indented", b"  " + comment + b" x\n"),
                           ("cr", comment + b" x\r" + comment + b"y\r\n"), ("blank", b"\n")):
            yield "%s-%d" % (name, i), b"".join(lines[:i]) + line + b"".join(lines[i:])
    yield "comment-unended", text + comment + b" x"
    yield "comment-behind-words", text.replace(b"\n", b" " + comment + b" x\n")
    yield "comment-long", comment + b"x" * 200000 + b"\n" + text
    yield "comments-only", (comment + b" x\n") * 3


def edited(text):
    """Each line doubled, dropped, and swapped with the next; a word more, a word less."""
    lines = text.splitlines(keepends=True)
    for i, line in enumerate(lines):
        words = line.split()
        ahead, behind = b"".join(lines[:i]), b"".join(lines[i + 1:])
        yield "doubled-%d" % i, ahead + line + line + behind
        yield "dropped-%d" % i, ahead + behind
        yield "more-%d" % i, ahead + line[:-1] + b" 1\n" + behind
        yield "less-%d" % i, ahead + b" ".join(words[:-1]) + b"\n" + behind
        if i + 1 < len(lines):
            yield "swapped-%d" % i, ahead + lines[i + 1] + line + b"".join(lines[i + 2:])
            yield "joined-%d" % i, ahead + line[:-1] + b" " + behind
    yield "empty", b""
    yield "newline", b"\n"
    yield "newlines", b"\n" * 70000
    yield "space", b" "
    yield "twice", text + text
    yield "long-word", b"1" * 70000 + b"\n" + text
    yield "long-spaces", text.replace(b"\n", b" " * 70000 + b"\n", 1)


def odd_graphs():
    yield "loop.el", b"0 0\n"
    yield "isolated.el", b"5 7\n"
    yield "sparse.el", b"0 1048575\n"
    yield "too-sparse.el", b"0 1048640\n"
    yield "turned.el", b"0 1\n1 0\n"
    yield "unsorted.wel", b"3 0 1\n0 3 2\n2 1 4\n1 0 4\n0 3 1\n"
    yield "three-then-four.txt", b"0 1 2\n1 2 3 4\n"
    yield "four-then-three.txt", b"0 1 2 3\n1 2 3\n"
    yield "two-then-three.txt", b"0 1\n1 2 3\n"
    yield "three-then-two.tsv", b"0 1 2\n1 2\n"
    yield "large-then-decimal.wel", b"0 1 99999999999\n1 2 0.5\n"
    yield "decimal-then-large.wel", b"0 1 0.5\n1 2 99999999999\n"
    yield "large-and-whole.wel", b"0 1 1\n0 2 99999999999\n1 2 2\n"
    yield "zeros.wel", b"0 1 -0.0\n0 1 5\n1 2 0\n0 2 -0\n"
    yield "denormals.wel", b"0 1 1e-45\n1 2 2e-45\n0 2 1e-40\n"
    yield "equal.wel", b"0 1 1\n1 2 1\n2 0 1\n0 3 1\n3 1 1\n"
    yield "largest.wel", b"0 1 4294967295\n1 2 4294967295\n0 2 4294967294\n"
    yield "largest-float.wel", b"0 1 3.4028235e38\n1 2 0.5\n"
    yield "one.graph", b"1 0\n\n"
    yield "none.graph", b"3 0\n\n\n\n"
    yield "none-unended.graph", b"3 0\n\n\n"
    yield "loop.graph", b"1 1\n1 1\n"
    yield "loop-once.graph", b"1 1\n1\n"
    yield "double.graph", b"2 2\n2 2\n1 1\n"
    yield "one-way.graph", b"3 1\n2\n3\n\n"
    yield "other-weight.graph", b"2 1 1\n2 5\n1 6\n"
    yield "sizes.graph", b"2 1 100\n7 2\n8 1\n"
    yield "all.graph", b"2 1 111 2\n7 1 2 2 9\n8 3 4 1 9\n"
    yield "comment-row.graph", b"2 1\n% 1\n2\n%\n1\n% 2\n"
    yield "one.mtx", MTX + b"pattern general\n1 1 0\n"
    yield "none.mtx", MTX + b"real symmetric\n3 3 0\n"
    yield "wide.mtx", MTX + b"pattern general\n2 3 1\n1 3\n"
    yield "upper.mtx", MTX + b"real symmetric\n2 2 1\n1 2 3\n"
    yield "lower.mtx", MTX + b"real symmetric\n3 3 3\n2 1 3\n3 3 1\n3 1 -2\n"
    yield "integer-symmetric.mtx", MTX + b"integer symmetric\n3 3 2\n2 1 3\n3 3 -1\n"
    yield "pattern-symmetric.mtx", MTX + b"pattern symmetric\n3 3 2\n2 1\n3 3\n"
    yield "skew.mtx", MTX + b"real skew-symmetric\n3 3 2\n2 1 3\n3 1 0\n"
    yield "skew-diagonal.mtx", MTX + b"real skew-symmetric\n2 2 1\n1 1 3\n"
    yield "hermitian.mtx", MTX + b"complex hermitian\n2 2 1\n2 1 3 0\n"
    yield "array.mtx", b"%%MatrixMarket matrix array real general\n1 1\n1\n"
    yield "capitals.mtx", b"%%MatrixMarket MATRIX Coordinate REAL General\n2 2 1\n1 2 3\n"
    yield "double-entry.mtx", MTX + b"real general\n2 2 2\n1 2 3\n1 2 4\n"
    yield "no-arcs.gr", b"p sp 2 0\n"
    yield "one-vertex.gr", b"p sp 1 0\n"
    yield "edges.gr", b"p sp 2 1\ne 1 2 3\n"
    yield "second-problem.gr", b"p sp 2 1\np sp 2 1\na 1 2 3\n"
    yield "parallel.gr", b"p sp 2 3\na 1 2 3\na 1 2 1\na 2 1 2\n"


def odd_networks():
    yield "no-sink.max", b"p max 2 1\nn 1 s\na 1 2 3\n"
    yield "one-end.max", b"p max 2 1\nn 1 s\nn 1 t\na 1 2 3\n"
    yield "two-sources.max", b"p max 3 1\nn 1 s\nn 2 s\nn 3 t\na 1 2 3\n"
    yield "ends-behind.max", b"p max 2 1\na 1 2 3\nn 1 s\nn 2 t\n"
    yield "loop.max", b"p max 2 2\nn 1 s\nn 2 t\na 1 1 5\na 1 2 3\n"
    yield "parallel.max", b"p max 2 3\nn 1 s\nn 2 t\na 1 2 3\na 1 2 4\na 2 1 9\n"
    yield "no-arcs.max", b"p max 2 0\nn 1 s\nn 2 t\n"


def odd_sequences():
    for name, letters in (("lower", b"acgtn"), ("iupac", b"ACGTRYSWKMBDHVN"), ("uracil", b"ACGU"), ("gaps", b"A-C.G*T"),
                          ("digits", b"AC1T"), ("space", b"AC GT"), ("tab", b"AC\tGT"), ("mark", b"AC>GT"), ("at", b"AC@GT"),
                          ("protein", b"MKVLE"), ("nul", b"AC\0GT"), ("question", b"AC?T")):
        yield name + ".fa", b">a\n" + letters + b"\n"
        yield name + ".fq", b"@a\n" + letters + b"\n+\n" + b"I" * len(letters) + b"\n"
    yield "names-only.fa", b">a\n>b\n>c\n"
    yield "last-empty.fa", b">a\nACGT\n>b"
    yield "first-empty.fa", b">a\n>b\nACGT\n"
    yield "no-name.fa", b">\nACGT\n> x\nAC\n"
    yield "blank-in-record.fa", b">a\nAC\n\nGT\n"
    yield "one-letter-lines.fa", b">a\n" + b"".join(bytes([c]) + b"\n" for c in b"ACGTNACGT")
    yield "long-line.fa", b">a\n" + b"ACGTTGCA" * 20000 + b"\n>b\nAC"
    yield "long-name.fa", b">" + b"n" * 200000 + b"\nACGT\n"
    yield "semicolon.fa", b";x\n>a\nACGT\n"
    yield "at-behind.fa", b">a\nACGT\n@b\nACGT\n+\nIIII\n"
    yield "plus.fa", b">a\nACGT\n+\nIIII\n"
    yield "plus-line.fa", b">a\nAC\n+GT\n"
    yield "text-ahead.fa", b"x\n>a\nACGT\n"
    yield "empty-record.fq", b"@a\n\n+\n\n@b\nAC\n+\nII\n"
    yield "only-empty.fq", b"@a\n\n+\n\n"
    yield "multi-line.fq", b"@a\nACGT\nGG\n+a\nIIII\nII\n@b\nAC\n+\n@@\n"
    yield "multi-line-marks.fq", b"@a\nACGT\nGG\n+\n@III\n+I\n@b\nAC\n+\n+@\n"
    for name, quality in (("at", b"@III"), ("plus", b"+III"), ("all-at", b"@@@@"), ("least", b"!!!!"), ("most", b"~~~~"),
                          ("space", b"II I"), ("delete", b"II\x7fI"), ("short", b"III"), ("long", b"IIIII"), ("none", b""),
                          ("high", b"II\xffI"), ("mark", b">III")):
        yield "quality-%s.fq" % name, b"@a\nACGT\n+\n" + quality + b"\n@b\nGG\n+\nII\n"
        yield "last-quality-%s.fq" % name, b"@a\nACGT\n+\n" + quality
    yield "other-name.fq", b"@a\nACGT\n+b\nIIII\n"
    yield "no-plus.fq", b"@a\nACGT\nIIII\n"
    yield "no-quality.fq", b"@a\nACGT\n@b\nACGT\n+\nIIII\n"
    yield "fasta-behind.fq", b"@a\nACGT\n+\nIIII\n>b\nACGT\n"
    yield "blank-between.fq", b"@a\nACGT\n+\nIIII\n\n\n@b\nAC\n+\nII\n"
    yield "blank-in-record.fq", b"@a\n\nACGT\n+\nIIII\n"
    yield "text-behind.fq", b"@a\nACGT\n+\nIIII\nx\n"


def odd_ratings():
    for name, line in (("empty-user", b",10,3,100"), ("empty-item", b"1,,5,101"), ("empty-rating", b"1,10,,100"),
                       ("empty-time", b"1,10,3,"), ("all-empty", b",,,"), ("leading-comma", b",1,10,3,100"),
                       ("two-fields", b"1,10"), ("one-field", b"1"), ("five-fields", b"1,10,3,100,7"), ("quotes", b'"1","10","3"'),
                       ("quoted-comma", b'1,"10,3",4'), ("spaces", b"1, 10, 3"), ("semicolons", b"1;10;3"), ("tabs", b"1\t10\t3"),
                       ("colon", b"1:10:3"), ("colons", b"1::10::3"), ("more-colons", b"1:::10::3"), ("mixed", b"1,10::3"),
                       ("double-comma", b"1,,10,,3"), ("three-fields", b"1,10,3")):
        yield "%s.csv" % name, line + b"\n"
        yield "%s-second.csv" % name, b"7,8,3,99\n" + line + b"\n"
        yield "%s-named.csv" % name, b"userId,movieId,rating,timestamp\n" + line + b"\n"
    for name, line in (("items-first", b"movieId,userId,rating"), ("rating-second", b"userId,rating,movieId"),
                       ("quoted-names", b'"userId","movieId","rating"'), ("capitals", b"USERID,ITEMID,RATING"),
                       ("two-names", b"userId,movieId"), ("more-names", b"userId,movieId,rating,timestamp"),
                       ("names-twice", b"user,item,rating\nuser,item,rating"), ("spaced-names", b"user id,item,rating")):
        yield "%s.csv" % name, line + b"\n1,10,3\n"


# ---- all -----------------------------------------------------------------------------------------

COMMENTS = {".el": b"#", ".wel": b"%", ".txt": b"#", ".graph": b"%", ".mtx": b"%", ".gr": b"c", ".max": b"c", ".csv": b"#"}


def cases():
    for suffix, text in SOUND.items():
        yield "sound" + suffix, text
        for kind in (cut, recoded, edited):
            for name, data in kind(text):
                yield "%s-%s%s" % (kind.__name__, name, suffix), data
        for name, data in compressed(text):
            yield "packed-%s%s.gz" % (name, suffix), data
        if suffix in COMMENTS:
            for name, data in commented(text, COMMENTS[suffix]):
                yield "commented-%s%s" % (name, suffix), data
    for place, (text, numbers) in PLACES.items():
        for i, number in enumerate(numbers):
            stem, suffix = place.split(".")
            yield "number-%s-%d.%s" % (stem, i, suffix), text.replace("%s", number).encode()
    for kind in (odd_graphs, odd_networks, odd_sequences, odd_ratings):
        for name, data in kind():
            yield "odd-" + name, data
