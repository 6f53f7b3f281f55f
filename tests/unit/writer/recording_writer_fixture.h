/* What the tests of the maker of recordings share. */
#ifndef KYMO_RECORDING_WRITER_FIXTURE_H
#define KYMO_RECORDING_WRITER_FIXTURE_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/metric.h"
#include "model/recording/recording_open.h"
#include "writer/recording_writer.h"

static char path[] = "/tmp/kymo-maker-XXXXXX";

static inline struct recording_writer *maker_of(struct recording_writer_header *made)
{
	struct problem problem;
	struct recording_writer *maker;

	made->program = "made.py";
	if (recording_writer_new(path, made, &maker, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	return maker;
}

static inline struct recording *made(struct recording_writer *maker)
{
	struct problem problem;
	struct recording *recording = NULL;

	if (recording_writer_commit(maker, &problem) != KYMO_OK ||
	    recording_open(path, &recording, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	for (size_t i = 0; i < recording->problem_count; i++)
		fail_msg("%s", recording->problems[i]);
	return recording;
}

static inline struct calltree *tree_of(const struct recording *recording)
{
	struct problem problem;
	struct calltree *tree;

	if (calltree_new(recording, &tree, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	assert_int_equal(tree->dropped_count, 0);
	return tree;
}

#define TREE_NODES 30000
#define REGIONS	   997
#define THREADS	   5

static uint64_t random_state = 1;

static inline uint32_t any(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

static inline struct region region_of(uint32_t id, char name[2][32])
{
	snprintf(name[0], sizeof(name[0]), "f%u", id);
	snprintf(name[1], sizeof(name[1]), "/src/%u.py", id % 7);
	return (struct region){
		.kind = id % 3 ? KYMO_REGION_PYTHON : KYMO_REGION_NATIVE,
		.name = name[0],
		.qualname = id % 5 ? name[0] : NULL,
		.file = name[1],
		.line = id,
		.flags = KYMO_REGION_LABEL_FILE,
	};
}

static inline int remove_file(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

#endif
