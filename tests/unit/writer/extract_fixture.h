/* What the tests of extracts share. */
#ifndef KYMO_EXTRACT_FIXTURE_H
#define KYMO_EXTRACT_FIXTURE_H

#include "writer/extract.h"

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
#include "synthetic.h"

enum { MAIN = 1, CELL, LEAF, OTHER }; /* regions in the order they are made */

struct fixture {
	char path[64];
	struct synthetic *synthetic;
	struct recording *recording, *extract;
	struct calltree *tree, *below;
};

static inline void set_up(struct fixture *fixture, uint32_t flags)
{
	static const char *const names[] = {"main", "cell", "leaf", "other"};

	*fixture = (struct fixture){.path = "/tmp/kymo-extract-XXXXXX"};
	assert_true(mkdtemp(fixture->path) != NULL);
	strcat(fixture->path, "/x.kymo");
	fixture->synthetic = synthetic_new(flags);
	for (size_t i = 0; i < 4; i++)
		synthetic_region(fixture->synthetic, KYMO_REGION_PYTHON, names[i]);
	synthetic_thread(fixture->synthetic, KYMO_NO_THREAD, "MainThread", 0);
}

static inline void write_cell(struct fixture *fixture)
{
	bool marks[8] = {[CELL] = true};

	assert_true(extract_has_any(fixture->tree, marks));
	assert_int_equal(extract_write(fixture->tree, marks, fixture->path, "In [1]", NULL),
			 KYMO_OK);
	assert_int_equal(recording_open(fixture->path, &fixture->extract, NULL), KYMO_OK);
	assert_int_equal(fixture->extract->problem_count, 0);
	assert_int_equal(calltree_new(fixture->extract, &fixture->below, NULL), KYMO_OK);
}

static inline void extract_cell(struct fixture *fixture, uint64_t end)
{
	synthetic_close(fixture->synthetic, end);
	fixture->recording = synthetic_open(fixture->synthetic);
	assert_int_equal(calltree_new(fixture->recording, &fixture->tree, NULL), KYMO_OK);
	write_cell(fixture);
}

static inline void tear_down(struct fixture *fixture)
{
	calltree_free(fixture->below);
	recording_free(fixture->extract);
	calltree_free(fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->synthetic);
	assert_int_equal(unlink(fixture->path), 0);
	*strrchr(fixture->path, '/') = '\0';
	assert_int_equal(rmdir(fixture->path), 0);
}

/* The node of that name below parent; there has to be one. */
static inline uint32_t child(const struct calltree *tree, uint32_t parent, const char *name)
{
	uint32_t index = tree->nodes[parent].first_child;

	for (; index != CALLTREE_NONE; index = tree->nodes[index].next_sibling) {
		if (strcmp(tree->recording->regions[tree->nodes[index].region].name, name) == 0)
			return index;
	}
	fail_msg("no '%s'", name);
	return CALLTREE_NONE;
}

static inline void visit(struct fixture *fixture, uint32_t thread, uint32_t region, uint64_t from,
			 uint64_t to)
{
	synthetic_enter(fixture->synthetic, thread, region, from);
	synthetic_leave(fixture->synthetic, thread, region, to);
}

/* The cell runs at the top and below main; its leaves become one path. */
static inline void two_visits(struct fixture *fixture)
{
	struct synthetic *s = fixture->synthetic;

	synthetic_enter(s, 0, CELL, 100);
	visit(fixture, 0, LEAF, 110, 140);
	synthetic_leave(s, 0, CELL, 150);
	visit(fixture, 0, OTHER, 150, 160);
	synthetic_enter(s, 0, MAIN, 200);
	synthetic_enter(s, 0, CELL, 210);
	visit(fixture, 0, LEAF, 220, 230);
	synthetic_leave(s, 0, CELL, 250);
	synthetic_leave(s, 0, MAIN, 300);
}

#endif
