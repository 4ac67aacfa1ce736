/* SPDX-License-Identifier: MIT */
/*
 * Frames that the device resolver keeps: applied as the host applies them and in order, given back before they are told to be
 * applied, and refused whole for one index, whatever becomes of their memory meanwhile.
 *
 * usage: test_lent PLATFORM      part of an OpenCL platform's name
 *
 * Path:    meson test -> resolver_ways.h -> lib/resolve/on_device/lent.c, decode.h (plan) -> cl/kernels/resolve.cl
 */
#include "resolver_ways.h"

static const struct word inc = {"inc_ulong", GRAVEL_INC, GRAVEL_ULONG, 0};
static const struct word add = {"add_uint", GRAVEL_ADD, GRAVEL_UINT, 1};
static const struct word put = {"put_uint", GRAVEL_PUT, GRAVEL_UINT, 1};
static const struct word *const all[] = {&inc, &add, &put};

static struct gravel_heap *books;

/* The whole heap is one allocation, so that an index is refused from its end on. */
static uint32_t words_after(const struct word *word)
{
    return (HEAP_BYTES - word->type * REGION_BYTES) / GRAVEL_TYPE_BYTES(word->type);
}

static void forget_callbacks(void)
{
    n_given_back = n_ended = 0;
    n_ended_messages = 0;
    ended_refusal.code = 0;
}

/* Keep the frame. @param plan  [out] or NULL */
static void lend(void)
{
    struct gravel_plan plan;
    struct gravel_refusal refusal;
    const struct gravel_loan loan = {
        .source = 3, .destination = 1, .bytes = frame_header(&frame)->bytes};
    const struct gravel_expect expect = gravel_loan_expects(&loan);
    assert_true(gravel_device_resolver_keeps(resolver, frame.bytes, &loan));
    gravel_heap_lock_shared(books);
    OK(gravel_decode_plan(frame.bytes, loan.bytes, &expect, books, false, &plan, &refusal));
    gravel_heap_unlock_shared(books);
    assert_true(plan.n_runs > 0);
    OK(gravel_device_resolver_lend(resolver, frame.bytes, &plan, &loan, GUARD_BYTES));
}

static void apply_on_host(void)
{
    const struct gravel_apply apply = {expected + GUARD_BYTES, ignore_call, NULL};
    struct gravel_applied applied;
    gravel_apply_frame(&apply, frame.bytes, &applied);
}

static void every_kind_of_run_is_applied(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(all); i++) {
        begin();
        forget_callbacks();
        add_run(all[i], false, N_WORDS, N_MESSAGES);
        add_run(all[(i + 1) % LENGTH(all)], false, N_WORDS, 3);
        apply_on_host();
        lend();
        OK(gravel_device_resolver_finish(resolver));
        assert_int_equal(n_given_back, 1);
        assert_int_equal(n_ended, 1);
        assert_int_equal(n_ended_messages, N_MESSAGES + 3);
        assert_int_equal(ended_refusal.code, 0);
        expect_same(all[i]->name);
    }
}

/* Integers of both widths, to the last words of the heap; then one index is behind it. */
static void additions_to_few_words_are_applied(void **state)
{
    (void)state;
    static const struct word words[] = {{"inc_uint", GRAVEL_INC, GRAVEL_UINT, 0},
                                        {"inc_long", GRAVEL_INC, GRAVEL_LONG, 0},
                                        {"add_int", GRAVEL_ADD, GRAVEL_INT, 1},
                                        {"add_ulong", GRAVEL_ADD, GRAVEL_ULONG, 1}};
    for (uint32_t i = 0; i < 6 * LENGTH(words); i++) {
        const struct word *word = &words[i / 6];
        uint32_t n_few = i % 3 == 0   ? 1
                         : i % 3 == 1 ? 7
                                      : 60,
                 bytes = GRAVEL_TYPE_BYTES(word->type);
        bool is_bad = i % 6 >= 3;
        begin();
        forget_callbacks();
        struct run_place place =
            frame_add_run(&frame, GRAVELP_COMMAND(word->op, word->type), HEAP_BYTES - n_few * bytes,
                          N_MESSAGES, 4, bytes, word->n_values);
        for (uint32_t j = 0; j < N_MESSAGES; j++) {
            frame_set_u32(&frame, place.indices, j, (uint32_t)(random_next() % n_few));
            if (word->n_values)
                set_value(place.values, j, word->type);
        }
        if (is_bad)
            frame_set_u32(&frame, place.indices, N_MESSAGES - 1, n_few);
        else
            apply_on_host();
        lend();
        OK(gravel_device_resolver_finish(resolver));
        assert_int_equal(ended_refusal.code, is_bad ? GRAVEL_ERANGE : 0);
        expect_same(word->name);
    }
}

/* Three times as many as there are berths; every third one is copied, not kept. Puts keep the order. */
static void frames_are_applied_in_the_order_in_which_they_came(void **state)
{
    (void)state;
    struct gravel_apply by_device = {NULL, ignore_call, NULL};
    struct gravel_applied applied;
    uint32_t n_lent = 0;
    begin();
    forget_callbacks();
    for (uint32_t i = 0; i < 24; i++) {
        frame_begin(&frame, 3, 1, 0);
        add_run(&put, false, N_WORDS, N_MESSAGES / 2);
        add_run(&add, false, N_WORDS, 1 + i);
        apply_on_host();
        if (i % 3 < 2) {
            lend();
            n_lent++;
        } else {
            OK(gravel_device_resolver_apply(resolver, &by_device, GUARD_BYTES, frame.bytes,
                                            &applied));
        }
        OK(gravel_device_resolver_give_back(resolver));
        assert_int_equal(n_given_back, n_lent);
        memset(frame.bytes, 0x5a, sizeof frame.bytes); /* it is ours again */
    }
    OK(gravel_device_resolver_finish(resolver));
    assert_int_equal(n_ended, n_lent);
    expect_same("frames in a row");
}

/* Looks get a frame to its end too, without a wait. */
static void looks_are_enough(void **state)
{
    (void)state;
    bool moved, has_moved = false;
    begin();
    forget_callbacks();
    add_run(&inc, false, N_WORDS, N_MESSAGES);
    apply_on_host();
    lend();
    for (int i = 0; i < 20000 && n_ended == 0; i++) {
        OK(gravel_device_resolver_look(resolver, &moved));
        has_moved |= moved;
        usleep(500);
    }
    assert_true(has_moved);
    assert_int_equal(n_given_back, 1);
    assert_int_equal(n_ended, 1);
    OK(gravel_device_resolver_look(resolver, &moved));
    assert_false(moved);
    expect_same(inc.name);
}

/* One bad index in any run and place: nothing of its frame is applied, everything of the frames around it is. */
static void frame_with_one_bad_index_is_refused_whole(void **state)
{
    (void)state;
    static const uint32_t places[] = {0, 1, 255, 256, N_MESSAGES / 2, N_MESSAGES - 1};
    for (size_t i = 0; i < LENGTH(places) * 3; i++) {
        const struct word *word = all[i % 3];
        const uint32_t at = places[i / 3], index = words_after(word) + (i % 2 ? 0 : 77);
        char text[128];
        begin();
        for (int round = 0; round < 3; round++) {
            frame_begin(&frame, 3, 1, 0);
            forget_callbacks();
            add_run(&add, false, N_WORDS, 40);
            const uint32_t bad = frame.n_bytes + 16; /* where the run's indices will be */
            add_run(word, false, N_WORDS, N_MESSAGES);
            add_run(&inc, false, N_WORDS, 12);
            if (round == 1) {
                frame_set_u32(&frame, bad, at, index);
                if (at + 9 < N_MESSAGES)
                    frame_set_u32(&frame, bad, at + 9, UINT32_MAX); /* not the first */
            } else {
                apply_on_host();
            }
            lend();
            OK(gravel_device_resolver_finish(resolver));
            assert_int_equal(n_given_back, 1);
            assert_int_equal(n_ended, 1);
            assert_int_equal(ended_refusal.code, round == 1 ? GRAVEL_ERANGE : 0);
            assert_int_equal(n_ended_messages, round == 1 ? 0 : 40 + N_MESSAGES + 12);
            snprintf(text, sizeof text, ": message %u, index %u of ", at, index);
            if (round == 1 && !strstr(ended_refusal.text, text))
                fail_msg("\"%s\" does not say \"%s\"", ended_refusal.text, text);
        }
        expect_same(word->name);
    }
}

/* Until it is given back, its lender may write to it: what has been planned counts, and indices are looked at where they are
 * used. */
static void frame_that_changes_after_the_check_does_no_harm(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 30; i++) {
        begin();
        forget_callbacks();
        uint32_t indices = frame.n_bytes + 16;
        add_run(&inc, false, N_WORDS, N_MESSAGES);
        lend();
        frame_header(&frame)->n_messages = UINT32_MAX;
        memset(frame.bytes + indices - 16, 0xff, 16); /* the run's header */
        frame.bytes[indices + 4 * (i * 97) + 3] = 0xff;
        OK(gravel_device_resolver_finish(resolver));
        assert_int_equal(n_ended, 1);
        assert_true(ended_refusal.code == 0 || ended_refusal.code == GRAVEL_ERANGE);
        if (ended_refusal.code == GRAVEL_ERANGE)
            expect_same("a frame that changed"); /* all refused */
        read_arena();
        assert_memory_equal(found, expected, GUARD_BYTES);
        assert_memory_equal(found + GUARD_BYTES + HEAP_BYTES, expected + GUARD_BYTES + HEAP_BYTES,
                            GUARD_BYTES);
    }
}

/* A part of a block: its header is on the host, its rows in a buffer of the device, until it is applied. */
static void part_that_stays_on_the_device_is_applied_from_there(void **state)
{
    (void)state;
    const uint32_t apart = 4096, room_bytes = apart + FRAME_CAPACITY;
    cl_int error;
    cl_mem room = clCreateBuffer(device.context, CL_MEM_READ_WRITE, room_bytes, NULL, &error);
    OK(error);
    for (uint32_t i = 0; i < 3 * LENGTH(all); i++) {
        const struct word *word = all[i % LENGTH(all)];
        const bool is_bad = i >= LENGTH(all) && i < 2 * LENGTH(all);
        begin();
        forget_callbacks();
        const uint32_t header_bytes = frame.n_bytes + 16, bytes_of_indices = 4 * N_MESSAGES;
        add_run(word, false, N_WORDS, N_MESSAGES);
        if (is_bad)
            frame_set_u32(&frame, header_bytes, N_MESSAGES / 3, words_after(word));
        else
            apply_on_host();
        const struct gravel_rows rows = {
            .memory = room, .indices = 64, .values = apart + bytes_of_indices};
        const struct gravel_loan loan = {.source = 3,
                                         .destination = 1,
                                         .bytes = frame_header(&frame)->bytes,
                                         .buffer = &frame,
                                         .rows = &rows};
        const struct gravel_expect expect = gravel_loan_expects(&loan);
        struct gravel_plan plan;
        struct gravel_refusal refusal;
        OK(clEnqueueWriteBuffer(device.queue, room, CL_TRUE, rows.indices, bytes_of_indices,
                                frame.bytes + header_bytes, 0, NULL, NULL));
        OK(clEnqueueWriteBuffer(device.queue, room, CL_TRUE, rows.values, bytes_of_indices,
                                frame.bytes + header_bytes + bytes_of_indices, 0, NULL, NULL));
        unsigned char *alone = malloc(header_bytes); /* a sanitizer sees a look behind it */
        memcpy(alone, frame.bytes, header_bytes);
        gravel_heap_lock_shared(books);
        OK(gravel_decode_plan(alone, loan.bytes, &expect, books, true, &plan, &refusal));
        gravel_heap_unlock_shared(books);
        assert_true(gravel_device_resolver_keeps(resolver, alone, &loan));
        OK(gravel_device_resolver_lend(resolver, alone, &plan, &loan, GUARD_BYTES));
        free(alone);
        OK(gravel_device_resolver_give_back(resolver));
        assert_int_equal(n_given_back, 0); /* the room is still read */
        OK(gravel_device_resolver_finish(resolver));
        assert_int_equal(n_given_back, 1);
        assert_int_equal(n_ended, 1);
        assert_int_equal(ended_refusal.code, is_bad ? GRAVEL_ERANGE : 0);
        assert_int_equal(n_ended_messages, is_bad ? 0 : N_MESSAGES);
        expect_same(word->name);
    }
    clReleaseMemObject(room);
}

static int no_handler(struct gravel *gravel, void *user, uint32_t source, const uint64_t args[4])
{
    (void)gravel, (void)user, (void)source, (void)args;
    return 0;
}

static void other_frames_are_not_kept(void **state)
{
    (void)state;
    struct gravel_plan plan;
    struct gravel_refusal refusal;
    static const struct gravel_handler handlers[3] = {
        [2] = {.name = "f", .function = no_handler, .n_args = 1}};
    const struct gravel_expect expect = {
        .source = 3, .destination = 1, .handlers = handlers, .n_handlers = 3};
    static unsigned char elsewhere[256];
    const struct gravel_loan somewhere = {.bytes = sizeof elsewhere}, tiny = {.bytes = 63},
                             large = {.bytes = FRAME_CAPACITY + 64};
    assert_false(gravel_device_resolver_keeps(resolver, elsewhere, &somewhere));
    assert_false(gravel_device_resolver_keeps(resolver, frame.bytes, &tiny));
    assert_false(gravel_device_resolver_keeps(resolver, frame.bytes, &large));
    gravel_heap_lock_shared(books);
    for (int i = 0; i < 4; i++) {
        begin();
        for (uint32_t j = 0; j < (i == 2 ? GRAVEL_PLAN_RUNS + 1 : 1); j++)
            add_run(&inc, i == 0, N_WORDS, 5);
        if (i == 3)
            add_calls(2, 3, 0);
        if (i == 1) /* what asks for an answer */
            frame_add_signal_run(&frame, GRAVELP_COMMAND(GRAVEL_GET, GRAVEL_UINT), 0, 0, 64, 1, 8,
                                 4, 1);
        OK(gravel_decode_plan(frame.bytes, frame.n_bytes, &expect, books, false, &plan, &refusal));
        assert_int_equal(plan.n_runs, 0);
    }
    gravel_heap_unlock_shared(books);
}

static void failed_upload_is_told_and_the_resolver_works_on(void **state)
{
    (void)state;
    struct gravel_plan plan;
    struct gravel_refusal refusal;
    const struct gravel_expect expect = {.source = 3, .destination = 1};
    begin();
    forget_callbacks();
    add_run(&inc, false, N_WORDS, N_MESSAGES);
    const struct gravel_loan loan = {.source = 3, .destination = 1, .bytes = frame.n_bytes};
    gravel_heap_lock_shared(books);
    OK(gravel_decode_plan(frame.bytes, frame.n_bytes, &expect, books, false, &plan, &refusal));
    gravel_heap_unlock_shared(books);
    calls_until_failure = 1;
    assert_int_equal(gravel_device_resolver_lend(resolver, frame.bytes, &plan, &loan, GUARD_BYTES),
                     GRAVEL_ECL);
    calls_until_failure = 0;
    OK(gravel_device_resolver_finish(resolver));
    assert_int_equal(n_given_back + n_ended, 0);
    expect_same("nothing");
    apply_on_host();
    lend();
    OK(gravel_device_resolver_finish(resolver));
    expect_same("after a failure");
}

/* Kernels that cannot be enqueued: the frame is lost, and every call says so from then on. */
static void lost_frame_is_told_for_good(void **state)
{
    (void)state;
    bool moved;
    begin();
    forget_callbacks();
    add_run(&inc, false, N_WORDS, N_MESSAGES);
    lend();
    calls_until_failure = 1;
    assert_int_equal(gravel_device_resolver_finish(resolver), GRAVEL_ECL);
    calls_until_failure = 0;
    assert_int_equal(gravel_device_resolver_finish(resolver), GRAVEL_ECL);
    assert_int_equal(gravel_device_resolver_give_back(resolver), GRAVEL_ECL);
    OK(gravel_device_resolver_look(resolver, &moved)); /* which has been told */
    assert_int_equal(n_ended, 0);
    expect_same("a lost frame");
}

int main(int argc, char **argv)
{
    static const struct way ways[] = {
        {.name = "serial, pinned frames", .is_serial = true, .is_pinned = true},
        {.name = "parallel, pinned frames", .is_pinned = true},
    };
    struct CMUnitTest tests[] = {
        TEST(every_kind_of_run_is_applied),
        TEST(additions_to_few_words_are_applied),
        TEST(frames_are_applied_in_the_order_in_which_they_came),
        TEST(looks_are_enough),
        TEST(frame_with_one_bad_index_is_refused_whole),
        TEST(frame_that_changes_after_the_check_does_no_harm),
        TEST(part_that_stays_on_the_device_is_applied_from_there),
        TEST(other_frames_are_not_kept),
        TEST(failed_upload_is_told_and_the_resolver_works_on),
        TEST(lost_frame_is_told_for_good),
    };
    uint64_t at;
    if (gravel_heap_create(&books, 0, HEAP_BYTES) || gravel_heap_alloc(books, HEAP_BYTES, &at))
        return 1;
    int code = run_in_ways(argc, argv, tests, LENGTH(tests), ways, LENGTH(ways));
    gravel_heap_destroy(books);
    return code;
}
