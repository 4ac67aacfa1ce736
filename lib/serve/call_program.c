/* SPDX-License-Identifier: MIT */
/*
 * Builds handlers written in OpenCL C. See call_program.h.
 *
 * Behind the user's text stands a kernel for each handler, which calls it, and then a prototype:
 * the call does not compile if the function is missing, and the prototype not if its parameters are
 * others.
 */
#include "serve/call_program.h"

#include "base/error.h"
#include "base/handler.h"
#include "opencl/program.h"
#include "serve/call_text.h"

#include <stdio.h>
#include <stdlib.h>

int gravel_on_device(struct gravel *gravel, void *user, uint32_t source,
                     const uint64_t args[GRAVEL_AM_MAX_ARGS])
{
    (void)gravel, (void)user, (void)source, (void)args;
    return GRAVEL_EHANDLER;
}

static void write_kernel(FILE *out, const struct gravel_handler *handler)
{
    static const char *const each[] = {"GRAVELP_CALL_EACH", "GRAVELP_CALL_SERVED",
                                       "GRAVELP_CALL_PAIRS"};
    static const struct gravel_call_words words = {"GRAVELP_CALL", "GRAVELP_CALL_ARGUMENT(",
                                                   ", number)", "GRAVELP_CALL_ANSWER(number, "};
    fprintf(out, "#undef GRAVELP_CALL_WORD\n#define GRAVELP_CALL_WORD %s\n",
            gravel_handler_word(handler));
    fprintf(out, "kernel void gravel_call_%s(GRAVELP_CALL_RUN)\n{\n    %s(number)\n", handler->name,
            each[handler->serve.n_keys]);
    gravel_call_text_write(out, handler, &words);
    fprintf(out, "}\n");
    gravel_call_text_prototypes(out, handler);
}

/* Makes what follows the user's text; NULL if memory is out. The caller frees it. */
static char *make_trailer(const struct gravel_call_program *request)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fprintf(out, "\n#include \"gravel.cl.h\"\n");
    for (uint32_t i = 0; i < request->n_handlers; i++)
        if (gravel_is_on_device(&request->handlers[i]))
            write_kernel(out, &request->handlers[i]);
    fclose(out);
    return text;
}

int gravel_call_program_build(const struct gravel_device *device,
                              const struct gravel_call_program *request, cl_program *program)
{
    const struct gravel_device_code *own = &request->bindings->device_code;
    char *trailer = make_trailer(request);
    if (!trailer)
        return gravel_fail(GRAVEL_ENOMEM, "text of the handlers' kernels");
    const struct gravel_program_request text = {
        .name = own->name ? own->name : "device_code",
        .source = own->source,
        .trailer = trailer,
        .options = own->options,
        .extra_options = request->extra_options,
        .handlers = request->handlers,
        .n_handlers = request->n_handlers,
        .is_checked = request->is_checked,
    };
    int code = gravel_device_build(device, &text, program);
    free(trailer);
    return code;
}
