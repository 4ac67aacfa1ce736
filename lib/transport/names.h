/* SPDX-License-Identifier: MIT */
/*
 * What texts call a message's operation and type.
 *
 * Path:    aggregate/aggregator.c, resolve/decode.c -> names.h.
 */
#ifndef GRAVEL_TRANSPORT_NAMES_H
#define GRAVEL_TRANSPORT_NAMES_H

#include <stdint.h>

/** "fetch_add"; NULL if there is no such operation on a word of the command's type. */
const char *gravel_operation_name(uint32_t command);

/** "uint"; NULL if there is no such type. */
const char *gravel_type_name(uint32_t command);

#endif
