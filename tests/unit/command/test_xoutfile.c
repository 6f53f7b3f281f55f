/* An output file is whole, or what was there stays: also where memory lacks. */
#include "command/xoutfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/xalloc.h"

enum outcome { WHOLE, FAILS, LACKS };

struct written {
	char folder[32], path[64];
	enum outcome outcome;
	enum kymo_status status;
};

static enum kymo_status write_some(void *context, FILE *out, struct problem *problem)
{
	const struct written *written = context;

	fputs("new", out);
	fflush(out);
	if (written->outcome == LACKS)
		xalloc_lack();
	return written->outcome == FAILS ? problem_set(problem, KYMO_USAGE, "no such view")
					 : KYMO_OK;
}

static void work(void *context)
{
	struct written *written = context;
	struct problem problem;

	written->status = xoutfile_write(written->path, write_some, written, &problem);
}

static void written_begin(struct written *written, enum outcome outcome)
{
	FILE *before;

	*written = (struct written){.folder = "/tmp/kymo-xoutfile-XXXXXX", .outcome = outcome};
	assert_non_null(mkdtemp(written->folder));
	snprintf(written->path, sizeof(written->path), "%s/out", written->folder);
	before = fopen(written->path, "w");
	assert_non_null(before);
	fputs("old", before);
	assert_int_equal(fclose(before), 0);
}

/* The file has that text, and is alone in its folder. */
static void written_end(const struct written *written, const char *text)
{
	char read[16] = "";
	FILE *file = fopen(written->path, "r");
	DIR *folder = opendir(written->folder);
	size_t names = 0;

	assert_non_null(file);
	assert_int_equal(fread(read, 1, sizeof(read) - 1, file), strlen(text));
	assert_string_equal(read, text);
	fclose(file);
	while (readdir(folder))
		names++;
	closedir(folder);
	assert_int_equal(names, 3); /* "." and ".." are two */
	unlink(written->path);
	rmdir(written->folder);
}

static void test_what_is_whole_takes_the_place(void **state)
{
	struct written written;

	(void)state;
	written_begin(&written, WHOLE);
	assert_true(xalloc_run(work, &written));
	assert_int_equal(written.status, KYMO_OK);
	written_end(&written, "new");
}

static void test_what_fails_leaves_what_was_there(void **state)
{
	struct written written;

	(void)state;
	written_begin(&written, FAILS);
	assert_true(xalloc_run(work, &written));
	assert_int_equal(written.status, KYMO_USAGE);
	written_end(&written, "old");
}

static void test_lack_of_memory_leaves_what_was_there(void **state)
{
	struct written written;

	(void)state;
	written_begin(&written, LACKS);
	assert_false(xalloc_run(work, &written));
	written_end(&written, "old");
}

static void test_a_place_that_takes_no_file(void **state)
{
	struct written written = {.path = "/nowhere/at/all"};

	(void)state;
	assert_true(xalloc_run(work, &written));
	assert_int_equal(written.status, KYMO_SYSTEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_whole_takes_the_place),
		cmocka_unit_test(test_what_fails_leaves_what_was_there),
		cmocka_unit_test(test_lack_of_memory_leaves_what_was_there),
		cmocka_unit_test(test_a_place_that_takes_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
