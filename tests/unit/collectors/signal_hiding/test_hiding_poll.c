/* Waiting for descriptors: what is passed on as it is, and what is left of the time. */
#include "collectors/signal_hiding/hiding_poll.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hiding_fixture.h"

static bool is_interrupted;
static unsigned polls, checked, went_on;
static int64_t deadline_seen;

static int fake_poll(struct pollfd *fds, nfds_t count, int time)
{
	(void)fds, (void)count, (void)time;
	polls++;
	return is_interrupted ? hiding_interrupt() : 3;
}

static int fake_poll_chk(struct pollfd *fds, nfds_t count, int time, size_t size)
{
	(void)fds, (void)count, (void)time, (void)size;
	checked++;
	return -1;
}

static int fake_select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *time)
{
	(void)count, (void)in, (void)out, (void)other, (void)time;
	polls++;
	return is_interrupted ? hiding_interrupt() : 4;
}

sigset_t hiding_without(const sigset_t *set)
{
	return *set;
}

void hiding_release(void *call)
{
	((struct hiding_call *)call)->is_blocked = false;
}

int64_t hiding_deadline(clockid_t clock, const struct timespec *length)
{
	(void)clock;
	if (!length)
		return HIDING_FOREVER;
	return 1000000000 * (int64_t)length->tv_sec + length->tv_nsec;
}

struct timespec *hiding_rest(clockid_t clock, int64_t deadline, struct timespec *rest)
{
	(void)clock;
	*rest = (struct timespec){1, 500000};
	return deadline == HIDING_FOREVER ? NULL : rest;
}

int hiding_continue(struct hiding_call *call, long number, hiding_once_fn once, const void *what,
		    const sigset_t *mask)
{
	(void)number, (void)mask;
	went_on++;
	deadline_seen = once == poll_once ? ((const struct polling *)what)->deadline
					  : ((const struct selecting *)what)->deadline;
	hiding_release(call);
	return 7;
}

static int begin(void **state)
{
	(void)state;
	hiding_begin(hiding_bit(60));
	hiding_found.poll = fake_poll;
	hiding_found.__poll_chk = fake_poll_chk;
	hiding_found.select = fake_select;
	polls = checked = went_on = 0;
	is_interrupted = true;
	return 0;
}

static void test_a_poll_goes_on(void **state)
{
	struct pollfd fd = {.fd = 0};

	(void)state;
	assert_int_equal(hiding_poll(&fd, 1, 2500), 7);
	assert_int_equal(deadline_seen, 2500000000);
	assert_int_equal(hiding_poll(&fd, 1, -1), 7);
	assert_int_equal(deadline_seen, HIDING_FOREVER);
	is_interrupted = false;
	assert_int_equal(hiding_poll(&fd, 1, 2500), 3);
	assert_int_equal(went_on, 2);
}

static void test_what_is_passed_on(void **state)
{
	struct pollfd fd = {.fd = 0};

	(void)state;
	is_interrupted = false;
	hiding_poll(&fd, 1, 0); /* does not wait: nothing can come in between */
	assert_int_equal(kymo_wait_current.number, 0);
	hiding_ours = 0;
	is_interrupted = true;
	assert_int_equal(hiding_poll(&fd, 1, 100), -1);
	assert_int_equal(went_on, 0);
}

/* The C library ends programs whose arrays are too small; we do not stand in its way. */
static void test_checks_of_sizes(void **state)
{
	struct pollfd fds[2];

	(void)state;
	assert_int_equal(hiding___poll_chk(fds, 2, 10, sizeof(fds)), 7);
	assert_int_equal(checked, 0);
	hiding___poll_chk(fds, 3, 10, sizeof(fds));
	assert_int_equal(checked, 1);
	assert_int_equal(polls, 1);
}

/* Linux tells what was left. */
static void test_a_select_goes_on(void **state)
{
	struct timeval time = {5, 250000};

	(void)state;
	assert_int_equal(hiding_select(0, NULL, NULL, NULL, &time), 7);
	assert_int_equal(deadline_seen, 5250000000);
	assert_int_equal(time.tv_sec, 1);
	assert_int_equal(time.tv_usec, 500);
	assert_int_equal(hiding_select(0, NULL, NULL, NULL, NULL), 7);
	assert_int_equal(deadline_seen, HIDING_FOREVER);
	time = (struct timeval){0, 0};
	assert_int_equal(hiding_select(0, NULL, NULL, NULL, &time), -1);
	assert_int_equal(went_on, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_poll_goes_on, begin),
		cmocka_unit_test_setup(test_what_is_passed_on, begin),
		cmocka_unit_test_setup(test_checks_of_sizes, begin),
		cmocka_unit_test_setup(test_a_select_goes_on, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
