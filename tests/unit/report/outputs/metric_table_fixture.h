/* What the tests of the tables of profiles share: programs by their calls, and their tables
 * character for character. */
#ifndef KYMO_METRIC_TABLE_FIXTURE_H
#define KYMO_METRIC_TABLE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile/metric_view.h"
#include "model/recording/recording_open.h"
#include "report/outputs/metric_table.h"
#include "synthetic.h"

struct program {
	struct synthetic *recording;
	uint32_t thread;
	uint64_t now;
};

static inline struct program program_begin(void)
{
	struct program program = {.recording = synthetic_new(KYMO_HEADER_PROFILE)};

	program.thread = synthetic_thread(program.recording, KYMO_NO_THREAD, "MainThread", 0);
	return program;
}

static inline uint32_t region(struct program *program, const char *name)
{
	return synthetic_region(program->recording, KYMO_REGION_PYTHON, name);
}

static inline void enter(struct program *program, uint32_t entered)
{
	synthetic_enter(program->recording, program->thread, entered, program->now++);
}

static inline void leave(struct program *program, uint32_t left)
{
	synthetic_leave(program->recording, program->thread, left, program->now++);
}

/* fib(n) as the interpreter calls it; regions by argument, or all the same. */
static inline void call_fib(struct program *program, const uint32_t *regions, int n)
{
	enter(program, regions[n]);
	if (n >= 2) {
		call_fib(program, regions, n - 1);
		call_fib(program, regions, n - 2);
	}
	leave(program, regions[n]);
}

struct shown {
	const char *metric;
	unsigned int limit;
	struct rows_options options;
	const char *setting, *value; /* NULL = defaults */
};

static inline char *write_table(const struct rows *rows, const struct shown *shown)
{
	struct settings *settings = settings_new();
	struct metric_view view;
	struct problem problem;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(settings);
	assert_non_null(out);
	if (shown->setting)
		assert_int_equal(settings_set(settings, shown->setting, shown->value,
					      SETTING_FROM_COMMAND, &problem),
				 KYMO_OK);
	assert_int_equal(metric_view_init(&view, rows, shown->metric, settings, &problem), KYMO_OK);
	metric_write_table(&view, METRIC_BOXED, shown->limit, out);
	fclose(out);
	settings_free(settings);
	return text;
}

static inline void assert_tables(struct synthetic *const *recordings, size_t count,
				 const struct shown *shown, const char *expected)
{
	struct recording *opened[4];
	const struct calltree *trees[4];
	struct rows *rows;
	char *text;

	for (size_t i = 0; i < count; i++) {
		struct calltree *tree;

		opened[i] = synthetic_open(recordings[i]);
		assert_int_equal(calltree_new(opened[i], &tree, NULL), KYMO_OK);
		trees[i] = tree;
	}
	assert_int_equal(rows_new(trees, count, &shown->options, &rows), KYMO_OK);
	text = write_table(rows, shown);
	assert_string_equal(text, expected);
	free(text);
	rows_free(rows);
	for (size_t i = 0; i < count; i++) {
		calltree_free((struct calltree *)trees[i]);
		recording_free(opened[i]);
	}
}

static inline void assert_table(struct program *program, const struct shown *shown,
				const char *expected)
{
	assert_tables(&program->recording, 1, shown, expected);
	synthetic_free(program->recording);
}

static const struct shown trip_count = {
	.metric = "trip_count",
	.limit = 120,
	.options = {.thread = KYMO_NO_THREAD},
};
static const struct shown wall_clock = {
	.metric = "wall_clock",
	.limit = 120,
	.options = {.thread = KYMO_NO_THREAD},
};

#endif
