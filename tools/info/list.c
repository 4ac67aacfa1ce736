/* SPDX-License-Identifier: MIT */
/*
 * The list of devices as JSON. See list.h.
 *
 * Source:  OpenCL ICD loaders: the directory of drivers is /etc/OpenCL/vendors, or
 * $OCL_ICD_VENDORS.
 */
#include "list.h"

#include "child.h"
#include "describe.h"
#include "device/select.h"
#include "drivers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_PLATFORMS 16

/* A driver's text; JSON takes UTF-8 only. */
static json_t *text(const char *of_driver)
{
    json_t *string = json_string(of_driver);
    return string ? string : json_string("(not UTF-8)");
}

static json_t *describe_platforms(void)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint n = 0;
    json_t *all = json_array();
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &n) != CL_SUCCESS)
        n = 0;
    for (cl_uint p = 0; p < n && p < MAX_PLATFORMS; p++) {
        char name[GRAVEL_DEVICE_TEXT_BYTES];
        cl_uint n_devices = 0;
        gravel_platform_name(platforms[p], name);
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, NULL, &n_devices) != CL_SUCCESS)
            n_devices = 0;
        json_array_append_new(all, json_pack("{s:i, s:o, s:i}", "number", (int)p, "name",
                                             text(name), "n_devices", (int)n_devices));
    }
    return all;
}

static json_t *number_of(const struct gravel_candidate *candidate)
{
    return json_sprintf("%u:%u", candidate->platform_number, candidate->device_number);
}

static json_t *describe_device(const struct gravel_candidate *candidate, const char *wanted_step)
{
    const struct gravel_capability *c = &candidate->capability;
    const uint64_t identity = gravel_device_identity(candidate->device);
    enum gravel_step step = GRAVEL_STEP_DRAIN;
    const char *lack = gravel_step_choose(wanted_step, c, &step);
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:I, s:I, s:I, s:I, s:o, s:o, s:s?, s:s?}", "number",
        number_of(candidate), "identity",
        identity ? json_sprintf("%016" PRIx64, identity) : json_null(), "name", text(c->name),
        "platform", text(c->platform), "driver", text(c->driver), "language", c->c_std, "is_cpu",
        (int)c->is_cpu, "compute_units", (json_int_t)c->compute_units, "max_group",
        (json_int_t)c->max_group, "max_alloc_bytes", (json_int_t)c->max_alloc, "local_bytes",
        (json_int_t)c->local_bytes, "capabilities", info_capabilities(c), "steps", info_steps(c),
        "step", lack ? NULL : gravel_step_name(step), "reason", lack);
}

/* The device a program gets, and those that equal ones give to the nodes of a host in turn. */
static void describe_default(const struct info_request *request,
                             const struct gravel_candidate *candidates, unsigned n, json_t *list)
{
    struct gravel_choice choice = {.n_equal = 1};
    json_t *number = json_null(), *error = json_null(), *turns = json_array();
    for (uint32_t local = 0; local < choice.n_equal && json_is_null(error); local++) {
        if (gravel_device_choose(request->device, request->step, local, candidates, n, &choice))
            error = json_string(gravel_last_error());
        else
            json_array_append_new(turns, number_of(choice.taken));
    }
    if (json_array_size(turns))
        number = json_incref(json_array_get(turns, 0));
    json_object_set_new(list, "default", number);
    json_object_set_new(list, "defaults", turns);
    json_object_set_new(list, "default_error", error);
}

static json_t *describe(const struct info_request *request,
                        const struct gravel_candidate *candidates, unsigned n)
{
    json_t *devices = json_array();
    for (unsigned i = 0; i < n; i++)
        json_array_append_new(devices, describe_device(&candidates[i], request->step));
    json_t *list = json_pack("{s:o, s:o, s:s}", "platforms",
                             request->is_alone ? json_array() : describe_platforms(), "devices",
                             devices, "wanted_step", request->step);
    describe_default(request, candidates, n, list);
    return list;
}

/* In the child. */
static json_t *list_here(const void *argument)
{
    const struct info_request *request = argument;
    unsigned n;
    info_child_stage("listing devices");
    struct gravel_candidate *candidates = calloc(GRAVEL_MAX_DEVICES, sizeof *candidates);
    if (!candidates)
        return NULL;
    int code = gravel_device_list(request->is_alone ? request->device : "", candidates, &n);
    json_t *list =
        code ? json_pack("{s:s}", "error", gravel_last_error()) : describe(request, candidates, n);
    free(candidates);
    return list;
}

json_t *info_list(const struct info_request *request, unsigned limit_s)
{
    json_t *broken = json_array();
    json_t *list = info_child_run(list_here, request, limit_s);
    if (info_child_broke(list)) {
        info_drivers_leave_out_broken(list_here, request, limit_s, broken);
        json_decref(list);
        list = info_child_run(list_here, request, limit_s);
    }
    json_object_set_new(list, "broken_drivers", broken);
    return list;
}
