/* SPDX-License-Identifier: MIT */
/*
 * What comes before the text of a flow's program: its graph as macros, and gravel.cl.h, so that a header of records
 * that host and kernels share needs nothing else.
 *
 * Path:    layout.c -> prelude.c -> the compiler -> cl/device/channel.cl.h.
 * Threads: any; pure.
 */
#ifndef GRAVEL_FLOW_PRELUDE_H
#define GRAVEL_FLOW_PRELUDE_H

#include "flow/layout.h"

/** All of it, then the source with its own line numbers. The caller frees it. @return NULL if memory is out. */
char *gravel_flow_prelude(const struct gravel_flow_graph *graph,
                          const struct gravel_flow_layout *layout, const char *name,
                          const char *source);

#endif
