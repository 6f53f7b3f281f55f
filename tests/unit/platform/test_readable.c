/* Memory that may not be there. */
#include "platform/readable.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/pages.h"

typedef bool (*copy_fn)(uint64_t address, void *to, size_t size);

/* A page that can be read, and one behind it that cannot. */
static char *page_before_a_hole(void)
{
	char *pages = mmap(NULL, 2 * READABLE_PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + READABLE_PAGE, READABLE_PAGE, PROT_NONE), 0);
	memset(pages, 'r', READABLE_PAGE);
	return pages;
}

static void test_pages(void **state)
{
	char *pages = page_before_a_hole();
	const uint64_t address = (uintptr_t)pages;

	(void)state;
	errno = EXDEV;
	assert_true(readable_page(address));
	assert_true(readable_page(address + READABLE_PAGE - 1));
	assert_false(readable_page(address + READABLE_PAGE));
	assert_false(readable_page(0));
	assert_false(readable_page(UINT64_MAX));
	assert_false(readable_page(UINT64_C(1) << 63));
	assert_int_equal(errno, EXDEV);
	munmap(pages, 2 * READABLE_PAGE);
}

static void check_copies(copy_fn copy)
{
	char *pages = page_before_a_hole(), to[64];
	const uint64_t end = (uintptr_t)pages + READABLE_PAGE;

	errno = EXDEV;
	for (size_t size = 1; size <= sizeof(to); size++) {
		memset(to, 0, sizeof(to));
		assert_true(copy(end - size, to, size));
		assert_int_equal(to[size - 1], 'r');
		assert_false(copy(end - size + 1, to, size));
	}
	assert_false(copy(0, to, 8));
	assert_false(copy(UINT64_MAX - 3, to, 8));
	assert_true(copy(0, to, 0));
	assert_int_equal(errno, EXDEV);
	munmap(pages, 2 * READABLE_PAGE);
}

static void test_copies(void **state)
{
	(void)state;
	check_copies(readable_copy);
	check_copies(readable_peek);
}

/* Where system calls are not allowed any more, nothing is asked. */
static void test_frozen(void **state)
{
	uint64_t value = 5, to = 0;

	(void)state;
	pages_freeze(true);
	assert_false(readable_page((uintptr_t)&value));
	assert_false(readable_copy((uintptr_t)&value, &to, sizeof(to)));
	assert_false(readable_peek((uintptr_t)&value, &to, sizeof(to)));
	pages_freeze(false);
	assert_true(readable_copy((uintptr_t)&value, &to, sizeof(to)));
	assert_int_equal(to, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_frozen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
