/* Stacks of a process as people read them. */
#include "cli/attach/attach_dump_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dump_fixture.h"

static void print(void *context)
{
	dump_print(context);
}

static void assert_prints(struct looked_at *looked, const char *expected)
{
	assert_printed(printed_on(stdout, print, &looked->dump), expected);
	framenames_release(&looked->dump.names);
}

static void test_a_deadlock(void **state)
{
	struct looked_at looked;

	(void)state;
	dump_make(&looked);
	assert_prints(
		&looked,
		"process 9: app.py, Python 3.11\n"
		"\nthread 10 \"main\": waits\n"
		"    waits in the kernel\n"
		"      for threading.Lock at 0x100, held by thread 11 \"worker\" in C.f\n"
		"    C.f\n"
		"    main (/a.py:3)\n"
		"\nthread 11 \"worker\": waits\n"
		"    waits in the kernel\n"
		"      for threading.Lock at 0x101, held by thread 10 \"main\" in C.f\n"
		"    C.f\n"
		"    main (/a.py:3)\n"
		"\ndeadlock: thread 10 \"main\" waits for threading.Lock at 0x100 held by "
		"thread 11 \"worker\", which waits for threading.Lock at 0x101 held by thread "
		"10 \"main\"\n");
}

/* Of a thread that changed, and one that runs with the GIL. */
static void test_threads_without_a_wait(void **state)
{
	struct looked_at looked;

	(void)state;
	dump_make(&looked);
	looked.dump.watch.has_python = false;
	looked.waits[0] = looked.waits[1] = (struct lock_wait){LOCK_NONE, 0, 0, 0, 0, false};
	looked.threads[0].result = WATCH_LOST;
	looked.threads[1].gil = KYMO_GIL_HELD;
	looked.threads[1].task.last.is_asleep = false;
	looked.threads[1].frame_count = 1;
	assert_prints(&looked, "process 9: app.py\n"
			       "\nthread 10 \"main\": waits\n"
			       "    [changed each time it was read]\n"
			       "\nthread 11 \"worker\": runs, has the GIL\n"
			       "    main (/a.py:3)\n");
}

static void assert_wait(struct lock_wait wait, const char *expected)
{
	struct looked_at looked;
	char *text, *line;

	dump_make(&looked);
	looked.dump.watch.count = looked.dump.locks.count = 1;
	looked.waits[0] = wait;
	text = printed_on(stdout, print, &looked.dump);
	framenames_release(&looked.dump.names);
	line = strstr(text, "      for ");
	assert_non_null(line);
	*strchr(line, '\n') = '\0';
	assert_string_equal(line + 6, expected);
	free(text);
}

/* What is known of a lock depends on its kind. */
static void test_waits(void **state)
{
	(void)state;
	assert_wait((struct lock_wait){LOCK_GIL, 1, 12, 0, 0, false},
		    "for the GIL, held by thread 12");
	assert_wait((struct lock_wait){LOCK_RECURSIVE, 0x20, 12, 0, 2, false},
		    "for threading.RLock at 0x20, held by thread 12 2 times");
	assert_wait((struct lock_wait){LOCK_PLAIN, 0x20, 0, 0, 0, false},
		    "for threading.Lock at 0x20; its owner is not recorded by the interpreter");
	assert_wait((struct lock_wait){LOCK_MUTEX, 0x20, 0, 0, 0, false},
		    "for a mutex at 0x20; its owner is unknown");
	assert_wait((struct lock_wait){LOCK_CONDITION, 0x20, 12, 0, 0, false},
		    "for a notification of threading.Condition at 0x20");
	assert_wait((struct lock_wait){LOCK_UNKNOWN, 0x20, 12, 0, 0, false}, "for a futex at 0x20");
	assert_wait((struct lock_wait){LOCK_MUTEX, 0x20, 12, dump_python(0), 0, false},
		    "for a mutex at 0x20, held by thread 12 in main (/a.py:3)");
}

/* Names come out of the process: nothing of them is obeyed. */
static void test_names_are_cleaned(void **state)
{
	struct looked_at looked;

	(void)state;
	dump_make(&looked);
	looked.dump.watch.count = looked.dump.locks.count = 0;
	looked.dump.watch.has_python = false;
	strcpy(looked.dump.watch.target.name, "a\033[2Jb\n");
	assert_prints(&looked, "process 9: a\\x1b[2Jb\\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_deadlock),
		cmocka_unit_test(test_threads_without_a_wait),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_names_are_cleaned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
