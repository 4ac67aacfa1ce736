# SPDX-License-Identifier: MIT
"""The questions that docs/results/README.md answers, in its order. Each module has

NAME      of its data, its chart and its section
TITLE     the question
ABOUT     what was measured, and what the columns are
KEYS      fields that tell a row from the others of its machine and number of ranks
measure   (place) -> rows of ranks, rate, unit, valid, command and the KEYS
sentence  (rows of one machine) -> the answer, without the machine's name; None if the rows do not give it
table     (rows of one machine) -> heads, lines
draw      ({machine: rows}, draw module) -> matplotlib figure
front     (rows of one machine) -> lines for README.md: what, Gravel's number, a rival, its number, Gravel's rate over the rival's;
          a question may have none

A measurement that comes first is the one that is kept if time runs short.
"""
from study.questions import atomics, by_hand, flows, handed, graphs, message, programs, round, scale, servers, sharing

QUESTIONS = (message, by_hand, programs, atomics, scale, graphs, round, sharing, servers, flows, handed)
BY_NAME = {question.NAME: question for question in QUESTIONS}
