/* What a transfer that stopped half way has left, and the limits of sockets. */
#include "collectors/signal_hiding/hiding_sockets.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hiding_fixture.h"

static int polled; /* what the wait gives */
static bool has_limit;
static unsigned accepted;
static short polled_for;

static int fake_option(int fd, int level, int option, void *value, socklen_t *size)
{
	const struct timeval limit = {has_limit ? 3600 : 0, 0};

	(void)fd, (void)level, (void)option;
	memcpy(value, &limit, *size < sizeof(limit) ? *size : sizeof(limit));
	return 0;
}

static int fake_accept(int fd, struct sockaddr *address, socklen_t *length)
{
	(void)fd, (void)address, (void)length;
	return ++accepted < 3 ? hiding_interrupt() : 9;
}

void hiding_release(void *call)
{
	((struct hiding_call *)call)->is_blocked = false;
}

bool hiding_repeats_slow(struct hiding_call *call, bool is_ended)
{
	hiding_release(call);
	return is_ended && hiding_is_alone(call);
}

int64_t hiding_deadline(clockid_t clock, const struct timespec *length)
{
	(void)clock;
	return length->tv_sec;
}

struct timespec *hiding_rest(clockid_t clock, int64_t deadline, struct timespec *rest)
{
	(void)clock, (void)rest;
	assert_int_equal(deadline, 3600);
	return NULL;
}

int hiding_continue(struct hiding_call *call, long number, hiding_once_fn once, const void *what,
		    const sigset_t *mask)
{
	const struct waiting *waiting = what;

	(void)number, (void)once, (void)mask;
	polled_for = waiting->descriptor.events;
	hiding_release(call);
	return polled;
}

static int begin(void **state)
{
	(void)state;
	hiding_begin(hiding_bit(60));
	hiding_found.getsockopt = fake_option;
	hiding_found.accept = fake_accept;
	accepted = 0;
	has_limit = false;
	return 0;
}

static void test_parts(void **state)
{
	char a[4], b[2], c[8];
	const struct iovec parts[] = {{a, 4}, {b, 0}, {c, 8}};

	(void)state;
	assert_ptr_equal(hiding_part(parts, 3, 0).iov_base, a);
	assert_ptr_equal(hiding_part(parts, 3, 3).iov_base, a + 3);
	assert_int_equal(hiding_part(parts, 3, 3).iov_len, 1);
	assert_ptr_equal(hiding_part(parts, 3, 4).iov_base, c); /* empty ones are passed over */
	assert_int_equal(hiding_part(parts, 3, 11).iov_len, 1);
	assert_int_equal(hiding_part(parts, 3, 12).iov_len, 0);
	assert_int_equal(hiding_part(parts, 0, 0).iov_len, 0);
}

static void test_it_is_begun_again_without_a_limit(void **state)
{
	(void)state;
	assert_int_equal(hiding_accept(5, NULL, NULL), 9);
	assert_int_equal(accepted, 3);
	hiding_ours = 0;
	accepted = 0;
	assert_int_equal(hiding_accept(5, NULL, NULL), -1); /* nothing is hidden */
}

static void test_limits(void **state)
{
	struct hiding_patience patience = {SO_RCVTIMEO, EAGAIN, 0};
	struct hiding_call call = {.is_blocked = true};

	(void)state;
	has_limit = true;
	polled = 1;
	assert_true(hiding_is_patient(&call, 5, &patience));
	assert_int_equal(polled_for, POLLIN);
	assert_int_equal(patience.deadline, 3600);
	polled = 0; /* the time has passed */
	call.is_blocked = true;
	assert_false(hiding_is_patient(&call, 5, &patience));
	assert_int_equal(errno, EAGAIN);
	patience.option = SO_SNDTIMEO;
	call.is_blocked = true;
	hiding_is_patient(&call, 5, &patience);
	assert_int_equal(polled_for, POLLOUT);
}

static void test_a_signal_of_the_programs_ends_it(void **state)
{
	struct hiding_patience patience = {SO_RCVTIMEO, EAGAIN, 0};
	struct hiding_call call = {.is_blocked = true};

	(void)state;
	kymo_wait_current.handled++;
	assert_false(hiding_is_patient(&call, 5, &patience));
	assert_int_equal(errno, EINTR);
	assert_false(call.is_blocked);
}

static void test_where_short_counts_are_usual(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_true(hiding_is_stream(ends[0]));
	close(ends[0]);
	close(ends[1]);
	assert_false(hiding_is_stream(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_parts, begin),
		cmocka_unit_test_setup(test_it_is_begun_again_without_a_limit, begin),
		cmocka_unit_test_setup(test_limits, begin),
		cmocka_unit_test_setup(test_a_signal_of_the_programs_ends_it, begin),
		cmocka_unit_test_setup(test_where_short_counts_are_usual, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
