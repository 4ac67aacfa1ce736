/* SPDX-License-Identifier: MIT */
/*
 * Describes this process. See rank.h.
 */
#include "rank.h"

#include "device/cores.h"
#include "list.h"
#include "probe.h"
#include "settings/settings.h"
#include "transport/place.h"
#include "transport/transport.h"

#include "gravel/gravel.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- the host -------------------------------------------------------------------------------- */

/* "0-3,8" */
static void list_cores(const cpu_set_t *set, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (int first = 0; first < CPU_SETSIZE && used + 16 < bytes; first++) {
        if (!CPU_ISSET(first, set))
            continue;
        int last = first;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
            last++;
        int n = last > first
                    ? snprintf(text + used, bytes - used, "%s%d-%d", used ? "," : "", first, last)
                    : snprintf(text + used, bytes - used, "%s%d", used ? "," : "", first);
        used += n > 0 ? (size_t)n : 0;
        first = last;
    }
}

static json_t *describe_cores(void)
{
    cpu_set_t set;
    char list[128] = "";
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        list_cores(&set, list, sizeof list);
    return json_pack("{s:I, s:I, s:s}", "online", (json_int_t)gravel_cores_of_host(), "allowed",
                     (json_int_t)gravel_cores_of_node(1), "list", list);
}

static json_t *limit_of(int resource)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return json_null();
    return json_integer((json_int_t)limit.rlim_cur);
}

static json_t *describe_limits(void)
{
    return json_pack("{s:o, s:o, s:o}", "locked_bytes", limit_of(RLIMIT_MEMLOCK), "file_bytes",
                     limit_of(RLIMIT_FSIZE), "descriptors", limit_of(RLIMIT_NOFILE));
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Equal for equal values, however they are written. */
static json_t *value_of(const struct gravel_setting *setting, const char *text)
{
    struct gravel_config config;
    if (setting->kind == GRAVEL_SETTING_STRING ||
        gravel_setting_assign(&config, setting, setting->variable, text))
        return json_string(text);
    return json_sprintf("%" PRIu64, gravel_setting_number(&config, setting));
}

static json_t *describe_settings(void)
{
    const struct gravel_setting *setting;
    json_t *set = json_object();
    for (uint32_t i = 0; (setting = gravel_setting_at(i)); i++) {
        const char *text = getenv(setting->variable);
        if (text && *text)
            json_object_set_new(set, setting->variable, value_of(setting, text));
    }
    return set;
}

/* ---- the device ------------------------------------------------------------------------------ */

static const json_t *find_device(const json_t *list, const char *number)
{
    size_t i;
    json_t *device;
    json_array_foreach(json_object_get(list, "devices"), i, device)
    {
        if (number && !strcmp(number, json_string_value(json_object_get(device, "number"))))
            return device;
    }
    return NULL;
}

/* Of the devices that nodes of this host take in turn. */
static json_t *collect_identities(const json_t *list, const json_t *numbers)
{
    size_t i;
    json_t *number, *all = json_array();
    json_array_foreach(numbers, i, number)
    {
        const json_t *device = find_device(list, json_string_value(number));
        json_array_append(all, json_object_get(device, "identity"));
    }
    return all;
}

static void note_error(json_t *rank, json_t *error)
{
    json_object_set(rank, "error", error ? error : json_null());
}

/* A node proves its step when it opens, and so does the probe. */
static void probe_device(json_t *rank, const char *number, unsigned limit_s)
{
    const struct info_probe probe = {.device = number};
    json_t *found = info_probe_run(&probe, limit_s);
    if (!found || json_object_get(found, "error"))
        note_error(rank, json_object_get(found, "error"));
    else
        json_object_set(rank, "step", json_object_get(found, "step"));
    json_decref(found);
}

static void describe_device(json_t *rank, const json_t *list, unsigned limit_s)
{
    const json_t *numbers = json_object_get(list, "defaults");
    const char *number = json_string_value(json_array_get(numbers, 0));
    const json_t *device = find_device(list, number);
    if (!device) {
        note_error(rank, json_object_get(list, "default_error"));
        return;
    }
    json_object_set_new(
        rank, "device",
        json_pack("{s:O, s:O, s:O, s:o, s:O}", "name", json_object_get(device, "name"), "driver",
                  json_object_get(device, "driver"), "numbers", numbers, "identities",
                  collect_identities(list, numbers), "is_cpu", json_object_get(device, "is_cpu")));
    probe_device(rank, number, limit_s);
}

static void look_for_device(json_t *rank, const char *name, unsigned limit_s)
{
    struct gravel_config config;
    if (gravel_config_load(&config, sizeof config) || gravel_config_check(&config)) {
        json_object_set_new(rank, "error", json_string(gravel_last_error()));
        return;
    }
    const struct info_request request = {.device = name ? name : config.device,
                                         .step = config.step};
    json_t *list = info_list(&request, limit_s);
    if (json_object_get(list, "error"))
        note_error(rank, json_object_get(list, "error"));
    else
        describe_device(rank, list, limit_s);
    json_decref(list);
}

json_t *info_rank_describe(const char *device, unsigned limit_s)
{
    char host[128] = "", place[256], mpi[GRAVEL_MPI_NAME_BYTES];
    gethostname(host, sizeof host - 1);
    gravel_place_describe(place, sizeof place);
    gravel_transport_mpi_name(mpi);
    json_t *rank = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "version", GRAVEL_VERSION,
                             "mpi", mpi, "host", host, "place", place, "cores", describe_cores(),
                             "limits", describe_limits(), "settings", describe_settings());
    if (rank)
        look_for_device(rank, device, limit_s);
    return rank;
}
