/* SPDX-License-Identifier: MIT */
/*
 * What an MPI launcher says in the environment about the job that it started.
 *
 * Path:    gravel_open -> launcher.h.
 * Threads: any; reads the environment.
 */
#ifndef GRAVEL_TRANSPORT_LAUNCHER_H
#define GRAVEL_TRANSPORT_LAUNCHER_H

#include <stdint.h>

/**
 * Processes of the job by the launcher's variables.
 *
 * @param variable  [out] which one said so; NULL if none did.
 * @return          processes [count], of which PMIX_RANK tells a lower bound only; 0 if there is no launcher.
 */
uint32_t gravel_launcher_processes(const char **variable);

#endif
