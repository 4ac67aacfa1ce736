/* SPDX-License-Identifier: MIT */
/*
 * Enqueues the copies of packages from device memory to the mirror.
 *
 * Path:    look.c, move.c, blocks.c -> copy.c -> the driver. All of it under the pump's lock.
 */
#include "base/error.h"
#include "opencl/objects.h"
#include "pump/parts.h"

cl_int gravel_pump_copy_slots(struct gravel_pump *pump, cl_command_queue on,
                              const struct gravel_pump_slots *slots, cl_event *copied)
{
    uint64_t at = gravel_pump_slot_offset(pump, slots->queue, slots->ticket & (pump->n_slots - 1));
    const size_t from[3] = {at, 0, 0}, to[3] = {0, 0, 0}, region[3] = {slots->width, slots->n, 1};
    unsigned char *host = (unsigned char *)pump->arena + at;
    if (slots->width == pump->slot_bytes)
        return clEnqueueReadBuffer(on, pump->device, CL_FALSE, at, (size_t)slots->n * slots->width,
                                   host, 0, NULL, copied);
    return clEnqueueReadBufferRect(on, pump->device, CL_FALSE, from, to, region, pump->slot_bytes,
                                   0, pump->slot_bytes, 0, host, 0, NULL, copied);
}

cl_int gravel_pump_copy_next(struct gravel_pump *pump, uint32_t queue, uint32_t n, uint32_t width)
{
    struct mirror *mirror = &pump->mirrors[queue];
    struct flight *flight = gravel_pump_next_flight(mirror);
    const struct gravel_pump_slots slots = {queue, mirror->taken, n, width};
    cl_int error = gravel_pump_copy_slots(pump, pump->moves, &slots, &flight->copied);
    if (error != CL_SUCCESS)
        return error;
    flight->stage = FLIGHT_COPIED;
    flight->width = width;
    flight->run.n_packages = 0;
    gravel_pump_begin_flight(mirror, n);
    return CL_SUCCESS;
}

cl_int gravel_pump_copy_held(struct gravel_pump *pump)
{
    cl_int error = CL_SUCCESS;
    for (uint32_t q = 0; q < pump->n_queues && error == CL_SUCCESS; q++) {
        struct mirror *mirror = &pump->mirrors[q];
        uint32_t n = mirror->n_held;
        mirror->n_held = 0;
        if (n)
            error = gravel_pump_copy_next(pump, q, n, mirror->held_width);
    }
    return gravel_cl_flush(pump->moves, error);
}

int gravel_pump_flush(struct gravel_pump *pump, int code)
{
    cl_int error = clFlush(pump->moves);
    return code ? code : gravel_check_cl("fetching packages: clFlush", error);
}
