/* Writes the golden recordings of the present format version.
 * Those of released versions stay as they are for ever; this makes a new set when the
 * version changes, or one more when a case is added.
 *
 * usage: make_golden DIRECTORY [NAME] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "synthetic_functions.h"

/* The example of the documentation, with a metric and an argument label. */
static struct synthetic *make_profile(void)
{
	static const enum kymo_metric metrics[] = {KYMO_METRIC_CPU_CLOCK, KYMO_METRIC_PEAK_RSS};
	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t run, fib, length, thread;
	struct kymo_node_metric *block;

	synthetic_metrics(s, metrics, 2);
	run = synthetic_region(s, KYMO_REGION_PYTHON, "run");
	fib = synthetic_region(s, KYMO_REGION_PYTHON, "fib");
	length = synthetic_region(s, KYMO_REGION_PYTHON_C, "len");
	synthetic_region_at(s, run)->file = synthetic_string(s, "/home/me/example.py");
	synthetic_region_at(s, run)->line = 17;
	synthetic_region_at(s, run)->flags = KYMO_REGION_LABEL_FILE | KYMO_REGION_LABEL_LINE;
	synthetic_region_at(s, fib)->qualname = synthetic_string(s, "Numbers.fib");
	synthetic_region_at(s, fib)->arguments = synthetic_string(s, "(n=5)");
	synthetic_region_at(s, fib)->argument_count = 1;
	synthetic_region_at(s, length)->module = synthetic_string(s, "builtins");
	thread = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 10);
	synthetic_enter(s, thread, run, 100);
	for (uint64_t i = 0; i < 3; i++) {
		synthetic_enter(s, thread, fib, 1000 + i * 1000);
		synthetic_enter(s, thread, fib, 1100 + i * 1000);
		synthetic_enter(s, thread, length, 1150 + i * 1000);
		synthetic_leave(s, thread, length, 1153 + i * 1000);
		synthetic_leave(s, thread, fib, 1200 + i * 1010);
		synthetic_leave(s, thread, fib, 1500 + i * 1020);
	}
	block = synthetic_metric_at(s, synthetic_current(s, thread), 0);
	*block = (struct kymo_node_metric){
		.count = 3, .sum = 1234.5, .min = 1, .max = 1000.25, .sum_squares = 1e6};
	synthetic_leave(s, thread, run, 9000);
	synthetic_note(s, KYMO_NOTE_INFO, "program", "example");
	synthetic_note(s, KYMO_NOTE_INFO, "argument", "example.py");
	synthetic_note(s, KYMO_NOTE_INFO, "argument",
		       "gr\xc3\xbc\xc3\x9f"
		       "e 20");
	synthetic_note(s, KYMO_NOTE_SETTING, "TIMEMORY_COMPONENTS", "wall_clock,cpu_clock");
	synthetic_close(s, 10000);
	return s;
}

/* Every kind of event, over many chunks, without a tree. */
static struct synthetic *make_trace(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t outer = synthetic_region(s, KYMO_REGION_PYTHON, "outer");
	uint32_t inner = synthetic_region(s, KYMO_REGION_PYTHON, "inner");
	uint32_t generator = synthetic_region(s, KYMO_REGION_PYTHON, "generate");
	uint32_t thread = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0);
	uint32_t child;
	uint64_t t = 0;

	synthetic_region_at(s, generator)->flags = KYMO_REGION_GENERATOR;
	synthetic_event(s, thread, KYMO_EVENT_ENTER, outer, t += 10, 0);
	for (int i = 0; i < 300; i++) {
		synthetic_event(s, thread, KYMO_EVENT_ENTER, inner, t += 3, 0);
		synthetic_event(s, thread, KYMO_EVENT_LEAVE, inner, t += 5, 0);
	}
	synthetic_event(s, thread, KYMO_EVENT_RESUME, generator, t += 7, 0x7f0011223344);
	synthetic_event(s, thread, KYMO_EVENT_LEAVE, generator, t += 7, 0);
	synthetic_event(s, thread, KYMO_EVENT_ANNOTATED, inner, t += 7, UINT64_C(9) << 32 | 46);
	child = synthetic_thread(s, thread, "worker", t += 1);
	synthetic_event(s, thread, KYMO_EVENT_UNWIND, inner, t += 7, 0);
	synthetic_extended(s, thread, KYMO_EXTENDED_INSTANT, t += 7, outer);
	synthetic_extended(s, thread, KYMO_EXTENDED_LOST, t += 7, 42);
	synthetic_extended(s, thread, KYMO_EXTENDED_ENTER, t += 7, generator);
	synthetic_event(s, thread, KYMO_EVENT_ENTER, inner, t += 7, 0);
	synthetic_extended(s, thread, KYMO_EXTENDED_LEAVE, t += 7, generator);
	synthetic_event(s, thread, KYMO_EVENT_LEAVE, inner, t += 7, 0); /* never entered */
	synthetic_event(s, child, KYMO_EVENT_ENTER, inner, t += 7, 0);
	synthetic_event(s, child, KYMO_EVENT_LEAVE, inner, t += UINT64_C(1) << 41, 0);
	synthetic_event(s, child, KYMO_EVENT_ENTER, inner, t += 7, 0);
	synthetic_extended(s, child, 77, t += 7, 1); /* of a later version */
	synthetic_extended(s, child, KYMO_EXTENDED_UNWIND_ALL, t += 7, 0);
	synthetic_thread_end(s, child, t += 7);
	synthetic_event(s, thread, KYMO_EVENT_ENTER, inner, t += 7, 0);
	synthetic_close(s, t + 100);
	return s;
}

/* What SIGKILL leaves: open regions, a node made and never entered, zeros. */
static struct synthetic *make_killed(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);
	uint32_t f = synthetic_region(s, KYMO_REGION_PYTHON, "f");
	uint32_t g = synthetic_region(s, KYMO_REGION_PYTHON, "g");
	uint32_t thread = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0);
	uint32_t late;

	synthetic_enter(s, thread, f, 100);
	synthetic_enter(s, thread, g, 200);
	synthetic_leave(s, thread, g, 300);
	synthetic_enter(s, thread, g, 400);
	synthetic_node(s, thread, synthetic_current(s, thread), f);
	late = synthetic_thread(s, thread, NULL, 450);
	synthetic_thread_at(s, late)->root_node = 0;
	synthetic_event(s, thread, KYMO_EVENT_ENTER, f, 500, 0);
	synthetic_chunk(s, KYMO_CHUNK_EVENTS, late, 0, 64, 0);
	return s;
}

/* A forked child below the path its parent had open, with folded calls. */
static struct synthetic *make_fork(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_FORKED);
	uint32_t f = synthetic_region(s, KYMO_REGION_PYTHON, "f");
	uint32_t g = synthetic_region(s, KYMO_REGION_PYTHON, "g");
	uint32_t thread = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0);
	struct kymo_node *node;

	synthetic_header(s)->parent_start_ns = SYNTHETIC_START_REALTIME - 5000;
	synthetic_thread_at(s, thread)->flags = KYMO_THREAD_ADOPTED;
	for (int i = 0; i < 2; i++) {
		synthetic_enter(s, thread, i ? g : f, 0);
		node = synthetic_node_at(s, synthetic_current(s, thread));
		node->count = 0;
		node->flags = KYMO_NODE_INHERITED;
		node->enter = SYNTHETIC_START_TICKS - 20; /* the fork, before the recording */
	}
	synthetic_enter(s, thread, f, 100);
	node = synthetic_node_at(s, synthetic_node(s, thread, synthetic_current(s, thread), g));
	*node = (struct kymo_node){
		.region = g,
		.parent = synthetic_current(s, thread),
		.flags = KYMO_NODE_FOLDED,
		.count = 5000,
		.sum = 300,
		.min = 0,
		.max = 9,
		.sum_squares = 2000,
	};
	synthetic_thread_at(s, thread)->folded = 5000;
	synthetic_leave(s, thread, f, 600);
	synthetic_leave(s, thread, g, 700);
	synthetic_enter(s, thread, g, 800);
	return s;
}

/* Threads below threads, a fiber, late names, series. */
static struct synthetic *make_threads(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t work = synthetic_region(s, KYMO_REGION_USER, "work");
	uint32_t start = synthetic_region(s, KYMO_REGION_PYTHON_METHOD, "start");
	uint32_t first = synthetic_thread(s, KYMO_NO_THREAD, NULL, 0);
	uint32_t series, i;

	synthetic_enter(s, first, start, 10);
	for (i = 0; i < 9; i++) {
		uint32_t thread = synthetic_thread(s, i < 6 ? first : i, NULL, 20 + i);

		synthetic_enter(s, thread, work, 100 + i);
		synthetic_leave(s, thread, work, 1000 + 3 * i);
		if (i % 2)
			synthetic_thread_end(s, thread, 2000);
	}
	synthetic_leave(s, first, start, 50);
	synthetic_thread_at(s, 9)->flags = KYMO_THREAD_FIBER;
	synthetic_thread_at(s, 9)->name = synthetic_string(s, "greenlet");
	synthetic_thread_at(s, first)->name = synthetic_string(s, "MainThread");
	synthetic_thread_at(s, first)->cpu_ns = 777;
	synthetic_thread_at(s, first)->resynced = 3;
	synthetic_thread_at(s, first)->lost_events = 4;
	series = synthetic_series(s, "rss", "bytes", KYMO_NO_THREAD);
	for (i = 0; i < 200; i++)
		synthetic_point(s, series, i * 10, 1e6 + i / 7.0);
	synthetic_note(s, KYMO_NOTE_WARNING, "python", "sys.setprofile was replaced.");
	synthetic_close(s, 5000);
	return s;
}

/* A time stamp counter of some 3 GHz, whose system clock was slewed and set back. */
static struct synthetic *make_tsc(void)
{
	static const struct kymo_clock_pair pairs[] = {
		{1000000000, 5000000000, 1700000000000000000},
		{1000003000, 5000001000, 1700000000000001000},
		{1000003000, 5000001001, 1700000000000001001}, /* no later than the last */
		{1004000000, 5001333100, 1699999999999000000},
		{1010000000, 5003333700, 1700000000003000000},
	};
	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);
	uint32_t f = synthetic_region(s, KYMO_REGION_PYTHON, "f");
	uint32_t thread = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0);
	struct kymo_header *header = synthetic_header(s);

	for (uint64_t t = 1; t < 20000000; t = t * 3 + 1) {
		synthetic_enter(s, thread, f, t);
		synthetic_leave(s, thread, f, t + t / 2);
	}
	synthetic_close(s, 20000000);
	header->clock_kind = KYMO_CLOCK_TSC;
	memcpy(header->pairs, pairs, sizeof(pairs));
	header->pair_count = sizeof(pairs) / sizeof(pairs[0]);
	return s;
}

/* What a native program's recording has besides: values, messages, modules, misuse. */
static struct synthetic *make_native(void)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_TRACE | KYMO_HEADER_ROOT);
	uint32_t program = synthetic_region(s, KYMO_REGION_PROGRAM, "program");
	uint32_t start = synthetic_region(s, KYMO_REGION_PTHREAD, "start_thread");
	uint32_t lock = synthetic_region(s, KYMO_REGION_PTHREAD, "pthread_mutex_lock");
	uint32_t phase = synthetic_region(s, KYMO_REGION_PHASE, "phase");
	uint32_t point = synthetic_region(s, KYMO_REGION_PROGRESS, "point");
	uint32_t mark = synthetic_region(s, KYMO_REGION_INSTANT, "mark");
	uint32_t level = synthetic_region(s, KYMO_REGION_PARAMETER, "level");
	uint32_t first = synthetic_thread(s, KYMO_NO_THREAD, NULL, 0), second;
	uint64_t name = synthetic_string(s, "n"), text = synthetic_string(s, "a \"text\"");
	uint64_t object = synthetic_string(s, "(0x1040)"), value = synthetic_string(s, "=3");
	const uint64_t values[][2] = {
		{name | UINT64_C(1) << 56, text},   {name | UINT64_C(2) << 56, (uint64_t)-3},
		{name | UINT64_C(3) << 56, 7},	    {name | UINT64_C(4) << 56, 0x3ff8000000000000},
		{name | UINT64_C(5) << 56, 0x7f00}, {name | UINT64_C(9) << 56, 0},
	};

	synthetic_region_at(s, lock)->flags = KYMO_REGION_OBJECT;
	synthetic_region_at(s, lock)->arguments = object;
	synthetic_region_at(s, level)->arguments = value;
	synthetic_module(s, "/nowhere/program", "0a1b2c", 0x1000, 0x3000, 0x1000);
	synthetic_module(s, "/nowhere/lib.so", NULL, 0x7000, 0x9000, 0x7000);
	synthetic_enter(s, first, program, 10);
	synthetic_enter(s, first, phase, 20);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		synthetic_extended_pair(s, first, KYMO_EXTENDED_VALUE, 20, values[i][0],
					values[i][1]);
	synthetic_enter(s, first, level, 25);
	synthetic_extended_pair(s, first, KYMO_EXTENDED_SEND, 30, mark, 77);
	synthetic_enter(s, first, point, 35);
	synthetic_leave(s, first, point, 35);
	synthetic_leave(s, first, level, 36);
	synthetic_extended(s, first, KYMO_EXTENDED_INSTANT, 40, mark);
	synthetic_extended_pair(s, first, KYMO_EXTENDED_VALUE, 40, values[0][0], values[0][1]);
	synthetic_leave(s, first, phase, 50);
	synthetic_extended_pair(s, first, KYMO_EXTENDED_VALUE, 50, values[1][0], values[1][1]);
	second = synthetic_thread(s, first, "second", 60);
	synthetic_enter(s, second, start, 61);
	synthetic_extended_pair(s, second, KYMO_EXTENDED_RECEIVE, 65, mark, 77);
	synthetic_enter(s, second, lock, 70);
	synthetic_thread_at(s, second)->misused_ends = 2;
	synthetic_thread_at(s, second)->never_ended = 1;
	synthetic_close(s, 100);
	return s;
}

static uint64_t python_frame(uint32_t code, uint32_t offset)
{
	return kymo_frame(KYMO_FRAME_PYTHON, (uint64_t)code << 32 | offset);
}

/* Samples of every kind, of Python and native frames, and what a reader must get over. */
static struct synthetic *make_sampled(void)
{
	static const unsigned char table[] = {0, 1, 2, 255, 0x80, 7};
	static const unsigned char later[] = {6 | 0xc8, 1, 9, 3, 4}; /* of a later version */
	static const unsigned char cut[] = {KYMO_SAMPLE_REALTIME, 1, 0x80};
	struct synthetic *s = synthetic_new(KYMO_HEADER_SAMPLES | KYMO_HEADER_ROOT);
	uint32_t f = synthetic_code(s, "f", "/home/me/f.py", 12);
	uint32_t g = synthetic_code(s, "g", "/home/me/f.py", 30);
	uint32_t first = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0), second;
	uint32_t stack, stacks[4];
	uint64_t t = 0;

	synthetic_chunk_payload(s, 256);
	synthetic_code_at(s, f)->lines = synthetic_string_of(s, table, sizeof(table));
	synthetic_code_at(s, g)->qualname = 0;
	synthetic_code_at(s, g)->version = 3 << 8 | 8;
	synthetic_code_at(s, g)->flags = KYMO_CODE_GENERATOR;
	synthetic_code(s, NULL, NULL, 0);
	synthetic_module(s, "/nowhere/program", "0a1b2c", 0x1000, 0x3000, 0x1000);
	stacks[0] = synthetic_stack(s, first, 0, kymo_frame(KYMO_FRAME_NATIVE, 0x1234));
	stacks[1] = synthetic_stack(s, first, stacks[0], python_frame(f, 6));
	stacks[2] = synthetic_stack(s, first, stacks[1], python_frame(g, KYMO_FRAME_NO_OFFSET));
	stacks[3] = synthetic_stack(s, first, stacks[1],
				    kymo_frame(KYMO_FRAME_KERNEL, UINT64_C(202) << 48 | 0x2040));
	synthetic_sample(s, first, KYMO_SAMPLE_BEGIN, 0, 2048, 0, SYNTHETIC_NONE, SYNTHETIC_NONE);
	for (uint32_t i = 0; i < 1500; i++) {
		stack = stacks[i % 4];
		if (i % 4 == 3) /* many stacks */
			stack = synthetic_stack(s, first, stack,
						kymo_frame(KYMO_FRAME_NATIVE, 0x2000 + i / 4));
		synthetic_sample(s, first, KYMO_SAMPLE_REALTIME, (enum kymo_gil_state)(i % 4),
				 t += 9000 + i * 7, stack, i % 5 ? i % 9 * 1024 : SYNTHETIC_NONE,
				 SYNTHETIC_NONE);
	}
	synthetic_sample(s, first, KYMO_SAMPLE_LOST, 0, t += 4096, 0, SYNTHETIC_NONE, 3);
	synthetic_sample(s, first, KYMO_SAMPLE_CPUTIME, 0, t += 4096, stacks[1], 1 << 20,
			 SYNTHETIC_NONE);
	synthetic_sample(s, first, KYMO_SAMPLE_BEGIN, 0, t += 1 << 22, 0, SYNTHETIC_NONE,
			 SYNTHETIC_NONE);
	synthetic_sample(s, first, KYMO_SAMPLE_OVERFLOW, 0, t += 4096, stacks[2], SYNTHETIC_NONE,
			 UINT64_C(1) << 40);
	synthetic_sample_bytes(s, first, later, sizeof(later));
	synthetic_sample(s, first, KYMO_SAMPLE_REALTIME, 0, t += 4096, 9999, 0, SYNTHETIC_NONE);
	second = synthetic_thread(s, first, "second", t);
	stack = synthetic_stack(s, second, 7, kymo_frame(KYMO_FRAME_MARK, KYMO_MARK_LOST));
	stack = synthetic_stack(s, second, stack, kymo_frame(KYMO_FRAME_NATIVE, 0x99));
	synthetic_sample(s, second, KYMO_SAMPLE_REALTIME, 0, t, stack, SYNTHETIC_NONE,
			 SYNTHETIC_NONE); /* without a BEGIN */
	synthetic_sample(s, second, KYMO_SAMPLE_REALTIME, 0, t += 20480, stack, SYNTHETIC_NONE,
			 SYNTHETIC_NONE);
	synthetic_sample_bytes(s, second, cut, sizeof(cut));
	return s;
}

/* Metrics that the recording names itself, one of them without its note. */
static struct synthetic *make_counters(void)
{
	static const enum kymo_metric metrics[] = {(enum kymo_metric)KYMO_METRIC_NAMED,
						   KYMO_METRIC_PEAK_RSS,
						   (enum kymo_metric)(KYMO_METRIC_NAMED + 1),
						   (enum kymo_metric)(KYMO_METRIC_NAMED + 7)};
	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t work, thread;

	synthetic_metrics(s, metrics, 4);
	work = synthetic_region(s, KYMO_REGION_NATIVE, "work");
	thread = synthetic_thread(s, KYMO_NO_THREAD, "main", 10);
	synthetic_note(s, KYMO_NOTE_METRIC, "256",
		       "perf::PERF_COUNT_SW_PAGE_FAULTS\n\nPage faults");
	synthetic_note(s, KYMO_NOTE_METRIC, "257", "PAPI_TOT_CYC\ncycles\nTotal cycles");
	synthetic_enter(s, thread, work, 100);
	for (uint32_t k = 0; k < 4; k++)
		*synthetic_metric_at(s, synthetic_current(s, thread), k) =
			(struct kymo_node_metric){.count = 1,
						  .sum = 1000 + k,
						  .min = 1000 + k,
						  .max = 1000 + k,
						  .sum_squares = 1e6};
	synthetic_leave(s, thread, work, 900);
	synthetic_close(s, 1000);
	return s;
}

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
static struct synthetic *make_functions(void)
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
static struct synthetic *make_mixed(void)
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
static struct synthetic *make_away(void)
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
static struct synthetic *make_marked(void)
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
static struct synthetic *make_counted(void)
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

/* Whatever a bad disk does, the rest is read. */
static struct synthetic *make_damaged(void)
{
	struct synthetic *s = make_killed();
	unsigned char *file = (unsigned char *)synthetic_header(s);
	uint64_t bad = synthetic_chunk(s, KYMO_CHUNK_NOTES, KYMO_NO_THREAD, 0, 64, 64);
	uint32_t thread = 0, root = synthetic_thread_at(s, thread)->root_node;
	uint32_t node, below;

	memset(file + bad, 0x55, 64);
	synthetic_chunk(s, 200, KYMO_NO_THREAD, 7, 64, 64); /* of a later version */
	node = synthetic_node(s, thread, root, 99);	    /* no such region */
	below = synthetic_node(s, thread, node, 1);
	synthetic_node_at(s, node)->count = synthetic_node_at(s, below)->count = 1;
	node = synthetic_node(s, thread, root, 1);
	synthetic_node_at(s, node)->count = 1;
	synthetic_node_at(s, node)->parent = node; /* its own parent */
	synthetic_region_at(s, 2)->name += 1;
	synthetic_thread_at(s, 1)->number = 5;
	synthetic_note(s, KYMO_NOTE_INFO, "behind", "the damage");
	synthetic_header(s)->file_bytes = synthetic_header(s)->end;
	return s;
}

/* v1-merged.kymo is what 'kymo merge v1-profile.kymo v1-threads.kymo v1-counters.kymo
 * v1-fork.kymo' makes of these. */
static const struct {
	const char *name;
	struct synthetic *(*make)(void);
} cases[] = {
	{"profile", make_profile},   {"trace", make_trace},	    {"killed", make_killed},
	{"fork", make_fork},	     {"threads", make_threads},	    {"tsc", make_tsc},
	{"damaged", make_damaged},   {"native", make_native},	    {"sampled", make_sampled},
	{"counters", make_counters}, {"functions", make_functions}, {"mixed", make_mixed},
	{"counted", make_counted},   {"marked", make_marked},	    {"away", make_away},
};

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: make_golden DIRECTORY [NAME]\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct synthetic *synthetic;
		char path[4096];

		if (argc > 2 && strcmp(argv[2], cases[i].name) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/v%u-%s.kymo", argv[1], KYMO_FORMAT_VERSION,
			 cases[i].name);
		synthetic = cases[i].make();
		if (synthetic_write(synthetic, path) < 0) {
			perror(path);
			return 1;
		}
		synthetic_free(synthetic);
	}
	return 0;
}
