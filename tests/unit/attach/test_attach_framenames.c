/* Names of frames of a process that is watched. */
#include "attach/sample/framenames.h"

#include "frames_fixture.h"

static struct framenames names;
static struct framename found;

static int set_up(void **state)
{
	(void)state;
	framenames_init(&names, &watch);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	framenames_release(&names);
	return 0;
}

static const char *name_of(uint64_t frame)
{
	framenames_find(&names, frame, &found);
	assert_int_equal(found.kind, kymo_frame_kind(frame));
	return found.function;
}

static void test_python(void **state)
{
	(void)state;
	assert_string_equal(name_of(python_frame(0, 0)), "f");
	assert_string_equal(found.file, "a.py");
	assert_int_equal(found.line, 3); /* no table of lines */
	assert_string_equal(name_of(python_frame(1, 0)), "C.g");
	assert_null(found.file);
	assert_string_equal(name_of(python_frame(3, 4)), "h");
	assert_int_equal(found.first_line, 10);
	assert_int_equal(found.line, 11);
	name_of(python_frame(3, 8));
	assert_int_equal(found.line, 13);
	name_of(python_frame(3, KYMO_FRAME_NO_OFFSET)); /* it has not begun */
	assert_int_equal(found.line, 10);
	assert_string_equal(name_of(python_frame(4, 0)), "?"); /* there is no such */
	assert_null(found.file);
	assert_int_equal(found.line, 0);
}

static void test_kernel(void **state)
{
	const char *text;

	(void)state;
	assert_string_equal(name_of(kymo_frame(KYMO_FRAME_KERNEL, (uint64_t)SYS_read << 48)),
			    "read");
	assert_string_equal(
		name_of(kymo_frame(KYMO_FRAME_KERNEL, (uint64_t)TARGETTASK_NO_CALL << 48)),
		"the kernel");
	text = name_of(kymo_frame(KYMO_FRAME_KERNEL, UINT64_C(8000) << 48));
	assert_string_equal(text, "system call 8000");
	assert_ptr_equal(name_of(kymo_frame(KYMO_FRAME_KERNEL, UINT64_C(8000) << 48)), text);
}

static void test_marks(void **state)
{
	static const struct {
		enum kymo_frame_mark mark;
		const char *text;
	} marks[] = {
		{KYMO_MARK_CUT, "[further callers]"},
		{KYMO_MARK_LOST, "[callers not found]"},
		{KYMO_MARK_UNCERTAIN, "[order uncertain]"},
		{KYMO_MARK_NO_STACK, "[no stack]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		assert_string_equal(name_of(kymo_frame(KYMO_FRAME_MARK, marks[i].mark)),
				    marks[i].text);
}

/* By the modules of the process, which here is this one. */
static void test_native(void **state)
{
	const uint64_t address = (uintptr_t)test_native;
	struct remote remote;

	(void)state;
	assert_string_equal(name_of(kymo_frame(KYMO_FRAME_NATIVE, address)), "[unknown]");
	remote_init(&remote, getpid());
	assert_int_equal(targetmaps_read(&watch.maps, &remote), 0);
	watch.maps_count++; /* they are known from now on */
	assert_string_equal(name_of(kymo_frame(KYMO_FRAME_NATIVE, address)), "test_native");
	assert_string_equal(name_of(kymo_frame(KYMO_FRAME_NATIVE, 8)), "[unknown]");
	framenames_release(&names);
	targetmaps_release(&watch.maps);
	watch.maps_count = 0;
	remote_release(&remote);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_python, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kernel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_marks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_native, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
