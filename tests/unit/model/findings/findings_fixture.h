/* What the tests of findings share: runs made by hand, and what is told of them. */
#ifndef KYMO_FINDINGS_FIXTURE_H
#define KYMO_FINDINGS_FIXTURE_H

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

#include "model/recording/recording_open.h"
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

static inline void look(struct fixture *fixture)
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

static inline void open_all(struct fixture *fixture)
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

static inline void release(struct fixture *fixture)
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

static inline const char *text_of(const struct fixture *fixture, const char *kind)
{
	for (size_t i = 0; i < fixture->findings->count; i++)
		if (strcmp(fixture->findings->items[i].kind, kind) == 0)
			return fixture->findings->items[i].text;
	return NULL;
}

/* text NULL: it must not be there.  Frees the fixture. */
static inline void assert_found(struct fixture *fixture, const char *kind, const char *text)
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

static inline struct synthetic *make(size_t region_count, const char *const *names)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);

	for (size_t i = 0; i < region_count; i++)
		synthetic_region(made, KYMO_REGION_PYTHON, names[i]);
	return made;
}
#define MAKE(...)                                                                                  \
	make(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),                          \
	     (const char *const[]){__VA_ARGS__})

static inline void visit(struct synthetic *made, uint32_t thread, uint32_t region, uint64_t from,
			 uint64_t to)
{
	synthetic_enter(made, thread, region, from);
	synthetic_leave(made, thread, region, to);
}

static inline struct fixture close_one(struct synthetic *made, uint64_t end)
{
	struct fixture fixture = {.count = 1, .made = {made}};

	synthetic_close(made, end);
	open_all(&fixture);
	return fixture;
}

static inline struct fixture throttled(uint64_t calls, uint64_t call_ns, uint64_t cost_ps)
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

#endif
