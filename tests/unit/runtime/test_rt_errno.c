/* errno is the program's on every way out of what it does not know it calls, also where there is
 * no more room for the recording, and whatever is called below changes it. */
#include <errno.h>
#include <sys/resource.h>

#include "platform/usage.h"
#include "runtime/control/gate.h"
#include "runtime/control/sampling.h"
#include "runtime/hot.h"
#include "runtime/store/eventlog.h"
#include "runtime/store/fold.h"
#include "runtime/store/store.h"
#include "runtime/threads/helper_control.h"
#include "runtime/user/usercontrol.h"
#include "runtime/user/usernotes.h"
#include "runtime/user/userstack.h"
#include "runtime_fixture.h"

#define DEPTH  6
#define ROUNDS 20000
#define LEFT   EXDEV /* nobody's who is called here */

#define KEEPS(call)                                                                                \
	do {                                                                                       \
		errno = LEFT;                                                                      \
		call;                                                                              \
		CHECK(errno == LEFT);                                                              \
	} while (0)

/* Deeper than paths go, out of order, and until the limit of the file's size is met. */
static void walk(void)
{
	struct rlimit limit = {1 << 20, RLIM_INFINITY};
	uint32_t regions[DEPTH];

	fixture_open((const char *[]){"MAX_DEPTH=2", "TRACE=ON", "PROFILE=ON", NULL});
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	for (int i = 0; i < DEPTH; i++)
		regions[i] = fixture_region((const char[]){(char)('a' + i), '\0'});
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < DEPTH; i++)
			KEEPS(kymo_enter(kymo_thread(), regions[(i + round) % DEPTH],
					 KYMO_MODE_PROFILE | KYMO_MODE_TRACE));
		for (int i = DEPTH - 1; i >= 0; i--)
			KEEPS(kymo_leave(kymo_thread(), regions[(i + round) % DEPTH],
					 KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE | KYMO_MODE_TRACE));
	}
}

static void test_no_room(void **state)
{
	(void)state;
	fixture_run(walk);
}

/* What is called changes errno.
 *
 * Linked with --wrap: the runtime's own files call these, each of which leaves errno changed, as
 * a system call would that fails.  So a function that puts it back shows, although those below
 * it do as well. */

static bool spoils;
static unsigned spoilt_count;

static void spoil(void)
{
	if (spoils) {
		errno = ENOSPC;
		spoilt_count++;
	}
}

#define SPOIL(type, name, parameters, arguments)                                                   \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		type result = __real_##name arguments;                                             \
                                                                                                   \
		spoil();                                                                           \
		return result;                                                                     \
	}

#define SPOIL_VOID(name, parameters, arguments)                                                    \
	void __real_##name parameters;                                                             \
	void __wrap_##name parameters;                                                             \
	void __wrap_##name parameters                                                              \
	{                                                                                          \
		__real_##name arguments;                                                           \
		spoil();                                                                           \
	}

SPOIL(bool, store_lock, (void), ())
SPOIL(bool, fold_leave, (struct kymo_thread * thread, uint32_t region, uint64_t now),
      (thread, region, now))
SPOIL_VOID(fold_unwind, (struct kymo_thread * thread, uint64_t now), (thread, now))
SPOIL(bool, user_drop_parameter, (struct kymo_thread * thread, uint32_t region), (thread, region))
SPOIL_VOID(helpers_catch_up, (void), ())
SPOIL(uint64_t, usage_memory_bytes, (enum usage_memory which), (which))

/* As KEEPS(), and something was called that changes errno: else this would show nothing. */
#define KEEPS_SPOILT(call)                                                                         \
	do {                                                                                       \
		spoilt_count = 0;                                                                  \
		spoils = true;                                                                     \
		KEEPS(call);                                                                       \
		spoils = false;                                                                    \
		CHECK(spoilt_count > 0);                                                           \
	} while (0)

#define TREE (KYMO_MODE_PROFILE | KYMO_MODE_METRICS)

static void leave(uint32_t region)
{
	kymo_leave(kymo_thread(), region, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
}

static void leave_paths(void)
{
	uint32_t outer, middle, inner, folded, unknown;
	struct kymo_thread *thread;

	fixture_open((const char *[]){"MAX_DEPTH=3", "PROFILE=ON", NULL});
	outer = fixture_region("outer");
	middle = fixture_region("middle");
	inner = fixture_region("inner");
	folded = fixture_region("folded");
	unknown = fixture_region("unknown");
	thread = kymo_thread();
	KEEPS_SPOILT(kymo_enter(thread, outer, KYMO_MODE_PROFILE));
	KEEPS(kymo_enter(thread, middle, KYMO_MODE_PROFILE));
	KEEPS(kymo_enter(thread, inner, KYMO_MODE_PROFILE));
	KEEPS(kymo_enter(thread, folded, KYMO_MODE_PROFILE));
	CHECK(fold_is_active(thread));
	KEEPS_SPOILT(leave(folded)); /* a folded one ends */
	CHECK(!fold_is_active(thread));
	KEEPS(kymo_enter(thread, folded, KYMO_MODE_PROFILE));
	KEEPS_SPOILT(leave(unknown)); /* nothing ends */
	CHECK(fold_is_active(thread));
	KEEPS_SPOILT(leave(middle)); /* all that is folded ends, and more */
	CHECK(thread->current->region == outer);
	KEEPS(kymo_enter(thread, middle, KYMO_MODE_PROFILE));
	KEEPS_SPOILT(leave(outer)); /* something that is not folded ends with it */
	CHECK(thread->current == thread->root);
}

static void test_leave_slow(void **state)
{
	(void)state;
	fixture_run(leave_paths);
}

static void metrics(void)
{
	struct kymo_thread *thread;
	uint32_t region;

	fixture_open((const char *[]){"TIMEMORY_COMPONENTS=page_rss", "PROFILE=ON", NULL});
	region = fixture_region("measured");
	thread = kymo_thread();
	KEEPS(kymo_enter(thread, region, TREE));
	KEEPS(kymo_leave(thread, region, KYMO_EVENT_LEAVE, TREE));
	KEEPS_SPOILT(kymo_enter(thread, region, TREE));
	KEEPS_SPOILT(kymo_leave(thread, region, KYMO_EVENT_LEAVE, TREE));
}

static void test_metrics(void **state)
{
	(void)state;
	fixture_run(metrics);
}

/* Each takes the lock, and for that alone may have to wait. */
static void entries(void)
{
	static const uint64_t words[2];
	struct kymo_thread *thread;
	uint32_t region;

	fixture_open((const char *[]){"TRACE=ON", "PROFILE=ON", NULL});
	region = fixture_region("region");
	thread = kymo_thread();
	thread->event_limit = thread->event; /* no room is left */
	KEEPS_SPOILT(kymo_event_slow(thread, KYMO_EVENT_ENTER, region, kymo_now(thread), 0));
	thread->event_limit = thread->event;
	KEEPS_SPOILT(eventlog_extended(thread, KYMO_EXTENDED_VALUE, kymo_now(thread), words));
	KEEPS_SPOILT(kymo_sample_chunk(thread, KYMO_CHUNK_SAMPLES, 64, 8, 0));
	KEEPS_SPOILT(kymo_sample_table(KYMO_CHUNK_SAMPLES, 64));
	KEEPS_SPOILT(userapi_thread_label("label"));
	KEEPS_SPOILT(user_misuse_note(0, region));
	KEEPS_SPOILT(gate_switch(false));
	KEEPS_SPOILT(kymo_admits(thread));
	KEEPS_SPOILT(gate_switch(true));
	KEEPS(kymo_admits(thread));
}

static void test_entries(void **state)
{
	(void)state;
	fixture_run(entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_leave_slow),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
