/* SPDX-License-Identifier: MIT */
/*
 * What texts call an operation and a type, of a message and of a host call.
 *
 * Path:    aggregate/aggregator.c, resolve/decode.c, round.c, host calls -> names.h.
 */
#ifndef GRAVEL_TRANSPORT_NAMES_H
#define GRAVEL_TRANSPORT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/** Whether a message of that operation, GRAVEL_PUT to GRAVEL_XOR, exists for words of a type. */
bool gravel_has_operation(uint32_t op, uint32_t type);

/** "fetch_add"; NULL if there is no such operation on a word of the command's type. */
const char *gravel_operation_name(uint32_t command);

/** "uint"; NULL if there is no such type. */
const char *gravel_type_name(uint32_t command);

/* Ends the text of a refused message whose sender is not known, for lack of checked mode. */
#define GRAVEL_CHECK_NAMES "GRAVEL_CHECK=1 names kernel and line of a group's call"

#define GRAVEL_NAMED_BYTES 56u

/** Writes "min on float"; what has no name as "operation 77 on type 6". @return text */
const char *gravel_name_operation(char text[GRAVEL_NAMED_BYTES], uint32_t op, uint32_t type);

/** Writes "float", or "type 6". @return text */
const char *gravel_name_type(char text[GRAVEL_NAMED_BYTES], uint32_t type);

#endif
