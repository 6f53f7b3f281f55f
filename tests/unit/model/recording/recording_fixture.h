/* What the tests of opening recordings share: a recording with something of everything. */
#ifndef KYMO_RECORDING_FIXTURE_H
#define KYMO_RECORDING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/recording/recording.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

/* A copy that a test may damage. */
struct copy {
	unsigned char *bytes;
	size_t size;
};

static inline struct copy copy_of(struct synthetic *synthetic)
{
	struct copy copy;
	const void *bytes = synthetic_bytes(synthetic, &copy.size);

	copy.bytes = malloc(copy.size);
	assert_non_null(copy.bytes);
	memcpy(copy.bytes, bytes, copy.size);
	return copy;
}

static inline struct kymo_header *header_of(struct copy *copy)
{
	return (struct kymo_header *)(void *)copy->bytes;
}

static inline struct recording *open_copy(const struct copy *copy)
{
	struct recording *recording = NULL;
	struct problem problem = {""};

	if (recording_open_bytes(copy->bytes, copy->size, &recording, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	return recording;
}

static inline bool complains(const struct recording *recording, const char *text)
{
	for (size_t i = 0; i < recording->problem_count; i++) {
		if (strstr(recording->problems[i], text))
			return true;
	}
	return false;
}

/* One region of every property, two threads, notes, a series. */
static inline struct synthetic *sample(void)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);
	uint32_t run = synthetic_region(synthetic, KYMO_REGION_PYTHON, "run");
	struct kymo_region *region = synthetic_region_at(synthetic, run);
	uint32_t main_thread, worker, series;

	region->qualname = synthetic_string(synthetic, "Job.run");
	region->module = synthetic_string(synthetic, "jobs");
	region->file = synthetic_string(synthetic, "/src/jobs.py");
	region->arguments = synthetic_string(synthetic, "(n=5)");
	region->line = 12;
	region->argument_count = 1;
	region->local_count = 2;
	region->stack_size = 3;
	main_thread = synthetic_thread(synthetic, KYMO_NO_THREAD, "MainThread", 0);
	synthetic_enter(synthetic, main_thread, run, 100);
	worker = synthetic_thread(synthetic, main_thread, NULL, 200);
	synthetic_thread_end(synthetic, worker, 300);
	synthetic_leave(synthetic, main_thread, run, 400);
	synthetic_note(synthetic, KYMO_NOTE_INFO, "argument", "/src/example.py");
	synthetic_note(synthetic, KYMO_NOTE_INFO, "argument", "20");
	synthetic_note(synthetic, KYMO_NOTE_SETTING, "PROFILE", "ON");
	series = synthetic_series(synthetic, "rss", "bytes", main_thread);
	synthetic_point(synthetic, series, 150, 1024);
	synthetic_point(synthetic, series, 250, 2048);
	return synthetic;
}

#endif
