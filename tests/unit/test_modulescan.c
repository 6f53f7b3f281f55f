/* Which modules there are, where the list is hard to come by or to read. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/modulescan.h"
#include "platform/readable.h"

#define PAGE 4096u

/* ---- a main thread that has ended ------------------------------------------------------ */

static void count_one(const struct modulescan_found *found, void *count)
{
	(void)found;
	++*(unsigned *)count;
}

static bool main_has_ended(void)
{
	char path[64], text[512], *end;
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	file = fopen(path, "re");
	size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	text[size] = '\0';
	if (file)
		fclose(file);
	end = strrchr(text, ')');
	return end && end[1] == ' ' && end[2] == 'Z';
}

static void *scan_alone(void *unused)
{
	uint64_t word = 5, copy = 0;
	unsigned count = 0;

	(void)unused;
	while (!main_has_ended())
		sched_yield();
	if (modulescan(count_one, &count) != 0 || count < 2)
		_exit(1);
	_exit(!readable_copy((uintptr_t)&word, &copy, sizeof(copy)) || copy != 5);
}

static void test_main_thread_has_ended(void **state)
{
	pid_t child = fork();
	pthread_t thread;
	int status;

	(void)state;
	if (child == 0) {
		pthread_create(&thread, NULL, scan_alone, NULL);
		pthread_exit(NULL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_main_thread_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
