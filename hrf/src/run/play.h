/* SPDX-License-Identifier: MIT */
/*
 * --run: a program's outcomes on a device, and those of its mutants, compared with what OpenCL allows.
 *
 * Path:    show.c -> play.c -> devices.c; standard output.
 */
#ifndef HRF_RUN_PLAY_H
#define HRF_RUN_PLAY_H

#include "run/devices.h"
#include "show.h"

/**
 * Play the program, and with --mutants each mutant.
 *
 * @param verdict  of the program, with an answer under opencl.
 * @param object   [in, out] of the file, or NULL: text.
 * @return         exit status.
 */
int play_program(const struct show_wish *wish, struct hrf_program *program,
                 const struct hrf_verdict *verdict, json_t *object);

/** Gives the device back, if one was opened. */
void play_end(void);

#endif
