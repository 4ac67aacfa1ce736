/* SPDX-License-Identifier: MIT */
/*
 * Between the self-test's own files.
 *
 * Path:    self_test.c <-> second_kernel.c, polls.c.
 */
#ifndef GRAVEL_SELF_TEST_PARTS_H
#define GRAVEL_SELF_TEST_PARTS_H

#include "self_test/words.h"

#define GRAVEL_TEST_LIMIT_NS UINT64_C(2000000000) /* longest wait of the host for one answer */
#define GRAVEL_TEST_CUT_OFF_MS \
    3000u /* polls that take so long, at least, end a kernel that the host cannot stop */
#define GRAVEL_TEST_GROUP 64u /* count_up: work-items of a group, groups, counts of each */
#define GRAVEL_TEST_GROUPS 16u
#define GRAVEL_TEST_EACH 64u
#define GRAVEL_TEST_SUM (GRAVEL_TEST_GROUP * GRAVEL_TEST_GROUPS * GRAVEL_TEST_EACH)

/** polls.c: measure device->poll_ns, with words that are 0. @return 0; GRAVEL_ECL. */
int gravel_self_test_polls(struct gravel_device *device, const struct gravel_test *test);

/** second_kernel.c, step pump: all command queues make progress beside a kernel that holds all compute units but one.
 * @return 0; GRAVEL_ECAPABILITY; GRAVEL_ECL; GRAVEL_ENOMEM; GRAVEL_ETIMEOUT. */
int gravel_self_test_beside(const struct gravel_test *test);

#endif
