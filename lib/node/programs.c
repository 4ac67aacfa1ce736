/* SPDX-License-Identifier: MIT */
/*
 * Programs of an open node: built from a text or a file, and what their kernels take.
 *
 * Path:    gravel.h -> programs.c -> program.c, parameter.c.
 * Threads: any.
 */
#include "node/enqueue.h"
#include "settings/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Keeps the names of a program's kernels for what checked mode reports. */
static int keep_names(struct gravel *gravel, cl_program program)
{
    size_t bytes = 0;
    cl_int error = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &bytes);
    char *names = calloc(1, bytes + 1);
    if (names && !error)
        error = clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, bytes, names, NULL);
    bool is_kept = names && gravel_kernel_names_add(&gravel->kernel_names, names);
    free(names);
    if (error)
        return gravel_fail_cl("clGetProgramInfo of the kernels' names", error);
    return is_kept ? 0 : gravel_fail_memory("names of kernels for checked mode", bytes + 1);
}

int gravel_node_build(struct gravel *gravel, const struct gravel_program_request *texts,
                      cl_program *program)
{
    struct gravel_program_request request = *texts;
    request.extra_options = gravel->config.build_options;
    request.endpoints = &gravel->endpoints;
    request.is_checked = gravel->config.check;
    request.heap_bytes = gravel->arena->heap_bytes;
    request.steal_policy = GRAVEL_CHOICE(&gravel->config, steal_policy);
    request.built = &gravel->built;
    request.log = gravel_log_text;
    request.context = gravel;
    int code = gravel_device_build(&gravel->device, &request, program);
    if (!code && gravel->config.check && (code = keep_names(gravel, *program))) {
        clReleaseProgram(*program);
        *program = NULL;
    }
    if (!code)
        gravel_node_provide_private(gravel, 0);
    return code;
}

int gravel_program_build(struct gravel *gravel, const char *name, const char *source,
                         const char *options, cl_program *program)
{
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_require(__func__, "program", program));
    *program = NULL;
    GRAVEL_TRY(gravel_require(__func__, "name", name));
    GRAVEL_TRY(gravel_require(__func__, "source", source));
    const struct gravel_program_request request = {
        .name = name, .source = source, .options = options};
    return gravel_node_build(gravel, &request, program);
}

/* Reads the text of a regular file, as others do not end. @param text  [out] to be freed, also on failure */
static int read_file(const char *call, const char *path, char **text)
{
    struct stat status;
    size_t bytes = 0;
    errno = 0;
    if (stat(path, &status))
        return gravel_fail(GRAVEL_ESYSTEM, "%s: %s: %s", call, path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return gravel_fail(GRAVEL_ESYSTEM, "%s: %s: not a regular file", call, path);
    FILE *file = fopen(path, "re");
    const bool is_read = file && (getdelim(text, &bytes, '\0', file) >= 0 || feof(file));
    const int error = errno;
    if (file)
        fclose(file);
    if (is_read)
        return 0;
    return error == ENOMEM ? gravel_fail_memory(path, (size_t)status.st_size)
                           : gravel_fail(GRAVEL_ESYSTEM, "%s: %s: %s", call, path, strerror(error));
}

int gravel_program_build_file(struct gravel *gravel, const char *path, const char *options,
                              cl_program *program)
{
    char *text = NULL;
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_require(__func__, "program", program));
    *program = NULL;
    GRAVEL_TRY(gravel_require(__func__, "path", path));
    int code = read_file(__func__, path, &text);
    if (!code)
        code = gravel_program_build(gravel, path, text ? text : "", options, program);
    free(text);
    return code;
}

int gravel_kernel_set_arena(struct gravel *gravel, cl_kernel kernel, cl_uint index)
{
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_given_kernel(&gravel->device, __func__, kernel));
    if (gravel->private_memory.is_pooled)
        GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_parameter_check(__func__, kernel, index, GRAVEL_PARAMETER_ARENA));
    GRAVEL_TRY(gravel_check_cl("gravel_kernel_set_arena",
                               gravel_memory_set_argument(&gravel->memory, kernel, index)));
    gravel_node_provide_private(gravel, gravel_private_bytes(&gravel->device, kernel));
    return 0;
}

int gravel_kernel_parameters(struct gravel *gravel, cl_kernel kernel,
                             struct gravel_parameter *parameters, size_t bytes, uint32_t most,
                             uint32_t *n)
{
    GRAVEL_TRY(gravel_enter(gravel, __func__, GRAVEL_ANYWHERE));
    GRAVEL_TRY(gravel_given_kernel(&gravel->device, __func__, kernel));
    GRAVEL_TRY(gravel_require(__func__, "n", n));
    if (most)
        GRAVEL_TRY(gravel_require(__func__, "parameters", parameters));
    if (bytes != sizeof *parameters)
        return gravel_fail(GRAVEL_EINVAL, "%s: a parameter of %zu bytes (%zu allowed)", __func__,
                           bytes, sizeof *parameters);
    GRAVEL_TRY(
        gravel_check_cl(__func__, clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof *n, n, NULL)));
    return gravel_parameters_read(&gravel->device, kernel, parameters, *n < most ? *n : most);
}
