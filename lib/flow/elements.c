/* SPDX-License-Identifier: MIT */
/*
 * Elements of a flow between its runs: they are found, counted, put into a channel and taken out of an output. And
 * counters as any thread may read them, also while a run is under way: a copy that the thread of the run renews between
 * rounds.
 *
 * Elements that other threads post, handlers of active messages among them, wait on the host, and the run puts them
 * into their channel between two rounds, as there is room.
 *
 * Path:    gravel_flow_push, gravel_flow_take, gravel_flow_post -> elements.c -> memory.c; create.c, host.c ->
 *          elements.c -> gravel_flow_stats_read, gravel_flow_channel_read.
 * Owner:   the flow has the copies of what is posted.
 * Threads: any posts; the one that runs the flow does the rest. The lock is held for copies in memory only.
 * Memory:  the host writes heads, tails and records between rounds only.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/growing.h"
#include "flow/flow.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64u /* of posts */

/* ---- counters -------------------------------------------------------------------------------- */

void gravel_flow_publish(struct gravel_flow *flow)
{
    const uint32_t *peaks = flow->view.peaks;
    uint64_t run_ns = flow->run_begin_ns ? gravel_clock_ns() - flow->run_begin_ns : 0;
    pthread_mutex_lock(&flow->lock);
    memcpy(flow->seen.peaks, peaks, flow->graph.n_channels * sizeof *peaks);
    flow->seen.stats = flow->stats;
    flow->seen.stats.run_ns += run_ns;
    flow->seen.stats.scheduler_ns += run_ns; /* less what launches took, which is subtracted */
    pthread_mutex_unlock(&flow->lock);
}

int gravel_flow_stats_read(struct gravel_flow *flow, struct gravel_flow_stats *stats, size_t bytes)
{
    struct gravel_flow_stats own;
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_stats_read", GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_require("gravel_flow_stats_read", "stats", stats));
    pthread_mutex_lock(&flow->lock);
    own = flow->seen.stats;
#define SUBTRACT(field, unit, help) own.field -= flow->seen.base.field;
    GRAVEL_FLOW_STATS_FIELDS(SUBTRACT)
#undef SUBTRACT
    pthread_mutex_unlock(&flow->lock);
    return gravel_growing_give("gravel_flow_stats_read", stats, bytes, &own, sizeof own);
}

int gravel_flow_stats_reset(struct gravel_flow *flow)
{
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_stats_reset", GRAVEL_ANYWHERE));
    pthread_mutex_lock(&flow->lock);
    flow->seen.base = flow->seen.stats;
    flow->seen.base.bytes = 0; /* of the memory, which stays */
    pthread_mutex_unlock(&flow->lock);
    return 0;
}

int gravel_flow_channel_read(struct gravel_flow *flow, const char *channel, uint32_t *width,
                             uint32_t *peak)
{
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_channel_read", GRAVEL_ANYWHERE));
    uint32_t c = gravel_flow_graph_find(&flow->graph, channel);
    if (c == flow->graph.n_channels)
        return gravel_fail(GRAVEL_EINVAL, "gravel_flow_channel_read: no channel '%s'",
                           channel ? channel : "(NULL)");
    if (width)
        *width = flow->graph.channels[c].width;
    pthread_mutex_lock(&flow->lock);
    if (peak)
        *peak = flow->seen.peaks[c];
    pthread_mutex_unlock(&flow->lock);
    return 0;
}

/* ---- elements -------------------------------------------------------------------------------- */

int gravel_flow_check_idle(const struct gravel_flow *flow, const char *call)
{
    GRAVEL_TRY(gravel_flow_enter(flow, call, GRAVEL_WAITS));
    if (flow->is_running)
        return gravel_fail(GRAVEL_EINVAL, "%s: a run of the flow is under way", call);
    if (flow->failed)
        return gravel_fail(flow->failed, "%s: the flow has failed before", call);
    return 0;
}

int gravel_flow_find(const struct gravel_flow *flow, const char *call, const char *name,
                     bool is_output, uint32_t *channel)
{
    *channel = gravel_flow_graph_find(&flow->graph, name);
    if (*channel == flow->graph.n_channels)
        return gravel_fail(GRAVEL_EINVAL, "%s: the flow has no channel '%s'", call,
                           name ? name : "(NULL)");
    uint32_t kind = flow->graph.channels[*channel].kind;
    if (is_output ? kind != GRAVEL_OUTPUT : kind != GRAVEL_STREAM && kind != GRAVEL_SPAWN)
        return gravel_fail(GRAVEL_EINVAL, "%s: channel '%s' is %s", call, name,
                           is_output               ? "not an output"
                           : kind == GRAVEL_OUTPUT ? "an output"
                           : kind == GRAVEL_HELD   ? "held, and its elements are made by nodes"
                                                   : "a stack of continuations");
    return 0;
}

/* Copies n records of a channel's level 0, from CE `first` on: row by row, each of whose n columns may wrap. @param to,
 * from  one of them NULL. */
static int copy_records(struct gravel_flow *flow, uint32_t c, uint32_t first, uint32_t *to,
                        const uint32_t *from, uint32_t n)
{
    const struct gravelp_channel *channel = &flow->graph.channels[c];
    const uint32_t n_words = channel->n_words, width = channel->width, at = first & (width - 1);
    const uint32_t n_first = n < width - at ? n : width - at, n_rest = n - n_first;
    uint32_t *row = malloc((n ? n : 1) * sizeof *row);
    int code = row ? 0 : gravel_fail(GRAVEL_ENOMEM, "%u elements of a flow", n);
    for (uint32_t w = 0; w < n_words && !code; w++) {
        const uint64_t row_at = channel->base + (uint64_t)w * width;
        for (uint32_t i = 0; from && i < n; i++)
            row[i] = from[(size_t)i * n_words + w];
        code = from ? gravel_flow_memory_write(flow, row_at + at, row, n_first)
                    : gravel_flow_memory_read(flow, row_at + at, row, n_first);
        if (!code && n_rest)
            code = from ? gravel_flow_memory_write(flow, row_at, row + n_first, n_rest)
                        : gravel_flow_memory_read(flow, row_at, row + n_first, n_rest);
        for (uint32_t i = 0; to && i < n; i++)
            to[(size_t)i * n_words + w] = row[i];
    }
    free(row);
    return code;
}

uint32_t gravel_flow_room(const struct gravel_flow *flow, uint32_t c)
{
    const struct gravelp_channel *channel = &flow->graph.channels[c];
    uint32_t used = gravelp_view_used(flow->view, c);
    uint32_t room = channel->width - channel->reserve;
    return used < room ? room - used : 0;
}

int gravel_flow_add(struct gravel_flow *flow, uint32_t c, const void *records, uint32_t n)
{
    const struct gravelp_channel *channel = &flow->graph.channels[c];
    const uint32_t room = gravel_flow_room(flow, c);
    if (n > room)
        return gravel_fail(
            GRAVEL_ERANGE,
            "gravel_flow_push: %u elements for channel '%s', which has %u of %u, and "
            "keeps %u for what it makes itself: room for %u",
            n, flow->graph.names[c], gravelp_view_used(flow->view, c), channel->width,
            channel->reserve, room);
    GRAVEL_TRY(copy_records(flow, c, flow->view.tails[c], NULL, records, n));
    flow->view.tails[c] += n; /* the layer of level 0 has the channel's number */
    int code = gravel_flow_memory_write_tails(flow);
    if (code) { /* none is added; without the old tails on the device, too, the flow has failed */
        flow->view.tails[c] -= n;
        flow->failed = gravel_flow_memory_write_tails(flow);
        return code;
    }
    gravelp_view_note_peak(flow->view, c);
    gravel_flow_publish(flow);
    return 0;
}

int gravel_flow_push(struct gravel_flow *flow, const char *channel, const void *records, uint32_t n)
{
    uint32_t c;
    GRAVEL_TRY(gravel_flow_check_idle(flow, "gravel_flow_push"));
    GRAVEL_TRY(gravel_flow_find(flow, "gravel_flow_push", channel, false, &c));
    if (n)
        GRAVEL_TRY(gravel_require("gravel_flow_push", "records", records));
    return n ? gravel_flow_add(flow, c, records, n) : 0;
}

int gravel_flow_take(struct gravel_flow *flow, const char *channel, void *records,
                     uint32_t capacity, uint32_t *n)
{
    uint32_t c;
    GRAVEL_TRY(gravel_flow_check_idle(flow, "gravel_flow_take"));
    GRAVEL_TRY(gravel_flow_find(flow, "gravel_flow_take", channel, true, &c));
    GRAVEL_TRY(gravel_require("gravel_flow_take", "n", n));
    if (capacity)
        GRAVEL_TRY(gravel_require("gravel_flow_take", "records", records));
    uint32_t used = gravelp_view_used(flow->view, c);
    *n = capacity < used ? capacity : used;
    GRAVEL_TRY(copy_records(flow, c, flow->view.heads[c], records, NULL, *n));
    flow->view.heads[c] += *n;
    return 0;
}

/* ---- posts ----------------------------------------------------------------------------------- */

/* Makes room for n more: of taken ones, if they are half, so that each is moved about once. Under the lock. */
static bool grow(struct gravel_flow_posts *posts, uint32_t n_words, uint32_t n)
{
    if (posts->first >= posts->n - posts->first) {
        posts->n -= posts->first;
        if (posts->n)
            memmove(posts->words, posts->words + (size_t)posts->first * n_words,
                    (size_t)posts->n * n_words * sizeof *posts->words);
        posts->first = 0;
    }
    uint64_t room = posts->room ? posts->room : FIRST_ROOM;
    while (room < (uint64_t)posts->n + n)
        room *= 2;
    if (room == posts->room)
        return true;
    uint32_t *words =
        room > UINT32_MAX ? NULL : realloc(posts->words, room * n_words * sizeof *words);
    if (!words)
        return false;
    posts->words = words;
    posts->room = (uint32_t)room;
    return true;
}

int gravel_flow_post(struct gravel_flow *flow, const char *channel, const void *records, uint32_t n)
{
    uint32_t c;
    GRAVEL_TRY(gravel_flow_enter(flow, "gravel_flow_post", GRAVEL_ANYWHERE));
    if (n)
        GRAVEL_TRY(gravel_require("gravel_flow_post", "records", records));
    int code = gravel_flow_find(flow, "gravel_flow_post", channel, false, &c);
    if (code || n == 0)
        return code;
    struct gravel_flow_posts *posts = &flow->posts[c];
    uint32_t n_words = flow->graph.channels[c].n_words;
    pthread_mutex_lock(&flow->lock);
    bool has_room = grow(posts, n_words, n);
    if (has_room) {
        memcpy(posts->words + (size_t)posts->n * n_words, records, 4 * (size_t)n * n_words);
        posts->n += n;
    }
    pthread_mutex_unlock(&flow->lock);
    return has_room ? 0
                    : gravel_fail(GRAVEL_ENOMEM, "gravel_flow_post: %u elements of channel '%s'", n,
                                  flow->graph.names[c]);
}

/* Takes the oldest of a channel's, as many as fit. @param words  [out] the caller's to free; NULL if none. */
static int take(struct gravel_flow *flow, uint32_t c, uint32_t room, uint32_t **words, uint32_t *n)
{
    struct gravel_flow_posts *posts = &flow->posts[c];
    size_t n_words = flow->graph.channels[c].n_words;
    *words = NULL;
    pthread_mutex_lock(&flow->lock);
    const uint32_t n_waiting = posts->n - posts->first;
    *n = n_waiting < room ? n_waiting : room;
    if (*n)
        *words = malloc(*n * n_words * sizeof **words);
    if (*words) {
        memcpy(*words, posts->words + posts->first * n_words, *n * n_words * sizeof **words);
        posts->first += *n;
    }
    pthread_mutex_unlock(&flow->lock);
    return *n && !*words ? gravel_fail(GRAVEL_ENOMEM, "%u posted elements of a flow", *n) : 0;
}

int gravel_flow_take_posts(struct gravel_flow *flow)
{
    int code = 0;
    for (uint32_t c = 0; c < flow->graph.n_channels && !code; c++) {
        uint32_t n, *words;
        code = take(flow, c, gravel_flow_room(flow, c), &words, &n);
        if (!code && words)
            code = gravel_flow_add(flow, c, words, n);
        free(words);
    }
    return code;
}
