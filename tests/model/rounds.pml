/* SPDX-License-Identifier: MIT */
/*
 * Rounds of kernels that stay on several nodes: a message is applied once, in the round in which it was sent, before
 * any phase of the next one begins; no part is overwritten before it is read; all nodes end a launch behind one round.
 *
 *     group:    sends messages into frames, by counters of the round's number % 2, and meets the node's other groups;
 *               member 0 reports. When the answer is whole it applies its share of what has come, and meets them again
 *     host:     copies the report until it is whole, reads frames behind it, and sends a part to every other node. When
 *               all parts of the number are there it writes frames, and then the answer
 *     network:  puts a part into the slot of its source and number % 2, at any time; of a node of the same machine the
 *               slot is in its sender's memory, who fills it again from when it polls for the next report but one
 *
 * Copies take and bring words in any order, so each has its round's number, of few bits. A host may be late, or know of
 * a message that was refused, which ends the launch. The next one begins with words of 0, and with no number that looks
 * like these. A message without room in a frame is sent as from any kernel, and a barrier (barrier.pml) ends the round.
 * Shown for 2 nodes of 2 groups, 3 rounds with a late host, and 3 nodes whose copies take one step.
 *
 * Models:  cl/device/exchange.cl.h, meeting.cl.h and direct.cl.h with GRAVELP_NODES, lib/rounds/nodes.c, lib/network/exchange.c.
 *          Mutants: ONE_SLOT, ONE_SET, CLEARED_FIRST, REPORT_UNTAGGED, ANSWER_UNTAGGED, FRAMES_FIRST, ANSWER_FIRST,
 *          NO_MEETING, UNCAPPED, NO_BARRIER, LATE_ALONE; with few TAGS: ZERO_NUMBER.
 */
#ifndef N_NODES
#define N_NODES 2
#endif
#ifndef N_GROUPS
#define N_GROUPS 2
#endif
#ifndef N_ROUNDS
#define N_ROUNDS 3 /* of the run, at most */
#endif
#ifndef N_LATE
#define N_LATE 1 /* the host that may be late; 0: none */
#endif
#ifndef N_SENDERS
#define N_SENDERS N_NODES /* nodes that send */
#endif
#ifndef ROOM
#define ROOM 1 /* messages of a frame; a group sends at most one to each other node in a round */
#endif
#ifndef TAGS
#define TAGS 16 /* numbers that a word tells apart */
#endif

/* Words of a report or an answer: the number, and below it what the word says. */
#define FLAGS 0
#define COUNT(node) (1 + (node))
#define N_WORDS (1 + N_NODES)
#define ALL_WORDS ((1 << N_WORDS) - 1)
#define WORD(number, part) ((number) % TAGS * 16 + (part))
#define HAS_TAG(word, number) ((word) / 16 == (number) % TAGS)
#define PART(word) ((word) % 16)
#define AT(node, word) ((node) * N_WORDS + (word))

#define SENT 1
#define ENDS 2
#define GO_ON 4

#ifdef ONE_SLOT
#define SLOT(to, from, number) ((to) * N_NODES + (from))
#else
#define SLOT(to, from, number) (((number) % 2 * N_NODES + (to)) * N_NODES + (from))
#endif
#ifdef ONE_SET
#define SET(from, to, number) ((from) * N_NODES + (to))
#else
#define SET(from, to, number) (((number) % 2 * N_NODES + (from)) * N_NODES + (to))
#endif
#define FRAME(here, there) (((here) * N_NODES + (there)) * ROOM)
#define WIRE(from, to) ((from) * N_NODES + (to))
#define PARITY(node, number) ((node) * 2 + (number) % 2)
#define ALL_ARE_0(of, number) (!of[PARITY(0, number)] && !of[PARITY(1, number)] && !of[PARITY(N_NODES - 1, number)])

/* In the memory of devices. */
byte report[N_NODES * N_WORDS], answer[N_NODES * N_WORDS];
byte counts[2 * N_NODES * N_NODES];
byte out[N_NODES * N_NODES * ROOM], in[N_NODES * N_NODES * ROOM]; /* of a message the number of its round */
byte n_met[N_NODES];
bit is_sent[2 * N_NODES]; /* some message had no room */

/* Between nodes: parts, and messages as from any kernel. */
chan wire[N_NODES * N_NODES] = [2] of { byte, byte, byte }; /* number, flags, count */
byte slot_number[2 * N_NODES * N_NODES], slot_flags[2 * N_NODES * N_NODES], slot_count[2 * N_NODES * N_NODES];
byte in_flight[2 * N_NODES];
byte n_entered; /* the barrier */

/* Of a launch: its first number, and groups that have ended. */
byte first[N_NODES], n_ended[N_NODES];
byte n_done; /* hosts whose run has ended */

/* What the checker knows. */
byte unapplied[2 * N_NODES]; /* messages, by receiver and number % 2 */
bool is_unread[2 * N_NODES * N_NODES];
byte decided[TAGS + N_ROUNDS]; /* by a round's number: 1: the launch goes on, 2: ends */

inline arrive()
{
    n_met[self]++;
    n_meetings++
}
#define HAVE_MET (n_met[self] >= N_GROUPS * n_meetings)

/* Sends to any of the other nodes. */
inline send()
{
    do
    :: node < N_NODES && node != self && self < N_SENDERS ->
        i = counts[SET(self, node, number)];
        counts[SET(self, node, number)]++;
        unapplied[PARITY(node, number)]++;
        if
        :: i < ROOM -> out[FRAME(self, node) + i] = number
        :: else -> is_sent[PARITY(self, number)] = 1; in_flight[PARITY(node, number)]++
        fi;
        i = 0;
        node++
    :: node < N_NODES -> node++
    :: node == N_NODES -> node = 0; break
    od
}

inline clear_counts()
{
    atomic {
        do
        :: node < N_NODES -> counts[SET(self, node, number)] = 0; node++
        :: else -> node = 0; break
        od
    }
}

#ifdef UNCAPPED
#define MOST 15
#else
#define MOST ROOM
#endif

inline make_report()
{
    do
    :: atomic { node < N_NODES && node != self ->
           i = counts[SET(self, node, number)];
           report[AT(self, COUNT(node))] = WORD(number, (i < MOST -> i : MOST));
           i = 0;
           node++ }
    :: atomic { node == self -> node++ }
    :: atomic { node == N_NODES ->
           node = 0;
           report[AT(self, FLAGS)] = WORD(number, is_sent[PARITY(self, number)] * SENT);
           is_sent[PARITY(self, number)] = 0;
           break }
    od
}

#define HAS_COUNT(node) (node == self || HAS_TAG(answer[AT(self, COUNT(node))], number))

/* Polls the word of flags, and then all other words. Each changes once for an answer, so it is waited for. */
inline await_answer()
{
    HAS_TAG(answer[AT(self, FLAGS)], number);
    atomic {
#ifndef ANSWER_UNTAGGED
        HAS_COUNT(0) && HAS_COUNT(1) && HAS_COUNT(N_NODES - 1);
#endif
        goes_on = (PART(answer[AT(self, FLAGS)]) & GO_ON) != 0;
        do
        :: node < N_NODES -> has_come = has_come || PART(answer[AT(self, COUNT(node))]); node++
        :: else -> node = 0; break
        od
    }
}

/* Applies this group's share of the frames. */
inline apply()
{
    do
    :: node < N_NODES ->
        i = me;
        do
        :: i < PART(answer[AT(self, COUNT(node))]) ->
            assert(i < ROOM && in[FRAME(self, node) + i] == number);
            assert(unapplied[PARITY(self, number)]);
            unapplied[PARITY(self, number)]--;
            i = i + N_GROUPS
        :: else -> i = 0; break
        od;
        node++
    :: else -> node = 0; break
    od
}

proctype group(byte self; byte me)
{
    byte number, node, i, n_meetings;
    bool goes_on, has_come;
    do
    :: n_done == N_NODES -> break
    :: first[self] > number ->
        number = first[self] - 1;
        do
        :: atomic {
               number++;
               assert(!unapplied[PARITY(self, number - 1)]);
               send();
               arrive()
           }
           HAVE_MET;
           if
           :: me == 0 ->
#ifdef CLEARED_FIRST
               clear_counts();
#endif
               make_report()
           :: else
           fi;
           await_answer();
#ifndef CLEARED_FIRST
           if
           :: me == 0 -> clear_counts()
           :: else
           fi;
#endif
           if
           :: atomic { has_come -> apply(); arrive(); has_come = false }
#ifndef NO_MEETING
              HAVE_MET
#endif
           :: else
           fi;
           if
           :: goes_on -> goes_on = false
           :: else -> break
           fi
        od;
        n_ended[self]++
    od
}

/* How the words are copied: apart, or all at one time. */
#ifdef WHOLE_COPIES
#define COPY atomic
#else
#define COPY
#endif

#define TAKE(word, to) atomic { left & 1 << word -> to = report[AT(self, word)]; left = left - (1 << word) }

/* Copies the report once, in any order; one that begins before member 0 reports would find too little. */
inline copy_report()
{
#ifndef REPORT_UNTAGGED
    HAS_TAG(report[AT(self, COUNT(self == 0))], number);
#endif
    left = ALL_WORDS - (1 << COUNT(self));
    COPY {
        do
        :: TAKE(FLAGS, flags)
        :: TAKE(COUNT(0), n[0])
        :: TAKE(COUNT(1), n[1])
#if N_NODES > 2
        :: TAKE(COUNT(2), n[2])
#endif
        :: left == 0 -> break
        od
    }
}

#ifdef REPORT_UNTAGGED
#define IS_WHOLE HAS_TAG(flags, number)
#else
#define COPIED(node) (node == self || HAS_TAG(n[node], number))
#define IS_WHOLE (HAS_TAG(flags, number) && COPIED(0) && COPIED(1) && COPIED(N_NODES - 1))
#endif

inline copy_frames()
{
    do
    :: i < N_NODES * ROOM -> frames[i] = out[FRAME(self, 0) + i]; i++
    :: else -> i = 0; break
    od
}

/* What is read with a report fills the outbox: all have read what was there. */
inline fill_outbox()
{
    do
    :: node < N_NODES -> assert(node == self || !is_unread[SLOT(node, self, number)]); node++
    :: else -> node = 0; break
    od
}

/* Copies the report until it is whole, with the frames behind it. */
inline await_report()
{
    atomic { fill_outbox() }
    do
    ::
#ifdef FRAMES_FIRST
        atomic { copy_frames() }
#endif
        copy_report();
        if
        :: IS_WHOLE -> break
        :: else -> atomic { flags = 0; n[0] = 0; n[1] = 0; n[N_NODES - 1] = 0 }
        fi
    od
}

/* Takes what has been copied: all messages that the report counts are there. */
inline take_report()
{
#ifndef FRAMES_FIRST
    copy_frames();
#endif
    flags = PART(flags);
    do
    :: node < N_NODES && i < PART(n[node]) -> assert(i < ROOM && frames[node * ROOM + i] == number); i++
    :: node < N_NODES && i >= PART(n[node]) -> n[node] = PART(n[node]); i = 0; node++
    :: node == N_NODES -> node = 0; break
    od;
    do
    :: i < N_NODES * ROOM -> frames[i] = 0; i++
    :: else -> i = 0; break
    od
}

/* The host that may be late is, or is not. */
inline be_late()
{
    if
    :: self == N_LATE - 1 -> flags = flags | ENDS
    :: skip
    fi
}

#define PART_IS_IN(node) (node == self || slot_number[SLOT(self, node, number)] == number)

inline send_parts()
{
    do
    :: node < N_NODES && node != self -> wire[WIRE(self, node)] ! number, flags, n[node]; node++
    :: node == self -> node++
    :: node == N_NODES -> node = 0; break
    od
}

/* Makes words of what all nodes have come to, and counts of what has come from each. */
inline read_parts()
{
    do
    :: node < N_NODES && node != self ->
        flags = flags | slot_flags[SLOT(self, node, number)];
        n[node] = slot_count[SLOT(self, node, number)];
        node++
    :: node == self -> n[node] = 0; node++
    :: node == N_NODES -> node = 0; break
    od
}

inline write_frames()
{
    do
    :: node < N_NODES && i < n[node] -> in[FRAME(self, node) + i] = slot_number[SLOT(self, node, number)]; i++
    :: node < N_NODES && i >= n[node] ->
        is_unread[SLOT(self, node, number)] = false;
        slot_flags[SLOT(self, node, number)] = 0;
        slot_count[SLOT(self, node, number)] = 0;
        i = 0;
        node++
    :: node == N_NODES -> node = 0; break
    od
}

#define BRING(word, part) \
    atomic { left & 1 << word -> answer[AT(self, word)] = WORD(number, part); left = left - (1 << word) }

/* The copy brings words in any order. */
inline write_answer()
{
    left = ALL_WORDS - (1 << COUNT(self));
    COPY {
        do
        :: BRING(FLAGS, goes_on * GO_ON)
        :: BRING(COUNT(0), n[0])
        :: BRING(COUNT(1), n[1])
#if N_NODES > 2
        :: BRING(COUNT(2), n[2])
#endif
        :: left == 0 -> break
        od
    }
}

inline begin_launch()
{
    atomic {
        do
        :: i < N_WORDS -> report[AT(self, i)] = 0; answer[AT(self, i)] = 0; i++
        :: else -> i = 0; break
        od;
        do
        :: node < N_NODES -> counts[SET(self, node, 0)] = 0; counts[SET(self, node, 1)] = 0; node++
        :: else -> node = 0; break
        od;
        n_ended[self] = 0;
        number++;
#ifndef ZERO_NUMBER
        if
        :: number % TAGS == 0 -> number = number + 2 /* slots are by number % 2 */
        :: else
        fi;
#endif
        first[self] = number
    }
}

proctype host(byte self)
{
    byte number, n_rounds, flags, left, node, i, n_barriers;
    byte n[N_NODES], frames[N_NODES * ROOM];
    bool goes_on;
    do
    :: n_rounds == N_ROUNDS -> break
    :: else ->
        begin_launch();
        do
        :: await_report();
           atomic {
               take_report();
#ifndef LATE_ALONE
               be_late();
#endif
               send_parts()
           }
           atomic {
               PART_IS_IN(0) && PART_IS_IN(1) && PART_IS_IN(N_NODES - 1) ->
                   read_parts();
#ifdef LATE_ALONE
                   be_late();
#endif
                   n_entered = n_entered + (flags & SENT); /* 1 */
                   n_barriers = n_barriers + (flags & SENT)
           }
#ifndef NO_BARRIER
           (n_entered >= N_NODES * n_barriers && ALL_ARE_0(in_flight, number));
#endif
           atomic {
               n_rounds++;
               goes_on = n_rounds < N_ROUNDS && !(flags & ENDS);
               assert(!decided[number] || decided[number] == 2 - goes_on);
               decided[number] = 2 - goes_on;
               flags = 0;
#ifndef ANSWER_FIRST
               write_frames()
#endif
           }
           write_answer();
           atomic {
#ifdef ANSWER_FIRST
               write_frames();
#endif
               n[0] = 0; n[1] = 0; n[N_NODES - 1] = 0;
               if
               :: goes_on -> goes_on = false; number++
               :: else -> break
               fi
           }
        od;
        (n_ended[self] == N_GROUPS)
    od;
    n_done++
}

/* Puts a part into its slot. */
inline receive(from)
{
    atomic {
        wire[WIRE(from, self)] ? number, flags, n ->
            slot = SLOT(self, from, number);
            assert(!is_unread[slot]);
            is_unread[slot] = true;
            slot_number[slot] = number;
            slot_flags[slot] = flags;
            slot_count[slot] = n;
            number = 0; flags = 0; n = 0; slot = 0
    }
}

/* Applies a message as from any kernel. */
inline resolve(number)
{
    atomic {
        in_flight[PARITY(self, number)] ->
            in_flight[PARITY(self, number)]--;
            unapplied[PARITY(self, number)]--
    }
}

proctype network(byte self)
{
    byte number, flags, n, slot;
end:
    do
    :: receive(0)
    :: receive(1)
#if N_NODES > 2
    :: receive(2)
#endif
    :: resolve(0)
    :: resolve(1)
    od
}

init
{
    byte node = 0, i = 0;
    atomic {
        do
        :: node < N_NODES ->
            run host(node);
            run network(node);
            do
            :: i < N_GROUPS -> run group(node, i); i++
            :: else -> i = 0; break
            od;
            node++
        :: else -> node = 0; break
        od
    }
    /* Not an end state: a run that stops before all are done is reported. */
    (n_done == N_NODES && ALL_ARE_0(unapplied, 0) && ALL_ARE_0(unapplied, 1))
}
