/* Writes the golden recordings of the present format version.
 * Those of released versions stay as they are for ever; this makes a new set when the
 * version changes, or one more when a case is added.
 *
 * usage: make_golden DIRECTORY [NAME] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "make_golden.h"
#include "synthetic.h"

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
	{"profile", make_profile},     {"trace", make_trace},	      {"killed", make_killed},
	{"fork", make_fork},	       {"threads", make_threads},     {"tsc", make_tsc},
	{"damaged", make_damaged},     {"native", make_native},	      {"sampled", make_sampled},
	{"counters", make_counters},   {"functions", make_functions}, {"mixed", make_mixed},
	{"counted", make_counted},     {"marked", make_marked},	      {"away", make_away},
	{"positions", make_positions},
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
		synthetic = cases[i].make();
		snprintf(path, sizeof(path), "%s/v%u-%s.kymo", argv[1],
			 synthetic_header(synthetic)->version, cases[i].name);
		if (synthetic_write(synthetic, path) < 0) {
			perror(path);
			return 1;
		}
		synthetic_free(synthetic);
	}
	return 0;
}
