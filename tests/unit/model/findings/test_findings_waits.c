/* What was waited for. */
#include "model/findings/findings.h"

#include "findings_fixture.h"

static struct fixture waiting_for_the_gil(double waited_s)
{
	struct synthetic *made = MAKE("main");
	uint32_t series[2];

	for (uint32_t i = 0; i < 2; i++)
		synthetic_thread(made, i ? 0 : KYMO_NO_THREAD, NULL, 0);
	series[0] = synthetic_series(made, "GIL held", "s", 0);
	series[1] = synthetic_series(made, "GIL waited", "s", 1);
	synthetic_point(made, series[0], SECOND, 1);
	synthetic_point(made, series[1], SECOND, waited_s);
	return close_one(made, SECOND);
}

static void test_gil(void **state)
{
	struct fixture fixture = waiting_for_the_gil(0.82);

	(void)state;
	assert_found(&fixture, "GIL",
		     "Threads wait 41 % of the time for Python's GIL, 820 ms in sum.");
	fixture = waiting_for_the_gil(0.08);
	assert_found(&fixture, "GIL", NULL);
}

/* Of 1,000 ns, main waits in a call. */
static struct synthetic *make_waiting(const char *call, uint64_t wait_ns)
{
	struct synthetic *made = MAKE("main", call);
	struct kymo_region *region = synthetic_region_at(made, 2);

	region->kind = KYMO_REGION_PTHREAD;
	region->flags = KYMO_REGION_OBJECT;
	region->arguments = synthetic_string(made, "(&table_lock)");
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	visit(made, 0, 2, 0, wait_ns);
	synthetic_leave(made, 0, 1, 1000);
	return made;
}

static struct fixture waiting_in(const char *call, uint64_t wait_ns)
{
	return close_one(make_waiting(call, wait_ns), 1000);
}

/* A rank, and a process that has none unless it is given one. */
static struct fixture launched(uint64_t rank_waits_ns, uint64_t launcher_waits_ns,
			       const char *launchers_rank)
{
	struct fixture fixture = {.count = 2};

	fixture.made[0] = make_waiting("pthread_mutex_lock", launcher_waits_ns);
	fixture.made[1] = make_waiting("pthread_mutex_lock", rank_waits_ns);
	if (launchers_rank)
		synthetic_note(fixture.made[0], KYMO_NOTE_INFO, "rank", launchers_rank);
	synthetic_note(fixture.made[1], KYMO_NOTE_INFO, "rank", "0");
	for (size_t i = 0; i < fixture.count; i++)
		synthetic_close(fixture.made[i], 1000);
	open_all(&fixture);
	return fixture;
}

/* What launches ranks waits for them all the time, and nobody for it. */
static void test_launchers_wait_for_nobody(void **state)
{
	struct fixture fixture = launched(40, 900, NULL);

	(void)state;
	assert_found(&fixture, "locks", NULL);
	fixture = launched(300, 900, NULL);
	assert_found(&fixture, "locks",
		     "Threads wait 30 % of the time in `pthread_mutex_lock(&table_lock)`, 300 ns "
		     "in sum.");
	fixture = launched(300, 900, "1");
	assert_found(&fixture, "locks",
		     "Threads wait 60 % of the time in `pthread_mutex_lock(&table_lock)`, 1.20 us "
		     "in sum.");
}

static void test_locks(void **state)
{
	struct fixture fixture = waiting_in("pthread_mutex_lock", 300);

	(void)state;
	assert_found(
		&fixture, "locks",
		"Threads wait 30 % of the time in `pthread_mutex_lock(&table_lock)`, 300 ns in "
		"sum.");
	fixture = waiting_in("pthread_mutex_lock", 40);
	assert_found(&fixture, "locks", NULL);
	fixture = waiting_in("pthread_join", 300);
	assert_found(&fixture, "locks", NULL);
}

/* The call, and what is waited for: a descriptor, or an address. */
#define READ  (kernel(0) | 5)
#define FUTEX (kernel(202) | 0x1000)

static struct fixture sampled_in(uint64_t call, uint64_t waits)
{
	struct sampled_fixture sampled = begin();
	uint32_t code = code_of_lines(&sampled, "serve", 10);
	struct fixture fixture = {.count = 1, .loaded = {.is_sampled = true, .has_samples = true}};

	for (uint64_t i = 0; i < 100; i++)
		put(&sampled, KYMO_SAMPLE_REALTIME, 10,
		    i < waits ? STACK(&sampled, python(code, 0), call)
			      : STACK(&sampled, python(code, 0)),
		    i < waits ? 0 : 10);
	make_tree(&sampled, &plain);
	fixture.made[0] = sampled.synthetic;
	fixture.recordings[0] = sampled.recording;
	fixture.trees[0] = sampled.tree;
	fixture.samples[0] = sampled.samples;
	look(&fixture);
	return fixture;
}

static void assert_sampled(uint64_t call, uint64_t waits, const char *kind, const char *text)
{
	struct fixture fixture = sampled_in(call, waits);
	const struct samples *samples = fixture.samples[0];

	assert_found(&fixture, kind, text);
	samples_free((struct samples *)samples);
}

static void test_sampled_waits(void **state)
{
	(void)state;
	assert_sampled(READ, 30, "input and output",
		       "Threads wait 30 % of the time for input and output, most for `descriptor "
		       "5` in `serve`; 307 us in sum.");
	assert_sampled(READ, 5, "input and output", NULL);
	assert_sampled(FUTEX, 30, "locks",
		       "Threads wait 30 % of the time for locks and other threads, most in "
		       "`serve`; 307 us in sum.");
	assert_sampled(FUTEX, 5, "locks", NULL);
	assert_sampled(FUTEX, 30, "input and output", NULL);
}

static struct fixture alone(const char *processors, double busy, uint32_t threads)
{
	struct synthetic *made = MAKE("main");

	synthetic_note(made, KYMO_NOTE_INFO, "processors", processors);
	synthetic_header(made)->process_cpu_ns = (uint64_t)(busy * 2 * (double)SECOND);
	for (uint32_t i = 0; i < threads; i++) {
		synthetic_thread(made, i ? 0 : KYMO_NO_THREAD, NULL, 0);
		synthetic_thread_at(made, i)->cpu_ns =
			(uint64_t)(busy * 2 * (double)SECOND / threads);
	}
	return close_one(made, 2 * SECOND);
}

static void test_one_thread(void **state)
{
	struct fixture fixture = alone("16", 0.99, 1);

	(void)state;
	assert_found(&fixture, "one thread",
		     "One thread does all the work; the program may use 16 processors.");
	fixture = alone("1", 0.99, 1);
	assert_found(&fixture, "one thread", NULL);
	fixture = alone("16", 0.5, 1); /* it mostly waits */
	assert_found(&fixture, "one thread", NULL);
	fixture = alone("16", 1.9, 2);
	assert_found(&fixture, "one thread", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gil),
		cmocka_unit_test(test_locks),
		cmocka_unit_test(test_launchers_wait_for_nobody),
		cmocka_unit_test(test_sampled_waits),
		cmocka_unit_test(test_one_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
