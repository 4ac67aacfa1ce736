/* SPDX-License-Identifier: MIT */
/*
 * Proves that handlers written in OpenCL C run where device/beside.h puts them.
 *
 * Path:    node/open.c -> handlers.c -> cl/kernels/self_test.cl.
 * Threads: the one that opens the node.
 */
#ifndef GRAVEL_SELF_TEST_HANDLERS_H
#define GRAVEL_SELF_TEST_HANDLERS_H

#include "device/device.h"

/**
 * Prove on the device that a kernel beside gets to run while launches hold all that they may hold.
 * Bounded in time. Only steps svm and usm need it; for pump the self-test has proved it.
 *
 * @return  0; GRAVEL_ECAPABILITY; GRAVEL_EBUILD; GRAVEL_ECL.
 */
int gravel_self_test_handlers(const struct gravel_device *device,
                              const struct gravel_bindings *bindings);

#endif
