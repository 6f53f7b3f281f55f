/* Golden recordings of instrumented functions. */
#include "make_golden.h"

#include <string.h>

#include "synthetic_functions.h"

#define FUNCTIONS_START UINT64_C(0x555555554000)
#define FIRST_ID	1024u
#define STACK		UINT64_C(0x7ffc00004000)

enum { MAIN, TRIES, LEAF, JUMPS, ALIAS, EXITS, THROUGH, OTHER, PLACES };

/* Of two modules; what is in neither has no name. */
static void add_functions(struct synthetic *s, enum patch_cost cost)
{
	static const struct kymo_function_range places[PLACES] = {
		[MAIN] = {0x1000, 200 | KYMO_FUNCTION_TAKEN},
		[TRIES] = {0x1100, 90 | KYMO_FUNCTION_TAKEN},
		[LEAF] = {0x1180, 16 | KYMO_FUNCTION_TAKEN},
		[JUMPS] = {0x1200, 40 | KYMO_FUNCTION_TAKEN | KYMO_FUNCTION_TAIL_CALLS},
		[ALIAS] = {0x1240, 40 | KYMO_FUNCTION_TAKEN | KYMO_FUNCTION_TAIL_CALLS},
		[EXITS] = {0x1280, 30 | KYMO_FUNCTION_TAKEN | KYMO_FUNCTION_NO_EXIT},
		[THROUGH] = {0x12c0, 50 | KYMO_FUNCTION_TAKEN | KYMO_FUNCTION_TAIL_CALLS |
					     KYMO_FUNCTION_CALL_THROUGH},
		[OTHER] = {0x1300, 100},
	};
	static const struct kymo_function_range more[] = {
		{0x40, 64 | KYMO_FUNCTION_TAKEN},
		{0x900000, 64 | KYMO_FUNCTION_TAKEN},
	};
	/* Taken out while the program ran: the same once more. */
	static const struct kymo_function_range again[] = {
		{0x1000, 200 | KYMO_FUNCTION_TAKEN},
		{0x1100, 90 | KYMO_FUNCTION_TAKEN | KYMO_FUNCTION_UNPATCHED},
	};
	struct kymo_function_table *table;
	uint64_t chunk;

	synthetic_module(s, "/opt/app/bin/app", "0123abcd", FUNCTIONS_START,
			 FUNCTIONS_START + 0x8000, FUNCTIONS_START);
	synthetic_module(s, "/opt/app/lib/libpart.so", NULL, FUNCTIONS_START + 0x100000,
			 FUNCTIONS_START + 0x101000, FUNCTIONS_START + 0x100000 - 0x2000);
	chunk = synthetic_header(s)->end;
	synthetic_functions(s, FUNCTIONS_START, FIRST_ID, cost, places, PLACES);
	table = (struct kymo_function_table *)((unsigned char *)synthetic_header(s) + chunk +
					       sizeof(struct kymo_chunk));
	table->cost_ps = 1500;
	synthetic_functions(s, FUNCTIONS_START + 0x100000, 2 * FIRST_ID, cost, more, 2);
	synthetic_functions(s, FUNCTIONS_START, FIRST_ID, cost, again, 2);
}

/* Jumps to other functions, an end by another's exit, longjmp and a visit without length. */
static void add_odd_calls(struct function_events_bytes *pairs)
{
	function_events_enter(pairs, FIRST_ID + JUMPS, STACK - 0x80, 100000);
	function_events_enter(pairs, FIRST_ID + ALIAS, STACK - 0x80, 100020); /* jumped there */
	function_events_enter(pairs, FIRST_ID + JUMPS, STACK - 0x80,
			      100040); /* and back: a circle */
	function_events_enter(pairs, FIRST_ID + LEAF, STACK - 0xc0, 100050);
	function_events_exit(pairs, STACK - 0xc0, 100055);
	function_events_enter(pairs, FIRST_ID + LEAF, STACK - 0x80, 100060);
	function_events_exit(pairs, STACK - 0x80, 100070); /* of both */
	function_events_enter(pairs, FIRST_ID + THROUGH, STACK - 0x80, 100080);
	function_events_enter(pairs, FIRST_ID + LEAF, STACK - 0x80, 100090);
	function_events_exit(pairs, STACK - 0x80, 100100); /* the leaf's */
	function_events_exit(pairs, STACK - 0x80, 100110);
	function_events_enter(pairs, FIRST_ID + TRIES, STACK - 0x80, 100200);
	for (uint64_t i = 1; i < 4; i++)
		function_events_enter(pairs, FIRST_ID + TRIES, STACK - 0x80 - 0x40 * i, 100200 + i);
	function_events_enter(pairs, FIRST_ID + LEAF, STACK - 0xc0, 100300); /* three are gone */
	function_events_exit(pairs, STACK - 0x80, 100320);		     /* the leaf is, too */
	function_events_enter(pairs, FIRST_ID + EXITS, STACK - 0x80, 100330);
	function_events_enter(pairs, 2 * FIRST_ID, STACK - 0x5000, 100340); /* on another stack */
	function_events_enter(pairs, 2 * FIRST_ID + 1, STACK - 0x5040, 100350);
	function_events_exit(pairs, STACK - 0x5040, 100360);
	function_events_exit(pairs, STACK - 0x5000, 100370);
	function_events_exit(pairs, STACK - 0x1000, 100380); /* nothing is open there */
	function_events_enter(pairs, FIRST_ID + OTHER, STACK - 0x80, 100390); /* not instrumented */
	function_events_enter(pairs, 999999, STACK - 0x80, 100395);	      /* not known */
}

/* Calls that were recorded one by one: times short and long, marks, several chunks, beside a
 * tree of other collectors. */
struct synthetic *make_functions(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t program = synthetic_region(s, KYMO_REGION_PROGRAM, "app");
	uint32_t lock = synthetic_region(s, KYMO_REGION_NATIVE, "pthread_mutex_lock");
	uint32_t thread = synthetic_thread(s, KYMO_NO_THREAD, "main", 0);
	uint32_t child;
	struct function_events_bytes pairs = {0};

	add_functions(s, PATCH_COST_FULL);
	synthetic_enter(s, thread, program, 10);
	synthetic_enter(s, thread, lock, 1000);
	synthetic_leave(s, thread, lock, 3000);
	function_events_begin(&pairs, 100);
	function_events_enter(&pairs, FIRST_ID + MAIN, STACK, 110);
	for (uint64_t i = 0; i < 40; i++) {
		function_events_enter(&pairs, FIRST_ID + LEAF, STACK - 0x40, 1000 + i * i * 20);
		function_events_exit(&pairs, STACK - 0x40,
				     1000 + i * i * 20 + (i % 4 == 3 ? 5000 : 17));
	}
	function_events_put(&pairs, s, thread);
	add_odd_calls(&pairs);
	function_events_put(&pairs, s, thread);
	function_events_put_mark(&pairs, PATCH_MARK_LOST, 200000);
	function_events_exit(&pairs, STACK, 200100); /* of a call before */
	function_events_enter(&pairs, FIRST_ID + TRIES, STACK - 0x40, 200200);
	function_events_put_mark(&pairs, PATCH_MARK_OFF, 200300);
	function_events_put_mark(&pairs, PATCH_MARK_ON, 300000);
	function_events_enter(&pairs, FIRST_ID + MAIN, STACK, 300100); /* open to the end */
	function_events_put(&pairs, s, thread);
	child = synthetic_thread(s, thread, "worker", 400000);
	function_events_begin(&pairs, 400010);
	function_events_enter(&pairs, 2 * FIRST_ID, STACK, 400020);
	function_events_exit(&pairs, STACK, 400020 + (UINT64_C(1) << 40));
	function_events_put(&pairs, s, child);
	synthetic_thread_end(s, child, 400100 + (UINT64_C(1) << 40));
	synthetic_leave(s, thread, program, 400200 + (UINT64_C(1) << 40));
	synthetic_close(s, 400300 + (UINT64_C(1) << 40));
	return s;
}

/* The same beside events, between which they lie; killed. */
struct synthetic *make_mixed(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t f = synthetic_region(s, KYMO_REGION_PYTHON, "f");
	uint32_t g = synthetic_region(s, KYMO_REGION_PYTHON, "g");
	uint32_t thread = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0);
	struct function_events_bytes pairs = {0};

	add_functions(s, PATCH_COST_COARSE);
	synthetic_event(s, thread, KYMO_EVENT_ENTER, f, 150, 0);
	synthetic_extended_pair(s, thread, KYMO_EXTENDED_VALUE, 150,
				synthetic_string(s, "n") | UINT64_C(3) << 56, 7);
	synthetic_event(s, thread, KYMO_EVENT_ENTER, g, 400, 0);
	synthetic_event(s, thread, KYMO_EVENT_LEAVE, g, 500, 0);
	synthetic_event(s, thread, KYMO_EVENT_ENTER, g, 700, 0); /* left with its caller */
	synthetic_event(s, thread, KYMO_EVENT_LEAVE, f, 2000, 0);
	synthetic_event(s, thread, KYMO_EVENT_ENTER, f, 3000, 0);
	function_events_begin(&pairs, 100);
	function_events_enter(&pairs, FIRST_ID + MAIN, STACK, 110);
	function_events_enter(&pairs, FIRST_ID + TRIES, STACK - 0x40,
			      150); /* the event comes first */
	function_events_enter(&pairs, FIRST_ID + LEAF, STACK - 0x80, 600);
	function_events_exit(&pairs, STACK - 0x40, 800);
	function_events_enter(&pairs, FIRST_ID + TRIES, STACK - 0x40, 900);
	function_events_enter(&pairs, FIRST_ID + LEAF, STACK - 0x80, 2500); /* f has ended */
	function_events_exit(&pairs, STACK - 0x80, 2600);
	function_events_exit(&pairs, STACK - 0x40, 2700);
	function_events_put_mark(&pairs, PATCH_MARK_LOST, 2800);
	function_events_enter(&pairs, FIRST_ID + LEAF, STACK - 0x80, 3500);
	function_events_put(&pairs, s, thread);
	return s;
}

/* So many ticks are not the program's. */
static void add_foreign(struct function_events_bytes *pairs, enum patch_mark mark, uint64_t ticks)
{
	uint64_t last = pairs->last;

	function_events_put_mark(pairs, mark, ticks - SYNTHETIC_START_TICKS);
	pairs->last = last;
}

/* Times that others had, and Kymo, beside events that lie in them: before a thread's first record,
 * more than there are, in several marks, without end, behind the last record, cut off. */
struct synthetic *make_away(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t f = synthetic_region(s, KYMO_REGION_USER, "f");
	uint32_t thread = synthetic_thread(s, KYMO_NO_THREAD, "main", 0);
	struct function_events_bytes pairs = {0};

	add_functions(s, PATCH_COST_FULL);
	synthetic_event(s, thread, KYMO_EVENT_ENTER, f, 300, 0);
	synthetic_event(s, thread, KYMO_EVENT_LEAVE, f, 1700, 0);
	function_events_begin(&pairs, 100);
	add_foreign(&pairs, PATCH_MARK_AWAY, 30);
	function_events_enter(&pairs, FIRST_ID + MAIN, STACK, 110);
	function_events_enter(&pairs, FIRST_ID + LEAF, STACK - 0x40, 200);
	add_foreign(&pairs, PATCH_MARK_AWAY, 700);
	add_foreign(&pairs, PATCH_MARK_OWN, 50);
	add_foreign(&pairs, PATCH_MARK_AWAY, 100);
	function_events_exit(&pairs, STACK - 0x40, 1500);
	function_events_put(&pairs, s, thread);
	add_foreign(&pairs, PATCH_MARK_AWAY, 5000);
	function_events_enter(&pairs, FIRST_ID + LEAF, STACK - 0x40, 1600);
	add_foreign(&pairs, PATCH_MARK_AWAY, UINT64_MAX - 5);
	add_foreign(&pairs, PATCH_MARK_AWAY, 26);
	function_events_exit(&pairs, STACK - 0x40, 1800);
	add_foreign(&pairs, PATCH_MARK_AWAY, 60);
	function_events_put(&pairs, s, thread);
	thread = synthetic_thread(s, thread, "coarse", 2000);
	pairs.flags = KYMO_FUNCTION_EVENTS_MARKED;
	function_events_begin(&pairs, 2000);
	function_events_enter(&pairs, FIRST_ID + MAIN, STACK, 2000);
	add_foreign(&pairs, PATCH_MARK_AWAY, 400);
	function_events_put_mark(&pairs, PATCH_MARK_TIME, 2600);
	function_events_enter(&pairs, FIRST_ID + LEAF, STACK - 0x40, 2600);
	function_events_exit(&pairs, STACK - 0x40, 2600);
	add_foreign(&pairs, PATCH_MARK_OWN, 90);
	add_foreign(&pairs, PATCH_MARK_AWAY, 10);
	function_events_put_mark(&pairs, PATCH_MARK_TIME, 2700);
	function_events_exit(&pairs, STACK, 2700);
	add_foreign(&pairs, PATCH_MARK_AWAY, UINT64_C(1) << 60);
	pairs.size -= 3;
	function_events_put(&pairs, s, thread);
	synthetic_thread_end(s, thread, 3000);
	synthetic_close(s, 4000);
	return s;
}

/* Records with marks of time, with room between them that was never written: by handlers that
 * jumped away, and where the process was killed.  One thread went on to the other kind. */
struct synthetic *make_marked(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t thread = synthetic_thread(s, KYMO_NO_THREAD, "main", 0);
	struct function_events_bytes pairs = {.flags = KYMO_FUNCTION_EVENTS_MARKED};

	add_functions(s, PATCH_COST_COARSE);
	function_events_begin(&pairs, 100);
	function_events_enter(&pairs, FIRST_ID + MAIN, STACK, 100);
	for (uint64_t i = 0; i < 60; i++) {
		function_events_enter(&pairs, FIRST_ID + LEAF, STACK - 0x40, 1000 + i / 3 * 50);
		function_events_exit(&pairs, STACK - 0x40, 1000 + i / 3 * 50 + i % 2 * 20);
		function_events_put_hole(&pairs, i % 5 * 2);
	}
	function_events_put_hole(&pairs, 77);
	function_events_put(&pairs, s, thread);
	add_odd_calls(&pairs);
	function_events_put(&pairs, s, thread);
	function_events_enter(&pairs, FIRST_ID + TRIES, STACK - 0x40, 200200);
	function_events_put_mark(&pairs, PATCH_MARK_OFF, 200300);
	function_events_put_mark(&pairs, PATCH_MARK_ON, 300000);
	function_events_enter(&pairs, FIRST_ID + MAIN, STACK, 300000);
	function_events_enter(&pairs, FIRST_ID + LEAF, STACK - 0x40, UINT64_C(1) << 40);
	function_events_exit(&pairs, STACK - 0x40, UINT64_C(1) << 40);
	function_events_put_mark(&pairs, PATCH_MARK_TIME, (UINT64_C(1) << 40) + 50000);
	function_events_put(&pairs, s, thread);
	thread = synthetic_thread(s, thread, "worker", 400000);
	function_events_begin(&pairs, 400000);
	function_events_enter(&pairs, FIRST_ID + MAIN, STACK, 400000);
	function_events_put(&pairs, s, thread);
	pairs.flags = 0;
	function_events_exit(&pairs, STACK, 400500);
	function_events_put(&pairs, s, thread);
	pairs.flags = KYMO_FUNCTION_EVENTS_MARKED;
	function_events_enter(&pairs, FIRST_ID + LEAF, STACK, 401000);
	function_events_put_mark(&pairs, (enum patch_mark)5, 402000); /* of no known kind */
	function_events_exit(&pairs, STACK, 403000);
	function_events_put(&pairs, s, thread);
	return s;
}

static struct kymo_timed counted(uint32_t function, uint64_t due, uint32_t interval,
				 struct kymo_timed_sums sums)
{
	return (struct kymo_timed){
		.id = FIRST_ID + function,
		.sampling_interval = interval,
		.due = due,
		.timed = sums.ended + 1,
		.min = 10,
		.max = 5000,
		.sums = sums,
	};
}

static struct kymo_timed_caller called(uint32_t function, uint32_t caller, uint32_t timed)
{
	return (struct kymo_timed_caller){
		.id = FIRST_ID + function,
		.timed = timed,
		.return_address = caller ? FUNCTIONS_START + caller : 0,
		.sums = synthetic_sums(timed, 2, 100),
	};
}

/* Calls that were counted: counts exact, some timed, from where those came. */
struct synthetic *make_counted(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t program = synthetic_region(s, KYMO_REGION_PROGRAM, "app");
	uint32_t thread = synthetic_thread(s, KYMO_NO_THREAD, "main", 0);
	uint32_t child = synthetic_thread(s, thread, "worker", 500);
	const uint32_t left[PLACES] = {[TRIES] = 7, [LEAF] = 0xffffffff, [JUMPS] = 63};
	const struct kymo_timed timed[] = {
		counted(MAIN, 1, 1, synthetic_sums(1, 1, 900000)),
		counted(TRIES, 1007, 64, synthetic_sums(40, 25, 300)),
		counted(LEAF, 5000, 128, synthetic_sums(60, 83, 40)), /* one is late: 5001 */
		counted(OTHER, 9, 1, synthetic_sums(1, 1, 1)),	      /* not instrumented */
		counted(JUMPS, 62, 64, synthetic_sums(1, 1, 1)),      /* fewer than none */
		counted(LEAF, 77, 1, synthetic_sums(1, 1, 1)),	      /* once more */
		{.id = FIRST_ID + EXITS, .timed = 3},		      /* not complete */
	};
	const struct kymo_timed_caller callers[] = {
		called(TRIES, 0x1010, 30), called(LEAF, 0x1110, 20), called(LEAF, 0x1120, 35),
		called(LEAF, 0x1310, 3), /* of one that is not instrumented */
		called(LEAF, 0, 2),	   called(EXITS, 0x1010, 5), /* was not called */
	};

	add_functions(s, PATCH_COST_COUNTS);
	synthetic_enter(s, thread, program, 10);
	synthetic_left(s, thread, FIRST_ID, left, PLACES);
	synthetic_timed(s, thread, timed, sizeof(timed) / sizeof(timed[0]));
	synthetic_callers(s, thread, callers, sizeof(callers) / sizeof(callers[0]));
	synthetic_timed(s, child, &timed[1], 1); /* of which nothing is left */
	synthetic_thread_end(s, child, 900000);
	synthetic_leave(s, thread, program, 999000);
	synthetic_close(s, 1000000);
	return s;
}
