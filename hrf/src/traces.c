/* SPDX-License-Identifier: MIT */
/*
 * --trace: races in what a program has logged.
 *
 * Path:    a file of hrf/src/checker/trace_record.h -> traces.c -> hrf/src/checker/trace.h; standard output.
 */
#include "checker/trace.h"
#include "show.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC_BYTES 8u
#define USUAL_MODELS (1u << HRF_INDIRECT | 1u << HRF_OPENCL)

struct trace {
    const char *bytes; /* mapped */
    uint64_t n_bytes, n_records;
};

static int refuse(const struct show_wish *wish, const char *path, const char *what)
{
    char text[512];
    snprintf(text, sizeof text, "%s:1: %s", path, what);
    return show_complaint(wish, path, text);
}

/* Returns NULL, or what is wrong. */
static const char *open_trace(const char *path, struct trace *trace)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool is_there = file >= 0 && !fstat(file, &status) && status.st_size > 0;
    *trace = (struct trace){.n_bytes = is_there ? (uint64_t)status.st_size : 0};
    void *bytes =
        is_there ? mmap(NULL, trace->n_bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (file >= 0)
        close(file);
    if (bytes == MAP_FAILED)
        return "cannot be read, expected a trace";
    trace->bytes = bytes;
    trace->n_records = (trace->n_bytes - MAGIC_BYTES) / sizeof(struct hrf_record);
    if (trace->n_bytes < MAGIC_BYTES || memcmp(bytes, HRF_TRACE_MAGIC, MAGIC_BYTES))
        return "bad trace, expected one that begins with " HRF_TRACE_MAGIC;
    if ((trace->n_bytes - MAGIC_BYTES) % sizeof(struct hrf_record))
        return "bad trace, expected whole records of 16 bytes";
    return NULL;
}

static void print_access(const struct hrf_trace_result *result, unsigned which)
{
    const struct hrf_trace_access *access = &result->first[which];
    const struct hrf_place *place = &result->places[access->thread];
    printf("thread %u (dev %u wg %u) %s%s at 0x%x%s", access->thread, place->device, place->group,
           access->is_atomic ? "atomic " : "", access->writes ? "store" : "load", access->site,
           which ? "" : ", ");
}

static void print_result(enum hrf_model model, const struct hrf_trace_result *result)
{
    if (!result->n_races)
        return;
    printf("  %s: ", hrf_rules[model].name);
    print_access(result, 0);
    print_access(result, 1);
    printf(", of word 0x%" PRIx64 "; %" PRIu64 " pairs of code race\n", result->address,
           result->n_races);
}

static json_t *json_of(enum hrf_model model, const struct hrf_trace_result *result)
{
    json_t *sites = json_array();
    for (int i = 0; i < 2 && result->n_races; i++)
        json_array_append_new(sites, json_integer(result->first[i].site));
    return json_pack("{s:s, s:s, s:I, s:I, s:o}", "model", hrf_rules[model].name, "verdict",
                     result->n_races ? "RACE" : "free", "records", (json_int_t)result->n_records,
                     "races", (json_int_t)result->n_races, "sites", sites);
}

/* Checks a trace under every model that is asked for and that takes traces. */
static int check_all(const struct show_wish *wish, const char *path, const struct trace *trace)
{
    static struct hrf_trace_result results[HRF_N_MODELS];
    const uint32_t models = wish->models ? wish->models : USUAL_MODELS;
    const struct hrf_record *records = (const void *)(trace->bytes + MAGIC_BYTES);
    json_t *list = json_array();
    int status = SHOW_AS_EXPECTED;
    char line[256] = "", why[HRF_NAME_BYTES * 4];
    for (int m = 0; m < HRF_N_MODELS; m++) {
        if (!(models >> m & 1) || !hrf_trace_takes((enum hrf_model)m))
            continue;
        if (hrf_trace_check(records, trace->n_records, (enum hrf_model)m, &results[m], why,
                            sizeof why)) {
            json_decref(list);
            return refuse(wish, path, why);
        }
        size_t n = strlen(line);
        snprintf(line + n, sizeof line - n, "    %s %s", hrf_rules[m].name,
                 results[m].n_races ? "RACE" : "free");
        status = results[m].n_races ? SHOW_NOT_SO : status;
        json_array_append_new(list, json_of((enum hrf_model)m, &results[m]));
    }
    if (wish->json) {
        json_array_append_new(wish->json, json_pack("{s:s, s:o, s:i}", "file", path, "models", list,
                                                    "status", status));
        return status;
    }
    json_decref(list);
    printf("%s%s    %" PRIu64 " records\n", path, line, trace->n_records);
    for (int m = 0; m < HRF_N_MODELS; m++)
        print_result((enum hrf_model)m, &results[m]);
    return status;
}

int show_trace(const struct show_wish *wish, const char *path)
{
    struct trace trace;
    const char *wrong = open_trace(path, &trace);
    int status = wrong ? refuse(wish, path, wrong) : check_all(wish, path, &trace);
    if (trace.bytes)
        munmap((void *)(uintptr_t)trace.bytes, trace.n_bytes);
    return status;
}
