/* SPDX-License-Identifier: MIT */
/*
 * What a group sends, of all calls, goes to model_send(g, active, command, base, index, values, node). Messages of
 * single work-items stay Gravel's own: there is nothing to bring together. Requests, which no model has, do not compile.
 *
 * Path:    the application's kernel -> gravel.cl.h's calls -> this -> coalesced.cl.h or coprocessor.cl.h
 */
#undef GRAVELP_SEND_WG
#define GRAVELP_SEND_WG(g, command, base, reply, index, values, node) \
    model_send(g, 1, command, base, index, values, node)
#undef GRAVELP_SEND_WG_IF
#define GRAVELP_SEND_WG_IF(g, active, command, base, reply, index, values, node) \
    model_send(g, active, command, base, index, values, node)
#undef GRAVELP_ASK_WG
#define GRAVELP_ASK_WG(...) models_have_no_requests
#undef GRAVELP_ASK_WG_IF
#define GRAVELP_ASK_WG_IF(...) models_have_no_requests
#undef GRAVELP_ASK_WI
#define GRAVELP_ASK_WI(...) models_have_no_requests
