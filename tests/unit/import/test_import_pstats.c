/* What cProfile and profile write. */
#include "import/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

/* marshal.dumps({("a.py", 3, "f"): (1, 2, 0.5, 1.5, {}), …}, 2) */
#define TEXT(length, text) "u" length "\0\0\0" text
#define INT(byte)	   "i" byte "\0\0\0"
#define REAL_HALF	   "g\0\0\0\0\0\0\xe0\x3f"
#define REAL_TWO	   "g\0\0\0\0\0\0\0\x40"
#define KEY_F		   "(\3\0\0\0" TEXT("\4", "a.py") INT("\3") TEXT("\1", "f")
#define KEY_LEN		   "(\3\0\0\0" TEXT("\1", "~") INT("\0") TEXT("\x1e", "<built-in method builtins.len>")
#define KEY_APPEND                                                                                 \
	"(\3\0\0\0" TEXT("\1", "~") INT("\0") TEXT("\x23", "<method 'append' of 'list' objects>")
#define ROW(primitive, calls, self, total, callers)                                                \
	"(\5\0\0\0" INT(primitive) INT(calls) self total "{" callers "0"
#define CALL(calls, primitive, self, total) "(\4\0\0\0" INT(calls) INT(primitive) self total

static void read_marshal(struct imported_fixture *fixture, const char *data, size_t size)
{
	imported_fixture_bytes(fixture, "pstats", data, size);
}
#define READ(fixture, literal) read_marshal(fixture, literal, sizeof(literal) - 1)

static void test_functions_and_their_callers(void **state)
{
	struct imported_fixture fixture;
	const struct imported_function *region;

	(void)state;
	READ(&fixture, "{" KEY_F ROW("\1", "\2", REAL_TWO, REAL_TWO, "")
			       KEY_LEN ROW("\3", "\3", REAL_HALF, REAL_HALF,
					   KEY_F CALL("\3", "\3", REAL_HALF, REAL_HALF)) "0");
	ASSERT_IMPORTED(&fixture, "f 2 2000000000\nf;len 3 500000000\n");
	region = &fixture.imported.regions[2];
	assert_int_equal(region->kind, KYMO_REGION_PYTHON_C);
	assert_memory_equal(region->module.at, "builtins", 8);
	assert_int_equal(fixture.imported.regions[1].line, 3);
	assert_int_equal(fixture.imported.total_count, 3);
	assert_int_equal(fixture.imported.totals[0].primitive_count, 1);
	assert_int_equal(fixture.imported.totals[2].caller, 1);
	assert_non_null(imported_note_value(&fixture.imported, "call paths"));
	imported_fixture_release(&fixture);
}

/* profile's callers are numbers of calls: times are shared by them. */
static void test_callers_of_profile(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	READ(&fixture, "{" KEY_F ROW("\1", "\1", REAL_TWO, REAL_TWO, "") KEY_APPEND ROW(
			       "\4", "\4", REAL_HALF, REAL_HALF, KEY_F INT("\4")) "0");
	ASSERT_IMPORTED(&fixture, "f 1 2000000000\nf;append 4 500000000\n");
	assert_int_equal(fixture.imported.regions[2].kind, KYMO_REGION_PYTHON_METHOD);
	assert_memory_equal(fixture.imported.regions[2].module.at, "list", 4);
	imported_fixture_release(&fixture);
}

static void assert_marshal_refused(const char *data, size_t size, const char *words)
{
	struct imported_fixture fixture;

	imported_fixture_bytes(&fixture, "pstats", data, size);
	assert_int_equal(fixture.status, KYMO_FORMAT);
	if (!strstr(fixture.problem.text, words))
		fail_msg("'%s' has no '%s'", fixture.problem.text, words);
	imported_fixture_release(&fixture);
}
#define ASSERT_REFUSED(literal, words) assert_marshal_refused(literal, sizeof(literal) - 1, words)

static void test_what_is_no_profile(void **state)
{
	(void)state;
	ASSERT_REFUSED("{0", "it holds no functions");
	ASSERT_REFUSED(INT("\3"), "it holds no dictionary");
	ASSERT_REFUSED("{" INT("\3") INT("\3") "0", "a function is not (file, line, name)");
	ASSERT_REFUSED("{" KEY_F INT("\3") "0", "numbers are not as cProfile has them");
	ASSERT_REFUSED("{" KEY_F ROW("\1", "\1", REAL_TWO, REAL_TWO, INT("\1") INT("\1")) "0",
		       "a caller is not as cProfile");
}

/* Cut anywhere it is refused, never read beyond its end. */
static void test_every_cut_is_refused(void **state)
{
	static const char whole[] = "{" KEY_F ROW("\1", "\2", REAL_TWO, REAL_TWO, "") "0";

	(void)state;
	for (size_t size = 0; size < sizeof(whole) - 1; size++)
		assert_marshal_refused(whole, size, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_and_their_callers),
		cmocka_unit_test(test_callers_of_profile),
		cmocka_unit_test(test_what_is_no_profile),
		cmocka_unit_test(test_every_cut_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
