/* SPDX-License-Identifier: MIT */
/*
 * The list of devices as JSON. See info.h.
 *
 * If a driver breaks the list, each is tried. A loader takes a directory of drivers, so one is made that holds
 * links to the drivers to be loaded.
 *
 * Source:  OpenCL ICD loaders: drivers are the *.icd files of /etc/OpenCL/vendors, or of $OCL_ICD_VENDORS.
 */
#include "info.h"

#include "base/error.h"
#include "child.h"
#include "device/select.h"
#include "members.h"
#include "settings/settings.h"

#include <glob.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a child is asked. */
struct request {
    struct gravel_config config;
    bool is_alone; /* no other device is wanted; one named by its numbers is the only one touched */
};

#define SYSTEM_DIRECTORY "/etc/OpenCL/vendors"

void info_describe_steps(json_t *device, const struct gravel_capability *capability,
                         const char *tested)
{
    json_t *may = json_array(), *cannot = json_array();
    for (unsigned i = 0; i < GRAVEL_N_STEPS; i++) {
        const char *name = gravel_step_name((enum gravel_step)i),
                   *lack = gravel_step_lack((enum gravel_step)i, capability);
        if (lack)
            json_array_append_new(cannot, json_sprintf("step %s: %s", name, lack));
        else if (strcmp(name, tested))
            json_array_append_new(may, json_sprintf("step %s, by what it says; not tested", name));
    }
    json_object_set_new(device, "may", may);
    json_object_set_new(device, "cannot", cannot);
}

/* A device without a compiler has no language; "3.0" of "CL3.0". */
static json_t *describe_device(const struct gravel_candidate *candidate, const char *wanted_step)
{
    const struct gravel_capability *c = &candidate->capability;
    const uint64_t identity = gravel_device_identity(candidate->device);
    enum gravel_step step = GRAVEL_STEP_DRAIN;
    const char *lack = gravel_step_choose(wanted_step, c, &step);
    json_t *device =
        json_pack("{s:o, s:o, s:o, s:b, s:s?, s:s?, s:o, s:o, s:s, s:o}", "number",
                  json_sprintf("%u:%u", candidate->platform_number, candidate->device_number),
                  "identity", identity ? json_sprintf("%016" PRIx64, identity) : json_null(),
                  "name", info_driver_text(c->name), "is_cpu", (int)c->is_cpu, "step",
                  lack ? NULL : gravel_step_name(step), "reason", lack, "platform",
                  info_driver_text(c->platform), "driver", info_driver_text(c->driver), "language",
                  strncmp(c->c_std, "CL", 2) ? "-" : c->c_std + 2, "size",
                  json_sprintf("%u compute units, work-groups of up to %zu, %.4g GiB an allocation",
                               c->compute_units, c->max_group, (double)c->max_alloc / (1u << 30)));
    info_describe_steps(device, c, lack ? "" : gravel_step_name(step));
    return device;
}

/* Those that the nodes of a host take in turn have a text that says so. */
static json_t *describe(const struct request *request, const struct gravel_candidate *candidates,
                        unsigned n)
{
    struct gravel_choice choice = {.n_equal = 1};
    const char *error = NULL;
    json_t *all = json_array(), *turns = json_array(), *numbers = json_array();
    for (unsigned k = 0; k < n; k++)
        json_array_append_new(all, describe_device(&candidates[k], request->config.step));
    for (uint32_t local = 0; local < choice.n_equal && !error; local++) {
        if (gravel_device_choose(request->config.device, request->config.step, local, candidates, n,
                                 &choice)) {
            error = gravel_last_error();
            continue;
        }
        json_t *device = json_array_get(all, (size_t)(choice.taken - candidates));
        json_array_append(turns, device);
        json_array_append(numbers, json_object_get(device, "number"));
        json_object_set_new(device, "turn",
                            choice.n_equal == 1
                                ? json_string("  (default)")
                                : json_sprintf("  (default, turn %u of %u for the nodes of a host)",
                                               local + 1, choice.n_equal));
    }
    json_t *list =
        json_pack("{s:O, s:O?, s:o, s:s?, s:s*}", "devices", request->is_alone ? turns : all,
                  "default", json_array_get(numbers, 0), "defaults", numbers, "default_error",
                  error, "error", request->is_alone ? error : NULL);
    json_decref(turns);
    json_decref(all);
    return list;
}

/* In the child. */
static json_t *list_here(const void *argument)
{
    const struct request *request = argument;
    unsigned n = 0;
    info_child_stage("listing devices");
    struct gravel_candidate *candidates = calloc(GRAVEL_MAX_DEVICES, sizeof *candidates);
    if (!candidates)
        return NULL;
    const int code =
        gravel_device_list(request->is_alone ? request->config.device : "", candidates, &n);
    json_t *list =
        code ? json_pack("{s:s}", "error", gravel_last_error()) : describe(request, candidates, n);
    free(candidates);
    return list;
}

/* ---- drivers that break ---------------------------------------------------------------------- */

static glob_t drivers;
static char directory[] = "/tmp/gravel-info-XXXXXX"; /* of links to them; removed at exit */

static const char *link_of(size_t i)
{
    static char link[512];
    snprintf(link, sizeof link, "%s%s", directory, strrchr(drivers.gl_pathv[i], '/'));
    return link;
}

static void remove_links(void)
{
    for (size_t i = 0; i < drivers.gl_pathc; i++)
        unlink(link_of(i));
    rmdir(directory);
}

/* Tries each driver next to those that answered, and keeps these for the rest of the process. */
static void leave_out_broken(const struct request *request, unsigned limit_s, json_t *broken)
{
    const char *from = getenv("OCL_ICD_VENDORS");
    char pattern[512];
    snprintf(pattern, sizeof pattern, "%s/*.icd", from && *from ? from : SYSTEM_DIRECTORY);
    if (glob(pattern, 0, NULL, &drivers) || !mkdtemp(directory))
        return;
    atexit(remove_links);
    setenv("OCL_ICD_VENDORS", directory, 1);
    for (size_t i = 0; i < drivers.gl_pathc; i++) {
        if (symlink(drivers.gl_pathv[i], link_of(i)))
            perror(link_of(i));
        json_t *answer = info_child_run(list_here, request, limit_s);
        if (json_is_true(json_object_get(answer, "broken"))) {
            unlink(link_of(i));
            json_array_append_new(broken, json_pack("{s:s, s:s}", "file", drivers.gl_pathv[i],
                                                    "error", info_text(answer, "error")));
        }
        json_decref(answer);
    }
}

int info_config(struct gravel_config *config, const char *device)
{
    GRAVEL_TRY(gravel_config_load(config, sizeof *config));
    GRAVEL_TRY(gravel_config_check(config));
    GRAVEL_TRY(gravel_settings_check_names(NULL, NULL));
    if (device)
        snprintf(config->device, sizeof config->device, "%s", device);
    return 0;
}

json_t *info_list(const char *device, bool is_alone, unsigned limit_s)
{
    struct request request = {.is_alone = is_alone};
    json_t *broken = json_array();
    if (info_config(&request.config, device))
        return json_pack("{s:s, s:o}", "error", gravel_last_error(), "broken_drivers", broken);
    json_t *list = info_child_run(list_here, &request, limit_s);
    if (json_is_true(json_object_get(list, "broken"))) {
        leave_out_broken(&request, limit_s, broken);
        json_decref(list);
        list = info_child_run(list_here, &request, limit_s);
    }
    json_object_set_new(list, "broken_drivers", broken);
    return list;
}
