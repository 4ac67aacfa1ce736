/* SPDX-License-Identifier: MIT */
/*
 * Opens the node's device, and leaves cores of a CPU device to the host threads. See device.h.
 *
 * A kernel whose leaders wait for queue space keeps its cores busy; if it has all of them, the aggregator
 * that should make the space runs only when the scheduler takes a core away.
 */
#include "device/device.h"

#include "base/error.h"
#include "base/endpoints.h"
#include "device/cores.h"
#include "device/select.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sub-devices made so far, kept to the end of the process and used again: PoCL 3.1 frees a sub-device as soon as
 * its maker releases it, while queues and events of its driver threads, or of the caller, still point at it. */
struct part {
    struct part *next;
    cl_device_id whole, id, for_handlers; /* the last: of the other units */
    cl_uint units;
};

static pthread_mutex_t parts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct part *parts;

static int choose(struct gravel_device *device, const struct gravel_config *config, uint32_t local)
{
    struct gravel_candidate *candidates = calloc(GRAVEL_MAX_DEVICES, sizeof *candidates);
    struct gravel_choice choice;
    unsigned n;
    if (!candidates)
        return gravel_fail_memory("the list of devices", GRAVEL_MAX_DEVICES * sizeof *candidates);
    int code = gravel_device_list(config->device, candidates, &n);
    if (!code)
        code = gravel_device_choose(config->device, config->step, local, candidates, n, &choice);
    if (!code) {
        device->id = choice.taken->device;
        device->capability = choice.taken->capability;
        gravel_append(device->chosen, sizeof device->chosen, "%u:%u", choice.taken->platform_number,
                      choice.taken->device_number);
        if (choice.n_equal > 1)
            gravel_append(device->chosen, sizeof device->chosen,
                          ", number %u of %u equal devices, as this is node %u of its host",
                          choice.index + 1, choice.n_equal, local + 1);
    }
    free(candidates);
    return code;
}

/* Ask before calling: an implementation without sub-devices may leave clCreateSubDevices out (rusticl 22.3). */
static bool can_partition(cl_device_id device)
{
    cl_device_partition_property kinds[8] = {0};
    if (clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof kinds, kinds, NULL) !=
        CL_SUCCESS)
        return false;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i] == CL_DEVICE_PARTITION_BY_COUNTS)
            return true;
    return false;
}

/* Makes sub-devices, which the process keeps from then on. */
static cl_int make_part(cl_device_id whole, cl_uint all, cl_uint units, struct part **out)
{
    const cl_device_partition_property by_counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, units,
                                                      all - units,
                                                      CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id ids[2];
    cl_int error = CL_INVALID_VALUE;
    struct part *part = malloc(sizeof *part);
    if (part && can_partition(whole))
        error = clCreateSubDevices(whole, by_counts, 2, ids, NULL);
    if (error != CL_SUCCESS) {
        free(part);
        return part ? error : CL_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_lock(&parts_lock);
    *part = (struct part){parts, whole, ids[0], ids[1], units};
    parts = part;
    pthread_mutex_unlock(&parts_lock);
    *out = part;
    return CL_SUCCESS;
}

/* Finds sub-devices with so many compute units and with the rest; they are made when first asked for. */
static cl_int find_part(cl_device_id whole, cl_uint all, cl_uint units, struct part **out)
{
    pthread_mutex_lock(&parts_lock);
    *out = parts;
    while (*out && ((*out)->whole != whole || (*out)->units != units))
        *out = (*out)->next;
    pthread_mutex_unlock(&parts_lock);
    return *out ? CL_SUCCESS : make_part(whole, all, units, out);
}

static void leave_cores(struct gravel_device *device, const struct gravel_config *config,
                        uint32_t n_sharing)
{
    cl_uint all = device->capability.compute_units;
    device->units = all;
    if (!device->capability.is_cpu) {
        snprintf(device->cores, sizeof device->cores, "not a CPU device");
        return;
    }
    cl_uint units =
        gravel_cores_for_kernels(all, gravel_cores_of_node(n_sharing), config->host_cores);
    if (units == all) {
        snprintf(device->cores, sizeof device->cores, "kernels get all %u compute units", all);
        return;
    }
    struct part *part;
    cl_int error = find_part(device->id, all, units, &part);
    if (error != CL_SUCCESS) {
        snprintf(device->cores, sizeof device->cores,
                 "none left: no sub-devices (%s); set POCL_MAX_PTHREAD_COUNT=%u or the like",
                 gravel_cl_error(error), units);
        return;
    }
    device->id = part->id;
    device->for_handlers = part->for_handlers;
    device->units = units;
    snprintf(device->cores, sizeof device->cores, "sub-device of %u of %u compute units", units,
             all);
}

/* Takes the caller's device as it is: its context may not have the sub-device that would leave a core. */
static int take_callers(struct gravel_device *device, const struct gravel_config *config,
                        const struct gravel_bindings *bindings, uint32_t n_sharing)
{
    if (!bindings->device || (bindings->queue && !bindings->context))
        return gravel_fail(GRAVEL_EINVAL,
                           "bindings: a context needs its device, and a queue needs both");
    cl_command_queue_properties order = 0;
    if (bindings->queue)
        GRAVEL_TRY(gravel_check_cl("bindings.queue: clGetCommandQueueInfo",
                                   clGetCommandQueueInfo(bindings->queue, CL_QUEUE_PROPERTIES,
                                                         sizeof order, &order, NULL)));
    if (order & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) /* slices and copies follow each other */
        return gravel_fail(GRAVEL_EINVAL, "bindings.queue executes out of order; a node needs "
                                          "one in order");
    device->id = bindings->device;
    gravel_capability_query(device->id, &device->capability);
    gravel_append(device->chosen, sizeof device->chosen, "the caller's");
    if (!bindings->context) {
        leave_cores(device, config, n_sharing);
        return 0;
    }
    device->units = device->capability.compute_units;
    gravel_append(device->cores, sizeof device->cores, "the caller's device, as it is");
    clRetainContext(bindings->context);
    device->context = bindings->context;
    if (bindings->queue)
        clRetainCommandQueue(bindings->queue);
    device->queue = bindings->queue;
    return 0;
}

/* ---- step --------------------------------------------------------------------------------------- */

static int take_step(struct gravel_device *device, const struct gravel_config *config)
{
    struct gravel_capability *capability = &device->capability;
    const char *lack = gravel_step_choose(config->step, capability, &device->step);
    if (lack)
        return gravel_fail(GRAVEL_ECAPABILITY, "%s: %s cannot take step %s: %s",
                           capability->platform, capability->name, config->step, lack);
    if (gravel_step_is_pumped(device->step) && device->units < 2)
        return gravel_fail(
            GRAVEL_ECAPABILITY,
            "%s: %s cannot take step pump: kernels get a single compute unit (%s), and "
            "one must stay free while a kernel waits",
            capability->platform, capability->name, device->cores);
    return 0;
}

/* Chooses where handlers written in OpenCL C run: see `for_handlers` and `is_sliced` of struct gravel_device. */
static int choose_handler_units(struct gravel_device *device,
                                const struct gravel_bindings *bindings)
{
    bool is_shared = gravel_step_is_shared(device->step);
    device->is_sliced = !is_shared;
    if (!is_shared || !gravel_device_has_handlers(bindings)) {
        device->for_handlers = NULL;
        return 0;
    }
    device->is_sliced = !device->for_handlers;
    if (device->for_handlers || device->units > 1)
        return 0;
    return gravel_fail(
        GRAVEL_ECAPABILITY,
        "%s: handlers written in OpenCL C cannot run while kernels do on step %s: there is a "
        "single compute unit (%s); more units, or GRAVEL_STEP=drain, would do",
        device->capability.name, gravel_step_name(device->step), device->cores);
}

/* ---- objects ------------------------------------------------------------------------------------ */

/* Makes what probes read, and the memory that they read to: pinned, for a read to other memory takes a GPU's driver
 * 10 us longer. Drivers may allocate a buffer when it is first used, and wait for running kernels then: so it is used
 * now. */
static int make_probe(struct gravel_device *device)
{
    const cl_uint zero = 0;
    const size_t bytes = sizeof zero;
    cl_int error;
    device->probe_word = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error == CL_SUCCESS)
        error = clEnqueueWriteBuffer(device->queue, device->probe_word, CL_TRUE, 0, bytes, &zero, 0,
                                     NULL, NULL);
    if (error == CL_SUCCESS)
        device->probe_copy = clCreateBuffer(
            device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &error);
    if (error == CL_SUCCESS)
        device->probed =
            clEnqueueMapBuffer(device->queue, device->probe_copy, CL_TRUE,
                               CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &error);
    return gravel_check_cl("a buffer of one word", error);
}

static int make_objects(struct gravel_device *device)
{
    cl_int error;
    const cl_device_id ids[] = {device->id, device->for_handlers};
    if (!device->context) {
        device->context =
            clCreateContext(NULL, device->for_handlers ? 2 : 1, ids, NULL, NULL, &error);
        GRAVEL_TRY(gravel_check_cl("clCreateContext", error));
    }
    if (!device->queue) {
        device->queue =
            clCreateCommandQueueWithProperties(device->context, device->id, NULL, &error);
        GRAVEL_TRY(gravel_check_cl("clCreateCommandQueueWithProperties", error));
    }
    return gravel_step_is_shared(device->step) ? 0 : make_probe(device);
}

int gravel_device_open(struct gravel_device *device, const struct gravel_config *config,
                       const struct gravel_bindings *bindings,
                       const struct gravel_neighbours *neighbours)
{
    static const struct gravel_neighbours alone = {.n_sharing = 1};
    int code;
    memset(device, 0, sizeof *device);
    neighbours = neighbours ? neighbours : &alone;
    if (bindings && (bindings->context || bindings->device || bindings->queue)) {
        code = take_callers(device, config, bindings, neighbours->n_sharing);
    } else {
        code = choose(device, config, neighbours->local);
        if (!code)
            leave_cores(device, config, neighbours->n_sharing);
    }
    if (!code)
        code = take_step(device, config);
    if (!code)
        code = choose_handler_units(device, bindings);
    if (!code)
        code = make_objects(device);
    if (code)
        gravel_device_close(device);
    return code;
}

void gravel_device_close(struct gravel_device *device)
{
    if (device->probed)
        clEnqueueUnmapMemObject(device->queue, device->probe_copy, device->probed, 0, NULL, NULL);
    if (device->probe_copy)
        clReleaseMemObject(device->probe_copy);
    if (device->probe_word)
        clReleaseMemObject(device->probe_word);
    if (device->queue)
        clReleaseCommandQueue(device->queue);
    if (device->context)
        clReleaseContext(device->context);
    memset(device, 0, sizeof *device);
}

bool gravel_device_has_handlers(const struct gravel_bindings *bindings)
{
    for (uint32_t i = 0; bindings && bindings->handlers && i < bindings->n_handlers; i++)
        if (!gravel_handler_is_host(&bindings->handlers[i]))
            return true;
    return false;
}

struct gravel_device gravel_device_of_handlers(const struct gravel_device *device)
{
    struct gravel_device other = *device;
    if (device->for_handlers)
        other.id = device->for_handlers;
    return other;
}
