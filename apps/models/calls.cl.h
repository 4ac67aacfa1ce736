/* SPDX-License-Identifier: MIT */
/*
 * The calls for messages that applications make, sent by model_send(g, active, command, base, index, values, node).
 *
 * A call that is not listed here goes to Gravel, whatever the model: list it.
 *
 * Path:    the application's kernel -> this -> coalesced.cl.h or coprocessor.cl.h
 */
#define MODEL_UPDATE(op, type, g, active, base, index, values, node) \
    model_send(g, active, GRAVEL_COMMAND(op, type), base, index, values, node)
#define MODEL_CALL(g, active, n_args, handler, values, node) \
    model_send(g, active, GRAVEL_COMMAND_AM(handler, n_args), 0, 0, values, node)

/* Every work-item of the group. */
#define gravel_inc_ulong(g, base, index, node) gravel_inc_ulong_if(g, 1, base, index, node)
#define gravel_xor_ulong(g, base, index, value, node) \
    MODEL_UPDATE(GRAVEL_XOR, GRAVEL_ULONG, g, 1, base, index, GRAVEL_ONE_VALUE(value), node)
#define gravel_add_ulong(g, base, index, value, node) \
    gravel_add_ulong_if(g, 1, base, index, value, node)
#define gravel_add_float(g, base, index, value, node) \
    gravel_add_float_if(g, 1, base, index, value, node)

/* Those that are active. */
#define gravel_inc_ulong_if(g, active, base, index, node) \
    MODEL_UPDATE(GRAVEL_INC, GRAVEL_ULONG, g, active, base, index, GRAVEL_NO_VALUES, node)
#define gravel_add_ulong_if(g, active, base, index, value, node) \
    MODEL_UPDATE(GRAVEL_ADD, GRAVEL_ULONG, g, active, base, index, GRAVEL_ONE_VALUE(value), node)
#define gravel_add_float_if(g, active, base, index, value, node)   \
    MODEL_UPDATE(GRAVEL_ADD, GRAVEL_FLOAT, g, active, base, index, \
                 GRAVEL_ONE_VALUE(GRAVEL_BITS_FLOAT(value)), node)
#define gravel_put_uint_if(g, active, base, index, value, node) \
    MODEL_UPDATE(GRAVEL_PUT, GRAVEL_UINT, g, active, base, index, GRAVEL_ONE_VALUE(value), node)
#define gravel_min_uint_if(g, active, base, index, value, node) \
    MODEL_UPDATE(GRAVEL_MIN, GRAVEL_UINT, g, active, base, index, GRAVEL_ONE_VALUE(value), node)
#define gravel_min_ulong_if(g, active, base, index, value, node) \
    MODEL_UPDATE(GRAVEL_MIN, GRAVEL_ULONG, g, active, base, index, GRAVEL_ONE_VALUE(value), node)

/* Active messages. */
#define MODEL_ARGUMENTS(...) ((struct gravel_values){{__VA_ARGS__}})
#define gravel_am1_if(g, active, handler, a, node) \
    MODEL_CALL(g, active, 1, handler, MODEL_ARGUMENTS(a, 0, 0, 0), node)
#define gravel_am2_if(g, active, handler, a, b, node) \
    MODEL_CALL(g, active, 2, handler, MODEL_ARGUMENTS(a, b, 0, 0), node)
#define gravel_am3_if(g, active, handler, a, b, c, node) \
    MODEL_CALL(g, active, 3, handler, MODEL_ARGUMENTS(a, b, c, 0), node)
