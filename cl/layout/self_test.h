/* SPDX-License-Identifier: MIT */
/*
 * The words through which the self-test's kernels and the host meet: each at the start of a cache line of its own.
 *
 * Path:    lib/self_test, cl/kernels/self_test.cl include this.
 */
#ifndef GRAVELP_SELF_TEST_H
#define GRAVELP_SELF_TEST_H

#define GRAVELP_TEST_TURN 0u    /* host: the round that it has begun */
#define GRAVELP_TEST_ANSWER 16u /* kernel: the round that it has answered */
#define GRAVELP_TEST_SENT 32u   /* host: payload, a line of words */
#define GRAVELP_TEST_BACK 48u   /* kernel: payload, a line of words */
#define GRAVELP_TEST_WRONG 64u /* kernel: words of payload that it found wrong, stored at its end */
#define GRAVELP_TEST_COUNT 80u /* kernel: counted */
#define GRAVELP_TEST_GO 96u    /* host: groups that hold may end */
#define GRAVELP_TEST_ENDED 112u   /* kernel: groups that held and gave up */
#define GRAVELP_TEST_MEMBERS 128u /* kernel: struct gravelp_members of the groups that meet */
#define GRAVELP_TEST_WORDS 144u
#define GRAVELP_TEST_LINE 16u         /* [words] */
#define GRAVELP_TEST_STOP 0xffffffffu /* the host's turn when it has given up */

#endif
