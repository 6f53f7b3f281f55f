/* Conditions: their grammar, and what they come to on runs. */
#include "model/compare/diff_condition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "diff_fixture.h"
#include "format/metric.h"
#include "model/compare/diff_findings.h"
#include "model/compare/diff_make.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static const struct {
	const char *text, *region;
	enum diff_measure measure;
	enum diff_quantity quantity;
	bool is_above, is_or_equal;
	double value;
} readable[] = {
	{"total:run>5%", "run", DIFF_TOTAL, QUANTITY_PERCENT, true, false, 5},
	{"self:f>=1.5x", "f", DIFF_SELF, QUANTITY_RATIO, true, true, 1.5},
	{"mean:a.b.c<-10ms", "a.b.c", DIFF_MEAN, QUANTITY_DIFFERENCE, false, false, -10e6},
	{"self:f<=.5us", "f", DIFF_SELF, QUANTITY_DIFFERENCE, false, true, 500},
	{"total:f>2s", "f", DIFF_TOTAL, QUANTITY_DIFFERENCE, true, false, 2e9},
	{"total:f>3ns", "f", DIFF_TOTAL, QUANTITY_DIFFERENCE, true, false, 3},
	{"calls:<module>>1000", "<module>", DIFF_COUNT, QUANTITY_DIFFERENCE, true, false, 1000},
	{"calls:operator<>5%", "operator<", DIFF_COUNT, QUANTITY_PERCENT, true, false, 5},
	{"calls:operator>>=>=2", "operator>>=", DIFF_COUNT, QUANTITY_DIFFERENCE, true, true, 2},
	{"trip_count:std::vector<int>::at<5%", "std::vector<int>::at", DIFF_COUNT, QUANTITY_PERCENT,
	 false, false, 5},
	{"wall_clock:/^a|b$/>1e1%", "/^a|b$/", DIFF_TOTAL, QUANTITY_PERCENT, true, false, 10},
};

static void test_grammar(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(readable); i++) {
		struct diff_condition condition;
		char region[64];

		assert_int_equal(diff_condition_parse(readable[i].text, &condition, NULL), KYMO_OK);
		assert_true(condition.has_measure);
		assert_int_equal(condition.measure, readable[i].measure);
		assert_int_equal(condition.quantity, readable[i].quantity);
		assert_int_equal(condition.is_above, readable[i].is_above);
		assert_int_equal(condition.is_or_equal, readable[i].is_or_equal);
		assert_true(fabs(condition.value - readable[i].value) < 1e-9);
		snprintf(region, sizeof(region), "%.*s", (int)condition.region_length,
			 condition.region);
		assert_string_equal(region, readable[i].region);
	}
}

static void test_recorded_metrics(void **state)
{
	struct diff_condition condition;

	(void)state;
	assert_int_equal(diff_condition_parse("peak_rss:run>2MB", &condition, NULL), KYMO_OK);
	assert_false(condition.has_measure);
	assert_int_equal(condition.metric, KYMO_METRIC_PEAK_RSS);
	assert_true(condition.value == 2e6);
	assert_int_equal(diff_condition_parse("cpu_clock:f>1ms", &condition, NULL), KYMO_OK);
	assert_true(condition.value == 1e6);
	assert_int_equal(diff_condition_parse("cpu_clock:f>1MB", &condition, NULL), KYMO_USAGE);
	assert_int_equal(diff_condition_parse("peak_rss:f>1ms", &condition, NULL), KYMO_USAGE);
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"total",
		"total:f",
		"total:f>",
		"total:f>%",
		":f>5%",
		"total:>5%",
		"total>5%",
		"total:f=5%",
		"total:f>5",
		"total:f>5min",
		"total:f>5%%",
		"total:f>x5",
		"total:f>nan%",
		"total:f>inf%",
		"calls:f>5ms",
		"calls:f>5MB",
		"totl:f>5%",
		"total:f>0x5%",
		"total:f>5% ",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct diff_condition condition = {.value = 4711};
		struct problem problem = {""};

		assert_int_equal(diff_condition_parse(texts[i], &condition, &problem), KYMO_USAGE);
		assert_true(condition.value == 4711);
		assert_true(strlen(problem.text) > 20);
	}
}

static void test_amounts(void **state)
{
	bool is_percent;
	double value;

	(void)state;
	assert_true(diff_amount_parse("5%", &value, &is_percent));
	assert_true(is_percent && value == 5);
	assert_true(diff_amount_parse("2ms", &value, &is_percent));
	assert_true(!is_percent && value == 2e6);
	assert_false(diff_amount_parse("2", &value, &is_percent));
	assert_false(diff_amount_parse("-2%", &value, &is_percent));
	assert_false(diff_amount_parse("2kB", &value, &is_percent));
}

static struct made_run *run_of(uint64_t slow_ns, uint64_t fast_ns, int fast_count)
{
	struct made_run *made = made_begin();
	uint32_t slow = made_region(made, "slow", "/p/x.py", 1);
	uint32_t fast = made_region(made, "fast", "/p/x.py", 9);
	uint64_t time = 0;

	made_visit(made, slow, &time, slow_ns);
	for (int i = 0; i < fast_count; i++)
		made_visit(made, fast, &time, fast_ns);
	made_end(made, time);
	return made;
}

struct sides {
	struct made_run *runs[DIFF_SIDES][3];
	size_t count;
	struct made_diff made;
};

static void sides_end(struct sides *sides)
{
	diff_free(sides->made.diff);
	for (size_t i = 0; i < sides->count; i++) {
		made_free(sides->runs[DIFF_BEFORE][i]);
		made_free(sides->runs[DIFF_AFTER][i]);
	}
}

static void sides_compare(struct sides *sides)
{
	made_compare(&sides->made, sides->runs[DIFF_BEFORE], sides->count, sides->runs[DIFF_AFTER],
		     sides->count);
}

/* slow: 1000 -> 1100 ns; fast: 2 calls of 100 ns -> 3 of 50 ns; the run: 1200 -> 1250 ns. */
static void two_runs(struct sides *sides)
{
	sides->count = 1;
	sides->runs[DIFF_BEFORE][0] = run_of(1000, 100, 2);
	sides->runs[DIFF_AFTER][0] = run_of(1100, 50, 3);
	sides_compare(sides);
}

static struct diff_finding first_finding(const struct sides *sides, const char *text, bool is_any)
{
	struct diff_condition condition;
	struct diff_findings *findings;
	struct diff_finding first;

	assert_int_equal(diff_condition_parse(text, &condition, NULL), KYMO_OK);
	assert_int_equal(
		diff_findings_new(sides->made.diff, &condition, 1, is_any, &findings, NULL),
		KYMO_OK);
	first = findings->findings[0];
	assert_int_equal(first.is_failure, findings->has_failed);
	assert_false(first.is_failure && first.is_undecided);
	diff_findings_free(findings);
	return first;
}

static bool fails(const struct sides *sides, const char *text, bool is_any)
{
	return first_finding(sides, text, is_any).is_failure;
}

/* Of a single pair only what is exact fails: nothing tells how much its times vary. */
static void test_single_runs(void **state)
{
	static const struct {
		const char *text;
		bool fails;
	} cases[] = {
		{"total:slow>9%", true},     {"total:slow>11%", false}, {"total:slow>=10%", true},
		{"total:slow>10%", false},   {"total:slow>99ns", true}, {"total:slow>=100ns", true},
		{"total:slow>100ns", false}, {"self:slow>1.05x", true}, {"self:slow>1.2x", false},
		{"self:fast<-20%", true},    {"self:fast<-30%", false}, {"mean:fast<0.6x", true},
		{"mean:fast<=-50%", true},   {"calls:fast>0", true},	{"calls:fast>1", false},
		{"calls:fast>=1.5x", true},  {"calls:slow>0", false},	{"total:run>4%", true},
		{"total:run>5%", false},     {"calls:run>0", true},	{"calls:run>1", false},
		{"self:run>=50ns", true},    {"total:/./>9%", true},	{"total:/^fa/>9%", false},
	};
	struct sides sides;

	(void)state;
	two_runs(&sides);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		bool is_exact = strncmp(cases[i].text, "calls:", 6) == 0;
		struct diff_finding first = first_finding(&sides, cases[i].text, false);

		assert_int_equal(first.holds, cases[i].fails);
		assert_int_equal(first.is_failure, cases[i].fails && is_exact);
		assert_int_equal(first.is_undecided, cases[i].fails && !is_exact);
		assert_int_equal(fails(&sides, cases[i].text, true), cases[i].fails);
	}
	sides_end(&sides);
}

/* The furthest beyond the value is told first. */
static void test_expressions(void **state)
{
	struct diff_condition condition;
	struct diff_findings *findings;
	struct sides sides;

	(void)state;
	two_runs(&sides);
	assert_int_equal(diff_condition_parse("self:/./>-90%", &condition, NULL), KYMO_OK);
	assert_int_equal(diff_findings_new(sides.made.diff, &condition, 1, true, &findings, NULL),
			 KYMO_OK);
	assert_int_equal(findings->count, 2);
	assert_string_equal(diff_region_shown(findings->findings[0].region)->name, "slow");
	assert_true(findings->findings[0].is_failure && findings->findings[1].is_failure);
	diff_findings_free(findings);
	sides_end(&sides);
}

static void test_unknown_regions(void **state)
{
	static const char *const texts[] = {"total:sloww>5%", "total:/^z/>5%", "total:/(/>5%",
					    "cpu_clock:slow>5%"};
	struct sides sides;

	(void)state;
	two_runs(&sides);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct diff_condition condition;
		struct diff_findings *findings = NULL;
		struct problem problem;

		assert_int_equal(diff_condition_parse(texts[i], &condition, NULL), KYMO_OK);
		assert_int_equal(diff_findings_new(sides.made.diff, &condition, 1, false, &findings,
						   &problem),
				 KYMO_USAGE);
		assert_null(findings);
		if (i == 0)
			assert_non_null(strstr(problem.text, "did you mean 'slow'?"));
	}
	sides_end(&sides);
}

/* With repeats only what is more than chance fails. */
static void test_chance(void **state)
{
	static const uint64_t slow[DIFF_SIDES][3] = {{1000, 1010, 990}, {1100, 1110, 1090}};
	static const uint64_t fast[DIFF_SIDES][3] = {{100, 200, 300}, {150, 220, 320}};
	struct sides sides = {.count = 3};

	(void)state;
	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; i < 3; i++)
			sides.runs[side][i] = run_of(slow[side][i], fast[side][i], 1);
	}
	sides_compare(&sides);
	assert_true(fails(&sides, "total:slow>5%", false));
	assert_false(fails(&sides, "total:fast>5%", false));
	assert_true(fails(&sides, "total:fast>5%", true));
	assert_false(fails(&sides, "calls:fast>=1", false));
	sides_end(&sides);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),		cmocka_unit_test(test_recorded_metrics),
		cmocka_unit_test(test_refused),		cmocka_unit_test(test_amounts),
		cmocka_unit_test(test_single_runs),	cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_unknown_regions), cmocka_unit_test(test_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
