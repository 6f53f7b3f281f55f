/* Two sides of runs as `kymo diff` has them.  Include cmocka.h before. */
#ifndef KYMO_REPORT_DIFF_FIXTURE_H
#define KYMO_REPORT_DIFF_FIXTURE_H

#include "model/compare/diff_findings.h"
#include "model/compare/diff_make.h"
#include "report/diff/report_diff.h"
#include "report/report_fixture.h"

#define DIFF_FIXTURE_RUNS 3

struct report_diff_fixture {
	struct report_fixture sides[DIFF_SIDES][DIFF_FIXTURE_RUNS];
	const struct loaded_run *loaded[DIFF_SIDES][DIFF_FIXTURE_RUNS];
	size_t count; /* of runs a side */
	struct diff *diff;
	struct diff_report report;
	char *text;
};

static inline void report_diff_fixture_compare(struct report_diff_fixture *fixture, size_t count)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < count; i++)
			fixture->loaded[side][i] = fixture->sides[side][i].loaded;
	fixture->count = count;
	assert_int_equal(diff_new(fixture->loaded[DIFF_BEFORE], count, fixture->loaded[DIFF_AFTER],
				  count, &fixture->diff, NULL),
			 KYMO_OK);
	fixture->report =
		(struct diff_report){.diff = fixture->diff, .options = {.form = REPORT_CSV}};
}

/* Before it is report_fixture_run().  After it run takes 150 us, solve is gone, check (10 us) is
 * new, and load takes 80 us in its three calls, which was 50. */
static inline void report_diff_fixture_begin(struct report_diff_fixture *fixture)
{
	struct synthetic *made = report_fixture_idle();
	uint32_t run = report_fixture_region(made, "run", "/u/app/main.py", 5);
	uint32_t load = report_fixture_region(made, "load", "/u/app/io.py", 7);
	uint32_t check = report_fixture_region(made, "check", "/u/app/main.py", 30);

	*fixture = (struct report_diff_fixture){0};
	synthetic_enter(made, 0, run, 0);
	report_fixture_visit(made, load, 0, 10);
	report_fixture_visit(made, load, 20, 30);
	report_fixture_visit(made, check, 30, 40);
	report_fixture_visit(made, load, 60, 120);
	synthetic_leave(made, 0, run, 150 * US);
	synthetic_close(made, 150 * US);
	report_fixture_begin_one(&fixture->sides[DIFF_BEFORE][0], report_fixture_run(1));
	report_fixture_begin_one(&fixture->sides[DIFF_AFTER][0], made);
	report_diff_fixture_compare(fixture, 1);
}

/* Three runs of ten, eleven and twelve times 100 us, and of about twice as much. */
static inline void report_diff_fixture_begin_repeats(struct report_diff_fixture *fixture)
{
	static const uint64_t stretches[DIFF_SIDES][DIFF_FIXTURE_RUNS] = {{10, 11, 12},
									  {20, 21, 23}};

	*fixture = (struct report_diff_fixture){0};
	for (int side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < DIFF_FIXTURE_RUNS; i++)
			report_fixture_begin_one(&fixture->sides[side][i],
						 report_fixture_run(stretches[side][i]));
	report_diff_fixture_compare(fixture, DIFF_FIXTURE_RUNS);
}

/* A process of 100 us that is in load up to then and in solve up to 60 us. */
static inline struct synthetic *report_diff_fixture_halves(uint64_t until_us)
{
	struct synthetic *made = report_fixture_idle();

	report_fixture_visit(made, report_fixture_region(made, "load", "/u/app/io.py", 7), 0,
			     until_us);
	report_fixture_visit(made, report_fixture_region(made, "solve", "/u/app/main.py", 20),
			     until_us, 60);
	synthetic_close(made, 100 * US);
	return made;
}

/* Both are 40 us outside of regions; with is_moved load is 10 us shorter after, solve longer. */
static inline void report_diff_fixture_begin_outside(struct report_diff_fixture *fixture,
						     bool is_moved)
{
	*fixture = (struct report_diff_fixture){0};
	report_fixture_begin_one(&fixture->sides[DIFF_BEFORE][0], report_diff_fixture_halves(40));
	report_fixture_begin_one(&fixture->sides[DIFF_AFTER][0],
				 report_diff_fixture_halves(is_moved ? 30 : 40));
	report_diff_fixture_compare(fixture, 1);
}

static inline void report_diff_fixture_release(struct report_diff_fixture *fixture)
{
	free(fixture->text);
	diff_free(fixture->diff);
	for (int side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < fixture->count; i++)
			report_fixture_release(&fixture->sides[side][i]);
}

/* What is written; valid until the next call. */
static inline const char *report_diff_fixture_write(struct report_diff_fixture *fixture)
{
	struct problem problem;
	enum kymo_status status;
	size_t size;

	free(fixture->text);
	fixture->report.out = open_memstream(&fixture->text, &size);
	status = report_diff(&fixture->report, &problem);
	fclose(fixture->report.out);
	if (status != KYMO_OK)
		fail_msg("%s", problem.text);
	return fixture->text;
}

/* For people, from below what was compared on. */
static inline const char *report_diff_fixture_write_text(struct report_diff_fixture *fixture)
{
	const char *blank;

	fixture->report.options.form = REPORT_TEXT;
	blank = strstr(report_diff_fixture_write(fixture), "\n\n");
	assert_non_null(blank);
	return blank + 2;
}

#endif
