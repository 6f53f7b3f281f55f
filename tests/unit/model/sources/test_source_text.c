/* Sources of a run: found by their recorded names, kept beside the recordings, and read again. */
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

static void put(const struct fixture *fixture, const char *name, const void *bytes, size_t size,
		int64_t seconds)
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

static void put_text(const struct fixture *fixture, const char *name, const char *text)
{
	put(fixture, name, text, strlen(text), -60);
}

static void begin(struct fixture *fixture)
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
static void call(struct fixture *fixture, const char *file, uint32_t line, uint64_t begin_ns,
		 uint64_t end_ns)
{
	struct synthetic *s = fixture->synthetic;
	uint32_t region = synthetic_region(s, KYMO_REGION_PYTHON, "f");

	synthetic_region_at(s, region)->file = synthetic_string(s, file);
	synthetic_region_at(s, region)->line = line;
	synthetic_enter(s, 0, region, begin_ns);
	synthetic_leave(s, 0, region, end_ns);
}

static void load(struct fixture *fixture)
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

static void end(struct fixture *fixture)
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

static enum source_state state_of(struct fixture *fixture, size_t file, const char *expected)
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

static size_t keep(struct fixture *fixture)
{
	struct problem problem;
	size_t count = 0;

	assert_int_equal(sources_keep(fixture->files, fixture->run, &count, &problem), KYMO_OK);
	return count;
}

static void test_files(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	call(&fixture, "/a/one.py", 7, 0, 100);
	call(&fixture, "/a/two.py", 1, 100, 400);
	call(&fixture, "/a/one.py", 3, 400, 450);
	call(&fixture, "<string>", 1, 450, 460);
	load(&fixture);
	assert_int_equal(fixture.files->count, 3);
	assert_string_equal(fixture.files->files[0].name, "/a/two.py");
	assert_string_equal(fixture.files->files[1].name, "/a/one.py");
	assert_int_equal(fixture.files->files[1].function_count, 2);
	assert_int_equal(fixture.files->files[1].functions[0].line, 3);
	assert_int_equal(fixture.files->files[1].functions[1].line, 7);
	assert_true(fixture.files->files[1].self_ns > 149 && fixture.files->files[1].self_ns < 151);
	assert_null(source_file_path(&fixture.files->files[2]));
	assert_int_equal(state_of(&fixture, 2, NULL), SOURCE_UNNAMED);
	assert_int_equal(state_of(&fixture, 0, NULL), SOURCE_MISSING);
	end(&fixture);
}

static void test_of_this_machine(void **state)
{
	static const char binary[] = "text\0and no text";
	struct fixture fixture;
	char *large = calloc(1, SOURCE_BYTES_MAX + 1), path[160];

	(void)state;
	begin(&fixture);
	assert_non_null(large);
	memset(large, '\n', SOURCE_BYTES_MAX + 1);
	put_text(&fixture, "good.py", "def f():\n    pass\n");
	put(&fixture, "young.py", "x\n", 2, 1);
	put(&fixture, "binary.py", binary, sizeof(binary), -60);
	put(&fixture, "large.py", large, SOURCE_BYTES_MAX + 1, -60);
	put_text(&fixture, "id_rsa", "a secret\n");
	put_text(&fixture, "script", "#!/bin/sh\n");
	put_text(&fixture, "empty.py", "");
	snprintf(path, sizeof(path), "%s/pipe.py", fixture.folder);
	assert_int_equal(mkfifo(path, 0666), 0);
	free(large);
	call(&fixture, "good.py", 1, 0, 900);
	call(&fixture, "young.py", 1, 1000, 1800);
	call(&fixture, "binary.py", 1, 2000, 2700);
	call(&fixture, "large.py", 1, 3000, 3600);
	call(&fixture, "id_rsa", 1, 4000, 4500);
	call(&fixture, "script", 1, 5000, 5400);
	call(&fixture, "empty.py", 1, 6000, 6300);
	call(&fixture, "pipe.py", 1, 7000, 7200);
	load(&fixture);
	assert_int_equal(state_of(&fixture, 0, "def f():\n    pass\n"), SOURCE_HERE);
	assert_int_equal(state_of(&fixture, 1, NULL), SOURCE_CHANGED);
	assert_int_equal(state_of(&fixture, 2, NULL), SOURCE_FOREIGN);
	assert_int_equal(state_of(&fixture, 3, NULL), SOURCE_LARGE);
	assert_int_equal(state_of(&fixture, 4, NULL), SOURCE_FOREIGN);
	assert_int_equal(state_of(&fixture, 5, "#!/bin/sh\n"), SOURCE_HERE);
	assert_int_equal(state_of(&fixture, 6, ""), SOURCE_HERE);
	assert_int_equal(state_of(&fixture, 7, NULL), SOURCE_FOREIGN);
	/* Of these, what is text stays with the run, young or not. */
	assert_int_equal(keep(&fixture), 4);
	assert_int_equal(state_of(&fixture, 1, "x\n"), SOURCE_KEPT);
	end(&fixture);
}

static void test_kept(void **state)
{
	struct fixture fixture;
	char path[512], name[SOURCE_NAME_SIZE];
	struct source_text text;
	struct stat about;

	(void)state;
	begin(&fixture);
	snprintf(path, sizeof(path), "%s/other", fixture.folder);
	assert_int_equal(mkdir(path, 0777), 0);
	put_text(&fixture, "mod.py", "first\n");
	put_text(&fixture, "other/mod.py", "second\n");
	snprintf(path, sizeof(path), "%s/linked.py", fixture.folder);
	assert_int_equal(symlink("mod.py", path), 0);
	call(&fixture, "mod.py", 1, 0, 900);
	call(&fixture, "other/mod.py", 1, 1000, 1800);
	call(&fixture, "linked.py", 1, 2000, 2700);
	load(&fixture);
	assert_int_equal(keep(&fixture), 3);
	/* Changed or gone afterwards: the copies are what is shown. */
	put(&fixture, "mod.py", "new\n", 4, 100);
	snprintf(path, sizeof(path), "%s/other/mod.py", fixture.folder);
	unlink(path);
	assert_int_equal(state_of(&fixture, 0, "first\n"), SOURCE_KEPT);
	assert_int_equal(state_of(&fixture, 1, "second\n"), SOURCE_KEPT);
	assert_int_equal(state_of(&fixture, 2, "first\n"), SOURCE_KEPT);
	/* For the owner only. */
	snprintf(path, sizeof(path), "%s/sources", fixture.run);
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0700);
	snprintf(path, sizeof(path), "%s/mod.py", fixture.folder);
	source_kept_name(path, name);
	snprintf(path, sizeof(path), "%s/sources/%s", fixture.run, name);
	assert_int_equal(stat(path, &about), 0);
	assert_int_equal(about.st_mode & 0777, 0600);
	/* Kept again it is as it is now, and said to be younger than the run. */
	assert_int_equal(keep(&fixture), 2);
	assert_int_equal(source_text_read(&fixture.loaded, &fixture.files->files[0], false, &text),
			 KYMO_OK);
	assert_string_equal(text.text, "new\n");
	assert_true(text.is_younger);
	source_text_release(&text);
	/* A copy that is a link leads nowhere. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(state_of(&fixture, 0, NULL), SOURCE_CHANGED);
	end(&fixture);
}

static void test_names(void **state)
{
	char name[SOURCE_NAME_SIZE], other[SOURCE_NAME_SIZE], *path = malloc(6000);

	(void)state;
	source_kept_name("/a/b.py", name);
	source_kept_name("/c/b.py", other);
	assert_string_not_equal(name, other);
	assert_string_equal(name + 32, "-b.py");
	source_kept_name("/a/..\n\"<x>\xff.py", name);
	assert_string_equal(name + 32, "-..___x__.py");
	assert_non_null(path);
	memset(path, 'x', 5999);
	path[5999] = '\0';
	source_kept_name(path, name);
	assert_true(strlen(name) < SOURCE_NAME_SIZE);
	free(path);
	assert_true(source_has_suffix("/a/b.F90"));
	assert_false(source_has_suffix("/a.py/id_rsa"));
	assert_false(source_has_suffix("passwd"));
}

static void test_no_folder(void **state)
{
	struct fixture fixture;
	struct problem problem;
	char path[160];
	size_t count;

	(void)state;
	begin(&fixture);
	put_text(&fixture, "a.py", "x\n");
	call(&fixture, "a.py", 1, 0, 10);
	load(&fixture);
	snprintf(path, sizeof(path), "%s/sources", fixture.run);
	assert_int_equal(symlink("/tmp", path), 0);
	assert_int_equal(sources_keep(fixture.files, fixture.run, &count, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "cannot keep sources in"));
	end(&fixture);
}

/* Others can have written the run: nothing unless it is asked for, and then what all may read. */
static void test_of_others(void **state)
{
	struct fixture fixture;
	char path[256];

	(void)state;
	begin(&fixture);
	put_text(&fixture, "open.py", "open\n");
	put_text(&fixture, "private.py", "secret\n");
	snprintf(path, sizeof(path), "%s/open.py", fixture.folder);
	assert_int_equal(chmod(path, 0644), 0);
	snprintf(path, sizeof(path), "%s/private.py", fixture.folder);
	assert_int_equal(chmod(path, 0600), 0);
	call(&fixture, "open.py", 1, 0, 900);
	call(&fixture, "private.py", 1, 1000, 1800);
	load(&fixture);
	assert_int_equal(state_of(&fixture, 1, "secret\n"), SOURCE_HERE);
	fixture.opened.is_own = false;
	assert_int_equal(state_of(&fixture, 0, NULL), SOURCE_WITHHELD);
	assert_int_equal(state_of(&fixture, 1, NULL), SOURCE_WITHHELD);
	fixture.is_asked_for = true;
	assert_int_equal(state_of(&fixture, 0, "open\n"), SOURCE_HERE);
	assert_int_equal(state_of(&fixture, 1, NULL), SOURCE_PRIVATE);
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),	  cmocka_unit_test(test_of_this_machine),
		cmocka_unit_test(test_kept),	  cmocka_unit_test(test_names),
		cmocka_unit_test(test_no_folder), cmocka_unit_test(test_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
