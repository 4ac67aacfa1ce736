/* SPDX-License-Identifier: MIT */
/*
 * Lines: every record that a source sends is written once, in its order; a source has at most WINDOW frames of them
 * unwritten at the node that writes; a quiet returns when all that its node has sent is written.
 *
 *     source:  sends a frame of records if it has credit and nothing is parked, else parks it; a message passes. A quiet
 *              waits until what was parked has left, sends FLUSH, waits for its ACK
 *     node:    spools a frame; tells a source after each half of a window how many of its frames are written; answers a
 *              FLUSH once the writer has passed all frames that came before
 *     writer:  takes the oldest frame, writes it at some time, and gives it back
 *
 * Shown for 2 sources, 2 quiets of 3 frames each, a writer as slow as can be, and channels in order; and for a window of 4.
 *
 * Models:  lib/network/records.c, lib/spool. Mutants: EARLY_CREDIT, EARLY_ACK, OVERTAKE, FORGET_PARKED.
 */
#define N_SOURCES 2
#ifndef N_QUIETS
#define N_QUIETS 2
#endif
#ifndef N_FRAMES
#define N_FRAMES 3 /* of records, of each source before each quiet */
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#define N_ALL 6 /* N_QUIETS * N_FRAMES, at most */

mtype = { RECORDS, FLUSH };

/* To the node: what, and a frame's number; and back: ACK's quiet, CREDIT's count. */
chan to_node[N_SOURCES] = [N_ALL] of { mtype, byte };
chan acks[N_SOURCES] = [N_QUIETS] of { byte };
chan credits[N_SOURCES] = [N_ALL] of { byte };
/* The spool, and frames given back. */
chan todo = [N_ALL + N_ALL] of { byte };
chan done = [N_ALL + N_ALL] of { byte };

/* What the checker knows. */
byte n_written[N_SOURCES] = 0; /* by the writer: the next frame's number as well */
byte n_unwritten[N_SOURCES] = 0; /* at the node */
byte n_done = 0;

proctype source(byte self)
{
    byte quiet = 0, n_made = 0, n_sent = 0, n_credit = 0, mark = 0;
    byte to_make = N_FRAMES;
    bool has_mark = false, is_flushed = false, is_acked = false;
end:
    do
    /* Kernels send. What has no credit is parked: frames n_sent to n_made - 1 are. */
    :: atomic { quiet < N_QUIETS && to_make && !is_flushed ->
           to_make--;
           if
#ifdef OVERTAKE
           :: n_sent - n_credit < WINDOW && n_sent < n_made -> /* before those that are parked */
               to_node[self] ! RECORDS, n_made
#endif
           :: n_sent - n_credit < WINDOW && n_sent == n_made ->
               to_node[self] ! RECORDS, n_made;
               n_sent++
           :: n_sent - n_credit >= WINDOW || n_sent < n_made -> skip
           fi;
           n_made++ }
    :: atomic { n_sent < n_made && n_sent - n_credit < WINDOW ->
           to_node[self] ! RECORDS, n_sent;
           n_sent++ }
    :: atomic { credits[self] ? n_credit }
    /* A quiet: what is parked now leaves first. */
    :: atomic { quiet < N_QUIETS && !to_make && !has_mark -> has_mark = true; mark = n_made }
#ifdef FORGET_PARKED
    :: atomic { has_mark && !is_flushed -> to_node[self] ! FLUSH, quiet; is_flushed = true }
#else
    :: atomic { has_mark && !is_flushed && n_sent >= mark ->
           to_node[self] ! FLUSH, quiet; is_flushed = true }
#endif
    :: atomic { acks[self] ? eval(quiet) -> is_acked = true }
    :: atomic { is_acked ->
           assert(n_written[self] >= mark);
           has_mark = false; is_flushed = false; is_acked = false;
           to_make = N_FRAMES;
           quiet++;
           if
           :: quiet == N_QUIETS -> n_done++
           :: else
           fi }
    od
}

/* A frame's number in the spool: of the source, and its own. */
#define SPOOLED(from, number) ((from) * 16 + (number))

proctype node()
{
    byte i, number, n_pushed = 0, n_passed = 0, frame;
    byte n_back[N_SOURCES] = 0, n_told[N_SOURCES] = 0;
    byte held[N_SOURCES] = 0; /* quiet + 1 whose ACK is held */
    byte mark[N_SOURCES] = 0;
end:
    do
    :: atomic { nempty(to_node[0]) -> i = 0; goto receive }
    :: atomic { nempty(to_node[1]) -> i = 1; goto receive }
    :: atomic { done ? frame ->
           i = frame / 16;
           n_passed++;
           n_back[i]++;
#ifndef EARLY_CREDIT
           if
           :: n_back[i] - n_told[i] >= WINDOW / 2 -> n_told[i] = n_back[i]; credits[i] ! n_told[i]
           :: else
           fi;
#endif
           i = 0; number = 0; frame = 0 }
    :: atomic { held[0] && n_passed >= mark[0] -> acks[0] ! held[0] - 1; held[0] = 0 }
    :: atomic { held[1] && n_passed >= mark[1] -> acks[1] ! held[1] - 1; held[1] = 0 }
    od;
receive:
    atomic {
        if
        :: to_node[i] ? RECORDS, number ->
            n_unwritten[i]++;
            assert(n_unwritten[i] <= WINDOW);
            n_pushed++;
            todo ! SPOOLED(i, number);
#ifdef EARLY_CREDIT
            n_told[i]++;
            credits[i] ! n_told[i]
#endif
        :: to_node[i] ? FLUSH, number ->
#ifdef EARLY_ACK
            acks[i] ! number
#else
            held[i] = number + 1;
            mark[i] = n_pushed
#endif
        fi;
        i = 0; number = 0;
        goto end
    }
}

proctype writer()
{
    byte frame;
end:
    do
    :: todo ? frame ->
        /* Slow: anything may happen before. */
        atomic {
            assert(frame % 16 == n_written[frame / 16]); /* once, and in order */
            n_written[frame / 16]++;
            n_unwritten[frame / 16]--;
            done ! frame;
            frame = 0
        }
    od
}

init
{
    atomic {
        run source(0);
        run source(1);
        run node();
        run writer()
    }
    /* Not an end state: a run that stops before both are done is reported. */
    (n_done == N_SOURCES && n_written[0] == N_QUIETS * N_FRAMES &&
     n_written[1] == N_QUIETS * N_FRAMES)
}
