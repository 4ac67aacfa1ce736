/* SPDX-License-Identifier: MIT */
/*
 * What a group sends, of all calls, goes to model_send(g, active, command, base, index, values, node). Requests and calls
 * of single work-items, which no model has, do not compile.
 *
 * Path:    the application's kernel -> gravel.cl.h's calls -> this -> coalesced.cl.h or coprocessor.cl.h
 */
#define gravelp_send_wg(g, command, base, reply, index, values, node) \
    model_send(g, 1, command, base, index, values, node)
#define gravelp_send_wg_if(g, active, command, base, reply, index, values, node) \
    model_send(g, active, command, base, index, values, node)
#define gravelp_send_wi(g, command, base, reply, index, values, node) \
    models_have_no_calls_of_single_work_items
