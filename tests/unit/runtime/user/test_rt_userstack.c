/* Users' regions that are ended wrongly, and signal handlers that come at the worst moment. */
#include "runtime/user/userstack.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>

#include "model/recording/recording_open.h"
#include "user_fixture.h"

static const struct kymo_api *api;

static void not_open(void)
{
	api = open_api(NULL);
	CHECK(api->region_end("a") == KYMO_NOT_OPEN);
	CHECK(api->region_begin("b") == KYMO_SUCCESS);
	errno = 5;
	CHECK(api->region_end("a") == KYMO_NOT_OPEN && errno == 5);
	CHECK(api->phase_end("b") == KYMO_NOT_OPEN); /* a region of that name is open, no phase */
	CHECK(api->region_end("b") == KYMO_SUCCESS);
	CHECK(api->region_end("b") == KYMO_NOT_OPEN);
	CHECK(kymo_thread()->record->misused_ends == 4);
	CHECK(kymo_thread()->record->resynced == 0);
	kymo_runtime_close(0);
	expect_tree(0, "b*1");
	CHECK(warnings("the region 'a' was ended where it was not open") == 1);
	CHECK(warnings("") == 1);
}

static void out_of_order(void)
{
	api = open_api(NULL);
	for (int i = 0; i < 2; i++) {
		CHECK(api->region_begin("a") == KYMO_SUCCESS);
		CHECK(api->region_begin("b") == KYMO_SUCCESS);
		CHECK(api->region_begin("c") == KYMO_SUCCESS);
		CHECK(api->region_end("a") == KYMO_REORDERED);
		CHECK(api->region_end("c") == KYMO_NOT_OPEN);
		CHECK(kymo_user_innermost(kymo_thread()) == 0);
	}
	CHECK(kymo_thread()->record->misused_ends == 4);
	CHECK(kymo_thread()->record->resynced == 0);
	kymo_runtime_close(0);
	expect_tree(0, "a*2(b*2(c*2))");
	CHECK(warnings("the region 'a' was ended before those inside of it") == 1);
	CHECK(warnings("the region 'c' was ended where it was not open") == 1);
}

static void *end_of_another(void *unused)
{
	(void)unused;
	CHECK(api->region_end("mine") == KYMO_NOT_OPEN);
	CHECK(api->region_begin("its own") == KYMO_SUCCESS);
	CHECK(kymo_thread()->record->misused_ends == 1);
	return NULL;
}

static void other_threads(void)
{
	pthread_t thread;

	api = open_api(NULL);
	CHECK(api->region_begin("mine") == KYMO_SUCCESS);
	CHECK(pthread_create(&thread, NULL, end_of_another, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(api->region_end("mine") == KYMO_SUCCESS);
	CHECK(kymo_thread()->record->misused_ends == 0);
	kymo_runtime_close(0);
	expect_tree(0, "mine*1");
	expect_tree(1, "its own*1");
	CHECK(warnings("the region 'mine' was ended where it was not open") == 1);
	CHECK(warnings("the region 'its own' was still open when its thread ended") == 1);
}

/* Parameters and what is ended are none of those that were never ended. */
static void never_ended(void)
{
	struct kymo_value value = {"n", KYMO_TYPE_UNSIGNED, {.natural = 3}};
	struct kymo_thread_record *record;

	api = open_api(NULL);
	CHECK(api->region_begin("a") == KYMO_SUCCESS && api->region_begin("b") == KYMO_SUCCESS);
	CHECK(api->parameter(&value) == KYMO_SUCCESS);
	record = kymo_thread()->record;
	kymo_runtime_close(0);
	CHECK(record->never_ended == 2 && record->misused_ends == 0);
	expect_tree(0, "a*1(b*1(n=3*1))");
	CHECK(warnings("the region 'b' was still open when its thread ended") == 1);
}

/* As deep in the stack as a handler would be. */
static __attribute__((noinline)) void deeper(void (*body)(void))
{
	/* AddressSanitizer keeps what has a constant size on a stack of its own. */
	volatile size_t size = 4096;
	volatile char *room = __builtin_alloca(size);

	room[0] = 1;
	body();
	room[1] = room[0];
}

static void from_a_handler(void)
{
	CHECK(api->region_begin("handler") == KYMO_OFF);
	CHECK(api->progress("point") == KYMO_OFF);
	CHECK(api->region_end("handler") == KYMO_SUCCESS);
}

static void in_the_middle(void)
{
	struct kymo_thread *thread;

	api = open_api(NULL);
	thread = kymo_thread();
	CHECK(api->region_begin("before") == KYMO_SUCCESS);
	CHECK(user_acquire(thread));
	deeper(from_a_handler);
	user_release(thread);
	CHECK(api->region_end("before") == KYMO_SUCCESS);
	CHECK(thread->record->lost_events == 3 && thread->record->misused_ends == 0);
	kymo_runtime_close(0);
	expect_tree(0, "before*1");
}

/* What an enter has done when a handler comes and never goes back to it. */
static void half_an_enter(void)
{
	struct kymo_thread *thread = kymo_thread();
	struct kymo_node *node;

	CHECK(user_acquire(thread));
	node = kymo_callpath_find(thread, fixture_region("cut short"));
	node->count++;
	thread->current = node;
}

static void left_by_a_jump(void)
{
	struct recording *recording;
	struct calltree *tree;
	struct problem problem;

	api = open_api(NULL);
	CHECK(api->region_begin("around") == KYMO_SUCCESS);
	deeper(half_an_enter);
	CHECK(kymo_thread()->busy != 0);
	CHECK(api->region_begin("after") == KYMO_SUCCESS);
	CHECK(api->region_end("after") == KYMO_SUCCESS);
	CHECK(api->region_end("around") == KYMO_SUCCESS);
	CHECK(kymo_thread()->busy == 0 && kymo_thread()->record->lost_events == 0);
	kymo_runtime_close(0);
	expect_tree(0, "around*1(cut short*1(after*1))");
	/* The time of what was cut short is counted from the moment that was noticed. */
	recording = fixture_read(kymo_runtime_recording());
	CHECK(calltree_new(recording, &tree, &problem) == KYMO_OK);
	CHECK(tree->nodes[2].sum_ns <= tree->nodes[1].sum_ns);
	calltree_free(tree);
	recording_free(recording);
}

static void on_signal(int number)
{
	(void)number;
	from_a_handler();
}

/* A stack of its own lies anywhere, above the interrupted one too. */
static void on_another_stack(void)
{
	static char room[64 << 10];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	struct kymo_thread *thread;

	api = open_api(NULL);
	thread = kymo_thread();
	CHECK(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
	CHECK(user_acquire(thread));
	thread->busy = stack_mark() - (1u << 24); /* as if all of the stack were above it */
	CHECK(raise(SIGUSR1) == 0);
	user_release(thread);
	CHECK(thread->record->lost_events == 3);
	kymo_runtime_close(0);
	expect_tree(0, "");
}

/* A storm: a handler that enters and jumps, at any moment. */

#define JUMPS 2000

static sigjmp_buf back;
static volatile sig_atomic_t jumps;

static void on_timer(int number)
{
	(void)number;
	(void)api->region_begin("in the handler");
	(void)api->region_end("in the handler");
	jumps++;
	if (jumps % 2)
		siglongjmp(back, 1);
}

static void storm(void)
{
	static const char *const settings[] = {"TRACE=ON", NULL};
	struct sigaction action = {.sa_handler = on_timer};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct itimerspec every = {{0, 50000}, {0, 50000}};
	struct kymo_site site = {"site", NULL, "f", 1, KYMO_SITE_REGION, 0, 0};
	timer_t timer;

	api = open_api(settings);
	(void)api->site_begin(&site), (void)api->site_end(&site);
	(void)api->region_begin("in the handler"), (void)api->region_end("in the handler");
	sigaction(SIGALRM, &action, NULL);
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	CHECK(timer_settime(timer, 0, &every, NULL) == 0);
	(void)sigsetjmp(back, 1);
	while (jumps < JUMPS) {
		(void)api->site_begin(&site);
		(void)api->site_end(&site);
	}
	CHECK(timer_delete(timer) == 0);
	CHECK(api->region_begin("last") == KYMO_SUCCESS);
	CHECK(api->region_end("last") == KYMO_SUCCESS);
	kymo_runtime_close(0);
	recording_free(fixture_read(kymo_runtime_recording()));
}

CASE(not_open)
CASE(out_of_order)
CASE(other_threads)
CASE(never_ended)
CASE(in_the_middle)
CASE(left_by_a_jump)
CASE(on_another_stack)
CASE(storm)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_open),	 cmocka_unit_test(test_out_of_order),
		cmocka_unit_test(test_other_threads),	 cmocka_unit_test(test_never_ended),
		cmocka_unit_test(test_in_the_middle),	 cmocka_unit_test(test_left_by_a_jump),
		cmocka_unit_test(test_on_another_stack), cmocka_unit_test(test_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
