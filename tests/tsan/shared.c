/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory without OpenCL, so that lib/device/arena.c lays out the arena of these
 * tests, too.
 *
 * Path:    lib/device/arena.c -> soft_device.c.
 */
#include <stdlib.h>

#include "gravel/gravel.h"

#define PAGE 4096u

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment)
{
    (void)context, (void)flags, (void)alignment;
    return aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
}

void clSVMFree(cl_context context, void *memory)
{
    (void)context;
    free(memory);
}
