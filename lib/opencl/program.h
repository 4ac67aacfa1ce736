/* SPDX-License-Identifier: MIT */
/*
 * Builds OpenCL programs that include "gravel.cl.h"; alone decides on language version and defines.
 *
 * Path:    device.c -> program.c -> the user's kernel, through portable.cl.h.
 */
#ifndef GRAVEL_OPENCL_PROGRAM_H
#define GRAVEL_OPENCL_PROGRAM_H

#include "device/device.h"

#include <pthread.h>
#include <stdio.h>

/** Device headers, made by the build: of messages, stealing, accumulators, pools, lines, sub-groups; and what is in
 * front. */
extern const char gravel_cl_h[];
extern const char gravel_steal_cl_h[];
extern const char gravel_accumulator_cl_h[];
extern const char gravel_block_pool_cl_h[];
extern const char gravel_print_cl_h[];
extern const char gravel_subgroup_cl_h[];
extern const char gravel_sliced_cl_h[];

/** built.c: the first 32 programs that a node has built; it builds later ones each time. Zeros begin it. */
struct gravel_built {
    pthread_mutex_t lock; /* guards the rest */
    uint32_t n;
    struct gravel_built_program {
        char *options, *text;
        cl_program program;
    } programs[32];
};

struct gravel_program_request {
    const char *name; /* for compiler messages */
    const char *source;
    const char *prelude;       /* text ahead of it, of lines that include nothing; or NULL */
    const char *trailer;       /* more text behind it, with #line of its own; or NULL */
    const char *options;       /* or NULL */
    const char *extra_options; /* GRAVEL_BUILD_OPTIONS */
    const struct gravel_endpoints *endpoints; /* or NULL */
    bool is_checked;                          /* GRAVEL_CHECK */
    uint64_t heap_bytes;                      /* of a node: whether 32 bits number its elements */
    uint32_t steal_policy;                    /* cl/layout/steal.h */
    struct gravel_built *built;               /* where it is sought, and kept; or NULL */
    void (*log)(void *context, const char *text); /* gets the compiler's warnings; or NULL */
    void *context;
};

/** Builds a program, or finds it. @return 0; GRAVEL_EBUILD with the compiler's log; GRAVEL_ECL; GRAVEL_ENOMEM. */
int gravel_device_build(const struct gravel_device *device,
                        const struct gravel_program_request *request, cl_program *program);

/* ---- built.c: programs that need not be built again --------------------------------------------------- */

/** Returns a program that has been built of these, retained; NULL: none has. */
cl_program gravel_built_find(struct gravel_built *built, const char *options, const char *text);

/** Keeps a program, if there is room. @param options, text  [in, out] NULL afterwards if they are kept. */
void gravel_built_keep(struct gravel_built *built, char **options, char **text, cl_program program);

/** Releases all; the programs' other users keep theirs. */
void gravel_built_release(struct gravel_built *built);

/* ---- source.c: texts of programs ---------------------------------------------------------------------- */

/* A header by the name that programs include it by. */
struct gravel_source_header {
    const char *name; /* NULL behind the last */
    const char *text; /* with guards against a second inclusion */
};

/** Returns whether a text includes one of the headers, outside comments. */
bool gravel_source_includes(const char *text, const struct gravel_source_header *headers);

/** Returns whether a text includes anything but the headers, also behind a comment. */
bool gravel_source_includes_files(const char *text, const struct gravel_source_header *headers);

/**
 * Writes a text with the headers inserted; what follows a header keeps its line numbers. A macro that begins with a
 * small letter, and that the options define, or the text ahead of a header, makes the text not build if the header has
 * a word of it: the compiler's message names the macro. The headers' other macros are made to be defined by options.
 *
 * @param name     of the text, for compiler messages; up to 256 characters of it are used.
 * @param text     OpenCL C. An include in a comment stays, and so does one of any other file; a byte order mark at the
 *                 beginning of a line goes.
 * @param options  of the build.
 * @param headers  those that there are.
 */
void gravel_source_expand(FILE *out, const char *name, const char *text, const char *options,
                          const struct gravel_source_header *headers);

/**
 * Write a compiler's log with the names and lines that the text's #line directives give, where the compiler counts
 * lines of the whole text instead, as NVIDIA's does.
 *
 * @param text  what was compiled.
 */
void gravel_source_name_lines(FILE *out, const char *log, const char *text);

/** Returns the length of the word that begins here [characters]; 0 if none does. */
size_t gravel_word_length(const char *at);

/** Finds a word in a text's code; of directives only definitions use words for what they mean. NULL: there
 * is none. */
const char *gravel_word_find(const char *text, const char *word, size_t length);

/**
 * advice.c: writes a line for each cause that is known: an include, GRAVEL_OPEN or GRAVEL_ARENA that is missing,
 * GRAVEL_OPEN twice, a call of the headers with another number of arguments, a record of another size than its
 * stream's, a handler of another type than it was registered with.
 *
 * @param log      the compiler's, of clang's words, with the source's name and lines.
 * @param request  whose name and source it is.
 * @param text     what was compiled.
 * @param headers  that a program may include.
 */
void gravel_advice_write(FILE *out, const char *log, const struct gravel_program_request *request,
                         const char *text, const struct gravel_source_header *headers);

#endif
