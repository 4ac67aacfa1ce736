/* SPDX-License-Identifier: MIT */
/*
 * Answers of requests go back as puts with signal, like messages of a handler.
 *
 * Path:    lib/resolve/requests.c -> reply.c -> handler_sender -> the asking node's resolver -> its heap.
 * Threads: the network thread.
 */
#include "base/clock.h"
#include "network/parts.h"
#include "resolve/requests.h"

#define CHUNK 256u /* [answers] */

void gravel_reply_send(void *context, const struct gravel_signal_run *run, uint32_t source,
                       const void *requests, const unsigned char *answers)
{
    const uint32_t command = run->run.command, type = GRAVELP_COMMAND_TYPE(command);
    const uint32_t far = command & GRAVELP_COMMAND_FAR;
    struct gravel_network *network = context;
    uint32_t refused;
    uint32_t nodes[CHUNK], near_places[CHUNK];
    uint64_t far_places[CHUNK];
    for (uint32_t first = 0; first < run->run.n_messages; first += CHUNK) {
        uint32_t left = run->run.n_messages - first, n = left < CHUNK ? left : CHUNK;
        for (uint32_t i = 0; i < n; i++) {
            nodes[i] = source;
            far_places[i] = gravel_request_at(command, requests, first + i).place;
            near_places[i] = (uint32_t)far_places[i];
        }
        const struct gravel_columns columns = {
            .key = {.command = GRAVELP_COMMAND(GRAVEL_PUT_SIGNAL, type) | far,
                    .base = run->result,
                    .signal = run->signal},
            .n = n,
            .nodes = nodes,
            .index = far ? (const void *)far_places : (const void *)near_places,
            .values = {answers + (size_t)first * GRAVEL_TYPE_BYTES(type)},
        };
        int code =
            gravel_sender_append(network->handler_sender, &columns, gravel_clock_ns(), &refused);
        if (code == GRAVEL_ENOMEM)
            gravel_network_fail(network, code, "no memory for a node buffer with answers");
    }
}
