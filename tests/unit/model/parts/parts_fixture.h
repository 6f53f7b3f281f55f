/* What the tests of parts share: parts by hand. */
#ifndef KYMO_PARTS_FIXTURE_H
#define KYMO_PARTS_FIXTURE_H

#include "model/parts/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts/parts_name.h"
#include "model/profile/flat_view.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

#define PROCESSES_MAX 64

struct fixture {
	size_t count;
	struct synthetic *made[PROCESSES_MAX];
	struct recording *recordings[PROCESSES_MAX];
	const struct calltree *trees[PROCESSES_MAX];
	const char *paths[PROCESSES_MAX]; /* of the recordings, NULL = none */
	struct run run;
	struct loaded_run loaded;
	struct region_union *regions;
	struct parts *parts;
};

static inline void add_process(struct fixture *fixture, struct synthetic *process, uint32_t pid,
			       const char *rank)
{
	synthetic_header(process)->pid = pid;
	if (rank)
		synthetic_note(process, KYMO_NOTE_INFO, "rank", rank);
	synthetic_note(process, KYMO_NOTE_INFO, "program", "worker");
	fixture->made[fixture->count++] = process;
}

static inline void set_up(struct fixture *fixture)
{
	struct problem problem;

	for (size_t i = 0; i < fixture->count; i++) {
		struct calltree *tree;

		fixture->recordings[i] = synthetic_open(fixture->made[i]);
		if (fixture->paths[i]) {
			free(fixture->recordings[i]->path);
			fixture->recordings[i]->path = strdup(fixture->paths[i]);
		}
		assert_int_equal(calltree_new(fixture->recordings[i], &tree, NULL), KYMO_OK);
		fixture->trees[i] = tree;
	}
	fixture->run = (struct run){.path = (char *)"kymo-run",
				    .recordings = fixture->recordings,
				    .recording_count = fixture->count};
	fixture->loaded = (struct loaded_run){
		.run = &fixture->run, .trees = fixture->trees, .tree_count = fixture->count};
	assert_int_equal(region_union_new(fixture->trees, fixture->count, &fixture->regions),
			 KYMO_OK);
	assert_int_equal(parts_new(&fixture->loaded, fixture->regions, &fixture->parts, &problem),
			 KYMO_OK);
}

static inline void tear_down(struct fixture *fixture)
{
	parts_free(fixture->parts);
	region_union_free(fixture->regions);
	for (size_t i = 0; i < fixture->count; i++) {
		calltree_free((struct calltree *)fixture->trees[i]);
		recording_free(fixture->recordings[i]);
		synthetic_free(fixture->made[i]);
	}
}

static inline uint32_t region_called(const struct fixture *fixture, const char *name)
{
	for (uint32_t i = 0; i < fixture->regions->count; i++)
		if (strcmp(fixture->regions->regions[i]->name, name) == 0)
			return i;
	fail_msg("no region '%s'", name);
	return 0;
}

/* One thread that is in "work" for that long, all of it in recursion. */
static inline struct synthetic *make_worker(uint64_t work_ns)
{
	struct synthetic *process = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t work = synthetic_region(process, KYMO_REGION_PYTHON, "work");

	synthetic_thread(process, KYMO_NO_THREAD, "MainThread", 0);
	if (work_ns > 0) {
		synthetic_enter(process, 0, work, 0);
		synthetic_enter(process, 0, work, 0);
		synthetic_leave(process, 0, work, work_ns);
		synthetic_leave(process, 0, work, work_ns);
	}
	synthetic_close(process, 1000);
	return process;
}

static inline void assert_named(const struct fixture *fixture, enum parts_by by, size_t group,
				const char *expected)
{
	char name[64];

	parts_group_name(fixture->parts, by, group, name, sizeof(name));
	assert_string_equal(name, expected);
}

#endif
