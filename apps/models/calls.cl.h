/* SPDX-License-Identifier: MIT */
/*
 * What a group sends, of all calls, goes to model_send(g, active, command, base, index, values, node). Requests and calls
 * of single work-items, which no model has, do not compile.
 *
 * Path:    the application's kernel -> gravel.cl.h's calls -> this -> coalesced.cl.h or coprocessor.cl.h
 */
#undef GRAVELP_SEND_WG
#define GRAVELP_SEND_WG(g, command, base, reply, index, values, node) \
    model_send(g, 1, command, base, index, values, node)
#undef GRAVELP_SEND_WG_IF
#define GRAVELP_SEND_WG_IF(g, active, command, base, reply, index, values, node) \
    model_send(g, active, command, base, index, values, node)
#undef GRAVELP_SEND_WI
#define GRAVELP_SEND_WI(...) models_have_no_calls_of_single_work_items
#undef GRAVELP_ASK_WG
#define GRAVELP_ASK_WG(...) models_have_no_requests
#undef GRAVELP_ASK_WG_IF
#define GRAVELP_ASK_WG_IF(...) models_have_no_requests
#undef GRAVELP_ASK_WI
#define GRAVELP_ASK_WI(...) models_have_no_requests
