/* What the tests of comparing runs share: two sides of random runs. */
#ifndef KYMO_DIFF_RUN_FIXTURE_H
#define KYMO_DIFF_RUN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "diff_fixture.h"

#define NAMES			     7
#define PATHS			     600
#define DEPTH			     6
#define STEPS			     120
#define ROUNDS			     60
#define assert_near(value, expected) assert_true(fabs((value) - (expected)) < 0.001)

/* A model: a path of names is a text. */

struct model_path {
	char path[DEPTH + 1];
	double count, self_ns, total_ns;
};

struct model {
	struct model_path paths[PATHS];
	size_t count;
	struct model_path regions[NAMES]; /* total: outermost visits only */
	double self_ns;
};

static inline struct model_path *model_path(struct model *model, const char *path)
{
	for (size_t i = 0; i < model->count; i++) {
		if (strcmp(model->paths[i].path, path) == 0)
			return &model->paths[i];
	}
	assert_true(model->count < PATHS);
	strcpy(model->paths[model->count].path, path);
	return &model->paths[model->count++];
}

static inline void model_spend(struct model *model, const char *path, double ns)
{
	char above[DEPTH + 1];
	size_t length = strlen(path);

	if (length == 0)
		return;
	model_path(model, path)->self_ns += ns;
	model->regions[path[length - 1] - 'a'].self_ns += ns;
	model->self_ns += ns;
	for (size_t i = 1; i <= length; i++) {
		strcpy(above, path);
		above[i] = '\0';
		model_path(model, above)->total_ns += ns;
		if (strchr(path, path[i - 1]) == path + i - 1)
			model->regions[path[i - 1] - 'a'].total_ns += ns;
	}
}

static uint32_t random_state;

static inline uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)random_state * limit) >> 32);
}

/* Enters and leaves at random; moved: lines or files are others than in a run that is not. */
static inline struct made_run *random_run(struct model *model, bool is_moved)
{
	struct made_run *made = made_begin();
	char path[DEPTH + 1] = "";
	uint32_t ids[NAMES];
	uint64_t time = 0;
	size_t depth = 0;

	for (uint32_t i = 0; i < NAMES; i++) {
		char name[] = {(char)('a' + i), '\0'};

		ids[i] = made_region(made, name, is_moved && i % 2 ? "/new/x.py" : "/old/x.py",
				     10 * i + (is_moved && i % 3 == 0 ? 5 : 0));
	}
	for (int i = 0; i < STEPS; i++) {
		uint32_t ns = random_below(1000);

		model_spend(model, path, ns);
		time += ns;
		if (depth > 0 && (depth == DEPTH || random_below(2))) {
			path[depth] = '\0';
			synthetic_leave(made->synthetic, 0, ids[path[--depth] - 'a'], time);
			path[depth] = '\0';
		} else {
			path[depth] = (char)('a' + random_below(NAMES));
			path[++depth] = '\0';
			synthetic_enter(made->synthetic, 0, ids[path[depth - 1] - 'a'], time);
			model_path(model, path)->count++;
			model->regions[path[depth - 1] - 'a'].count++;
		}
	}
	while (depth > 0)
		synthetic_leave(made->synthetic, 0, ids[path[--depth] - 'a'], time);
	made_end(made, time + 1);
	return made;
}

#endif
