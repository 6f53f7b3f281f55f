/* Text that is written through the process's own memory. */
#include "platform/code/codepages.h"

#include "codefixture.h"

/* More pages than are kept beside at once, functions across their edges, each met again later. */
static void test_writes_are_gathered(void **unused)
{
	enum { PAGES = 40, ROUNDS = 3, BYTES = 5 };
	unsigned char *text = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *wanted = malloc(PAGES * PAGE);
	struct texts texts;

	(void)unused;
	assert_true(text != MAP_FAILED && wanted);
	for (unsigned i = 0; i < PAGES * PAGE; i++)
		wanted[i] = text[i] = (unsigned char)(i * 7 + i / PAGE);
	assert_int_equal(mprotect(text, PAGES * PAGE, PROT_READ | PROT_EXEC), 0);
	assert_int_equal(texts_find_at((uint64_t)(uintptr_t)text, PAGES * PAGE, &texts), 0);
	assert_int_equal(texts_open(&texts, false), 0);
	assert_non_null(texts.pages);
	for (unsigned i = 0; i < ROUNDS * (PAGES - 1); i++) {
		unsigned page = i * 11 % (PAGES - 1);
		/* In the middle, from behind to in front; and the last time across the edge. */
		unsigned at = page * PAGE +
			      (i < 2 * (PAGES - 1) ? 3000 - 1000 * (i / (PAGES - 1)) : PAGE - 2);

		uint64_t bytes = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);

		for (unsigned k = 0; k < BYTES; k++)
			wanted[at + k] = (unsigned char)(bytes >> 8 * k);
		texts_put(&texts, (uint64_t)(uintptr_t)text + at, bytes, BYTES);
	}
	assert_int_equal(texts_close(&texts), 0);
	assert_memory_equal(text, wanted, PAGES * PAGE);
	assert_int_equal(protection_of(text), PROT_READ | PROT_EXEC);
	munmap(text, PAGES * PAGE);
	free(wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_are_gathered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
