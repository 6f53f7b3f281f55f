/* A run of synthetic recordings as `kymo report` has it, and what its views write.
 * Include cmocka.h before. */
#ifndef KYMO_REPORT_FIXTURE_H
#define KYMO_REPORT_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"
#include "synthetic.h"

#define US 1000u

struct report_fixture {
	struct report report;
	struct run_facts *facts;
	struct region_union *regions;
	struct loaded_run *loaded;
	struct problem problem;
	char *text;
};

/* The recordings, which are freed: pids 40, 41 and so on. */
static inline void report_fixture_open(struct report_fixture *fixture, struct synthetic **made,
				       size_t count, bool wants_samples)
{
	const struct loaded_options options = {.wants_samples = wants_samples};
	char folder[] = "/tmp/kymo-report-XXXXXX", path[64];

	*fixture = (struct report_fixture){0};
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < count; i++) {
		synthetic_header(made[i])->pid = 40 + (uint32_t)i;
		synthetic_header(made[i])->parent_pid = i ? 40 : 1;
		snprintf(path, sizeof(path), "%s/%zu.kymo", folder, i);
		assert_int_equal(synthetic_write(made[i], path), 0);
		synthetic_free(made[i]);
	}
	if (loaded_run_open(folder, &options, &fixture->loaded, &fixture->problem) != KYMO_OK)
		fail_msg("%s", fixture->problem.text);
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%zu.kymo", folder, i);
		unlink(path);
	}
	rmdir(folder);
	assert_int_equal(run_facts_new(fixture->loaded, &fixture->facts), KYMO_OK);
	assert_int_equal(region_union_new(fixture->loaded->trees, fixture->loaded->tree_count,
					  &fixture->regions),
			 KYMO_OK);
	fixture->report = (struct report){
		.loaded = fixture->loaded,
		.facts = fixture->facts,
		.regions = fixture->regions,
		.settings = settings_new(),
		.options = {.form = REPORT_CSV,
			    .order = ORDER_SELF,
			    .thread = KYMO_NO_THREAD,
			    .group = PARTS_BY_THREAD,
			    .above = 50},
	};
	fixture->report.options.sampled.weight = fixture->loaded->weight;
}

static inline void report_fixture_release(struct report_fixture *fixture)
{
	free(fixture->text);
	settings_free((struct settings *)fixture->report.settings);
	region_union_free(fixture->regions);
	run_facts_free(fixture->facts);
	loaded_run_free(fixture->loaded);
}

typedef enum kymo_status (*report_view_fn)(const struct report *report, struct problem *problem);
typedef enum kymo_status (*report_named_fn)(const struct report *report, const char *name,
					    struct problem *problem);

/* What a view writes; name: of views that take one, else NULL.  Valid until the next call. */
static inline const char *report_fixture_write(struct report_fixture *fixture, report_view_fn view,
					       report_named_fn named, const char *name)
{
	size_t size;
	enum kymo_status status;

	free(fixture->text);
	fixture->report.out = open_memstream(&fixture->text, &size);
	status = view ? view(&fixture->report, &fixture->problem)
		      : named(&fixture->report, name, &fixture->problem);
	fclose(fixture->report.out);
	if (status != KYMO_OK)
		fail_msg("%s", fixture->problem.text);
	return fixture->text;
}

#define ASSERT_VIEW(fixture, view, expected)                                                       \
	assert_string_equal(report_fixture_write(fixture, view, NULL, NULL), expected)
#define ASSERT_NAMED(fixture, view, name, expected)                                                \
	assert_string_equal(report_fixture_write(fixture, NULL, view, name), expected)

/* The same for people, from below the facts on, which end with a blank line. */
static inline const char *report_fixture_write_text(struct report_fixture *fixture,
						    report_view_fn view)
{
	const char *blank;

	fixture->report.options.form = REPORT_TEXT;
	blank = strstr(report_fixture_write(fixture, view, NULL, NULL), "\n\n");
	assert_non_null(blank);
	return blank + 2;
}
#define ASSERT_TEXT(fixture, view, expected)                                                       \
	assert_string_equal(report_fixture_write_text(fixture, view), expected)

/* What a view that must fail with that status says; name: of views that take one, else NULL. */
static inline const char *report_fixture_refuse(struct report_fixture *fixture, report_view_fn view,
						report_named_fn named, const char *name,
						enum kymo_status expected)
{
	size_t size;
	enum kymo_status status;

	free(fixture->text);
	fixture->report.out = open_memstream(&fixture->text, &size);
	status = view ? view(&fixture->report, &fixture->problem)
		      : named(&fixture->report, name, &fixture->problem);
	fclose(fixture->report.out);
	assert_int_equal(status, expected);
	assert_string_equal(fixture->text, "");
	return fixture->problem.text;
}

static inline uint32_t report_fixture_region(struct synthetic *made, const char *name,
					     const char *file, uint32_t line)
{
	uint32_t region = synthetic_region(made, KYMO_REGION_PYTHON, name);
	uint64_t path = synthetic_string(made, file);

	synthetic_region_at(made, region)->file = path;
	synthetic_region_at(made, region)->line = line;
	return region;
}

/* run (100 us, 20 of its own) calls twice load (10 us) and once solve (60 us), half of which is
 * load; stretch: so many times as long. */
static inline struct synthetic *report_fixture_run(uint64_t stretch)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t run = report_fixture_region(made, "run", "/u/app/main.py", 3),
		 load = report_fixture_region(made, "load", "/u/app/io.py", 7),
		 solve = report_fixture_region(made, "solve", "/u/app/main.py", 20);
	uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, "MainThread", 0);
	const struct {
		uint32_t region;
		bool is_enter;
		uint64_t us;
	} events[] = {
		{run, true, 0},	     {load, true, 0},	{load, false, 10}, {load, true, 20},
		{load, false, 30},   {solve, true, 40}, {load, true, 60},  {load, false, 90},
		{solve, false, 100}, {run, false, 100},
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		(events[i].is_enter ? synthetic_enter : synthetic_leave)(
			made, thread, events[i].region, events[i].us * US * stretch);
	synthetic_close(made, 100 * US * stretch);
	return made;
}

/* Of this recording, which is freed. */
static inline void report_fixture_begin_one(struct report_fixture *fixture, struct synthetic *made)
{
	report_fixture_open(fixture, &made, 1, false);
}

/* A process of one thread, in which nothing is called yet. */
static inline struct synthetic *report_fixture_idle(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);

	synthetic_thread(made, KYMO_NO_THREAD, "MainThread", 0);
	return made;
}

/* The first thread is in that region from one microsecond to another. */
static inline void report_fixture_visit(struct synthetic *made, uint32_t region, uint64_t from_us,
					uint64_t to_us)
{
	synthetic_enter(made, 0, region, from_us * US);
	synthetic_leave(made, 0, region, to_us * US);
}

/* A process that is in work for that long, of 100 us, and a rank of MPI where one is given. */
static inline struct synthetic *report_fixture_worker(uint64_t work_us, const char *rank)
{
	struct synthetic *made = report_fixture_idle();

	report_fixture_visit(made, report_fixture_region(made, "work", "/u/app/work.py", 5), 0,
			     work_us);
	synthetic_note(made, KYMO_NOTE_INFO, "program", "worker");
	if (rank)
		synthetic_note(made, KYMO_NOTE_INFO, "rank", rank);
	synthetic_close(made, 100 * US);
	return made;
}

/* Three of them, of 40, 20 and 60 us. */
static inline void report_fixture_begin_workers(struct report_fixture *fixture, bool has_ranks)
{
	struct synthetic *made[3] = {report_fixture_worker(40, has_ranks ? "0" : NULL),
				     report_fixture_worker(20, has_ranks ? "1" : NULL),
				     report_fixture_worker(60, has_ranks ? "2" : NULL)};

	report_fixture_open(fixture, made, 3, false);
}

/* Of that run alone, or of two processes, the second of which took three times as long. */
static inline void report_fixture_begin(struct report_fixture *fixture, size_t count)
{
	struct synthetic *made[2];

	for (size_t i = 0; i < count; i++)
		made[i] = report_fixture_run(i ? 3 : 1);
	report_fixture_open(fixture, made, count, false);
}

#endif
