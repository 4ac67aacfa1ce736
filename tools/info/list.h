/* SPDX-License-Identifier: MIT */
/*
 * Lists OpenCL platforms and devices, in a child; a driver that breaks the list is named and left
 * out.
 *
 * Path:    gravel-info.c -> list.c -> lib/device/select.c; print.c shows the result.
 * Owner:   the caller of what is returned.
 * Threads: main's.
 */
#ifndef TOOLS_INFO_LIST_H
#define TOOLS_INFO_LIST_H

#include <jansson.h>
#include <stddef.h>

/* X(key, member of struct gravel_capability, name, what it means to lack it) */
#define INFO_CAPABILITIES(X)                                                                 \
    X("compiler", has_compiler, "compiler for kernels", "needed for step svm")               \
    X("fine_grain_svm", has_fine_svm, "fine-grain buffer SVM", "needed for step svm")        \
    X("atomics", has_c11_atomics, "acquire/release atomics", "needed for step svm")          \
    X("svm_atomics", has_svm_atomics, "SVM atomics",                                         \
      "not needed: no word is written by both sides")                                        \
    X("all_devices_scope", has_all_devices_scope, "all-devices scope of atomics",            \
      "device scope is used; the self-test proves it")                                       \
    X("collectives", has_collectives, "work-group scan and reduce", "Gravel's own are used") \
    X("double", has_double, "double precision", "messages of type double are not compiled")

/**
 * List everything.
 *
 * @param name     device as GRAVEL_DEVICE names it, "" for the default.
 * @param limit_s  for each look at the drivers [seconds].
 * @return         {"platforms": [{number, name, n_devices}], "devices": [{number, name, ...,
 * capabilities, step or reason}], "default": number or null, "default_error": text or null,
 * "broken_drivers":
 *                 [{file, error}]}; {"error": text} without any platform; NULL without memory.
 */
json_t *info_list(const char *name, unsigned limit_s);

#endif
