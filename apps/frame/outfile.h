/* SPDX-License-Identifier: MIT */
/*
 * A process's part of a result, as the file NAME.NUMBER: written whole, or not at all.
 *
 * It is written to NAME.NUMBER.part, which is this run's while it is open: another run with that name is refused, and one
 * that was killed leaves a file that the next one takes over. Parts get their names once all nodes have written theirs, so
 * that no two runs' parts stand together.
 *
 * Path:    an application with -o -> this -> the file
 * Owner:   this, of one file a process.
 * Threads: main's.
 */
#ifndef APPS_OUTFILE_H
#define APPS_OUTFILE_H

#include <stdint.h>
#include <stdio.h>

/** Open NAME.number for writing, before work is done for it; or die, naming the cause. @param name  kept. */
FILE *outfile_open(const char *name, uint32_t number);

/** Have it written; or die, and nothing is left. Then comes a barrier, and outfile_keep. */
void outfile_flush(void);

/**
 * Give the file its name; or die.
 *
 * @param n_files  of the result; where a file of that number is left from a larger job, process 0 tells so on stderr.
 */
void outfile_keep(uint32_t n_files);

#endif
