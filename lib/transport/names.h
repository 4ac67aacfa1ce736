/* SPDX-License-Identifier: MIT */
/*
 * What texts call an operation and a type, of a message and of a host call.
 *
 * Path:    aggregate/aggregator.c, resolve/decode.c, round.c, host calls -> names.h.
 */
#ifndef GRAVEL_TRANSPORT_NAMES_H
#define GRAVEL_TRANSPORT_NAMES_H

#include "memory/allocations.h"

/** Returns whether a message of that operation, GRAVEL_PUT to GRAVEL_XOR, exists for words of a type. */
bool gravel_has_operation(uint32_t op, uint32_t type);

/** "fetch_add"; NULL if there is no such operation on a word of the command's type. */
const char *gravel_operation_name(uint32_t command);

/** "uint"; NULL if there is no such type. */
const char *gravel_type_name(uint32_t command);

/* Ends the text of a refused message whose sender is not known, for lack of checked mode. */
#define GRAVEL_CHECK_NAMES "GRAVEL_CHECK=1 names kernel and line of a group's call"

#define GRAVEL_NAMED_BYTES 56u

/* An element that a message addresses: "index" 7 after "base" 64. */
struct gravel_element {
    const char *name;
    uint64_t number;
    const char *base_name;
    uint64_t base;
};

/** Writes that an element is outside of the allocation of its base. @param span  NULL: there is none. */
void gravel_write_element(char *text, size_t bytes, uint32_t command,
                          const struct gravel_element *element, const struct gravel_span *span);

/** Writes "min on float"; what has no name as "operation 77 on type 6". @return text */
const char *gravel_name_operation(char text[GRAVEL_NAMED_BYTES], uint32_t op, uint32_t type);

/** Writes "float", or "type 6". @return text */
const char *gravel_name_type(char text[GRAVEL_NAMED_BYTES], uint32_t type);

#endif
