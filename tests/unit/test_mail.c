/* SPDX-License-Identifier: MIT */
/*
 * The mailbox of resident servers: messages and answers, over the ring's end; and words of it that a kernel has
 * overwritten, which the host does not use as counts or places.
 *
 * Path: meson test -> lib/serve/mail.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "gravel/gravel.h"
#include "layout/command.h"
#include "layout/mail.h"
#include "serve/mail.h"

#define N_SERVERS 2u
#define N_SLOTS 4u
#define COLUMNS 8u
#define N_ARGS 1u
#define N_ROWS (N_ARGS + 1u)
#define SLOT_BYTES GRAVELP_MAIL_SLOT_BYTES(COLUMNS, N_ROWS)
#define ANSWER(argument) (3 * (argument) + 1)

/* A mailbox, and what servers do with it: pass all that is posted, slot by slot. */
struct office {
    struct gravel_mail mail;
    unsigned char *box;
    struct gravel_signal_run *run;
    uint32_t n_messages;
};

static struct gravelp_mail_words *words_of(struct office *office)
{
    return (void *)office->box;
}

static struct gravelp_mail *slot_of(struct office *office, uint32_t ticket)
{
    return (void *)(office->box +
                    GRAVELP_MAIL_SLOT(N_SERVERS, N_SLOTS, SLOT_BYTES, ticket % N_SLOTS));
}

static uint64_t *row_of(struct office *office, uint32_t row)
{
    return (void *)((char *)office->run +
                    GRAVEL_RUN_VALUES(office->run->run.command, office->n_messages, row));
}

static void make_run(struct office *office, uint32_t n_messages)
{
    const uint32_t command = GRAVELP_COMMAND_ASK(7, N_ARGS);
    office->n_messages = n_messages;
    office->run = calloc(1, GRAVEL_RUN_BYTES(command, n_messages) + sizeof *office->run);
    assert_non_null(office->run);
    office->run->run = (struct gravel_run){.command = command, .n_messages = n_messages};
    for (uint32_t i = 0; i < n_messages; i++)
        row_of(office, 0)[i] = i;
}

static void open_office(struct office *office, uint32_t n_messages)
{
    uint64_t bytes = GRAVELP_MAIL_SLOT(N_SERVERS, N_SLOTS, SLOT_BYTES, N_SLOTS);
    *office = (struct office){.box = aligned_alloc(GRAVELP_CACHELINE, bytes)};
    assert_non_null(office->box);
    memset(office->box, 0, bytes);
    const struct gravel_mail_shape shape = {.box = office->box,
                                            .n_owners = N_SERVERS,
                                            .n_slots = N_SLOTS,
                                            .columns = COLUMNS,
                                            .slot_bytes = SLOT_BYTES};
    assert_int_equal(gravel_mail_init(&office->mail, &shape, NULL), 0);
    make_run(office, n_messages);
    gravel_mail_open(&office->mail);
}

static void close_office(struct office *office)
{
    gravel_mail_destroy(&office->mail);
    free(office->box);
    free(office->run);
}

/* As many messages as there is room for. @return all that are posted so far. */
static uint32_t post(struct office *office, uint32_t n_posted)
{
    const struct gravel_frame frame = {.source = 1};
    assert_int_equal(gravel_mail_post(&office->mail, &frame, &office->run->run, &n_posted, 64), 0);
    return n_posted;
}

static void serve(struct office *office)
{
    const uint32_t n_posted = gravel_mail_posted(&office->mail);
    for (uint32_t ticket = words_of(office)[0].passed; ticket != n_posted; ticket++) {
        struct gravelp_mail *slot = slot_of(office, ticket);
        uint64_t *rows = (void *)(slot + 1);
        for (uint32_t i = 0; i < slot->n_messages; i++)
            rows[COLUMNS * N_ARGS + i] = ANSWER(rows[i]);
    }
    for (uint32_t server = 0; server < N_SERVERS; server++)
        words_of(office)[server].passed = n_posted;
}

static void expect_answers(struct office *office, uint32_t n)
{
    for (uint32_t i = 0; i < office->n_messages; i++)
        assert_int_equal(row_of(office, N_ARGS)[i], i < n ? ANSWER(i) : 0);
}

static void expect_overwritten(struct office *office)
{
    assert_int_equal(gravel_mail_collect(&office->mail), GRAVEL_EKERNEL);
    assert_non_null(strstr(gravel_last_error(), "server 1 has passed slot"));
    assert_non_null(strstr(gravel_last_error(), "overwritten"));
}

static void messages_are_answered_over_the_end_of_the_ring(void **state)
{
    (void)state;
    struct office office;
    open_office(&office, 5 * N_SLOTS * COLUMNS - 3);
    for (uint32_t n = 0; n < office.n_messages;) {
        n = post(&office, n);
        assert_true(gravel_mail_is_unread(&office.mail));
        assert_int_equal(gravel_mail_collect(&office.mail), 0);
        serve(&office);
        assert_false(gravel_mail_is_unread(&office.mail));
        assert_int_equal(gravel_mail_collect(&office.mail), 0);
        expect_answers(&office, n);
    }
    close_office(&office);
}

static void slot_counts_when_all_servers_have_passed_it(void **state)
{
    (void)state;
    struct office office;
    open_office(&office, 2 * COLUMNS);
    post(&office, 0);
    serve(&office);
    words_of(&office)[1].passed = 1;
    assert_int_equal(gravel_mail_collect(&office.mail), 0);
    assert_int_equal(gravel_mail_collected(&office.mail), 1);
    expect_answers(&office, COLUMNS);
    close_office(&office);
}

/* Beyond what is posted, and before what has been collected. */
static void word_that_is_overwritten_is_told(void **state)
{
    (void)state;
    struct office office;
    open_office(&office, 3 * COLUMNS);
    post(&office, 0);
    serve(&office);
    words_of(&office)[1].passed = 4;
    expect_overwritten(&office);
    words_of(&office)[1].passed = 0xdeadbeef;
    expect_overwritten(&office);
    words_of(&office)[1].passed = 3;
    assert_int_equal(gravel_mail_collect(&office.mail), 0);
    words_of(&office)[1].passed = 2;
    expect_overwritten(&office);
    close_office(&office);
}

/* The host knows how many messages it has posted, and where their answers are. */
static void slot_that_is_overwritten_is_not_believed(void **state)
{
    (void)state;
    struct office office;
    open_office(&office, 2 * COLUMNS);
    post(&office, 0);
    serve(&office);
    for (uint32_t ticket = 0; ticket < 2; ticket++)
        memset(slot_of(&office, ticket), 0xff, sizeof(struct gravelp_mail));
    assert_int_equal(gravel_mail_collect(&office.mail), 0);
    expect_answers(&office, 2 * COLUMNS);
    close_office(&office);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_answered_over_the_end_of_the_ring),
        cmocka_unit_test(slot_counts_when_all_servers_have_passed_it),
        cmocka_unit_test(word_that_is_overwritten_is_told),
        cmocka_unit_test(slot_that_is_overwritten_is_not_believed),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
