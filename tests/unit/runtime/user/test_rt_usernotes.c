/* Users' regions that were ended wrongly: a note of the first of each sort. */
#include "runtime/user/usernotes.h"

#include "user_fixture.h"

static void first_of_each_sort(void)
{
	fixture_open(NULL);
	for (int i = 0; i < 3; i++) {
		user_misuse_note(MISUSE_NOT_OPEN, fixture_region(i ? "later" : "one"));
		user_misuse_note(MISUSE_REORDERED, fixture_region("other"));
	}
	kymo_runtime_close(0);
	CHECK(warnings("the region 'one' was ended where it was not open; further ones") == 1);
	CHECK(warnings("the region 'other' was ended before those inside of it") == 1);
	CHECK(warnings("the region '") == 2);
}
CASE(first_of_each_sort)

static void no_region(void)
{
	fixture_open(NULL);
	user_misuse_note(MISUSE_NEVER_ENDED, 0);
	user_misuse_note(MISUSE_NEVER_ENDED, fixture_region("r"));
	kymo_runtime_close(0);
	user_misuse_note(MISUSE_NOT_OPEN, 1); /* the recording is closed */
	CHECK(warnings("the region 'r' was still open when its thread ended") == 1);
	CHECK(warnings("the region '") == 1);
}
CASE(no_region)

static void long_names_are_cut(void)
{
	static char name[3000];

	memset(name, 'n', sizeof(name) - 1);
	fixture_open(NULL);
	user_misuse_note(MISUSE_NOT_OPEN, fixture_region(name));
	kymo_runtime_close(0);
	name[200] = '\0';
	strcat(name, "' was ended where it was not open");
	memmove(name + strlen("the region '"), name, strlen(name) + 1);
	memcpy(name, "the region '", strlen("the region '"));
	CHECK(warnings(name) == 1);
}
CASE(long_names_are_cut)

/* A child's recording has a note of its own. */
static void in_a_child(void)
{
	int status;
	pid_t child;

	fixture_open(NULL);
	user_misuse_note(MISUSE_NOT_OPEN, fixture_region("above"));
	child = fork();
	if (child == 0) {
		CHECK(kymo_thread() != NULL); /* its recording is made by what it does first */
		user_misuse_note(MISUSE_NOT_OPEN, fixture_region("below"));
		kymo_runtime_close(0);
		CHECK(warnings("the region 'below'") == 1);
		CHECK(warnings("the region 'above'") == 0);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	kymo_runtime_close(0);
	CHECK(warnings("the region '") == 1);
}
CASE(in_a_child)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_of_each_sort),
		cmocka_unit_test(test_no_region),
		cmocka_unit_test(test_long_names_are_cut),
		cmocka_unit_test(test_in_a_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
