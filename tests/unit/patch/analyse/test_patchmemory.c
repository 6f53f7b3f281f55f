/* Room in large pages: what is allocated after it meets few exceptions. */
#include "patch/analyse/patchmemory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

#define BLOCKS	    32u
#define BLOCK_BYTES (1u << 20)
#define PAGE	    4096u

#define PROBE_BYTES ((size_t)16 << 20)

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define HAS_OWN_MALLOC 1 /* of the sanitizer, which is not told where blocks go */
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HAS_OWN_MALLOC 1
#endif

static long faults_so_far(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* The system may give none at all, or have none left. */
static bool has_large_pages(void)
{
	void *probe =
		mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long before;

	assert_true(probe != MAP_FAILED);
	madvise(probe, PROBE_BYTES, MADV_HUGEPAGE);
	before = faults_so_far();
	memset(probe, 1, PROBE_BYTES);
	before = faults_so_far() - before;
	munmap(probe, PROBE_BYTES);
	return before < (long)(PROBE_BYTES / PAGE / 2);
}

static long faults_of_blocks(void)
{
	long before = faults_so_far();
	unsigned char *blocks[BLOCKS];
	long faults;

	for (unsigned i = 0; i < BLOCKS; i++) {
		blocks[i] = malloc(BLOCK_BYTES);
		assert_non_null(blocks[i]);
		memset(blocks[i], (int)i, BLOCK_BYTES);
	}
	faults = faults_so_far() - before;
	for (unsigned i = 0; i < BLOCKS; i++) {
		assert_int_equal(blocks[i][BLOCK_BYTES - 1], i);
		free(blocks[i]);
	}
	return faults;
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
#ifdef HAS_OWN_MALLOC
	skip();
#endif
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
#ifdef HAS_OWN_MALLOC
	skip();
#endif
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
