/* Profiles for pstats: what is written is read again as it was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "exported.h"
#include "imported_fixture.h"

static void read_again(struct imported_fixture *fixture, struct synthetic *made)
{
	struct exported exported = exported_new("pstats", &made, 1, NULL);

	assert_int_equal(exported.status, KYMO_OK);
	imported_fixture_bytes(fixture, "pstats", exported.data, exported.size);
	exported_free(&exported);
}

static void test_empty_run_is_an_empty_dictionary(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);
	struct exported exported;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_close(made, 10);
	exported = exported_new("pstats", &made, 1, NULL);
	assert_int_equal(exported.size, 2);
	assert_memory_equal(exported.data, "{0", 2);
	exported_free(&exported);
	synthetic_free(made);
}

static void test_what_is_written_is_read_again(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t run = exported_python(made, "run", "/u/a.py", 3),
		 leaf = exported_python(made, "leaf", "/u/\xc3\xa9.py", 70000);
	uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	struct imported_fixture fixture;

	(void)state;
	synthetic_enter(made, thread, run, 0);
	for (uint64_t i = 0; i < 300; i++) {
		synthetic_enter(made, thread, leaf, 1000 * i);
		synthetic_leave(made, thread, leaf, 1000 * i + 400);
	}
	synthetic_leave(made, thread, run, 1000000);
	synthetic_close(made, 1000000);
	read_again(&fixture, made);
	ASSERT_IMPORTED(&fixture, "run 1 880000\nrun;leaf 300 120000\n");
	assert_int_equal(fixture.imported.regions[1].line, 3);
	assert_int_equal(fixture.imported.regions[2].line, 70000);
	assert_memory_equal(fixture.imported.regions[2].file.at, "/u/\xc3\xa9.py", 9);
	imported_fixture_release(&fixture);
	synthetic_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_run_is_an_empty_dictionary),
		cmocka_unit_test(test_what_is_written_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
