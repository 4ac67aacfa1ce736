/* SPDX-License-Identifier: MIT */
/*
 * The order that a kernel carries from the thread that launches it to the thread that takes its packages. It is real:
 * a launch begins after what its thread has done, P2 releases all that to C1. But ThreadSanitizer sees no kernel, so it
 * would report the host's accesses before a launch as concurrent with the application of what the launch has sent.
 *
 * Path:    gravel_launch -> gravel_unseen_launch; memory/package.h -> gravel_unseen_package.
 * Threads: any.
 */
#ifndef GRAVEL_BASE_UNSEEN_H
#define GRAVEL_BASE_UNSEEN_H

#if defined(__SANITIZE_THREAD__)
#define GRAVEL_UNDER_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GRAVEL_UNDER_TSAN
#endif
#endif

#ifdef GRAVEL_UNDER_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#endif

/** Orders what was before for a kernel that may send through the queue with these words. */
static inline void gravel_unseen_launch(void *words)
{
#ifdef GRAVEL_UNDER_TSAN
    __tsan_release(words);
#else
    (void)words;
#endif
}

/** Orders what such a kernel did before a package that is there. */
static inline void gravel_unseen_package(void *words)
{
#ifdef GRAVEL_UNDER_TSAN
    __tsan_acquire(words);
#else
    (void)words;
#endif
}

#endif
