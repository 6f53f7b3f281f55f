/* Each finding, where it must be told and where it must not. */
#include "model/findings/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sampled_fixture.h"
#include "synthetic.h"
#include "writer/recording_writer.h"

#define PROCESSES_MAX 8
#define SECOND	      UINT64_C(1000000000)

struct fixture {
	size_t count;
	struct synthetic *made[PROCESSES_MAX];
	struct recording *recordings[PROCESSES_MAX];
	const struct samples *samples[PROCESSES_MAX];
	const struct calltree *trees[PROCESSES_MAX];
	struct run run;
	struct loaded_run loaded;
	struct region_union *regions;
	struct run_facts *facts;
	struct findings *findings;
};

static void look(struct fixture *fixture)
{
	struct problem problem;

	fixture->run = (struct run){.path = (char *)"run",
				    .recordings = fixture->recordings,
				    .recording_count = fixture->count};
	fixture->loaded.run = &fixture->run;
	fixture->loaded.trees = fixture->trees;
	fixture->loaded.samples = fixture->samples;
	fixture->loaded.tree_count = fixture->count;
	assert_int_equal(region_union_new(fixture->trees, fixture->count, &fixture->regions),
			 KYMO_OK);
	assert_int_equal(run_facts_new(&fixture->loaded, &fixture->facts), KYMO_OK);
	assert_int_equal(findings_new(&fixture->loaded, fixture->regions, fixture->facts,
				      &fixture->findings, &problem),
			 KYMO_OK);
}

static void open_all(struct fixture *fixture)
{
	for (size_t i = 0; i < fixture->count; i++) {
		struct calltree *tree;

		if (fixture->made[i])
			fixture->recordings[i] = synthetic_open(fixture->made[i]);
		assert_int_equal(calltree_new(fixture->recordings[i], &tree, NULL), KYMO_OK);
		fixture->trees[i] = tree;
	}
	look(fixture);
}

static void release(struct fixture *fixture)
{
	findings_free(fixture->findings);
	run_facts_free(fixture->facts);
	region_union_free(fixture->regions);
	for (size_t i = 0; i < fixture->count; i++) {
		calltree_free((struct calltree *)fixture->trees[i]);
		recording_free(fixture->recordings[i]);
		if (fixture->made[i])
			synthetic_free(fixture->made[i]);
	}
}

static const char *text_of(const struct fixture *fixture, const char *kind)
{
	for (size_t i = 0; i < fixture->findings->count; i++)
		if (strcmp(fixture->findings->items[i].kind, kind) == 0)
			return fixture->findings->items[i].text;
	return NULL;
}

/* text NULL: it must not be there.  Frees the fixture. */
static void assert_found(struct fixture *fixture, const char *kind, const char *text)
{
	const char *found = text_of(fixture, kind);

	if (text) {
		assert_non_null(found);
		assert_string_equal(found, text);
	} else if (found) {
		fail_msg("not to be told: %s", found);
	}
	release(fixture);
}

static struct synthetic *make(size_t region_count, const char *const *names)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);

	for (size_t i = 0; i < region_count; i++)
		synthetic_region(made, KYMO_REGION_PYTHON, names[i]);
	return made;
}
#define MAKE(...)                                                                                  \
	make(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),                          \
	     (const char *const[]){__VA_ARGS__})

static void visit(struct synthetic *made, uint32_t thread, uint32_t region, uint64_t from,
		  uint64_t to)
{
	synthetic_enter(made, thread, region, from);
	synthetic_leave(made, thread, region, to);
}

static struct fixture close_one(struct synthetic *made, uint64_t end)
{
	struct fixture fixture = {.count = 1, .made = {made}};

	synthetic_close(made, end);
	open_all(&fixture);
	return fixture;
}

/* main calls f for as long, in its own lines but for g. */
static struct fixture program_of(uint64_t f_ns, uint64_t g_ns, enum kymo_region_kind kind)
{
	struct synthetic *made = MAKE("main", "f", "g");

	synthetic_region_at(made, 2)->kind = kind;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	synthetic_enter(made, 0, 2, 0);
	visit(made, 0, 3, 0, g_ns);
	synthetic_leave(made, 0, 2, f_ns);
	/* The rest is spread, so that nothing else stands out. */
	for (uint64_t at = f_ns; at < 1000; at += 10) {
		char name[16];

		snprintf(name, sizeof(name), "part%u", (unsigned)(at / 100));
		if (at % 100 == 0 || at == f_ns)
			synthetic_region(made, KYMO_REGION_PYTHON, name);
		visit(made, 0, 4 + (uint32_t)((at - f_ns) / 100), at, at + 10);
	}
	synthetic_leave(made, 0, 1, 1000);
	return close_one(made, 1000);
}

static void test_own_lines(void **state)
{
	struct fixture fixture = program_of(400, 100, KYMO_REGION_PYTHON);

	(void)state;
	assert_found(&fixture, "own lines",
		     "`f` spends 75 % of its time in its own lines: 300 ns, 30 % of all.");
	fixture = program_of(200, 100, KYMO_REGION_PYTHON); /* little of all */
	assert_found(&fixture, "own lines", NULL);
	fixture = program_of(700, 190, KYMO_REGION_PTHREAD); /* it waits */
	assert_found(&fixture, "own lines", NULL);
	fixture = program_of(700, 190, KYMO_REGION_NATIVE);
	assert_found(&fixture, "own lines",
		     "`f` spends 73 % of its time in its own lines: 510 ns, 51 % of all.");
}

/* Four steps down, of which the last has that share. */
static struct fixture deep_program(uint64_t last_ns)
{
	struct synthetic *made = MAKE("a", "b", "c", "d", "e");

	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	for (uint32_t i = 1; i <= 3; i++)
		synthetic_enter(made, 0, i, 0);
	visit(made, 0, 4, 0, last_ns);
	visit(made, 0, 5, last_ns, 100);
	synthetic_leave(made, 0, 3, 100);
	synthetic_leave(made, 0, 2, 200);
	synthetic_leave(made, 0, 1, 400);
	return close_one(made, 400);
}

static void test_hot_path(void **state)
{
	struct fixture fixture;
	struct synthetic *made = MAKE("a", "b", "c", "d");

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	for (uint32_t i = 1; i <= 4; i++)
		synthetic_enter(made, 0, i, 0);
	for (uint32_t i = 4; i >= 1; i--)
		synthetic_leave(made, 0, i, 1000 - 100 * i);
	fixture = close_one(made, 1000);
	assert_found(&fixture, "hot path",
		     "60 % of the time goes through one path: `a` > `b` > `c` > `d`.");
	fixture = deep_program(90); /* it ends in too little */
	assert_found(&fixture, "hot path", NULL);
}

static struct fixture throttled(uint64_t calls, uint64_t call_ns, uint64_t cost_ps)
{
	struct synthetic *made = MAKE("main", "brief");
	uint64_t at = 0;

	synthetic_header(made)->cost_enter_exit_ps = cost_ps;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	for (uint64_t i = 0; i < calls; i++, at += call_ns)
		visit(made, 0, 2, at, at + call_ns);
	synthetic_leave(made, 0, 1, at);
	return close_one(made, at);
}

static void test_throttled_calls(void **state)
{
	struct fixture fixture = throttled(20000, 100, 60000);

	(void)state;
	assert_found(&fixture, "brief calls",
		     "`brief` was called 20,000 times for 100 ns each, and measuring one takes "
		     "about 60 ns: its time is not to be trusted.");
	fixture = throttled(20000, 1000, 60000); /* long enough */
	assert_found(&fixture, "brief calls", NULL);
	fixture = throttled(500, 100, 60000); /* seldom */
	assert_found(&fixture, "brief calls", NULL);
}

static struct fixture recursion(uint64_t depth, bool is_called_outside)
{
	struct synthetic *made = MAKE("main", "fib");

	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	for (uint64_t i = 0; i < depth; i++) {
		synthetic_enter(made, 0, 2, 10 * i);
		if (is_called_outside)
			synthetic_leave(made, 0, 2, 10 * i + 9);
	}
	for (uint64_t i = 0; i < depth && !is_called_outside; i++)
		synthetic_leave(made, 0, 2, 10 * depth + i);
	synthetic_leave(made, 0, 1, 20 * depth);
	return close_one(made, 20 * depth);
}

static void test_recursion(void **state)
{
	struct fixture fixture = recursion(50, false);

	(void)state;
	assert_found(&fixture, "recursion",
		     "`fib` calls itself: of 50 calls 1 comes from elsewhere.");
	fixture = recursion(50, true);
	assert_found(&fixture, "recursion", NULL);
	fixture = recursion(5, false); /* every fifth call is another's */
	assert_found(&fixture, "recursion", NULL);
}

/* The program's body, in which an import runs, and one in that. */
static struct fixture importing(const char *outer, const char *inner, uint64_t import_ns)
{
	struct synthetic *made = MAKE("<module>", outer, inner);

	for (uint32_t i = 1; i <= 3; i++)
		synthetic_region_at(made, i)->line = i;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	synthetic_enter(made, 0, 2, 0);
	visit(made, 0, 3, 0, import_ns / 2);
	synthetic_leave(made, 0, 2, import_ns);
	synthetic_leave(made, 0, 1, 1000);
	return close_one(made, 1000);
}

static void test_imports(void **state)
{
	static const char *const ways[][2] = {
		{"import numpy", "import numpy.linalg"},
		{"import numpy", "<module>"},
		{"_find_and_load", "<module>"}, /* as other tools have it */
		{"<module>", "<module>"},	/* where a filter left out all but bodies */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct fixture fixture = importing(ways[i][0], ways[i][1], 200);

		assert_found(&fixture, "imports",
			     "Importing Python modules takes 200 ns, 20 % of all the time.");
		fixture = importing(ways[i][0], ways[i][1], 90);
		assert_found(&fixture, "imports", NULL);
	}
}

/* The machinery of imports has no lines that anybody could change. */
static void test_imports_have_no_lines(void **state)
{
	struct fixture fixture = importing("import numpy", "import numpy.linalg", 900);

	(void)state;
	assert_found(&fixture, "own lines", NULL);
}

static struct fixture collecting(const char *module, uint64_t collect_ns)
{
	struct synthetic *made = MAKE("main", "collect");

	synthetic_region_at(made, 2)->kind = KYMO_REGION_PYTHON_C;
	synthetic_region_at(made, 2)->module = synthetic_string(made, module);
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	visit(made, 0, 2, 0, collect_ns);
	synthetic_leave(made, 0, 1, 1000);
	return close_one(made, 1000);
}

static void test_garbage(void **state)
{
	struct fixture fixture = collecting("gc", 100);

	(void)state;
	assert_found(&fixture, "garbage", "Collecting garbage takes 100 ns, 10 % of all the time.");
	fixture = collecting("gc", 40);
	assert_found(&fixture, "garbage", NULL);
	fixture = collecting("rubbish", 100);
	assert_found(&fixture, "garbage", NULL);
}

/* Ranks that are in "work" for so long and in "other" for the rest; count of work_ns. */
static struct fixture ranks_of(const uint64_t *work_ns, size_t count, const char *told)
{
	struct fixture fixture = {.count = count};

	for (size_t i = 0; i < count; i++) {
		struct synthetic *made = MAKE("work", "other");
		char rank[16];

		snprintf(rank, sizeof(rank), "%zu", i);
		synthetic_header(made)->pid = 100 + (uint32_t)i;
		synthetic_note(made, KYMO_NOTE_INFO, "rank", rank);
		synthetic_note(made, KYMO_NOTE_INFO, "ranks", told);
		synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
		if (work_ns[i] > 0)
			visit(made, 0, 1, 0, work_ns[i]);
		visit(made, 0, 2, work_ns[i], 1000);
		synthetic_close(made, 1000);
		fixture.made[i] = made;
	}
	open_all(&fixture);
	return fixture;
}

static void test_idle_ranks(void **state)
{
	struct fixture fixture = ranks_of((const uint64_t[]){500, 0, 500, 0}, 4, "4");

	(void)state;
	assert_found(&fixture, "idle ranks", "2 of 4 ranks do no work in `work`.");
	fixture = ranks_of((const uint64_t[]){500, 500, 500, 0}, 4, "4");
	assert_found(&fixture, "idle ranks", "1 of 4 ranks does no work in `work`.");
	fixture = ranks_of((const uint64_t[]){500, 100, 500, 100}, 4, "4"); /* all have some */
	assert_found(&fixture, "idle ranks", NULL);
	fixture = ranks_of((const uint64_t[]){50, 0, 50, 50}, 4, "4"); /* it is little */
	assert_found(&fixture, "idle ranks", NULL);
}

static void test_uneven_ranks(void **state)
{
	struct fixture fixture = ranks_of((const uint64_t[]){100, 100, 100, 500}, 4, "4");

	(void)state;
	assert_found(&fixture, "uneven",
		     "Ranks are uneven in `work`: rank 3 takes 500 ns, the mean is 200 ns; if the "
		     "others wait for it, they lose 1.20 us.");
	fixture = ranks_of((const uint64_t[]){450, 500, 480, 500}, 4, "4");
	assert_found(&fixture, "uneven", NULL);
}

static void test_missing_ranks(void **state)
{
	struct fixture fixture = ranks_of((const uint64_t[]){500, 500}, 2, "8");

	(void)state;
	assert_found(&fixture, "missing ranks", "Of 8 ranks 6 left no recording here.");
	fixture = ranks_of((const uint64_t[]){500, 500}, 2, "2");
	assert_found(&fixture, "missing ranks", NULL);
}

/* A thread that has another task is none that is behind. */
static void test_threads_with_other_tasks(void **state)
{
	for (uint64_t last_ns = 500; last_ns <= 900; last_ns += 400) {
		struct synthetic *made = MAKE("work", "other");
		struct fixture fixture;

		(void)state;
		for (uint32_t i = 0; i < 4; i++) {
			synthetic_thread(made, i ? 0 : KYMO_NO_THREAD, NULL, 0);
			visit(made, i, i ? 1 : 2, 0, i == 3 ? last_ns : 500);
		}
		fixture = close_one(made, 1000);
		assert_found(&fixture, "uneven",
			     last_ns > 500 ? "Threads are uneven in `work`: thread 3 takes 900 ns, "
					     "the mean is 633 ns; if the others wait for it, they "
					     "lose 800 ns."
					   : NULL);
	}
}

/* A merged recording of runs that took so long. */
static struct fixture repeats_of(const uint64_t *run_ns, size_t count)
{
	char path[] = "/tmp/kymo-findings-XXXXXX", name[16];
	struct recording_writer_header made = {
		.program = "worker", .duration_ns = 1000, .flags = KYMO_HEADER_MERGED};
	const struct region work = {.kind = KYMO_REGION_PYTHON, .name = "work"};
	struct fixture fixture = {.count = 1};
	struct recording_writer *maker;
	struct problem problem;
	int file = mkstemp(path);

	assert_true(file >= 0);
	close(file);
	assert_int_equal(recording_writer_new(path, &made, &maker, &problem), KYMO_OK);
	assert_int_equal(recording_writer_region(maker, &work), 1);
	recording_writer_thread(maker, NULL, 1, 0, 1000, 0);
	for (size_t i = 0; i < count; i++) {
		struct recording_share share = {
			.region = 1, .count = 1, .self_ns = run_ns[i], .total_ns = run_ns[i]};
		struct recording_part part = {.run = name, .pid = 1, .rank = -1};

		snprintf(name, sizeof(name), "run%zu", i);
		share.part = recording_writer_part(maker, &part);
		recording_writer_share(maker, &share);
	}
	recording_writer_node(maker, &(struct recording_writer_node){
					     .region = 1,
					     .parent = recording_writer_root(
						     maker, &(struct recording_writer_node){0}),
					     .count = count,
					     .sum_ns = 500});
	assert_int_equal(recording_writer_commit(maker, &problem), KYMO_OK);
	assert_int_equal(recording_open(path, &fixture.recordings[0], &problem), KYMO_OK);
	unlink(path);
	open_all(&fixture);
	return fixture;
}

static void test_repeats(void **state)
{
	struct fixture fixture = repeats_of((const uint64_t[]){100, 200, 300}, 3);

	(void)state;
	assert_found(&fixture, "repeats",
		     "The 3 runs differ: 200 ns on average, with a standard deviation of 100 ns "
		     "(50 %).");
	fixture = repeats_of((const uint64_t[]){100, 200, 900}, 3); /* they wait for nobody */
	assert_found(&fixture, "uneven", NULL);
	fixture = repeats_of((const uint64_t[]){199, 200, 201}, 3);
	assert_found(&fixture, "repeats", NULL);
	fixture = repeats_of((const uint64_t[]){200}, 1);
	assert_found(&fixture, "repeats", NULL);
}

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

static struct fixture waiting_in(const char *call, uint64_t wait_ns)
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
	return close_one(made, 1000);
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
	struct sampled sampled = begin();
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

static struct fixture growing(const double *megabytes, size_t count)
{
	struct synthetic *made = MAKE("main");
	uint32_t series;

	synthetic_header(made)->pid = 42;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	series = synthetic_series(made, "CPU Memory Usage (S)", "MB", KYMO_NO_THREAD);
	for (size_t i = 0; i < count; i++)
		synthetic_point(made, series, i * SECOND, megabytes[i]);
	return close_one(made, count * SECOND);
}

static void test_memory(void **state)
{
	static const double leak[] = {100, 110, 120, 130, 140, 150, 160, 170};
	static const double start[] = {10, 100, 100, 100, 100, 100, 100, 100};
	static const double little[] = {100, 101, 102, 103, 104, 105, 106, 107};
	struct fixture fixture = growing(leak, 8);

	(void)state;
	assert_found(&fixture, "memory",
		     "Memory of process 42 grows all the time: from 100 MB to 170 MB in 7.000 s.");
	fixture = growing(start, 8);
	assert_found(&fixture, "memory", NULL);
	fixture = growing(little, 8);
	assert_found(&fixture, "memory", NULL);
	fixture = growing(leak, 4); /* too few to tell */
	assert_found(&fixture, "memory", NULL);
}

static void test_losses(void **state)
{
	struct synthetic *made = MAKE("main");
	struct fixture fixture;

	(void)state;
	synthetic_note(made, KYMO_NOTE_LOSS, "test", "something is missing");
	synthetic_note(made, KYMO_NOTE_LOSS, "test", "and more");
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	fixture = close_one(made, 1000);
	assert_found(&fixture, "losses",
		     "The recording is not whole or not exact: something is missing (and 1 more).");
	made = MAKE("main");
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	fixture = close_one(made, 1000);
	assert_int_equal(fixture.findings->count, 0);
	assert_found(&fixture, "losses", NULL);
}

static struct fixture partly_recorded(uint64_t main_ns)
{
	struct synthetic *made = MAKE("main", "worker");

	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_thread(made, 0, NULL, 0); /* threads may have nothing to do */
	visit(made, 0, 1, 0, main_ns);
	visit(made, 1, 2, 0, 1);
	return close_one(made, 1000);
}

static void test_unrecorded(void **state)
{
	struct fixture fixture = partly_recorded(400);

	(void)state;
	assert_found(&fixture, "unrecorded",
		     "60 % of the main thread's time is outside any recorded region; "
		     "'kymo sample' shows it.");
	fixture = partly_recorded(600);
	assert_found(&fixture, "unrecorded", NULL);
}

static void test_measuring(void **state)
{
	struct fixture fixture = throttled(1000, 100, 20000);

	(void)state;
	assert_found(&fixture, "measuring",
		     "Measuring took 20 % of the run: times of brief functions are mostly that; "
		     "'kymo sample' disturbs less.");
	fixture = throttled(1000, 1000, 20000);
	assert_found(&fixture, "measuring", NULL);
}

static struct fixture spent_in(const char *name)
{
	struct synthetic *made = MAKE("main", name);

	synthetic_region_at(made, 2)->file = synthetic_string(made, "/home/me/tides.py");
	synthetic_region_at(made, 2)->line = 12;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	visit(made, 0, 2, 0, 900);
	synthetic_leave(made, 0, 1, 1000);
	return close_one(made, 1000);
}

/* Names that many functions have are told with their place. */
static void test_names_that_say_nothing(void **state)
{
	struct fixture fixture = spent_in("<lambda>");

	(void)state;
	assert_found(&fixture, "own lines",
		     "`<lambda>` of tides.py:12 spends 100 % of its time in its own lines: "
		     "900 ns, 90 % of all.");
	fixture = spent_in("<module>");
	assert_found(&fixture, "own lines",
		     "`<module>` of tides.py spends 100 % of its time in its own lines: "
		     "900 ns, 90 % of all.");
	fixture = spent_in("f");
	assert_found(&fixture, "own lines",
		     "`f` spends 100 % of its time in its own lines: 900 ns, 90 % of all.");
}

static void test_order_and_names(void **state)
{
	struct fixture fixture;
	struct synthetic *made = MAKE("main", "a`b\n\xff with a name that is longer than anybody "
					      "would like to read in a sentence");

	(void)state;
	synthetic_note(made, KYMO_NOTE_LOSS, "test", "gone");
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	visit(made, 0, 2, 0, 900);
	synthetic_leave(made, 0, 1, 1000);
	fixture = close_one(made, 1000);
	assert_true(fixture.findings->count >= 2);
	for (size_t i = 1; i < fixture.findings->count; i++)
		assert_true(fixture.findings->items[i - 1].cost_s >=
			    fixture.findings->items[i].cost_s);
	assert_string_equal(text_of(&fixture, "own lines"),
			    "`a'b\n\xef\xbf\xbd with a name that is longer than anybody wo...` "
			    "spends 100 % of its time in its own lines: 900 ns, 90 % of all.");
	release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_lines),
		cmocka_unit_test(test_hot_path),
		cmocka_unit_test(test_throttled_calls),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_imports),
		cmocka_unit_test(test_imports_have_no_lines),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_idle_ranks),
		cmocka_unit_test(test_uneven_ranks),
		cmocka_unit_test(test_missing_ranks),
		cmocka_unit_test(test_threads_with_other_tasks),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_gil),
		cmocka_unit_test(test_locks),
		cmocka_unit_test(test_sampled_waits),
		cmocka_unit_test(test_one_thread),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_measuring),
		cmocka_unit_test(test_unrecorded),
		cmocka_unit_test(test_names_that_say_nothing),
		cmocka_unit_test(test_order_and_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
