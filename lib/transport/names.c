/* SPDX-License-Identifier: MIT */
/*
 * Names, made from the table in operation.h. See names.h.
 */
#include "transport/names.h"

#include "layout/command.h"

#include <stddef.h>

/* Names of the operations that address a word; no entry, no such operation. */
static const struct {
    const char *operation;
    const char *type;
} names[GRAVEL_N_OPERATIONS][8] = {
#define NAME(OP, op, TYPE, type) [GRAVEL_##OP][GRAVEL_##TYPE] = {#op, #type},
#define NAME_INC(TYPE, type) NAME(INC, inc, TYPE, type)
#define NAME_CAS(TYPE, type) NAME(CAS, cas, TYPE, type)
#define NAME_PUT_SIGNAL(TYPE, type) NAME(PUT_SIGNAL, put_signal, TYPE, type)
    GRAVEL_VALUE_OPERATIONS(NAME) GRAVEL_DOUBLE_OPERATIONS(NAME) GRAVEL_INC_TYPES(NAME_INC)
        GRAVEL_REQUESTS(NAME) GRAVEL_DOUBLE_REQUESTS(NAME) GRAVEL_INC_TYPES(NAME_CAS)
            GRAVEL_SIGNAL_TYPES(NAME_PUT_SIGNAL) NAME_PUT_SIGNAL(DOUBLE, double)
#undef NAME
#undef NAME_INC
#undef NAME_CAS
#undef NAME_PUT_SIGNAL
};

const char *gravel_operation_name(uint32_t command)
{
    uint32_t op = GRAVELP_COMMAND_OP(command);
    return op < GRAVEL_N_OPERATIONS ? names[op][GRAVELP_COMMAND_TYPE(command)].operation : NULL;
}

const char *gravel_type_name(uint32_t command)
{
    return names[GRAVEL_PUT][GRAVELP_COMMAND_TYPE(command)].type;
}
