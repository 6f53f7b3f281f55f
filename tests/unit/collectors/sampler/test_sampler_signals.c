/* Which signals sampling takes, and gives to a program that asks for one. */
#include "collectors/sampler/sampler_signals.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct sampler_plan sampler_plan;
__thread struct sampler_thread *sampler_self;
bool sampler_is_closed;

static uint64_t shared; /* the signals that the wrappers hide */
static unsigned rearmed;

void kymo_sample_signals_set(uint64_t signals)
{
	shared = signals;
}

uint64_t kymo_sample_signals(void)
{
	return shared;
}

void kymo_signal_guard_set(void (*guard)(int, siginfo_t *, void *))
{
	(void)guard;
}

void kymo_signal_foreign(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
}

void sampler_event_rearm(int descriptor, uint64_t period)
{
	(void)descriptor, (void)period;
	rearmed++;
}

static void on_sample(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
}

static int end(void **state)
{
	(void)state;
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signal(number, SIG_DFL);
	signal(SIGIO, SIG_DFL);
	memset(&sampler_plan, 0, sizeof(sampler_plan));
	memset(spare, 0, sizeof(spare));
	shared = 0;
	return 0;
}

static void test_the_highest_that_is_free(void **state)
{
	(void)state;
	assert_int_equal(sampler_signal_choose(0), SIGRTMAX);
	signal(SIGRTMAX, SIG_IGN); /* the program's */
	sampler_plan.kind[1].signal = SIGRTMAX - 1;
	assert_int_equal(sampler_signal_choose(0), SIGRTMAX - 2);
	assert_int_equal(sampler_signal_choose(SIGUSR1), SIGUSR1);
	assert_int_equal(sampler_signal_choose(SIGRTMAX - 1), 0); /* another kind has it */
	assert_int_equal(sampler_signal_choose(SIGRTMAX + 1), 0);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signal(number, SIG_IGN);
	assert_int_equal(sampler_signal_choose(0), 0);
}

static bool is_handled(int number)
{
	struct sigaction action;

	sigaction(number, NULL, &action);
	return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_sample;
}

static void take_one(void)
{
	sampler_plan.kind[0] = (struct sampler_kind){.is_on = true, .signal = SIGRTMAX};
	assert_true(sampler_signals_install(on_sample));
}

static void test_the_handler_is_there_and_on_spares(void **state)
{
	(void)state;
	assert_false(sampler_signals_install(on_sample)); /* nothing is on */
	take_one();
	assert_true(is_handled(SIGRTMAX));
	assert_true(is_handled(SIGRTMAX - 1));
	assert_true(is_handled(SIGRTMAX - 2));
	assert_int_equal(shared, bit_of(SIGRTMAX) | bit_of(SIGRTMAX - 1) | bit_of(SIGRTMAX - 2));
}

/* A kind whose signal the program wants goes on with a spare one, as long as there are some. */
static void test_what_the_program_asks_for(void **state)
{
	struct sigaction action;

	(void)state;
	take_one();
	assert_false(sampler_signal_give(SIGUSR1));
	assert_true(sampler_signal_give(SIGRTMAX));
	assert_int_equal(sampler_plan.kind[0].signal, SIGRTMAX - 1);
	assert_false(shared & bit_of(SIGRTMAX));
	sigaction(SIGRTMAX, NULL, &action);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
	assert_true(sampler_signal_give(SIGRTMAX - 2)); /* the spare one */
	assert_false(sampler_signal_give(SIGRTMAX - 1));
	assert_true(is_handled(SIGRTMAX - 1));
}

/* SIGIO in the place of an event's signal: a sample was lost, and the event is to be armed anew. */
static void test_a_signal_that_had_no_room(void **state)
{
	siginfo_t lost = {.si_code = SI_KERNEL};
	static struct sampler_thread self;

	(void)state;
	sampler_self = &self;
	self.timer[2].engine = SAMPLER_EVENT;
	on_queue_full(SIGIO, &lost, NULL);
	assert_int_equal(self.stream.lost, 1);
	assert_int_equal(rearmed, 1);
	lost.si_code = SI_USER; /* somebody has sent it */
	on_queue_full(SIGIO, &lost, NULL);
	assert_int_equal(rearmed, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_the_highest_that_is_free, end),
		cmocka_unit_test_teardown(test_the_handler_is_there_and_on_spares, end),
		cmocka_unit_test_teardown(test_what_the_program_asks_for, end),
		cmocka_unit_test_teardown(test_a_signal_that_had_no_room, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
