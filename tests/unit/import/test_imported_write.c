/* What was imported, as recordings: a process each, all or none. */
#include "import/imported_write.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "model/tree/calltree.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"
#include "model/recording/recording_open.h"

struct fixture {
	struct imported imported;
	struct imported_target target;
	char directory[64], **paths;
	size_t count;
	struct problem problem;
	struct recording *recording;
};

static void set_up(struct fixture *fixture)
{
	*fixture = (struct fixture){.directory = "/tmp/kymo-imported-XXXXXX"};
	assert_non_null(mkdtemp(fixture->directory));
	fixture->target = (struct imported_target){.directory = fixture->directory,
						   .program = "app",
						   .source = "x.prof",
						   .modified_ns = UINT64_C(1700000000000000000)};
	imported_init(&fixture->imported);
	fixture->imported.importer = "collapsed";
}

static void write_all(struct fixture *fixture, size_t count)
{
	assert_int_equal(imported_write(&fixture->imported, &fixture->target, &fixture->paths,
					&fixture->count, &fixture->problem),
			 KYMO_OK);
	assert_int_equal(fixture->count, count);
	assert_int_equal(recording_open(fixture->paths[0], &fixture->recording, NULL), KYMO_OK);
	assert_int_equal(fixture->recording->problem_count, 0);
}

static void tear_down(struct fixture *fixture)
{
	recording_free(fixture->recording);
	for (size_t i = 0; i < fixture->count; i++)
		unlink(fixture->paths[i]);
	lines_free(fixture->paths, fixture->count);
	imported_release(&fixture->imported);
	assert_int_equal(rmdir(fixture->directory), 0); /* nothing else is left in it */
}

static const struct calltree_node *node_of(const struct calltree *tree, const char *name)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		if (strcmp(tree->recording->regions[tree->nodes[i].region].name, name) == 0)
			return &tree->nodes[i];
	}
	fail_msg("no %s", name);
	return NULL;
}

static void test_events_are_a_tree_and_a_time_line(void **state)
{
	struct fixture fixture;
	struct calltree *tree;
	uint32_t thread, f, g;

	(void)state;
	set_up(&fixture);
	thread = imported_thread(&fixture.imported, imported_process(&fixture.imported, 42), 43);
	f = imported_user(&fixture.imported, "f");
	g = imported_user(&fixture.imported, "g");
	imported_enter(&fixture.imported, thread, 1000, f);
	imported_enter(&fixture.imported, thread, 1100, g);
	imported_leave(&fixture.imported, thread, 1300); /* f stays open: to the end */
	write_all(&fixture, 1);
	assert_string_equal(strrchr(fixture.paths[0], '/'), "/app-42.kymo");
	assert_int_equal(fixture.recording->header.pid, 42);
	assert_true(fixture.recording->header.flags & KYMO_HEADER_ROOT);
	assert_int_equal(fixture.imported.counts[COUNT_UNENDED], 1);
	assert_int_equal(calltree_new(fixture.recording, &tree, NULL), KYMO_OK);
	assert_int_equal(node_of(tree, "f")->count, 1);
	assert_true(node_of(tree, "f")->self_ns == 100);
	assert_true(node_of(tree, "g")->self_ns == 200);
	calltree_free(tree);
	tear_down(&fixture);
}

static void test_each_process_has_its_recording(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fixture.target.first_number = 3;
	for (uint64_t pid = 0; pid < 3; pid++) {
		uint32_t process =
			imported_process(&fixture.imported, pid ? UINT64_C(1) << 40 | pid : 0);
		uint32_t thread = imported_thread(&fixture.imported, process, 1);

		imported_process_name(&fixture.imported, process,
				      pid ? SPAN("/bin/a b:c") : SPAN(".."));
		if (pid < 2) /* of the last nothing but its name is known */
			imported_weigh(&fixture.imported,
				       imported_child(&fixture.imported,
						      imported_root(&fixture.imported, thread),
						      imported_user(&fixture.imported, "f")),
				       1, 5);
	}
	write_all(&fixture, 2);
	assert_string_equal(strrchr(fixture.paths[0], '/'), "/imported-n4.kymo");
	assert_string_equal(strrchr(fixture.paths[1], '/'), "/a_b_c-n5.kymo");
	assert_false(fixture.recording->header.flags & KYMO_HEADER_ROOT);
	tear_down(&fixture);
}

static void test_full_names_of_python_are_parted(void **state)
{
	static const struct {
		const char *name, *last, *full;
	} cases[] = {
		{"First.__init__", "__init__", "First.__init__"},
		{"f(a.b)", "f(a.b)", NULL},
		{".f", ".f", NULL},
		{"f.", "f.", NULL},
	};
	struct fixture fixture;
	uint32_t thread;

	(void)state;
	set_up(&fixture);
	thread = imported_thread(&fixture.imported, imported_process(&fixture.imported, 1), 1);
	for (size_t i = 0; i < 4; i++) {
		const struct imported_function function = {.kind = KYMO_REGION_PYTHON,
							   .name = span_of(cases[i].name)};

		imported_enter(&fixture.imported, thread, 1,
			       imported_region(&fixture.imported, &function));
		imported_leave(&fixture.imported, thread, 2);
	}
	write_all(&fixture, 1);
	for (size_t i = 0; i < 4; i++) {
		const struct region *region = NULL;

		for (uint32_t k = 0; k < fixture.recording->region_count; k++) {
			if (strcmp(fixture.recording->regions[k].name, cases[i].last) == 0)
				region = &fixture.recording->regions[k];
		}
		assert_non_null(region);
		if (cases[i].full)
			assert_string_equal(region->qualname, cases[i].full);
	}
	tear_down(&fixture);
}

static void test_nothing_is_written_of_nothing(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	imported_process(&fixture.imported, 1);
	assert_int_equal(imported_write(&fixture.imported, &fixture.target, &fixture.paths,
					&fixture.count, &fixture.problem),
			 KYMO_FORMAT);
	assert_string_equal(fixture.problem.text, "'x.prof' holds no measurements");
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_are_a_tree_and_a_time_line),
		cmocka_unit_test(test_each_process_has_its_recording),
		cmocka_unit_test(test_full_names_of_python_are_parted),
		cmocka_unit_test(test_nothing_is_written_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
