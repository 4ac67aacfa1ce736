/* SPDX-License-Identifier: MIT */
/*
 * Clients and servers side by side: one kernel, whose first groups to arrive serve (cl/device/resident.cl.h).
 *
 * The kernel has the turn of handlers with keys for as long as it runs. So a launch that takes long is several kernels:
 * each gets virtual groups for about KERNEL_NS, and between two of them messages with keys that came by the network get
 * their turn. Clients also end early when the queue to the host is half full: the network thread, which has to make
 * room there, may wait for that turn.
 *
 * With several nodes messages with keys that come by the network do not wait for a turn: the launch's mailbox takes
 * them (mail.h). A launch ends when its own node's clients have finished and its mailbox is empty; messages that come
 * later are run without servers, so that nodes need not end together.
 *
 * Path:    node/server.c -> resident.c -> kernels.
 * Threads: one that launches.
 * Source:  Wang, Fussell, Lin 2019, section 3.1.
 */
#ifndef GRAVEL_SERVE_RESIDENT_H
#define GRAVEL_SERVE_RESIDENT_H

#include "serve/servers.h"

/** Run a launch to its end. @return as gravel_phases_run. */
int gravel_resident_run(const struct gravel_servers_launch *launch, bool *is_broken);

#endif
