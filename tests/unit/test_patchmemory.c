/* Room in large pages: what is allocated after it meets few exceptions. */
#include "patch/patchmemory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#define BLOCKS	    32u
#define BLOCK_BYTES (1u << 20)
#define PAGE	    4096u

static bool has_large_pages(void)
{
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
	char line[128] = "";

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return line[0] && !strstr(line, "[never]");
}

static long faults_of_blocks(void)
{
	struct rusage before, after;
	unsigned char *blocks[BLOCKS];

	getrusage(RUSAGE_SELF, &before);
	for (unsigned i = 0; i < BLOCKS; i++) {
		blocks[i] = malloc(BLOCK_BYTES);
		assert_non_null(blocks[i]);
		memset(blocks[i], (int)i, BLOCK_BYTES);
	}
	getrusage(RUSAGE_SELF, &after);
	for (unsigned i = 0; i < BLOCKS; i++) {
		assert_int_equal(blocks[i][BLOCK_BYTES - 1], i);
		free(blocks[i]);
	}
	return after.ru_minflt - before.ru_minflt;
}

/* Sizes that are none, and that no machine has: they change nothing, or as much as there is. */
static void any_size_is_taken(void **state)
{
	(void)state;
	patchmemory_prepare(0);
	patchmemory_prepare(1);
	patchmemory_prepare(UINT64_MAX);
	assert_true(faults_of_blocks() >= 0);
}

static void blocks_are_in_large_pages(void **state)
{
	(void)state;
	if (!has_large_pages())
		skip();
	patchmemory_prepare((uint64_t)BLOCKS * BLOCK_BYTES);
	assert_true(faults_of_blocks() < (long)(BLOCKS * (BLOCK_BYTES / PAGE) / 2));
}

/* Of the pages of this process, in bytes. */
static long resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long all = 0, resident = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld %ld", &all, &resident), 2);
	fclose(file);
	return resident * PAGE;
}

static void what_is_free_goes_back(void **state)
{
	long before;

	(void)state;
	patchmemory_prepare((uint64_t)BLOCKS * BLOCK_BYTES);
	before = resident_bytes();
	(void)faults_of_blocks();
	patchmemory_release();
	assert_true(resident_bytes() < before + (long)(BLOCKS * BLOCK_BYTES / 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_in_large_pages),
		cmocka_unit_test(what_is_free_goes_back),
		cmocka_unit_test(any_size_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
