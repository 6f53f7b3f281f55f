/* What a module in memory exports, beside what the loader says. */
#include "pystack/pysymbols.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

static struct link_map *libc_map(void)
{
	struct link_map *map = NULL;
	Dl_info info;

	assert_int_not_equal(dladdr1(stdout, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
	return map;
}

static uint64_t libc_start(void)
{
	Dl_info info;

	assert_int_not_equal(dladdr(stdout, &info), 0);
	return (uintptr_t)info.dli_fbase;
}

static void test_as_the_loader_has_them(void **state)
{
	static const char *const names[] = {"stdout", "no_such_name_at_all", "environ", "puts", ""};
	void *libc = dlopen(libc_map()->l_name, RTLD_NOW | RTLD_NOLOAD);
	uint64_t found[5];

	(void)state;
	assert_non_null(libc);
	assert_true(pysymbols_find(libc_start(), libc_map()->l_addr, names, 5, found));
	for (int i = 0; i < 4; i++)
		assert_int_equal(found[i], (uintptr_t)dlsym(libc, names[i]));
	assert_int_equal(found[1], 0);
	assert_int_equal(found[4], 0);
	dlclose(libc);
}

static void test_the_first_name_decides(void **state)
{
	static const char *const names[] = {"_PyRuntime", "puts"};
	uint64_t found[2];

	(void)state;
	assert_false(pysymbols_find(libc_start(), libc_map()->l_addr, names, 2, found));
}

static void test_no_module(void **state)
{
	static const char *const names[] = {"puts"};
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t found;

	(void)state;
	assert_false(pysymbols_find((uintptr_t)pages, 0, names, 1, &found));
	memcpy(pages, (const void *)(uintptr_t)libc_start(), 64); /* a header and nothing else */
	assert_false(pysymbols_find((uintptr_t)pages, (uintptr_t)pages, names, 1, &found));
	memset(pages + 4, 0xff, 8000);
	assert_false(pysymbols_find((uintptr_t)pages, (uintptr_t)pages, names, 1, &found));
	munmap(pages, 8192);
	assert_false(pysymbols_find((uintptr_t)pages, 0, names, 1, &found));
	assert_false(pysymbols_find(0, 0, names, 1, &found));
	assert_false(pysymbols_find(UINT64_MAX - 100, 0, names, 1, &found));
}

/* A bias that is wrong leads anywhere: an answer, and no crash. */
static void test_wrong_bias(void **state)
{
	static const char *const names[] = {"puts"};
	uint64_t found;

	(void)state;
	for (uint64_t shift = 8; shift < 1 << 20; shift = shift * 3 + 1)
		assert_false(pysymbols_find(libc_start(), libc_map()->l_addr + (shift << 24), names,
					    1, &found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_the_loader_has_them),
		cmocka_unit_test(test_the_first_name_decides),
		cmocka_unit_test(test_no_module),
		cmocka_unit_test(test_wrong_bias),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
