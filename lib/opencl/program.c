/* SPDX-License-Identifier: MIT */
/*
 * Program building. See program.h.
 */
#include "opencl/program.h"

#include "base/error.h"
#include "base/stream.h"
#include "base/handler.h"
#include "device/select.h"
#include "layout/arena.h"
#include "opencl/advice.h"
#include "opencl/macros.h"
#include "opencl/objects.h"
#include "opencl/private.h"
#include "opencl/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST_WORD 4u           /* [bytes] */
#define NEAR_ELEMENTS (1ull << 32) /* that 32 bits number */

/* Returns the scope that reaches the host: the device's where copies read. On a CPU all cost nothing, and steps svm
   and pump then find the same program in the driver's cache. */
static const char *host_scope(const struct gravel_device *device)
{
    const struct gravel_capability *capability = &device->capability;
    bool reaches_all = gravel_step_is_shared(device->step) || capability->is_cpu;
    return reaches_all && capability->has_all_devices_scope ? "memory_scope_all_svm_devices"
                                                            : "memory_scope_device";
}

static bool says_sliced(const char *options)
{
    return options && strstr(options, "-DGRAVEL_SLICED");
}

static void write_options(FILE *out, const struct gravel_device *device,
                          const struct gravel_program_request *request)
{
    const struct gravel_capability *capability = &device->capability;
    fprintf(out, "-cl-std=%s -DGRAVELP_HOST_ARENA_VERSION=%uu", capability->c_std,
            GRAVELP_ARENA_VERSION);
    if (capability->has_c11_atomics)
        fprintf(out, " -DGRAVELP_ATOMICS_C11 -DGRAVELP_HOST_SCOPE=%s", host_scope(device));
    if (capability->is_cpu)
        fprintf(out, " -DGRAVELP_SERIAL_GROUP");
    if (device->can_yield)
        fprintf(out, " -DGRAVELP_YIELD_SYSCALL");
    if (capability->has_collectives)
        fprintf(out, " -DGRAVELP_COLLECTIVES");
    else if (capability->has_subgroups && !capability->is_cpu)
        fprintf(out, " -DGRAVELP_SUBGROUPS");
    if (capability->has_subgroups)
        fprintf(out, " -DGRAVELP_SUBGROUP_BUILTINS");
    else if (capability->warp_items)
        fprintf(out, " -DGRAVELP_WARP_ITEMS=%u", capability->warp_items);
    if (capability->has_double)
        fprintf(out, " -DGRAVEL_HAS_DOUBLE");
    for (uint32_t i = 0; i < request->n_handlers; i++)
        fprintf(out, " -DGRAVEL_HANDLER_%s=%u", request->handlers[i].name,
                gravel_handler_number(&request->handlers[i], i));
    for (uint32_t i = 0; request->streams && i < request->streams->n; i++)
        fprintf(out, " -DGRAVELP_STREAM_%s=%uu", request->streams->list[i].name,
                GRAVELP_COMMAND_RECORD(i + 1, request->streams->list[i].record_bytes / 4, 0));
    if (request->is_checked)
        fprintf(out, " -DGRAVEL_CHECK=1");
    if (request->heap_bytes / SMALLEST_WORD > NEAR_ELEMENTS)
        fprintf(out, " -DGRAVELP_FAR_ELEMENTS=%lluul", NEAR_ELEMENTS);
    fprintf(out, " -DGRAVELP_STEAL_POLICY=%u -cl-kernel-arg-info", request->steal_policy);
    if (request->options && *request->options)
        fprintf(out, " %s", request->options);
    if (request->extra_options && *request->extra_options)
        fprintf(out, " %s", request->extra_options);
    /* Once: drivers' caches compare the text, and who gives it on all steps has one program for all. */
    if (device->is_sliced && !says_sliced(request->options) && !says_sliced(request->extra_options))
        fprintf(out, " -DGRAVEL_SLICED");
}

/* The options as one string; NULL if memory is out. The caller frees it. */
static char *make_options(const struct gravel_device *device,
                          const struct gravel_program_request *request)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    write_options(out, device, request);
    fclose(out);
    return text;
}

static const struct gravel_source_header headers[] = {{"gravel.cl.h", gravel_cl_h},
                                                      {"steal.cl.h", gravel_steal_cl_h},
                                                      {"accumulator.cl.h", gravel_accumulator_cl_h},
                                                      {"block_pool.cl.h", gravel_block_pool_cl_h},
                                                      {"print.cl.h", gravel_print_cl_h},
                                                      {"subgroup.cl.h", gravel_subgroup_cl_h},
                                                      {NULL, NULL}};

/* A compiler's log with names and lines of the source, and without them if memory is out. The caller frees it. */
static char *read_log(const struct gravel_device *device, cl_program program, const char *text)
{
    char *log = gravel_cl_program_text(device, program, CL_PROGRAM_BUILD_LOG), *named = NULL;
    size_t bytes;
    FILE *out = open_memstream(&named, &bytes);
    if (!out)
        return log;
    gravel_source_name_places(out, log ? log : "", text);
    fclose(out);
    free(log);
    return named;
}

static int fail_build(const struct gravel_device *device,
                      const struct gravel_program_request *request, const char *source,
                      cl_int error, cl_program program, const char *options)
{
    char *log = read_log(device, program, source), *text = NULL;
    char cache[256];
    cl_platform_id platform = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (out) {
        fprintf(out, "%s: building failed on %s, %s\n%s", request->name, device->capability.name,
                gravel_cl_error(error), log ? log : "");
        gravel_advice_write(out, log ? log : "", request, source, headers);
        clGetDeviceInfo(device->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
        gravel_device_name_cache(platform, cache, sizeof cache);
        if (*cache && (!log || !strstr(log, "error:"))) /* PoCL's fails so where it cannot write */
            fprintf(out,
                    "\nadvice: the compiler names no error: can PoCL write its cache, %s? A full "
                    "disk, a quota and ulimit -f keep it from that; POCL_CACHE_DIR names another "
                    "folder",
                    cache);
        fprintf(out, "\noptions: %s", options);
        fclose(out);
    }
    int code = gravel_fail_text(GRAVEL_EBUILD, text ? text : "program does not build");
    free(text);
    free(log);
    return code;
}

/* The whole text as one string; NULL if memory is out. The caller frees it. */
static char *make_text(const struct gravel_program_request *request)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    if (gravel_source_includes(request->source, headers))
        fputs(gravel_sliced_cl_h, out);
    if (request->prelude)
        fputs(request->prelude, out);
    gravel_source_expand(out, request->name, request->source, headers);
    if (request->trailer)
        gravel_source_expand(out, "trailer", request->trailer, headers);
    fclose(out);
    return text;
}

static int build(const struct gravel_device *device, const struct gravel_program_request *request,
                 const char *text, const char *options, cl_program *program)
{
    cl_int error = CL_SUCCESS;
    *program = clCreateProgramWithSource(device->context, 1, &text, NULL, &error);
    if (!*program)
        return gravel_fail_cl("clCreateProgramWithSource", error);
    error = gravel_cl_program_build(device, *program, options);
    if (error == CL_SUCCESS) {
        char *log = request->tell ? read_log(device, *program, text) : NULL, *rest = log;
        for (char *line; log && (line = strsep(&rest, "\n"));)
            if (strstr(line, "warning:"))
                request->tell(request->context, line);
        free(log);
        return 0;
    }
    int code = fail_build(device, request, text, error, *program, options);
    clReleaseProgram(*program);
    *program = NULL;
    return code;
}

static int refuse_names(const struct gravel_program_request *request, const char *options)
{
    size_t length;
    for (const struct gravel_source_header *header = headers; header->name; header++) {
        const struct gravel_source_header one[] = {*header, {NULL, NULL}};
        if (!gravel_source_includes(request->source, one))
            continue;
        const char *name = gravel_macros_find(options, header->text, &length);
        if (name)
            return gravel_fail(GRAVEL_EBUILD,
                               "%s: the option -D%.*s defines a word that %s uses: call the macro "
                               "otherwise, by capitals",
                               request->name, (int)length, name, header->name);
    }
    return 0;
}

int gravel_device_build(const struct gravel_device *device,
                        const struct gravel_program_request *request, cl_program *program)
{
    *program = NULL;
    GRAVEL_TRY(refuse_names(request, request->options));
    GRAVEL_TRY(refuse_names(request, request->extra_options));
    char *options = make_options(device, request), *text = make_text(request);
    int code = options && text ? build(device, request, text, options, program)
                               : gravel_fail(GRAVEL_ENOMEM, "%s: text and options", request->name);
    free(text);
    free(options);
    if (!code)
        gravel_private_note(device->private_memory, device, *program);
    return code;
}
