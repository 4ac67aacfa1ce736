/* SPDX-License-Identifier: MIT */
/*
 * Fine-grain SVM and unified shared memory. See device.h.
 *
 * Source:  OpenCL 3.0, section 5.6; cl_intel_unified_shared_memory, revision 1.0.
 */
#include "device/device.h"

#include "layout/base.h"

#include <CL/cl_ext.h>
#include <string.h>

typedef void extension_function(void);

/* Functions of an extension are looked up; the platform that lists it has them. NULL if not. */
static extension_function *extension(const struct gravel_device *device, const char *name)
{
    cl_platform_id platform = NULL;
    extension_function *function = NULL;
    clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    void *address = platform ? clGetExtensionFunctionAddressForPlatform(platform, name) : NULL;
    memcpy(&function, &address,
           sizeof address); /* C has no conversion for it, POSIX says it works */
    return function;
}

static void *usm_alloc(const struct gravel_device *device, size_t bytes)
{
    clHostMemAllocINTEL_fn alloc = (clHostMemAllocINTEL_fn)extension(device, "clHostMemAllocINTEL");
    cl_int error = CL_SUCCESS;
    void *memory = alloc ? GRAVEL_MARKED_AS("clHostMemAllocINTEL", alloc, device->context, NULL,
                                            bytes, GRAVELP_CACHELINE, &error)
                         : NULL;
    return error == CL_SUCCESS ? memory : NULL;
}

static void usm_free(const struct gravel_device *device, void *memory)
{
    clMemFreeINTEL_fn release = (clMemFreeINTEL_fn)extension(device, "clMemFreeINTEL");
    if (release && memory)
        GRAVEL_MARKED_AS("clMemFreeINTEL", release, device->context, memory);
}

static cl_int usm_set_argument(const struct gravel_device *device, cl_kernel kernel, cl_uint index,
                               const void *memory)
{
    clSetKernelArgMemPointerINTEL_fn set =
        (clSetKernelArgMemPointerINTEL_fn)extension(device, "clSetKernelArgMemPointerINTEL");
    return set ? GRAVEL_MARKED_AS("clSetKernelArgMemPointerINTEL", set, kernel, index, memory)
               : CL_INVALID_OPERATION;
}

static void *svm_alloc(const struct gravel_device *device, size_t bytes)
{
    cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
    if (device->capability.has_svm_atomics)
        flags |= CL_MEM_SVM_ATOMICS;
    return clSVMAlloc(device->context, flags, bytes, 0);
}

void *gravel_shared_alloc(const struct gravel_device *device, size_t bytes)
{
    return device->step == GRAVEL_STEP_USM ? usm_alloc(device, bytes) : svm_alloc(device, bytes);
}

void gravel_shared_free(const struct gravel_device *device, void *memory)
{
    if (device->step == GRAVEL_STEP_USM)
        usm_free(device, memory);
    else if (memory)
        clSVMFree(device->context, memory);
}

cl_int gravel_shared_set_argument(const struct gravel_device *device, cl_kernel kernel,
                                  cl_uint index, const void *memory)
{
    return device->step == GRAVEL_STEP_USM ? usm_set_argument(device, kernel, index, memory)
                                           : clSetKernelArgSVMPointer(kernel, index, memory);
}
