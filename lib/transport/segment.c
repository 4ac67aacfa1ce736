/* SPDX-License-Identifier: MIT */
/*
 * Memory that other processes can map. See segment.h.
 *
 * Note:    the size is sealed, so a view never shrinks under its reader.
 */
#include "transport/segment.h"

#include "base/addresses.h"
#include "base/descriptor.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_BYTES UINT64_C(4096)
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static int fail_system(const char *what)
{
    return gravel_fail(GRAVEL_ESYSTEM, "%s: %s", what, strerror(errno));
}

static int map_all(int descriptor, struct gravel_segment_head **head)
{
    void *memory = mmap(NULL, GRAVEL_SEGMENT_BYTES, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    const int error = errno;
    char limit[GRAVEL_ADDRESSES_BYTES] = "";
    *head = memory == MAP_FAILED ? NULL : memory;
    if (*head)
        return 0;
    const char *also = error == ENOMEM && gravel_addresses_describe(limit) ? "; " : "";
    return gravel_fail(GRAVEL_ESYSTEM, "mapping shared memory for node buffers: %s%s%s",
                       strerror(error), also, limit);
}

static int make(struct gravel_segment *segment)
{
    segment->descriptor =
        gravel_descriptor_lift(memfd_create("gravel", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (segment->descriptor < 0)
        return fail_system("shared memory for node buffers: memfd_create");
    struct rlimit limit; /* to grow a file beyond it ends the process by a signal */
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < GRAVEL_SEGMENT_BYTES)
        return gravel_fail(
            GRAVEL_ESYSTEM,
            "no shared memory for node buffers, which MPI sends instead: files may have %" PRIu64
            " "
            "bytes, it needs %" PRIu64 " (RLIMIT_FSIZE, ulimit -f)",
            (uint64_t)limit.rlim_cur, GRAVEL_SEGMENT_BYTES);
    if (ftruncate(segment->descriptor, (off_t)GRAVEL_SEGMENT_BYTES) ||
        fcntl(segment->descriptor, F_ADD_SEALS, SEALS))
        return fail_system("size of shared memory for node buffers");
    GRAVEL_TRY(map_all(segment->descriptor, &segment->head));
    size_t token_bytes = sizeof segment->head->token;
    if (getrandom(segment->head->token, token_bytes, 0) != (ssize_t)token_bytes)
        return fail_system("getrandom");
    return 0;
}

int gravel_segment_create(struct gravel_segment **out)
{
    struct gravel_segment *segment = calloc(1, sizeof *segment);
    *out = NULL;
    if (!segment)
        return gravel_fail(GRAVEL_ENOMEM, "shared memory for node buffers");
    segment->used = GRAVEL_SEGMENT_FRAMES;
    int code = make(segment);
    if (code) {
        gravel_segment_destroy(segment);
        return code;
    }
    *out = segment;
    return 0;
}

void gravel_segment_destroy(struct gravel_segment *segment)
{
    if (!segment)
        return;
    gravel_segment_unmap(segment->head);
    if (segment->descriptor >= 0)
        close(segment->descriptor);
    free(segment);
}

unsigned char *gravel_segment_take(struct gravel_segment *segment, uint64_t bytes)
{
    if (!segment || bytes > GRAVEL_SEGMENT_BYTES - segment->used)
        return NULL;
    unsigned char *memory = (unsigned char *)segment->head + segment->used;
    segment->used += (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    return memory;
}

struct gravel_segment_card gravel_segment_card(const struct gravel_segment *segment)
{
    struct gravel_segment_card card = {.process = 0};
    if (!segment)
        return card;
    card.process = getpid();
    card.descriptor = segment->descriptor;
    memcpy(card.token, segment->head->token, sizeof card.token);
    return card;
}

/* Maps what the descriptor leads to, which may be anything: process numbers differ from container to container. */
static int map_checked(int descriptor, const struct gravel_segment_card *card,
                       struct gravel_segment_head **view)
{
    struct stat status;
    int seals = fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & SEALS) != SEALS || fstat(descriptor, &status) ||
        (uint64_t)status.st_size != GRAVEL_SEGMENT_BYTES)
        return gravel_fail(GRAVEL_ESYSTEM,
                           "descriptor %" PRId64 " of process %" PRId64 " is something else here",
                           card->descriptor, card->process);
    int code = map_all(descriptor, view);
    if (code || !memcmp((*view)->token, card->token, sizeof card->token))
        return code;
    gravel_segment_unmap(*view);
    *view = NULL;
    return gravel_fail(GRAVEL_ESYSTEM,
                       "descriptor %" PRId64 " of process %" PRId64 " is another node's here",
                       card->descriptor, card->process);
}

int gravel_segment_map(const struct gravel_segment_card *card, struct gravel_segment_head **view)
{
    char path[64];
    *view = NULL;
    if (card->process == 0)
        return gravel_fail(GRAVEL_ESYSTEM, "the other node has no shared memory");
    snprintf(path, sizeof path, "/proc/%" PRId64 "/fd/%" PRId64, card->process, card->descriptor);
    int descriptor = gravel_descriptor_lift(open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (descriptor < 0)
        return fail_system(path);
    int code = map_checked(descriptor, card, view);
    close(descriptor);
    return code;
}

void gravel_segment_unmap(struct gravel_segment_head *view)
{
    if (view)
        munmap(view, GRAVEL_SEGMENT_BYTES);
}
