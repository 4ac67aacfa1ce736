/* SPDX-License-Identifier: MIT */
/*
 * What others can see of a copy to or from a heap: a process makes the copies, and this one stops it after each
 * instruction, reads what is stored, and changes what is loaded. So nothing depends on when threads run.
 *
 * Path: meson test -> lib/opencl/heap_bytes.c
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "opencl/region.h"

#define BYTES 40 /* of the heap: some words */

/* What both processes map. */
static struct shared {
    _Alignas(64) unsigned char heap[BYTES], data[BYTES];
    volatile size_t first, end; /* of the bytes that are copied now; end 0: none are */
    volatile bool is_load;
} * shared;

/* Returns whether an aligned word of the bytes that are copied is of two values: each is stored or changed as a whole. */
static bool is_torn(const unsigned char *bytes, size_t first, size_t end)
{
    for (size_t size = 2; size <= 8; size *= 2)
        for (size_t at = (first + size - 1) / size * size; at + size <= end; at += size)
            if (memcmp(bytes + at, bytes + at + 1, size - 1))
                return true;
    return false;
}

static void copy(bool is_load, size_t first, size_t end)
{
    memset(shared->heap, 0, BYTES);
    memset(shared->data, is_load ? 0 : 0xee, BYTES);
    shared->is_load = is_load;
    shared->first = first;
    shared->end = end;
    raise(SIGTRAP); /* step from here */
    if (is_load)
        gravel_heap_load_bytes(shared->data + first, shared->heap + first, end - first);
    else
        gravel_heap_store_bytes(shared->heap + first, shared->data + first, end - first);
    shared->end = 0;
    if (is_torn(is_load ? shared->data : shared->heap, first, end))
        _exit(1);
}

static void make_copies(void)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        _exit(2);
    for (size_t first = 0; first < 8; first++)
        for (size_t end = BYTES - 8; end <= BYTES; end += 3) {
            copy(false, first, end);
            copy(true, first, end);
        }
    _exit(0);
}

TEST(copies_tear_no_word)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        make_copies();
    for (unsigned n = 0; waitpid(child, &status, 0) == child && WIFSTOPPED(status); n++) {
        if (shared->end && shared->is_load)
            memset(shared->heap, (int)(n & 255), BYTES);
        else if (shared->end)
            assert_false(is_torn(shared->heap, shared->first, shared->end));
        ptrace(shared->end ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, NULL);
    }
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2)
        skip(); /* no process may step through another here */
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void map(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared, MAP_FAILED);
}

const struct fixture fixture = {.open = map, .limit_s = 60};
