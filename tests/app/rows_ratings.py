# SPDX-License-Identifier: MIT
"""Rating files that sgd must refuse, and odd ones that it must take.

REFUSED has (file name, bytes, what follows the name in the one line), TAKEN (file name, bytes).
"""
import gzip

PACKED = gzip.compress(b"1,2,3\n2,2,4\n", mtime=0)

REFUSED = [
    ("empty.csv", "", ":1: the file has no ratings"),
    ("names.csv", "userId,movieId,rating,timestamp\n", ":2: the file has no ratings"),
    ("wide.csv", "1,5,3\n".encode("utf-16-be"), ":1: is no text: byte 1 is 0x00"),
    # An empty field, at each place.
    ("user.csv", ",5,3,101\n", ":1: ',5,3,101' has no user: its field 1 is empty"),
    ("item.csv", "1,,5,101\n", ":1: '1,,5,101' has no item: its field 2 is empty"),
    ("rating.csv", "1,5,,101\n", ":1: '1,5,,101' has no rating: its field 3 is empty"),
    ("time.csv", "1,5,3,\n", ":1: '1,5,3,' has no time: its field 4 is empty"),
    ("time3.csv", "1,5,3\r\n2,5,3,\r\n", ":2: '2,5,3,' has 4 fields, and the first line 3"),
    ("item.dat", "1::::5::101\n", ":1: '1::::5::101' has no item: its field 2 is empty"),
    # Fewer fields, or more.
    ("two.csv", "1,5\n", ":1: '1,5' is not user::item::rating::time or user,item,rating,time"),
    ("five.csv", "1,5,3,4,5\n", ":1: '1,5,3,4,5' is not user::item"),
    ("fewer.csv", "1,5,3,101\n1,5,101\n", ":2: '1,5,101' has 3 fields, and the first line 4"),
    ("fewer-named.csv", "userId,movieId,rating,timestamp\n1,5,101\n", ":2: '1,5,101' has 3 fields"),
    ("mixed.csv", "1,5,3\n1::6::3\n", ":2: '1::6::3' is not user::item"),
    ("one-colon.dat", "1:5:3\n", ":1: '1:5:3' is not user::item"),
    ("three-colons.dat", "1:::5::3\n", ":1: item ':5' is not a whole number"),
    # What is no number.
    ("quoted.csv", '"1","5","3"\n', ":1: user '\"1\"' is not a whole number"),
    ("spaces.csv", "1, 5, 3\n", ":1: '1,' is not user::item"),
    ("half.csv", "1.5,5,3\n", ":1: user '1.5' is not a whole number"),
    ("minus.csv", "1,-5,3\n", ":1: item '-5' is not a whole number"),
    ("large.csv", "4294967295,5,3\n", ":1: user '4294967295' is not a whole number below 4294967295"),
    ("huge.csv", "18446744073709551617,5,3\n", ":1: user '18446744073709551617' is not"),
    ("nan.csv", "1,5,nan\n", ":1: rating 'nan' is not a decimal number"),
    ("hex.csv", "1,5,0x3\n", ":1: rating '0x3' is not a decimal number"),
    ("heavy.csv", "1,5,1e99\n", ":1: rating '1e99' is not a decimal number"),
    ("word.csv", "1,5,3,now\n", ":1: time 'now' is not a decimal number"),
    # Columns in another order.
    ("order.csv", "movieId,userId,rating\n5,1,3\n", ":1: column 1 is 'movieId', and not the user"),
    ("rating-second.csv", "user,rating,item\n1,3,5\n", ":1: column 2 is 'rating', and not the item"),
    ("second-names.csv", "1,5,3\nuser,item,rating\n", ":2: user 'user' is not a whole number"),
    # Not text.
    ("mark.csv", b"\xef\xbb\xbfuserId,movieId,rating\n1,5,3\n", ":1: is no text: byte 1 is 0xef"),
    ("behind.csv.gz", PACKED + b"3,3,3\n", ":3: bad compressed data: incorrect header check"),
    ("cut.csv.gz", PACKED[:-3], ":3: the compressed data end early"),
]

TAKEN = [
    ("crlf.csv", "userId,movieId,rating,timestamp\r\n1,5,3.5,101\r\n2,5,4,102\r\n\r\n"),
    ("old.csv", "user,item,rating\r1,5,3.5\r2,5,4\r"),
    ("unended.dat", "# ratings\n1::5::3::101\n2::5::+4.5::102"),
    ("members.csv.gz", PACKED + PACKED + bytes(100)),
]
