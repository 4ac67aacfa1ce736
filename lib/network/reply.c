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

static void send_chunk(struct gravel_network *network, const struct gravel_columns *columns)
{
    uint32_t refused;
    int code = gravel_sender_append(network->handler_sender, columns, gravel_clock_ns(), &refused);
    if (code == GRAVEL_ENOMEM)
        gravel_network_fail(network, code, "no memory for a node buffer with answers");
}

void gravel_reply_send(void *context, const struct gravel_signal_run *run, uint32_t source,
                       const uint64_t *requests, const unsigned char *answers)
{
    uint32_t nodes[CHUNK], places[CHUNK], type = GRAVELP_COMMAND_TYPE(run->run.command);
    for (uint32_t first = 0; first < run->run.n_messages; first += CHUNK) {
        uint32_t left = run->run.n_messages - first, n = left < CHUNK ? left : CHUNK;
        for (uint32_t i = 0; i < n; i++) {
            nodes[i] = source;
            places[i] = GRAVELP_REQUEST_PLACE(requests[first + i]);
        }
        const struct gravel_columns columns = {
            .key = {.command = GRAVELP_COMMAND(GRAVEL_PUT_SIGNAL, type),
                    .base = run->result,
                    .signal = run->signal},
            .n = n,
            .nodes = nodes,
            .index = (const unsigned char *)places,
            .values = {answers + (size_t)first * GRAVEL_TYPE_BYTES(type)},
        };
        send_chunk(context, &columns);
    }
}
