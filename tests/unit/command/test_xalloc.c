/* Memory of commands: it lasts as long as the work, and lack of it ends the work. */
#include "command/xalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/textbuf.h"

#define TOO_MUCH (SIZE_MAX / 2)

static char said[64]; /* what was done, a letter each */

static void say(void *letter)
{
	strcat(said, letter);
}

/* Every kind of memory, used to its last byte: the sanitizers look, and find nothing left. */
static void take_all(void *context)
{
	struct textbuf text = {0};
	size_t capacity = 0;
	uint64_t *numbers = NULL;
	char *zeros = xcalloc(100, 3), *first = xmalloc(0), *early = xmalloc(5);

	(void)context;
	for (size_t i = 0; i < 300; i++)
		assert_int_equal(zeros[i], 0);
	for (size_t i = 0; i < 1000; i++) {
		numbers = xgrow(numbers, &capacity, i + 1, sizeof(*numbers));
		numbers[i] = i;
		assert_int_equal((uintptr_t)xmalloc(i) % _Alignof(max_align_t), 0);
	}
	assert_int_equal(numbers[999], 999);
	assert_true(capacity >= 1000);
	xfree(early);
	xfree(NULL);
	xfree(first);
	assert_string_equal(xstrdup("text"), "text");
	assert_string_equal(xasprintf("%s %d", "text", 7), "text 7");
	assert_string_equal(xtextbuf_take(&text), "");
	textbuf_format(&text, "%0400d", 1);
	assert_int_equal(strlen(xtextbuf_take(&text)), 400);
	assert_null(text.data);
	strcat(said, "done");
}

static void test_memory_is_given_back_at_the_end(void **state)
{
	(void)state;
	said[0] = '\0';
	assert_true(xalloc_run(take_all, NULL));
	assert_string_equal(said, "done");
}

static void lack_inside(void *context)
{
	struct xundo first, second, third;

	(void)context;
	xmalloc(100);
	xundo_push(&first, say, (void *)"a");
	xundo_push(&second, say, (void *)"b");
	xundo_push(&third, say, (void *)"c");
	xundo_pop(&third);
	xcalloc(TOO_MUCH, 4);
	strcat(said, "never");
}

static void test_lack_undoes_the_last_first(void **state)
{
	(void)state;
	said[0] = '\0';
	assert_false(xalloc_run(lack_inside, NULL));
	assert_string_equal(said, "ba");
	assert_true(xalloc_run(take_all, NULL)); /* and all is as before */
}

static void run_inside(void *context)
{
	char *kept = xstrdup("kept");
	struct xundo undo;

	xundo_push(&undo, say, (void *)"outer");
	assert_false(xalloc_run(lack_inside, context));
	assert_string_equal(kept, "kept");
	xundo_pop(&undo);
	kept = xreallocarray(kept, 2000, 1);
	assert_string_equal(kept, "kept");
}

/* Only the work that lacks it ends; what is around it goes on, and nothing of it is undone. */
static void test_works_within_works(void **state)
{
	(void)state;
	said[0] = '\0';
	assert_true(xalloc_run(run_inside, NULL));
	assert_string_equal(said, "ba");
}

static void fail_text(void *context)
{
	struct textbuf text = {.has_failed = true};

	(void)context;
	xtextbuf_take(&text);
}

static void grow_too_far(void *context)
{
	size_t capacity = 0;

	(void)context;
	xgrow(NULL, &capacity, TOO_MUCH, 16);
}

static void reallocate_too_far(void *context)
{
	(void)context;
	xreallocarray(xmalloc(8), SIZE_MAX, 1);
}

static void test_every_way_to_lack_memory(void **state)
{
	(void)state;
	assert_false(xalloc_run(fail_text, NULL));
	assert_false(xalloc_run(grow_too_far, NULL));
	assert_false(xalloc_run(reallocate_too_far, NULL));
}

/* Outside of any work: one line, and the status of a failed command. */
static void test_without_a_work_the_process_ends(void **state)
{
	char text[128] = "";
	int ends[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		xcalloc(TOO_MUCH, 4);
		_exit(7);
	}
	close(ends[1]);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_string_equal(text, "kymo: out of memory\n");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_is_given_back_at_the_end),
		cmocka_unit_test(test_lack_undoes_the_last_first),
		cmocka_unit_test(test_works_within_works),
		cmocka_unit_test(test_every_way_to_lack_memory),
		cmocka_unit_test(test_without_a_work_the_process_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
