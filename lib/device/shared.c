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

/* Finds a function of an extension; the platform that lists it has them. NULL if not. */
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

void *gravel_shared_alloc(const struct gravel_device *device, size_t bytes)
{
    cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
    cl_int error = CL_SUCCESS;
    if (device->capability.has_svm_atomics)
        flags |= CL_MEM_SVM_ATOMICS;
    if (device->step != GRAVEL_STEP_USM)
        return clSVMAlloc(device->context, flags, bytes, 0);
    clHostMemAllocINTEL_fn alloc = (clHostMemAllocINTEL_fn)extension(device, "clHostMemAllocINTEL");
    void *memory = alloc ? GRAVEL_MARKED_AS("clHostMemAllocINTEL", alloc, device->context, NULL,
                                            bytes, GRAVELP_CACHELINE, &error)
                         : NULL;
    return error == CL_SUCCESS ? memory : NULL;
}

void gravel_shared_free(const struct gravel_device *device, void *memory)
{
    if (memory && device->step != GRAVEL_STEP_USM) {
        clSVMFree(device->context, memory);
        return;
    }
    clMemFreeINTEL_fn release =
        memory ? (clMemFreeINTEL_fn)extension(device, "clMemFreeINTEL") : NULL;
    if (release)
        GRAVEL_MARKED_AS("clMemFreeINTEL", release, device->context, memory);
}

cl_int gravel_shared_set_argument(const struct gravel_device *device, cl_kernel kernel,
                                  cl_uint index, const void *memory)
{
    if (device->step != GRAVEL_STEP_USM)
        return clSetKernelArgSVMPointer(kernel, index, memory);
    clSetKernelArgMemPointerINTEL_fn set =
        (clSetKernelArgMemPointerINTEL_fn)extension(device, "clSetKernelArgMemPointerINTEL");
    return set ? GRAVEL_MARKED_AS("clSetKernelArgMemPointerINTEL", set, kernel, index, memory)
               : CL_INVALID_OPERATION;
}
