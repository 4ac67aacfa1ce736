/* SPDX-License-Identifier: MIT */
/*
 * In place of lib/device, lib/opencl and lib/self_test: a device that is this process. The node opens, lays out its
 * arena and runs all its threads as ever; kernels are C11 functions that lanes.c runs.
 *
 * Path:    node/open.c -> soft_device.c; shared.c gives the memory.
 */
#include "device/beside.h"
#include "device/identity.h"
#include "opencl/launches.h"
#include "opencl/program.h"
#include "self_test/self_test.h"
#include "base/error.h"

#include <string.h>

/* No kernel resolves here. */
extern const char gravel_resolve_cl[];
const char gravel_resolve_cl[] = "";
extern const char gravel_aggregate_cl[];
const char gravel_aggregate_cl[] = "";
extern const char gravel_mirror_cl[];
const char gravel_mirror_cl[] = "";
extern const char gravel_accumulate_cl[];
const char gravel_accumulate_cl[] = "";

int gravel_device_open(struct gravel_device *device, const struct gravel_config *config,
                       const struct gravel_bindings *bindings,
                       const struct gravel_neighbours *neighbours)
{
    (void)config, (void)bindings, (void)neighbours;
    memset(device, 0, sizeof *device);
    device->capability.max_alloc = UINT64_MAX;
    return 0;
}

uint64_t gravel_device_identity(cl_device_id device)
{
    (void)device;
    return 0;
}

void gravel_device_close(struct gravel_device *device)
{
    (void)device;
}

int gravel_self_test(struct gravel_device *device, uint32_t n_rounds,
                     struct gravel_self_test *result)
{
    (void)n_rounds, (void)result;
    device->look_ns = 1;
    return 0;
}

bool gravel_beside_is_wanted(const struct gravel_bindings *bindings)
{
    (void)bindings;
    return false;
}

int gravel_self_test_handlers(const struct gravel_device *device,
                              const struct gravel_bindings *bindings)
{
    (void)device, (void)bindings;
    return 0;
}

int gravel_self_test_meet(const struct gravel_device *device, uint32_t n_groups,
                          struct gravel_meeting *seen)
{
    (void)device, (void)n_groups, (void)seen;
    return 0;
}

int gravel_self_test_arrival(const struct gravel_device *device, uint32_t n_servers,
                             uint32_t n_clients)
{
    (void)device, (void)n_servers, (void)n_clients;
    return 0;
}

/* A node has a queue for copies, of which this device makes none. The name without its macro (device/driver.h). */
cl_command_queue(clCreateCommandQueueWithProperties)(cl_context context, cl_device_id device,
                                                     const cl_queue_properties *properties,
                                                     cl_int *error)
{
    (void)context, (void)device, (void)properties;
    *error = CL_SUCCESS;
    return NULL;
}

struct gravel_device gravel_beside_device(const struct gravel_device *device)
{
    return *device;
}

int gravel_device_build(const struct gravel_device *device,
                        const struct gravel_program_request *request, cl_program *program)
{
    (void)device, (void)program;
    return gravel_fail(GRAVEL_EBUILD, "%s: no OpenCL in this test", request->name);
}

void gravel_launches_init(struct gravel_launches *launches)
{
    launches->n = 0;
}

void gravel_launches_destroy(struct gravel_launches *launches)
{
    (void)launches;
}

int gravel_launches_reserve(struct gravel_launches *launches)
{
    (void)launches;
    return 0;
}

void gravel_launches_fill(struct gravel_launches *launches, cl_kernel kernel, cl_event event)
{
    (void)launches, (void)kernel, (void)event;
}

int gravel_launches_add(struct gravel_launches *launches, cl_kernel kernel, cl_event event)
{
    (void)launches, (void)kernel, (void)event;
    return 0;
}

int gravel_launches_wait(struct gravel_launches *launches, struct gravel_limit limit)
{
    (void)launches, (void)limit;
    return 0;
}

uint64_t gravel_launches_since_failure(struct gravel_launches *launches, uint64_t limit_ns)
{
    (void)launches, (void)limit_ns;
    return 0;
}

bool gravel_launches_may_run(struct gravel_launches *launches)
{
    (void)launches;
    return false;
}

bool gravel_launches_are_running(struct gravel_launches *launches)
{
    (void)launches;
    return false;
}

int gravel_launches_wait_for(cl_kernel kernel, cl_event event, struct gravel_limit limit)
{
    (void)kernel, (void)event, (void)limit;
    return 0;
}
