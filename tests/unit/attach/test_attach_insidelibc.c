/* The C library of another process: its functions where a child of this program has them. */
#include "attach/agent/insidelibc.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "child_fixture.h"

static struct insidelibc libc;
static struct child child;
static struct target target;
static struct remote remote;

static int set_up(void **state)
{
	struct problem problem;

	(void)state;
	child_start(&child, NULL);
	remote_init(&remote, child.pid);
	return target_open(child.pid, &target, &problem) == KYMO_OK ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	target_close(&target);
	remote_release(&remote);
	return child_end(&child) == 0 ? 0 : -1;
}

/* The same library by another way: what it says itself of its functions. */
static uint64_t own(const char *name)
{
	void *handle = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = dlsym(handle, name);

	if (handle)
		dlclose(handle);
	return (uintptr_t)symbol;
}

static void test_functions(void **state)
{
	struct problem problem;

	(void)state;
	assert_int_equal(insidelibc_open(&libc, &target, &remote, &problem), KYMO_OK);
	assert_int_equal(libc.unmap, own("munmap"));
	assert_int_equal(libc.thread_create, own("pthread_create"));
	assert_int_equal(libc.open, own("dlopen"));
	assert_int_equal(libc.symbol, own("dlsym"));
	assert_non_null(strstr(libc.library->path, "libc"));
	assert_non_null(strstr(libc.loader->path, "ld"));
	assert_int_not_equal(libc.syscall_insn, 0);
	assert_true(insidelibc_is_inside(&libc, libc.unmap));
	assert_true(insidelibc_is_inside(&libc, libc.loader->start));
	assert_false(insidelibc_is_inside(&libc, (uintptr_t)test_functions));
	assert_false(insidelibc_is_inside(&libc, libc.loader->end));
	insidelibc_close(&libc);
}

static void test_process_that_has_ended(void **state)
{
	struct problem problem;

	(void)state;
	kill(child.pid, SIGKILL);
	while (target_is_alive(&target))
		usleep(1000);
	assert_true(insidelibc_open(&libc, &target, &remote, &problem) < 0);
	child_end(&child);
	assert_true(insidelibc_open(&libc, &target, &remote, &problem) < 0);
	assert_non_null(strstr(problem.text, "has ended"));
	assert_null(libc.maps.text);
	child_start(&child, NULL); /* what is taken down */
}

static void test_word_that_tells_of_several_threads(void **state)
{
	uint32_t words[16] = {0};
	struct remote here;

	(void)state;
	remote_init(&here, getpid());
	assert_true(insidelibc_mark_threaded(&here, (uintptr_t)words));
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(words[i], i == 6); /* as glibc's struct pthread has it */
	assert_false(insidelibc_mark_threaded(&here, 8));
	remote_release(&here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_functions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_process_that_has_ended, set_up, tear_down),
		cmocka_unit_test(test_word_that_tells_of_several_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
