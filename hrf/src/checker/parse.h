/* SPDX-License-Identifier: MIT */
/*
 * Reads litmus programs.
 *
 *     litmus mp_dev                            # name; # begins a comment
 *     locations x, y = 3, local f;
 *     thread left dev 0 wg 0 { x = 1; store(y, 1, release, dev); }
 *     thread right dev 0 wg 1 { r = load(y, acquire, dev); if (r == 1) { s = x; assert(s == 1); } }
 *     expect indirect free, opencl free, exists never;
 *     exists right:r == 1 && right:s == 0;
 *
 * Path:    a file -> parse.c -> program.h.
 * hrf/gravel-hrf.1 describes the language.
 */
#ifndef GRAVEL_HRF_PARSE_H
#define GRAVEL_HRF_PARSE_H

#include "checker/lex.h"
#include "checker/program.h"

#define HRF_MAX_FILE_BYTES (1u << 20)
#define HRF_DEFAULT_ROUNDS 4u

/**
 * Read a program from text.
 *
 * @param path   for errors.
 * @param error  [HRF_ERROR_BYTES] "file:line: what, what was expected".
 * @return       the program, which the caller frees; NULL with an error.
 */
struct hrf_program *hrf_parse(const char *path, const char *text, uint64_t n_bytes, char *error);

/** Parses a file; "-" is standard input. */
struct hrf_program *hrf_parse_file(const char *path, char *error);

#endif
