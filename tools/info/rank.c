/* SPDX-License-Identifier: MIT */
/*
 * Describes this process. See rank.h.
 */
#include "rank.h"

#include "device/capability.h"
#include "host.h"
#include "list.h"
#include "probe.h"
#include "settings/settings.h"
#include "transport/launcher.h"
#include "transport/transport.h"

#include "gravel/gravel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Which devices the launcher shows this process. */
static json_t *describe_selection(void)
{
    const char *variable = gravel_device_selection();
    json_t *selection = variable ? json_sprintf("%s=%s", variable, getenv(variable)) : NULL;
    return selection ? selection : json_null();
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

/* A node proves its step when it opens, and so does the probe. */
static void probe_device(json_t *rank, const char *number, unsigned limit_s)
{
    const struct info_probe probe = {.device = number};
    json_t *found = info_probe_run(&probe, limit_s);
    const char *key = found && !json_object_get(found, "error") ? "step" : "error";
    json_object_set(rank, key, found ? json_object_get(found, key) : json_null());
    json_decref(found);
}

static void describe_device(json_t *rank, const json_t *list, unsigned limit_s)
{
    const json_t *numbers = json_object_get(list, "defaults");
    const char *number = json_string_value(json_array_get(numbers, 0));
    const json_t *device = find_device(list, number);
    if (!device) {
        json_object_set(rank, "error", json_object_get(list, "default_error"));
        return;
    }
    json_t *identities = json_array(), *other;
    size_t i;
    json_array_foreach(numbers, i, other) json_array_append(
        identities, json_object_get(find_device(list, json_string_value(other)), "identity"));
    json_object_set_new(
        rank, "device",
        json_pack("{s:O, s:O, s:O, s:o, s:O}", "name", json_object_get(device, "name"), "driver",
                  json_object_get(device, "driver"), "numbers", numbers, "identities", identities,
                  "is_cpu", json_object_get(device, "is_cpu")));
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
        json_object_set(rank, "error", json_object_get(list, "error"));
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
    json_t *rank =
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "version", GRAVEL_VERSION,
                  "mpi", mpi, "host", host, "place", place, "cores", info_host_cores(), "numa",
                  info_host_numa(), "limits", info_host_limits(), "has_rdma", info_host_has_rdma(),
                  "settings", describe_settings(), "selection", describe_selection());
    if (rank)
        look_for_device(rank, device, limit_s);
    return rank;
}
