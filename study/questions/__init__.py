# SPDX-License-Identifier: MIT
"""The questions that docs/results/all.md answers, in its order. Each module has

NAME      of its data, its chart and its section
TITLE     the question
ABOUT     what was measured, and what the columns are
KEYS      fields that tell a row from the others of its machine and number of ranks
measure   (place) -> rows of ranks, rate, unit, valid, command and the KEYS
sentence  (rows of one machine) -> the answer, without the machine's name; None if the rows do not give it
table     (rows of one machine) -> heads, lines; none if the sentence and the chart have all of it
NAMED     how many first cells of a line say of what it is, where machines are columns; it may be missing
draw      ({machine: rows}, draw module) -> matplotlib figure

What follows is for the tables of the first page, of the rows of one machine; a question may have none of it:

rates     (rows) -> what, a rate with its unit
front     (rows) -> lines beside rivals: what, Gravel's number, a rival, its number, Gravel's rate over the rival's
README    beginnings of those "what" that the table of README.md has
pays      (rows) -> what, its rate on two devices over that on one

A measurement that comes first is the one that is kept if time runs short.
"""
from study.questions import atomics, by_hand, flows, handed, graphs, message, microcircuit, programs, round, scale, servers, sharing

QUESTIONS = (message, by_hand, programs, atomics, scale, graphs, microcircuit, round, sharing, servers, flows, handed)
BY_NAME = {question.NAME: question for question in QUESTIONS}
