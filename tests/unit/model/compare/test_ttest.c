/* Student's t and the tests made with it, against the tables of textbooks. */
#include "model/compare/ttest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

#define assert_near(value, expected, within) assert_true(fabs((value) - (expected)) <= (within))

/* The test of two lists of values. */
static struct welch compare(const double *before, size_t before_count, const double *after,
			    size_t after_count)
{
	struct moments first = {0}, second = {0};

	for (size_t i = 0; i < before_count; i++)
		moments_add(&first, before[i]);
	for (size_t i = 0; i < after_count; i++)
		moments_add(&second, after[i]);
	return welch_test(&first, &second);
}

static void test_moments(void **state)
{
	static const double values[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
	struct moments moments = {0};

	(void)state;
	assert_true(moments_deviation(&moments) == 0);
	for (size_t i = 0; i < COUNT_OF(values); i++)
		moments_add(&moments, values[i]);
	assert_int_equal(moments.count, 4);
	assert_near(moments.mean, 1e9 + 10, 1e-6);
	assert_near(moments_deviation(&moments), sqrt(30), 1e-6);
}

static void test_beta(void **state)
{
	(void)state;
	/* I_x(1, b) = 1 - (1 - x)^b; I_x(a, 1) = x^a; symmetric in 1 - x. */
	for (double x = 0.05; x < 1; x += 0.05) {
		assert_near(beta_regularised(1, 3, x), 1 - pow(1 - x, 3), 1e-14);
		assert_near(beta_regularised(4.5, 1, x), pow(x, 4.5), 1e-14);
		assert_near(beta_regularised(0.5, 0.5, x), 2 / M_PI * asin(sqrt(x)), 1e-13);
		assert_near(beta_regularised(7, 2.5, x), 1 - beta_regularised(2.5, 7, 1 - x),
			    1e-13);
	}
	assert_true(beta_regularised(2, 3, 0) == 0);
	assert_true(beta_regularised(2, 3, 1) == 1);
	assert_near(beta_regularised(500, 500, 0.5), 0.5, 1e-10);
}

/* Critical values of the two-sided test, as every table has them. */
static const struct {
	double degrees, t, p;
} table[] = {
	{1, 12.706, 0.05},   {1, 63.657, 0.01},	 {2, 4.303, 0.05},   {2, 9.925, 0.01},
	{3, 3.182, 0.05},    {4, 2.776, 0.05},	 {5, 2.571, 0.05},   {5, 4.032, 0.01},
	{8, 2.306, 0.05},    {10, 2.228, 0.05},	 {10, 3.169, 0.01},  {10, 4.587, 0.001},
	{20, 2.086, 0.05},   {30, 2.042, 0.05},	 {60, 2.000, 0.05},  {120, 1.980, 0.05},
	{120, 3.373, 0.001}, {1e9, 1.960, 0.05}, {1e9, 2.576, 0.01},
};

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		double quantile = student_quantile(1 - table[i].p / 2, table[i].degrees);

		assert_near(student_two_sided(table[i].t, table[i].degrees), table[i].p,
			    0.002 * table[i].p);
		assert_near(quantile, table[i].t, 0.00051);
		assert_near(student_quantile(table[i].p / 2, table[i].degrees), -quantile, 1e-12);
	}
	/* One and two degrees have closed forms, far into the tail as well. */
	for (double t = 0.125; t < 1e6; t *= 3) {
		assert_near(student_two_sided(t, 1) / (2 / M_PI * atan(1 / t)), 1, 1e-12);
		assert_near(student_two_sided(-t, 2), 1 - t / sqrt(2 + t * t), 1e-12);
	}
	assert_true(student_two_sided(0, 5) == 1);
	assert_true(student_two_sided(INFINITY, 5) == 0);
	assert_true(isnan(student_quantile(1, 5)));
	assert_near(normal_two_sided(1.959964), 0.05, 1e-7);
}

/* A pair of samples that is often used as an example of the test. */
static void test_welch(void **state)
{
	static const double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
				   21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
	static const double b[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
				   24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4};
	struct welch welch = compare(a, COUNT_OF(a), b, COUNT_OF(b)), mirrored;

	(void)state;
	assert_true(welch.is_known);
	assert_near(welch.t, 2.455356, 1e-6);
	assert_near(welch.degrees, 24.988529, 1e-6);
	assert_near(welch.p, 0.021378, 1e-6);
	mirrored = compare(b, COUNT_OF(b), a, COUNT_OF(a));
	assert_near(mirrored.t, -welch.t, 1e-12);
	assert_near(mirrored.p, welch.p, 1e-15);
}

/* One value against several: t = (x - mean) / (s * sqrt(1 + 1/n)), n - 1 degrees. */
static void test_single_value(void **state)
{
	static const double several[] = {10, 12, 14}, one[] = {12 + 4.303 * 2.3094};
	struct welch welch = compare(several, 3, one, 1);

	(void)state;
	assert_true(welch.is_known);
	assert_near(welch.degrees, 2, 0);
	assert_near(welch.t, 4.303, 0.001);
	assert_near(welch.p, 0.05, 0.0001);
	assert_near(compare(one, 1, several, 3).p, welch.p, 1e-15);
	assert_false(compare(one, 1, several, 1).is_known);
	assert_false(compare(one, 1, several, 0).is_known);
}

static void test_constant_values(void **state)
{
	static const double same[] = {0.3, 0.1 + 0.2, 0.3}, other[] = {0.4, 0.4};

	(void)state;
	assert_true(compare(same, 3, same, 3).p == 1);
	assert_true(compare(same, 1, same + 1, 2).p == 1);
	assert_true(compare(same, 3, other, 2).p == 0);
	assert_true(compare(same, 3, other, 2).t > 0);
}

static void test_corrections(void **state)
{
	double holm[] = {0.04, NAN, 0.01, 0.03, 0.005}, hochberg[] = {0.04, NAN, 0.01, 0.03, 0.005};
	static const double by_holm[] = {0.06, NAN, 0.03, 0.06, 0.02};
	static const double by_hochberg[] = {0.04, NAN, 0.02, 0.04, 0.02};

	(void)state;
	assert_true(chances_correct_holm(holm, COUNT_OF(holm)));
	assert_true(chances_correct_hochberg(hochberg, COUNT_OF(hochberg)));
	for (size_t i = 0; i < COUNT_OF(holm); i++) {
		if (i == 1) {
			assert_true(isnan(holm[i]) && isnan(hochberg[i]));
			continue;
		}
		assert_near(holm[i], by_holm[i], 1e-12);
		assert_near(hochberg[i], by_hochberg[i], 1e-12);
	}
	assert_true(chances_correct_holm(holm, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),	     cmocka_unit_test(test_beta),
		cmocka_unit_test(test_table),	     cmocka_unit_test(test_welch),
		cmocka_unit_test(test_single_value), cmocka_unit_test(test_constant_values),
		cmocka_unit_test(test_corrections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
