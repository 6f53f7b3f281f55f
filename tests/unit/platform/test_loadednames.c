/* Names by which files were loaded: of this process, and of memory that cannot be trusted. */
#include "platform/loadednames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

static struct loadednames names;
static const struct loadednames_root here = {"", "/proc/self/cwd"};

static bool read_own(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	memcpy(to, (const void *)(uintptr_t)address, size);
	return true;
}

static bool read_nothing(void *context, uint64_t address, void *to, size_t size)
{
	(void)context, (void)address, (void)to, (void)size;
	return false;
}

/* An object that is its own successor; the loader's own record, which is as large, leads to it. */
_Static_assert(sizeof(struct link_map) == sizeof(struct r_debug), "one answer is both");
_Static_assert(offsetof(struct link_map, l_name) == offsetof(struct r_debug, r_map), "likewise");
static bool read_circle(void *context, uint64_t address, void *to, size_t size)
{
	if (size != sizeof(struct link_map))
		return read_own(context, address, to, size);
	*(struct link_map *)to = (struct link_map){
		.l_name = (char *)(uintptr_t)0x7000,
		.l_ld = (ElfW(Dyn) *)(uintptr_t)0x5000,
		.l_next = (struct link_map *)(uintptr_t)0x7000,
	};
	return true;
}

static const struct loadednames_start *own_start(void)
{
	static struct loadednames_start start;

	start.segments = getauxval(AT_PHDR);
	start.segment_count = getauxval(AT_PHNUM);
	start.program = getauxval(AT_EXECFN);
	return &start;
}

static void test_own_libraries(void **state)
{
	uint64_t at = (uint64_t)(uintptr_t)own_start()->segments, libc = 0;
	const struct link_map *object;
	const char *name;

	(void)state;
	loadednames_read(&names, own_start(), read_own, NULL);
	assert_true(names.count > 1);
	for (object = _r_debug.r_map; object; object = object->l_next)
		if (strstr(object->l_name, "/libc.so"))
			libc = (uint64_t)(uintptr_t)object->l_ld;
	assert_true(loadednames_find(&names, libc, libc + 1, "/nowhere/libc.so.6", &here, &name));
	assert_null(name); /* it is called so, wherever it lies */
	assert_true(loadednames_find(&names, libc, libc + 1, "/bin/sh", &here, &name));
	assert_null(name); /* that is another file */
	assert_true(loadednames_find(&names, at, at + 1, "/bin/sh", &here, &name));
	assert_null(name);
	assert_false(loadednames_find(&names, 16, 32, "/bin/sh", &here, &name));
}

static void test_memory_that_cannot_be_read(void **state)
{
	uint64_t at = (uint64_t)(uintptr_t)own_start()->segments;
	const char *name;

	(void)state;
	loadednames_read(&names, own_start(), read_nothing, NULL);
	assert_int_equal(names.count, 0);
	assert_true(loadednames_find(&names, at, at + 1, "/bin/sh", &here, &name));
	assert_null(name);
}

static void test_lists_without_an_end(void **state)
{
	(void)state;
	loadednames_read(&names, own_start(), read_circle, NULL);
	assert_int_equal(names.count, LOADEDNAMES_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_libraries),
		cmocka_unit_test(test_memory_that_cannot_be_read),
		cmocka_unit_test(test_lists_without_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
