/* SPDX-License-Identifier: MIT */
/*
 * What a trace is made of: HRF_TRACE_MAGIC, then records, in an order in which the events happened.
 *
 * Path:    a program that logs -> a file -> trace.c.
 */
#ifndef GRAVEL_HRF_TRACE_RECORD_H
#define GRAVEL_HRF_TRACE_RECORD_H

#include <stdint.h>

#define HRF_TRACE_MAGIC "hrftrac1"
#define HRF_TRACE_THREADS 1024u

enum hrf_record_kind {
    HRF_RECORD_PLACE, /* a new thread; address: device << 48 | sub-group << 32 | work-group */
    HRF_RECORD_READ,  /* plain */
    HRF_RECORD_WRITE,
    HRF_RECORD_LOAD, /* atomic, a compare-and-swap that failed too */
    HRF_RECORD_STORE,
    HRF_RECORD_RMW,
    HRF_RECORD_FENCE,
    HRF_RECORD_ARRIVE, /* before a barrier; address: of the barrier, site: work-items that meet there, 0: it is made */
    HRF_RECORD_LEAVE, /* behind it */
    HRF_RECORD_GIVE,  /* an end of a lock, of a thread, ...; address: of the object */
    HRF_RECORD_TAKE,  /* its other end */
    HRF_RECORD_NEW,   /* memory that was allocated or freed; site: bytes */
    HRF_N_RECORD_KINDS
};

struct hrf_record {
    uint64_t address;
    uint32_t site; /* of the code, from the program's first byte */
    uint16_t thread;
    uint8_t kind;
    uint8_t how; /* order | level << 3 | (log2 of bytes) << 6: enum hrf_order, enum hrf_level */
};

#endif
