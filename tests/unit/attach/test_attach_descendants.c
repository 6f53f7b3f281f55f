/* The processes below one: all of them, parents first, and nobody else. */
#include "attach/target/descendants.h"

#include <stdlib.h>

#include "child_fixture.h"

#define GRANDCHILDREN 3

/* They live as long as their parent, which waits until that is certain. */
static void have_children(void)
{
	int ready[2];
	char byte;

	if (pipe(ready) < 0)
		_exit(1);
	for (int i = 0; i < GRANDCHILDREN; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (write(ready[1], "r", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
	for (int i = 0; i < GRANDCHILDREN; i++)
		if (read(ready[0], &byte, 1) != 1)
			_exit(1);
}

static size_t place_of(const struct descendant *all, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].pid == pid)
			return i;
	return count;
}

static void test_none(void **state)
{
	struct child child;
	size_t count = 7;

	(void)state;
	child_start(&child, NULL);
	assert_null(descendants(child.pid, &count));
	assert_int_equal(count, 0);
	child_end(&child);
	assert_null(descendants(child.pid, &count)); /* it is gone */
	assert_int_equal(count, 0);
}

static void test_parents_are_before_their_children(void **state)
{
	struct child parent, other;
	struct descendant *all;
	size_t count, found = 0;

	(void)state;
	child_start(&parent, have_children);
	child_start(&other, NULL);
	all = descendants(getpid(), &count);
	assert_int_equal(count, 2 + GRANDCHILDREN);
	assert_int_equal(all[place_of(all, count, other.pid)].parent, getpid());
	for (size_t i = 0; i < count; i++) {
		if (all[i].parent != parent.pid)
			continue;
		found++;
		assert_in_range(place_of(all, count, parent.pid), 0, i);
	}
	assert_int_equal(found, GRANDCHILDREN);
	free(all);
	child_end(&parent);
	child_end(&other);
}

static void test_only_below_the_root(void **state)
{
	struct child parent, other;
	struct descendant *all;
	size_t count;

	(void)state;
	child_start(&other, NULL);
	child_start(&parent, have_children);
	all = descendants(parent.pid, &count);
	assert_int_equal(count, GRANDCHILDREN);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(all[i].parent, parent.pid);
	assert_int_equal(place_of(all, count, other.pid), count);
	free(all);
	child_end(&parent);
	child_end(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_parents_are_before_their_children),
		cmocka_unit_test(test_only_below_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
