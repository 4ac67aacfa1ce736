/* SPDX-License-Identifier: MIT */
/*
 * Names, made from the table in operation.h. See names.h.
 */
#include "transport/names.h"

#include "layout/command.h"

#include <inttypes.h>
#include <stdio.h>

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

bool gravel_has_operation(uint32_t op, uint32_t type)
{
    return op <= GRAVEL_XOR && type <= GRAVEL_DOUBLE && names[op][type].operation;
}

const char *gravel_operation_name(uint32_t command)
{
    uint32_t op = GRAVELP_COMMAND_OP(command);
    return op < GRAVEL_N_OPERATIONS ? names[op][GRAVELP_COMMAND_TYPE(command)].operation : NULL;
}

const char *gravel_type_name(uint32_t command)
{
    return names[GRAVEL_PUT][GRAVELP_COMMAND_TYPE(command)].type;
}

void gravel_write_element(char *text, size_t bytes, uint32_t command,
                          const struct gravel_element *element, const struct gravel_span *span)
{
    const char *name = gravel_operation_name(command);
    int n = snprintf(text, bytes, "%s: %s %" PRIu64 " of %s at %s %" PRIu64, name ? name : "ask",
                     element->name, element->number, gravel_type_name(command), element->base_name,
                     element->base);
    if (!span)
        snprintf(text + n, bytes - (size_t)n, ", which is in no allocation");
    else
        snprintf(text + n, bytes - (size_t)n,
                 " is beyond its allocation of %" PRIu64 " bytes at %" PRIu64
                 "; it must be below %" PRIu64,
                 span->bytes, span->offset,
                 (span->bytes - (element->base - span->offset)) / GRAVELP_VALUE_BYTES(command));
}

const char *gravel_name_type(char text[GRAVEL_NAMED_BYTES], uint32_t type)
{
    if (type <= GRAVEL_DOUBLE)
        snprintf(text, GRAVEL_NAMED_BYTES, "%s", names[GRAVEL_PUT][type].type);
    else
        snprintf(text, GRAVEL_NAMED_BYTES, "type %u", type);
    return text;
}

const char *gravel_name_operation(char text[GRAVEL_NAMED_BYTES], uint32_t op, uint32_t type)
{
    char of_type[GRAVEL_NAMED_BYTES];
    const char *name = op < GRAVEL_N_OPERATIONS ? names[op][GRAVEL_UINT].operation : NULL;
    gravel_name_type(of_type, type);
    if (name)
        snprintf(text, GRAVEL_NAMED_BYTES, "%s on %.24s", name, of_type);
    else
        snprintf(text, GRAVEL_NAMED_BYTES, "operation %u on %.24s", op, of_type);
    return text;
}
