/* What the call paths tell: own lines, hot paths, recursion, imports. */
#include "model/findings/findings.h"

#include "findings_fixture.h"

/* main calls f for as long, in its own lines but for g. */
static struct fixture program_of(uint64_t f_ns, uint64_t g_ns, enum kymo_region_kind kind)
{
	struct synthetic *made = MAKE("main", "f", "g");

	synthetic_region_at(made, 2)->kind = kind;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	synthetic_enter(made, 0, 2, 0);
	visit(made, 0, 3, 0, g_ns);
	synthetic_leave(made, 0, 2, f_ns);
	/* The rest is spread, so that nothing else stands out. */
	for (uint64_t at = f_ns; at < 1000; at += 10) {
		char name[16];

		snprintf(name, sizeof(name), "part%u", (unsigned)(at / 100));
		if (at % 100 == 0 || at == f_ns)
			synthetic_region(made, KYMO_REGION_PYTHON, name);
		visit(made, 0, 4 + (uint32_t)((at - f_ns) / 100), at, at + 10);
	}
	synthetic_leave(made, 0, 1, 1000);
	return close_one(made, 1000);
}

static void test_own_lines(void **state)
{
	struct fixture fixture = program_of(400, 100, KYMO_REGION_PYTHON);

	(void)state;
	assert_found(&fixture, "own lines",
		     "`f` spends 75 % of its time in its own lines: 300 ns, 30 % of all.");
	fixture = program_of(200, 100, KYMO_REGION_PYTHON); /* little of all */
	assert_found(&fixture, "own lines", NULL);
	fixture = program_of(700, 190, KYMO_REGION_PTHREAD); /* it waits */
	assert_found(&fixture, "own lines", NULL);
	fixture = program_of(700, 190, KYMO_REGION_NATIVE);
	assert_found(&fixture, "own lines",
		     "`f` spends 73 % of its time in its own lines: 510 ns, 51 % of all.");
}

/* Four steps down, of which the last has that share. */
static struct fixture deep_program(uint64_t last_ns)
{
	struct synthetic *made = MAKE("a", "b", "c", "d", "e");

	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	for (uint32_t i = 1; i <= 3; i++)
		synthetic_enter(made, 0, i, 0);
	visit(made, 0, 4, 0, last_ns);
	visit(made, 0, 5, last_ns, 100);
	synthetic_leave(made, 0, 3, 100);
	synthetic_leave(made, 0, 2, 200);
	synthetic_leave(made, 0, 1, 400);
	return close_one(made, 400);
}

static void test_hot_path(void **state)
{
	struct fixture fixture;
	struct synthetic *made = MAKE("a", "b", "c", "d");

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	for (uint32_t i = 1; i <= 4; i++)
		synthetic_enter(made, 0, i, 0);
	for (uint32_t i = 4; i >= 1; i--)
		synthetic_leave(made, 0, i, 1000 - 100 * i);
	fixture = close_one(made, 1000);
	assert_found(&fixture, "hot path",
		     "60 % of the time goes through one path: `a` > `b` > `c` > `d`.");
	fixture = deep_program(90); /* it ends in too little */
	assert_found(&fixture, "hot path", NULL);
}

static void test_throttled_calls(void **state)
{
	struct fixture fixture = throttled(20000, 100, 60000);

	(void)state;
	assert_found(&fixture, "brief calls",
		     "`brief` was called 20,000 times for 100 ns each, and measuring one takes "
		     "about 60 ns: its time is unreliable.");
	fixture = throttled(20000, 1000, 60000); /* long enough */
	assert_found(&fixture, "brief calls", NULL);
	fixture = throttled(500, 100, 60000); /* seldom */
	assert_found(&fixture, "brief calls", NULL);
}

static struct fixture recursion(uint64_t depth, bool is_called_outside)
{
	struct synthetic *made = MAKE("main", "fib");

	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	for (uint64_t i = 0; i < depth; i++) {
		synthetic_enter(made, 0, 2, 10 * i);
		if (is_called_outside)
			synthetic_leave(made, 0, 2, 10 * i + 9);
	}
	for (uint64_t i = 0; i < depth && !is_called_outside; i++)
		synthetic_leave(made, 0, 2, 10 * depth + i);
	synthetic_leave(made, 0, 1, 20 * depth);
	return close_one(made, 20 * depth);
}

static void test_recursion(void **state)
{
	struct fixture fixture = recursion(50, false);

	(void)state;
	assert_found(&fixture, "recursion",
		     "`fib` calls itself: of 50 calls 1 comes from elsewhere.");
	fixture = recursion(50, true);
	assert_found(&fixture, "recursion", NULL);
	fixture = recursion(5, false); /* every fifth call is another's */
	assert_found(&fixture, "recursion", NULL);
}

/* The program's body, in which an import runs, and one in that. */
static struct fixture importing(const char *outer, const char *inner, uint64_t import_ns)
{
	struct synthetic *made = MAKE("<module>", outer, inner);

	for (uint32_t i = 1; i <= 3; i++)
		synthetic_region_at(made, i)->line = i;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	synthetic_enter(made, 0, 2, 0);
	visit(made, 0, 3, 0, import_ns / 2);
	synthetic_leave(made, 0, 2, import_ns);
	synthetic_leave(made, 0, 1, 1000);
	return close_one(made, 1000);
}

static void test_imports(void **state)
{
	static const char *const ways[][2] = {
		{"import numpy", "import numpy.linalg"},
		{"import numpy", "<module>"},
		{"_find_and_load", "<module>"}, /* as other tools have it */
		{"<module>", "<module>"},	/* where a filter left out all but bodies */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct fixture fixture = importing(ways[i][0], ways[i][1], 200);

		assert_found(&fixture, "imports",
			     "Importing Python modules takes 200 ns, 20 % of all the time.");
		fixture = importing(ways[i][0], ways[i][1], 90);
		assert_found(&fixture, "imports", NULL);
	}
}

/* The machinery of imports has no lines that anybody could change. */
static void test_imports_have_no_lines(void **state)
{
	struct fixture fixture = importing("import numpy", "import numpy.linalg", 900);

	(void)state;
	assert_found(&fixture, "own lines", NULL);
}

static struct fixture collecting(const char *module, uint64_t collect_ns)
{
	struct synthetic *made = MAKE("main", "collect");

	synthetic_region_at(made, 2)->kind = KYMO_REGION_PYTHON_C;
	synthetic_region_at(made, 2)->module = synthetic_string(made, module);
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	visit(made, 0, 2, 0, collect_ns);
	synthetic_leave(made, 0, 1, 1000);
	return close_one(made, 1000);
}

static void test_garbage(void **state)
{
	struct fixture fixture = collecting("gc", 100);

	(void)state;
	assert_found(&fixture, "garbage", "Collecting garbage takes 100 ns, 10 % of all the time.");
	fixture = collecting("gc", 40);
	assert_found(&fixture, "garbage", NULL);
	fixture = collecting("rubbish", 100);
	assert_found(&fixture, "garbage", NULL);
}

static struct fixture spent_in(const char *name)
{
	struct synthetic *made = MAKE("main", name);

	synthetic_region_at(made, 2)->file = synthetic_string(made, "/home/me/tides.py");
	synthetic_region_at(made, 2)->line = 12;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(made, 0, 1, 0);
	visit(made, 0, 2, 0, 900);
	synthetic_leave(made, 0, 1, 1000);
	return close_one(made, 1000);
}

/* Names that many functions have are told with their place. */
static void test_names_that_say_nothing(void **state)
{
	struct fixture fixture = spent_in("<lambda>");

	(void)state;
	assert_found(&fixture, "own lines",
		     "`<lambda>` of tides.py:12 spends 100 % of its time in its own lines: "
		     "900 ns, 90 % of all.");
	fixture = spent_in("<module>");
	assert_found(&fixture, "own lines",
		     "`<module>` of tides.py spends 100 % of its time in its own lines: "
		     "900 ns, 90 % of all.");
	fixture = spent_in("f");
	assert_found(&fixture, "own lines",
		     "`f` spends 100 % of its time in its own lines: 900 ns, 90 % of all.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_lines),
		cmocka_unit_test(test_hot_path),
		cmocka_unit_test(test_throttled_calls),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_imports),
		cmocka_unit_test(test_imports_have_no_lines),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_names_that_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
