/* SPDX-License-Identifier: MIT */
/*
 * One kernel for every operation, type and form, from the table in operation.h, and the same for active messages.
 *
 * Path:  forms.cl -> these kernels -> words.c compares heaps with what plan.c makes of them.
 */
#define VALUE_FORMS(OP, op, TYPE, type) \
    FORMS(op##_##type, op##_##type, type, base, INDEX_OF(i), values[i])
#define INC_FORMS(TYPE, type) FORMS(inc_##type, inc_##type, uint, base, INDEX_OF(i))

GRAVEL_VALUE_OPERATIONS(VALUE_FORMS)
#ifdef GRAVEL_HAS_DOUBLE
GRAVEL_DOUBLE_OPERATIONS(VALUE_FORMS)
#endif
GRAVEL_INC_TYPES(INC_FORMS)

FORMS(am0, am0, ulong, GRAVEL_HANDLER(take0))
FORMS(am1, am1, ulong, GRAVEL_HANDLER(take1), A(0))
FORMS(am2, am2, ulong, GRAVEL_HANDLER(take2), A(0), A(1))
FORMS(am3, am3, ulong, GRAVEL_HANDLER(take3), A(0), A(1), A(2))
FORMS(am4, am4, ulong, GRAVEL_HANDLER(take4), A(0), A(1), A(2), A(3))
