/* Synthetic runs of one process, and the diff of some of them.  Include cmocka.h before. */
#ifndef KYMO_DIFF_FIXTURE_H
#define KYMO_DIFF_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "model/compare/diff.h"
#include "model/compare/diff_make.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

struct made_run { /* a loaded run and all it is made of */
	struct synthetic *synthetic;
	struct recording *recording;
	char path[8];
	struct run run;
	struct recording *recordings[1];
	const struct calltree *trees[1];
	struct loaded_run loaded;
};

static inline struct made_run *made_begin(void)
{
	struct made_run *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	made->synthetic = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	synthetic_thread(made->synthetic, KYMO_NO_THREAD, "MainThread", 0);
	return made;
}

static inline uint32_t made_region(struct made_run *made, const char *name, const char *file,
				   uint32_t line)
{
	uint32_t id = synthetic_region(made->synthetic, KYMO_REGION_PYTHON, name);
	uint64_t path = synthetic_string(made->synthetic, file);

	synthetic_region_at(made->synthetic, id)->file = path;
	synthetic_region_at(made->synthetic, id)->line = line;
	return id;
}

/* One visit of that many nanoseconds, at *time, which moves on. */
static inline void made_visit(struct made_run *made, uint32_t region, uint64_t *time, uint64_t ns)
{
	synthetic_enter(made->synthetic, 0, region, *time);
	*time += ns;
	synthetic_leave(made->synthetic, 0, region, *time);
}

static inline void made_end(struct made_run *made, uint64_t time)
{
	struct calltree *tree;

	synthetic_close(made->synthetic, time);
	made->recording = made->recordings[0] = synthetic_open(made->synthetic);
	assert_int_equal(calltree_new(made->recording, &tree, NULL), KYMO_OK);
	made->trees[0] = tree;
	made->run.path = made->path;
	strcpy(made->path, "made");
	made->run.recordings = made->recordings;
	made->run.recording_count = 1;
	made->loaded =
		(struct loaded_run){.run = &made->run, .trees = made->trees, .tree_count = 1};
}

static inline void made_free(struct made_run *made)
{
	calltree_free((struct calltree *)made->trees[0]);
	recording_free(made->recording);
	synthetic_free(made->synthetic);
	free(made);
}

struct made_diff {
	const struct loaded_run *sides[DIFF_SIDES][16];
	struct diff *diff;
};

static inline void made_compare(struct made_diff *made, struct made_run *const *before,
				size_t before_count, struct made_run *const *after,
				size_t after_count)
{
	for (size_t i = 0; i < before_count; i++)
		made->sides[DIFF_BEFORE][i] = &before[i]->loaded;
	for (size_t i = 0; i < after_count; i++)
		made->sides[DIFF_AFTER][i] = &after[i]->loaded;
	assert_int_equal(diff_new(made->sides[DIFF_BEFORE], before_count, made->sides[DIFF_AFTER],
				  after_count, &made->diff, NULL),
			 KYMO_OK);
}

/* The only one of that name, on a side; NULL = none. */
static inline const struct diff_region *made_find(const struct diff *diff, enum diff_side side,
						  const char *name)
{
	const struct diff_region *found = NULL;

	for (uint32_t i = 0; i < diff->region_count; i++) {
		const struct region *region = diff->regions[i].region[side];

		if (region && strcmp(region->name, name) == 0) {
			assert_null(found);
			found = &diff->regions[i];
		}
	}
	return found;
}

#endif
