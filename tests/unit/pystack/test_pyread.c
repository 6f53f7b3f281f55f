/* Reading an interpreter's memory: of another process, and of this one. */
#include "pystack/pyread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>

#include <cmocka.h>

#define PAGE 4096u

static char *pages_before_a_hole(size_t count)
{
	char *pages = mmap(NULL, (count + 1) * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect(pages + count * PAGE, PAGE, PROT_NONE), 0);
	for (size_t i = 0; i < count * PAGE; i++)
		pages[i] = (char)(i * 7 + i / PAGE);
	return pages;
}

static void test_up_to_the_end(void **state)
{
	char *pages = pages_before_a_hole(1), to[PYREAD_MAX];
	uint64_t end = (uintptr_t)pages + PAGE;
	struct pyreader reader;

	(void)state;
	pyreader_begin(&reader, NULL);
	for (size_t size = 1; size <= PYREAD_MAX; size *= 2) {
		assert_true(pyread(&reader, end - size, to, size));
		assert_memory_equal(to, pages + PAGE - size, size);
		assert_false(pyread(&reader, end - size + 1, to, size));
		assert_false(pyread_probe(&reader, end - size + 1, size));
		assert_false(pyread_checked(&reader, end - size + 1, to, size));
		assert_true(pyread_probe(&reader, end - size, size));
	}
	munmap(pages, 2 * PAGE);
}

static void test_addresses_that_cannot_be(void **state)
{
	struct pyreader reader;
	char to[PYREAD_MAX + 1];

	(void)state;
	pyreader_begin(&reader, NULL);
	assert_false(pyread(&reader, 0, to, 8));
	assert_false(pyread(&reader, UINT64_MAX - 3, to, 8));
	assert_false(pyread(&reader, UINT64_C(1) << 56, to, 8));
	assert_false(pyread(&reader, (uintptr_t)to, to, PYREAD_MAX + 1));
	assert_false(pyread_is_object(8));
	assert_false(pyread_is_object(0x7f0000000004));
	assert_false(pyread_is_object(UINT64_C(1) << 56));
	assert_true(pyread_is_object(0x7f0000000008));
}

/* Another thread may unmap it: it is copied, and what was copied is not asked for again. */
static void test_guarded_ranges_are_copied(void **state)
{
	const size_t count = 4;
	char *pages = pages_before_a_hole(count);
	unsigned char window[PYREAD_WINDOW];
	struct pyreader reader;
	const unsigned char *at;

	(void)state;
	pyreader_begin(&reader, NULL);
	reader.window = window;
	reader.guarded_low = (uintptr_t)pages;
	reader.guarded_high = (uintptr_t)pages + (count + 1) * PAGE;
	for (size_t offset = 0; offset + 16 <= count * PAGE; offset += 997) {
		at = pyread_at(&reader, (uintptr_t)pages + offset, NULL, 16);
		assert_true(at >= window && at + 16 <= window + PYREAD_WINDOW);
		assert_memory_equal(at, pages + offset, 16);
	}
	assert_null(pyread_at(&reader, (uintptr_t)pages + count * PAGE, NULL, 8));
	at = pyread_at(&reader, (uintptr_t)pages + 3 * PAGE, NULL, 8);
	assert_non_null(at);
	munmap(pages, (count + 1) * PAGE);
	assert_non_null(pyread_at(&reader, (uintptr_t)pages + 3 * PAGE - 64, NULL, 8));
	assert_null(pyread_at(&reader, (uintptr_t)pages, NULL, 8));
}

static bool from_pattern(void *context, uint64_t address, void *to, size_t size)
{
	unsigned *asked = context;

	(*asked)++;
	for (size_t i = 0; i < size; i++)
		((unsigned char *)to)[i] = (unsigned char)(address + i);
	return address != 0x666000;
}

static void test_of_another_process(void **state)
{
	unsigned asked = 0;
	const struct pymemory memory = {.read = from_pattern, .context = &asked};
	struct pyreader reader;
	uint64_t word;

	(void)state;
	pyreader_begin(&reader, &memory);
	assert_true(pyread_word(&reader, 0x1000, &word));
	assert_true(word == UINT64_C(0x0706050403020100));
	assert_false(pyread_word(&reader, 0x666000, &word));
	assert_true(pyread_probe(&reader, 0x666000, 8)); /* nothing is known of its pages */
	assert_true(pyread_checked(&reader, 0x2001, &word, 8));
	assert_int_equal(word & 0xff, 1);
	assert_int_equal(asked, 3);
	assert_false(pyread_word(&reader, UINT64_MAX - 1, &word));
	assert_int_equal(asked, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_up_to_the_end),
		cmocka_unit_test(test_addresses_that_cannot_be),
		cmocka_unit_test(test_guarded_ranges_are_copied),
		cmocka_unit_test(test_of_another_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
