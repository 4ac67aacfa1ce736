/* SPDX-License-Identifier: MIT */
/*
 * Finds the OpenCL drivers that break the device list, and leaves them out for the rest of the
 * process.
 *
 * Path:    list.c -> drivers.c -> $OCL_ICD_VENDORS of this process and its children.
 * Threads: main's.
 * Source:  ICD loaders: drivers are the *.icd files of /etc/OpenCL/vendors or of the directory
 *          $OCL_ICD_VENDORS.
 */
#ifndef TOOLS_INFO_DRIVERS_H
#define TOOLS_INFO_DRIVERS_H

#include "child.h"

/**
 * Try each driver alone, and keep the drivers that answer.
 *
 * @param list      task that lists devices, with its argument.
 * @param limit_s   for each driver [seconds].
 * @param broken    [out] JSON array; {file, error} of each driver left out is appended.
 */
void info_drivers_leave_out_broken(info_task *list, const void *argument, unsigned limit_s,
                                   json_t *broken);

#endif
