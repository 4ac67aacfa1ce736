/* SPDX-License-Identifier: MIT */
/*
 * One thread of a litmus program, made by the host on words that it shares with a device.
 *
 * Path:    host.c -> host_role.c -> hrf/src/checker/machine.h.
 * Threads: any, of different threads of the program.
 */
#ifndef HRF_RUN_HOST_ROLE_H
#define HRF_RUN_HOST_ROLE_H

#include "checker/machine.h"

#include <stdatomic.h>

/**
 * Make all of a thread's events, each by the C11 operation of its order. The host has one scope, the system.
 *
 * @param words   [n_locations] those of an instance.
 * @param locals  [out] registers at the end.
 * @return        false: a wait took too long, or a loop too many rounds.
 */
bool host_role_play(const struct hrf_program *program, uint32_t thread,
                    _Atomic uint32_t *const *words, struct hrf_locals *locals);

#endif
