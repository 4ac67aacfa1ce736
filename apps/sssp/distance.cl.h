/* SPDX-License-Identifier: MIT */
/*
 * Distances of 32 bits: whole numbers, or with SSSP_FLOAT floats' bits, which rise with them. A whole number that has more
 * bits is the greatest below FAR, and a float then infinite, which the host refuses.
 *
 * Path:    rounds.cl, scheduled.cl, stay.cl -> this
 */
#include "gravel.cl.h"

#define FAR 0xffffffffu /* not reached */

#ifdef SSSP_FLOAT
#define ADD(distance, weight) as_uint(as_float(distance) + as_float(weight))
#else
#define ADD(distance, weight) min(add_sat(distance, weight), FAR - 1)
#endif
