/* SPDX-License-Identifier: MIT */
/*
 * Elements that other threads add, handlers of active messages among them: they wait on the host, and the run puts them
 * into their channel between two rounds, as there is room.
 *
 * Path:    gravel_flow_post -> this -> elements.c, called by host.c.
 * Owner:   the flow's list owns the copies.
 * Threads: any posts; the one that runs the flow takes. The list's lock is held for copies in memory only.
 */
#include "flow/flow.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64u

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

/* The oldest of a channel's, as many as it has room for. @param words  [out] the caller's to free; NULL if none. */
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
