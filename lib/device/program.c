/* SPDX-License-Identifier: MIT */
/*
 * Program building. See program.h.
 *
 * The header reaches the compiler as a header object under a flat name: nested names and -I fail on several
 * implementations.
 */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../error.h"
#include "gravel/shared/arena.h"

#define LINK_TRIES 4 /* more, after the first */

static void write_options(FILE *out, const struct gravel_device *device,
                          const struct gravel_program_request *request)
{
    const struct gravel_capability *capability = &device->capability;
    fprintf(out, "-cl-std=%s -DGRAVEL_HOST_ARENA_VERSION=%uu", capability->c_std,
            GRAVEL_ARENA_VERSION);
    if (capability->has_c11_atomics)
        fprintf(out, " -DGRAVEL_ATOMICS_C11 -DGRAVEL_HOST_SCOPE=%s",
                capability->has_all_devices_scope && gravel_step_is_shared(device->step)
                    ? "memory_scope_all_svm_devices"
                    : "memory_scope_device"); /* copies read the device's memory */
    if (device->is_sliced)
        fprintf(out, " -DGRAVEL_SLICED");
    if (capability->is_cpu)
        fprintf(out, " -DGRAVEL_SERIAL_GROUP");
    if (device->can_yield)
        fprintf(out, " -DGRAVEL_YIELD_SYSCALL");
    if (capability->has_collectives)
        fprintf(out, " -DGRAVEL_COLLECTIVES");
    else if (capability->has_subgroups && !capability->is_cpu)
        fprintf(out, " -DGRAVEL_SUBGROUPS");
    if (capability->has_subgroups)
        fprintf(out, " -DGRAVEL_SUBGROUP_BUILTINS");
    else if (capability->warp_items)
        fprintf(out, " -DGRAVEL_WARP_ITEMS=%u", capability->warp_items);
    if (capability->has_double)
        fprintf(out, " -DGRAVEL_HAS_DOUBLE");
    for (uint32_t i = 0; i < request->n_handlers; i++)
        fprintf(out, " -DGRAVEL_HANDLER_%s=%u", request->handlers[i].name, i);
    if (request->options && *request->options)
        fprintf(out, " %s", request->options);
    if (request->extra_options && *request->extra_options)
        fprintf(out, " %s", request->extra_options);
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

static char *read_log(const struct gravel_device *device, cl_program program)
{
    size_t bytes = 0;
    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = calloc(1, bytes + 1);
    if (log && bytes)
        clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
    return log;
}

static int fail_build(const struct gravel_device *device, const char *name, const char *stage,
                      cl_int error, cl_program program, const char *options)
{
    char *log = program ? read_log(device, program) : NULL;
    char *text;
    if (asprintf(&text, "%s: %s failed on %s, %s\noptions: %s\n%s", name, stage,
                 device->capability.name, gravel_cl_error(error), options, log ? log : "") < 0)
        text = NULL;
    int code = gravel_fail_text(GRAVEL_EBUILD, text ? text : "program does not build");
    free(text);
    free(log);
    return code;
}

static cl_program make_source(cl_context context, const struct gravel_program_request *request,
                              cl_int *error)
{
    char line[320];
    snprintf(line, sizeof line, "#line 1 \"%.256s\"\n", request->name);
    const char *texts[] = {line, request->source, request->trailer};
    return clCreateProgramWithSource(context, request->trailer ? 3 : 2, texts, NULL, error);
}

static int compile_and_link(const struct gravel_device *device, const char *name, cl_program source,
                            cl_program header, const char *options, cl_program *program)
{
    const char *header_name = "gravel.cl.h";
    cl_int error =
        clCompileProgram(source, 1, &device->id, options, 1, &header, &header_name, NULL, NULL);
    if (error != CL_SUCCESS)
        return fail_build(device, name, "compiling", error, source, options);
    *program = clLinkProgram(device->context, 1, &device->id, NULL, 1, &source, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        return 0;
    int code = fail_build(device, name, "linking", error, *program, options);
    if (*program)
        clReleaseProgram(*program);
    *program = NULL;
    return code;
}

/* One try, from the texts. */
static int build_once(const struct gravel_device *device,
                      const struct gravel_program_request *request, const char *options,
                      cl_program *program)
{
    cl_int error = CL_SUCCESS;
    const char *header_text = gravel_cl_h;
    *program = NULL;
    cl_program header = clCreateProgramWithSource(device->context, 1, &header_text, NULL, &error);
    cl_program source = header ? make_source(device->context, request, &error) : NULL;
    int code = source ? compile_and_link(device, request->name, source, header, options, program)
                      : gravel_fail_cl("clCreateProgramWithSource", error);
    if (source)
        clReleaseProgram(source);
    if (header)
        clReleaseProgram(header);
    return code;
}

int gravel_device_build(const struct gravel_device *device,
                        const struct gravel_program_request *request, cl_program *program)
{
    char *options = make_options(device, request);
    *program = NULL;
    if (!options)
        return gravel_fail(GRAVEL_ENOMEM, "%s: compiler options", request->name);
    /* Several processes that build at once sometimes fail to link on PoCL 3.1 (its kernel cache is shared);
     * a program that is wrong fails to compile and is not tried again. */
    int code = build_once(device, request, options, program);
    for (int again = 0; code == GRAVEL_EBUILD && again < LINK_TRIES &&
                        strstr(gravel_last_error(), "linking failed");
         again++) {
        usleep(20000);
        code = build_once(device, request, options, program);
    }
    free(options);
    return code;
}
