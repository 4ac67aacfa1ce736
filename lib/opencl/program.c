/* SPDX-License-Identifier: MIT */
/*
 * Program building. See program.h.
 */
#include "opencl/program.h"

#include "base/error.h"
#include "base/endpoints.h"
#include "device/select.h"
#include "layout/arena.h"
#include "opencl/objects.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST_WORD 4u                  /* [bytes] */
#define NEAR_ELEMENTS (UINT64_C(1) << 32) /* that 32 bits number */

/* A program that is being built. */
struct building {
    const struct gravel_device *device;
    const struct gravel_program_request *request;
    char *options, *text; /* of the compiler */
    cl_program program;
    cl_int error; /* of the build */
};

/* Returns what a function writes; NULL if memory is out. The caller frees it. */
static char *make_text(const struct building *building,
                       void (*write)(FILE *out, const struct building *building))
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    write(out, building);
    fclose(out);
    return text;
}

static void write_options(FILE *out, const struct building *building)
{
    const struct gravel_device *device = building->device;
    const struct gravel_program_request *request = building->request;
    const struct gravel_capability *capability = &device->capability;
    const struct gravel_endpoints *endpoints = request->endpoints;
    fprintf(out, "-cl-std=%s -DGRAVELP_HOST_ARENA_VERSION=%uu", capability->c_std,
            GRAVELP_ARENA_VERSION);
    /* The scope that reaches the host is the device's where copies read. On a CPU all cost nothing, and steps svm and
       pump then find the same program in the driver's cache. */
    const bool reaches_all = gravel_step_is_shared(device->step) || capability->is_cpu;
    if (capability->has_c11_atomics)
        fprintf(out, " -DGRAVELP_ATOMICS_C11 -DGRAVELP_HOST_SCOPE=%s",
                reaches_all && capability->has_all_devices_scope ? "memory_scope_all_svm_devices"
                                                                 : "memory_scope_device");
    if (capability->is_cpu)
        fprintf(out, " -DGRAVELP_SERIAL_GROUP");
    if (device->can_yield)
        fprintf(out, " -DGRAVELP_YIELD_SYSCALL");
    if (capability->has_subgroups)
        fprintf(out, " -DGRAVELP_SUBGROUP_BUILTINS");
    else if (capability->warp_items)
        fprintf(out, " -DGRAVELP_WARP_ITEMS=%u", capability->warp_items);
    if (capability->has_double)
        fprintf(out, " -DGRAVEL_HAS_DOUBLE");
    for (uint32_t i = 0; endpoints && i < endpoints->n_handlers; i++)
        fprintf(out, " -DGRAVEL_HANDLER_%s=%u", endpoints->handlers[i].name,
                gravel_handler_number(&endpoints->handlers[i], i));
    for (uint32_t i = 0; endpoints && i < endpoints->n_streams; i++)
        fprintf(out, " -DGRAVELP_STREAM_%s=%uu", endpoints->streams[i].name,
                GRAVELP_COMMAND_RECORD(i + 1, endpoints->streams[i].record_bytes / 4, 0));
    if (request->is_checked)
        fprintf(out, " -DGRAVEL_CHECK=1");
    if (request->heap_bytes / SMALLEST_WORD > NEAR_ELEMENTS)
        fprintf(out, " -DGRAVELP_FAR_ELEMENTS=%" PRIu64 "ul", NEAR_ELEMENTS);
    fprintf(out, " -DGRAVELP_STEAL_POLICY=%u -cl-kernel-arg-info", request->steal_policy);
    const char *own = request->options ? request->options : "",
               *extra = request->extra_options ? request->extra_options : "";
    fprintf(out, " %s %s", own, extra);
    /* Once: drivers' caches compare the text, and who gives it on all steps has one program for all. */
    if (device->is_sliced && !strstr(own, "-DGRAVEL_SLICED") && !strstr(extra, "-DGRAVEL_SLICED"))
        fprintf(out, " -DGRAVEL_SLICED");
}

static const struct gravel_source_header headers[] = {{"gravel.cl.h", gravel_cl_h},
                                                      {"steal.cl.h", gravel_steal_cl_h},
                                                      {"accumulator.cl.h", gravel_accumulator_cl_h},
                                                      {"block_pool.cl.h", gravel_block_pool_cl_h},
                                                      {"print.cl.h", gravel_print_cl_h},
                                                      {"subgroup.cl.h", gravel_subgroup_cl_h},
                                                      {NULL, NULL}};

static void write_text(FILE *out, const struct building *building)
{
    const struct gravel_program_request *request = building->request;
    if (gravel_source_includes(request->source, headers))
        fputs(gravel_sliced_cl_h, out);
    if (request->prelude)
        fputs(request->prelude, out);
    gravel_source_expand(out, request->name, request->source, building->options, headers);
    if (request->trailer)
        gravel_source_expand(out, "trailer", request->trailer, building->options, headers);
}

/* Writes the compiler's log with names and lines of the source. */
static void write_log(FILE *out, const struct building *building)
{
    char *log = gravel_cl_program_text(building->device, building->program, CL_PROGRAM_BUILD_LOG);
    gravel_source_name_lines(out, log ? log : "", building->text);
    free(log);
}

static void write_failure(FILE *out, const struct building *building)
{
    const struct gravel_program_request *request = building->request;
    const struct gravel_capability *capability = &building->device->capability;
    char *made = make_text(building, write_log), cache[256];
    const char *log = made ? made : "";
    fprintf(out, "%s: building failed on %s, %s\n%s", request->name, capability->name,
            gravel_cl_error(building->error), log);
    gravel_advice_write(out, log, request, building->text, headers);
    gravel_device_name_cache(capability->platform, cache, sizeof cache);
    if (*cache && !strstr(log, "error:")) /* PoCL's fails so where it cannot write */
        fprintf(out,
                "\nadvice: the compiler names no error: can PoCL write its cache, %s? A full disk, "
                "a quota and ulimit -f keep it from that; POCL_CACHE_DIR names another folder",
                cache);
    fprintf(out, "\noptions: %s", building->options);
    free(made);
}

/* Notes what a program's kernels need of private memory. */
static void note_private(const struct gravel_device *device, cl_program program)
{
    struct gravel_private *pool = device->private_memory;
    cl_uint n = 0;
    if (!pool || !pool->is_pooled || clCreateKernelsInProgram(program, 0, NULL, &n) || n == 0)
        return;
    cl_kernel *kernels = calloc(n, sizeof(cl_kernel));
    if (kernels && clCreateKernelsInProgram(program, n, kernels, NULL) == CL_SUCCESS)
        for (cl_uint i = 0; i < n; i++) {
            const uint64_t bytes = gravel_private_bytes(device, kernels[i]);
            uint64_t wanted =
                atomic_load_explicit(&pool->wanted, memory_order_relaxed); /* a hint */
            while (bytes > wanted &&
                   !atomic_compare_exchange_weak_explicit(
                       &pool->wanted, &wanted, bytes, memory_order_relaxed, memory_order_relaxed))
                ;
            clReleaseKernel(kernels[i]);
        }
    free(kernels);
}

static int build(struct building *building)
{
    const char *text = building->text;
    cl_int error;
    building->program =
        clCreateProgramWithSource(building->device->context, 1, &text, NULL, &error);
    if (!building->program) {
        char call[128];
        snprintf(call, sizeof call, "%s: clCreateProgramWithSource", building->request->name);
        return gravel_fail_cl(call, error);
    }
    building->error =
        gravel_cl_program_build(building->device, building->program, building->options);
    if (building->error == CL_SUCCESS) {
        const struct gravel_program_request *request = building->request;
        char *log = request->log ? make_text(building, write_log) : NULL, *rest = log;
        for (char *line; log && (line = strsep(&rest, "\n"));)
            if (strstr(line, "warning:"))
                request->log(request->context, line);
        free(log);
        note_private(building->device, building->program);
        return 0;
    }
    char *why = make_text(building, write_failure);
    int code = gravel_fail(GRAVEL_EBUILD, "%s", why ? why : "program does not build");
    free(why);
    clReleaseProgram(building->program);
    building->program = NULL;
    return code;
}

/* Returns whether a text includes files, which may have changed when it is built again. */
static bool reads_files(const struct gravel_program_request *request)
{
    return gravel_source_includes_files(request->source, headers) ||
           (request->trailer && gravel_source_includes_files(request->trailer, headers));
}

int gravel_device_build(const struct gravel_device *device,
                        const struct gravel_program_request *request, cl_program *program)
{
    struct building building = {.device = device, .request = request};
    *program = NULL;
    building.options = make_text(&building, write_options);
    building.text = building.options ? make_text(&building, write_text) : NULL;
    int code = building.options && building.text
                   ? 0
                   : gravel_fail_memory(request->name, strlen(request->source));
    struct gravel_built *built = reads_files(request) ? NULL : request->built;
    if (!code && built)
        building.program = gravel_built_find(built, building.options, building.text);
    if (!code && !building.program) {
        code = build(&building);
        if (!code && built)
            gravel_built_keep(built, &building.options, &building.text, building.program);
    }
    free(building.text);
    free(building.options);
    *program = building.program;
    return code;
}
