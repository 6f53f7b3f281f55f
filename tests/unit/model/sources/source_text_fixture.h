/* What the tests of sources share: a folder of files, and a run of them. */
#ifndef KYMO_SOURCE_TEXT_FIXTURE_H
#define KYMO_SOURCE_TEXT_FIXTURE_H

#include "model/sources/source_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/recording/recording_open.h"
#include "model/sources/source_keep.h"
#include "model/sources/source_path.h"
#include "synthetic.h"

struct fixture {
	char folder[64];
	char run[128]; /* the folder of the recording */
	struct synthetic *synthetic;
	struct recording *recording;
	struct calltree *tree;
	const struct calltree *trees[1];
	struct loaded_run loaded;
	struct region_union *regions;
	struct flat_view *flat;
	struct source_lines *lines;
	struct source_files *files;
	struct run opened;
	bool is_asked_for;
};

static inline void put(const struct fixture *fixture, const char *name, const void *bytes,
		       size_t size, int64_t seconds)
{
	/* Of the past as seen from the run, unless said otherwise. */
	const struct timespec times[2] = {
		{(time_t)(SYNTHETIC_START_REALTIME / 1000000000u) + seconds, 5},
		{(time_t)(SYNTHETIC_START_REALTIME / 1000000000u) + seconds, 5}};
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", fixture->folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static inline void put_text(const struct fixture *fixture, const char *name, const char *text)
{
	put(fixture, name, text, strlen(text), -60);
}

static inline void begin(struct fixture *fixture)
{
	*fixture = (struct fixture){.folder = "/tmp/kymo-sources-XXXXXX"};
	assert_non_null(mkdtemp(fixture->folder));
	snprintf(fixture->run, sizeof(fixture->run), "%s/run", fixture->folder);
	assert_int_equal(mkdir(fixture->run, 0777), 0);
	fixture->synthetic = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	synthetic_note(fixture->synthetic, KYMO_NOTE_INFO, "directory", fixture->folder);
	synthetic_thread(fixture->synthetic, KYMO_NO_THREAD, "MainThread", 0);
}

/* A function of a file that ran for so long. */
static inline void call(struct fixture *fixture, const char *file, uint32_t line, uint64_t begin_ns,
			uint64_t end_ns)
{
	struct synthetic *s = fixture->synthetic;
	uint32_t region = synthetic_region(s, KYMO_REGION_PYTHON, "f");

	synthetic_region_at(s, region)->file = synthetic_string(s, file);
	synthetic_region_at(s, region)->line = line;
	synthetic_enter(s, 0, region, begin_ns);
	synthetic_leave(s, 0, region, end_ns);
}

static inline void load(struct fixture *fixture)
{
	const struct sampled_options options = {.weight = SAMPLED_BY_WALL};
	char *path = NULL;

	synthetic_close(fixture->synthetic, 1000000);
	fixture->recording = synthetic_open(fixture->synthetic);
	assert_true(asprintf(&path, "%s/p-1.kymo", fixture->run) > 0);
	free(fixture->recording->path);
	fixture->recording->path = path;
	assert_int_equal(calltree_new(fixture->recording, &fixture->tree, NULL), KYMO_OK);
	fixture->trees[0] = fixture->tree;
	fixture->opened.is_own = true;
	fixture->loaded = (struct loaded_run){
		.run = &fixture->opened, .trees = fixture->trees, .tree_count = 1};
	assert_int_equal(source_lines_new(&fixture->loaded, &options, &fixture->lines), KYMO_OK);
	assert_int_equal(region_union_new(fixture->trees, 1, &fixture->regions), KYMO_OK);
	assert_int_equal(
		flat_view_new(fixture->trees, 1, fixture->regions, KYMO_NO_THREAD, &fixture->flat),
		KYMO_OK);
	assert_int_equal(source_files_new(&fixture->loaded, fixture->regions, fixture->flat,
					  fixture->lines, &fixture->files),
			 KYMO_OK);
}

static inline void end(struct fixture *fixture)
{
	char command[128];

	source_files_free(fixture->files);
	source_lines_free(fixture->lines);
	flat_view_free(fixture->flat);
	region_union_free(fixture->regions);
	calltree_free(fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->synthetic);
	snprintf(command, sizeof(command), "rm -rf %s", fixture->folder);
	assert_int_equal(system(command), 0);
}

static inline enum source_state state_of(struct fixture *fixture, size_t file, const char *expected)
{
	struct source_text text;
	enum source_state state;

	assert_int_equal(source_text_read(&fixture->loaded, &fixture->files->files[file],
					  fixture->is_asked_for, &text),
			 KYMO_OK);
	if (expected) {
		assert_non_null(text.text);
		assert_string_equal(text.text, expected);
		assert_int_equal(text.size, strlen(expected));
	} else {
		assert_null(text.text);
	}
	state = text.state;
	source_text_release(&text);
	return state;
}

static inline size_t keep(struct fixture *fixture)
{
	struct problem problem;
	size_t count = 0;

	assert_int_equal(sources_keep(fixture->files, fixture->run, &count, &problem), KYMO_OK);
	return count;
}

#endif
