/* SPDX-License-Identifier: MIT */
/*
 * Reads the text of a program from a file.
 *
 * Path:    gravel.h -> program_file.c -> launch.c (gravel_program_build).
 * Owner:   the text is freed here.
 * Threads: any.
 */
#include "node/node.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail_file(const char *path, const char *why)
{
    return gravel_fail(GRAVEL_ESYSTEM, "gravel_program_build_file: %s: %s", path, why);
}

/* Reads a file's text. What it has grown by since its size was taken is left out. */
static int read_text(int file, const char *path, char *text, size_t bytes)
{
    size_t n = 0;
    while (n < bytes) {
        ssize_t got = read(file, text + n, bytes - n);
        if (got < 0 && errno != EINTR)
            return fail_file(path, strerror(errno));
        if (got == 0)
            break;
        n += got > 0 ? (size_t)got : 0;
    }
    text[n] = 0;
    return 0;
}

/* Only a regular file ends. @param text  [out] to be freed, if the call returns 0. */
static int read_open(int file, const char *path, char **text)
{
    struct stat status;
    if (fstat(file, &status))
        return fail_file(path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return fail_file(path, "not a regular file");
    *text = malloc((size_t)status.st_size + 1);
    if (!*text)
        return gravel_fail(GRAVEL_ENOMEM, "gravel_program_build_file: %s: %" PRId64 " bytes", path,
                           (int64_t)status.st_size);
    int code = read_text(file, path, *text, (size_t)status.st_size);
    if (code)
        free(*text);
    return code;
}

int gravel_program_build_file(struct gravel *gravel, const char *path, const char *options,
                              cl_program *program)
{
    static const char call[] = "gravel_program_build_file";
    char *text = NULL;
    GRAVEL_TRY(gravel_enter(gravel, call, GRAVEL_WAITS));
    GRAVEL_TRY(gravel_require(call, "program", program));
    *program = NULL;
    GRAVEL_TRY(gravel_require(call, "path", path));
    int file =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* of a FIFO it would wait for a writer */
    if (file < 0)
        return fail_file(path, strerror(errno));
    int code = read_open(file, path, &text);
    close(file);
    GRAVEL_TRY(code);
    code = gravel_program_build(gravel, path, text, options, program);
    free(text);
    return code;
}
