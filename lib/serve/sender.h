/* SPDX-License-Identifier: MIT */
/*
 * Handlers that send: which they are, and the room that their messages need.
 *
 * Path:    node/tables.c, node/server_shape.c, serve/text.c, resolve/decode.c -> sender.h.
 * Threads: any.
 */
#ifndef GRAVEL_SERVE_SENDER_H
#define GRAVEL_SERVE_SENDER_H

#include "base/endpoints.h"

/** Most messages at one server that all handlers together may declare. */
#define GRAVEL_SENDER_MOST_ROOM (UINT32_C(1) << 30)

/** Check what handlers have declared together. @return messages that may wait at a server; 0: none sends. */
uint64_t gravel_sender_room(const struct gravel_endpoints *endpoints);

/** Messages of a server's ring, a power of two; 0 if no handler sends. */
uint32_t gravel_sender_ring(const struct gravel_endpoints *endpoints);

#endif
