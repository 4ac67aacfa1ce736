/* SPDX-License-Identifier: MIT */
/*
 * Orders events as one memory would. See linear.h.
 *
 * An event is ready when all that must come before it is there: what is before it in its thread; of a read the store
 * that it reads; of a store the one before it in coherence order, and all that read that one; of a barrier what is
 * before it in each thread of the group. So any event that is ready may be next.
 */
#include "checker/linear.h"

#include <string.h>

struct line {
    const struct hrf_execution *from;
    struct hrf_execution *to;
    uint32_t next[HRF_MAX_THREADS];      /* event of a thread; from->n: it has no more */
    uint16_t behind[HRF_MAX_EVENTS];     /* the next event of its thread; from->n: none */
    int16_t stored[HRF_MAX_LOCATIONS];   /* the last store that is there, or HRF_NONE */
    uint16_t readers[HRF_MAX_EVENTS];    /* of a store, that are not there yet */
    uint16_t initial[HRF_MAX_LOCATIONS]; /* of the initial value */
    int16_t number[HRF_MAX_EVENTS];      /* of an event in `to` */
};

static uint16_t *readers_of(struct line *line, int32_t location, int32_t store)
{
    return store < 0 ? &line->initial[location] : &line->readers[store];
}

static void prepare(struct line *line)
{
    const uint32_t n = line->from->n;
    memset(line->stored, -1, sizeof line->stored);
    memset(line->initial, 0, sizeof line->initial);
    memset(line->readers, 0, n * sizeof *line->readers);
    for (uint32_t t = 0; t < line->from->program->n_threads; t++)
        line->next[t] = n;
    for (uint32_t e = 0; e < n; e++) {
        const struct hrf_event *event = &line->from->events[e];
        line->behind[e] = (uint16_t)n;
        if (event->previous < 0)
            line->next[event->thread] = e;
        else
            line->behind[event->previous] = (uint16_t)e;
        if (event->reads)
            ++*readers_of(line, event->location, event->source);
    }
}

/* Events that are added together: those of a barrier, in order, or one alone. */
struct step {
    uint32_t first, end;
};

static struct step step_of(const struct hrf_execution *from, uint32_t number)
{
    const struct hrf_event *events = from->events;
    if (!events[number].is_barrier)
        return (struct step){number, number + 1};
    struct step step = {events[number].round, number + 1};
    while (step.end < from->n && events[step.end].is_barrier &&
           events[step.end].round == events[number].round)
        step.end++;
    return step;
}

static bool is_ready(struct line *line, uint32_t number)
{
    const struct hrf_event *events = line->from->events, *event = &events[number];
    const int16_t stored = event->location < 0 ? HRF_NONE : line->stored[event->location];
    if (event->reads && event->source != stored)
        return false;
    if (event->writes && (event->position != (stored < 0 ? 1 : events[stored].position + 1) ||
                          *readers_of(line, event->location, stored) != event->reads))
        return false;
    return line->next[event->thread] == number;
}

static void add(struct line *line, uint32_t number)
{
    struct hrf_event event = line->from->events[number];
    if (event.reads) {
        --*readers_of(line, event.location, event.source);
        event.source = event.source < 0 ? HRF_NONE : line->number[event.source];
    }
    if (event.writes)
        line->stored[event.location] = (int16_t)number;
    line->next[event.thread] = line->behind[number];
    line->number[number] = hrf_execution_add(line->to, &event);
}

/* Adds the thread's next event, and with a barrier the whole group's, if it is ready. */
static bool try_step(struct line *line, uint32_t thread)
{
    if (line->next[thread] == line->from->n)
        return false;
    const struct step step = step_of(line->from, line->next[thread]);
    for (uint32_t e = step.first; e < step.end; e++)
        if (!is_ready(line, e))
            return false;
    for (uint32_t e = step.first; e < step.end; e++)
        add(line, e);
    return true;
}

bool hrf_linearize(const struct hrf_execution *from, struct hrf_execution *to)
{
    struct line line = {.from = from, .to = to};
    bool has_moved = true;
    hrf_execution_drop(to, 0);
    prepare(&line);
    while (has_moved) {
        has_moved = false;
        for (uint32_t t = 0; t < from->program->n_threads; t++)
            while (try_step(&line, t))
                has_moved = true;
    }
    return to->n == from->n;
}
