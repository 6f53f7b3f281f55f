/* Student's t by the incomplete beta function, computed as a continued fraction (Lentz's method),
 * and the tests and corrections based on it. */
#include "model/compare/ttest.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define FRACTION_STEPS 10000
#define BISECTIONS     200

static double away_from_zero(double value)
{
	return fabs(value) < DBL_MIN ? DBL_MIN : value;
}

/* The continued fraction of I_x(a, b); it converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;

	for (int m = 1; m <= FRACTION_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / away_from_zero(1 + even * d);
		c = away_from_zero(1 + even / c);
		value *= c * d;
		d = 1 / away_from_zero(1 + odd * d);
		c = away_from_zero(1 + odd / c);
		step = c * d;
		value *= step;
		if (fabs(step - 1) < 4 * DBL_EPSILON)
			break;
	}
	return value;
}

/* lgamma() writes the global signgam. */
static double log_gamma(double value)
{
	int sign;

	return lgamma_r(value, &sign);
}

double beta_regularised(double a, double b, double x)
{
	double factor;

	if (!(x > 0))
		return 0;
	if (!(x < 1))
		return 1;
	factor = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return factor * beta_fraction(a, b, x) / a;
	return 1 - factor * beta_fraction(b, a, 1 - x) / b;
}

double student_two_sided(double t, double degrees)
{
	if (isnan(t) || !(degrees > 0))
		return NAN;
	if (isinf(t))
		return 0;
	return beta_regularised(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_quantile(double p, double degrees)
{
	double low = 0, high = 1, tail = p < 0.5 ? 2 * p : 2 * (1 - p);

	if (!(p > 0 && p < 1) || !(degrees > 0))
		return NAN;
	while (student_two_sided(high, degrees) > tail && high < DBL_MAX / 4)
		high *= 2;
	for (int i = 0; i < BISECTIONS && high - low > DBL_EPSILON * high; i++) {
		double middle = (low + high) / 2;

		if (student_two_sided(middle, degrees) > tail)
			low = middle;
		else
			high = middle;
	}
	return p < 0.5 ? -high : high;
}

double normal_two_sided(double z)
{
	return erfc(fabs(z) / M_SQRT2);
}

void moments_add(struct moments *moments, double value)
{
	double distance = value - moments->mean;

	moments->count++;
	moments->mean += distance / (double)moments->count;
	moments->squares += distance * (value - moments->mean);
}

static double variance_of(const struct moments *moments)
{
	return moments->count > 1 ? moments->squares / (double)(moments->count - 1) : 0;
}

double moments_deviation(const struct moments *moments)
{
	return sqrt(variance_of(moments));
}

/* Constant values are equal, or differ for certain: rounding must not decide. */
static struct welch compare_constants(double before, double after)
{
	double size = fmax(fabs(before), fabs(after));
	bool is_equal = fabs(after - before) <= 1e-12 * size;

	return (struct welch){
		.is_known = true,
		.t = is_equal ? 0 : copysign(INFINITY, after - before),
		.degrees = INFINITY,
		.p = is_equal ? 1 : 0,
	};
}

static struct welch compare_two(const struct moments *before, const struct moments *after)
{
	double first = variance_of(before) / (double)before->count;
	double second = variance_of(after) / (double)after->count;
	double both = first + second;

	return (struct welch){
		.is_known = true,
		.t = (after->mean - before->mean) / sqrt(both),
		.degrees = both * both /
			   (first * first / (double)(before->count - 1) +
			    second * second / (double)(after->count - 1)),
	};
}

static struct welch compare_one(const struct moments *before, const struct moments *after)
{
	const struct moments *several = before->count == 1 ? after : before;
	double count = (double)several->count;

	return (struct welch){
		.is_known = true,
		.t = (after->mean - before->mean) / sqrt(variance_of(several) * (1 + 1 / count)),
		.degrees = count - 1,
	};
}

struct welch welch_test(const struct moments *before, const struct moments *after)
{
	double size = fmax(fabs(before->mean), fabs(after->mean));
	struct welch welch;

	if (before->count == 0 || after->count == 0 || before->count + after->count < 3)
		return (struct welch){.p = NAN};
	if (fmax(moments_deviation(before), moments_deviation(after)) <= 1e-12 * size)
		return compare_constants(before->mean, after->mean);
	welch = before->count == 1 || after->count == 1 ? compare_one(before, after)
							: compare_two(before, after);
	welch.p = student_two_sided(welch.t, welch.degrees);
	return welch;
}

static int by_chance(const void *left, const void *right)
{
	double a = **(double *const *)left, b = **(double *const *)right;

	return a < b ? -1 : a > b;
}

/* Pointers to the p-values, smallest first; NULL = out of memory. */
static double **chances_sort(double *p, size_t count, size_t *sorted_count)
{
	double **sorted = calloc(count + 1, sizeof(*sorted));

	*sorted_count = 0;
	for (size_t i = 0; sorted && i < count; i++) {
		if (!isnan(p[i]))
			sorted[(*sorted_count)++] = &p[i];
	}
	if (sorted)
		qsort(sorted, *sorted_count, sizeof(*sorted), by_chance);
	return sorted;
}

bool chances_correct_holm(double *p, size_t count)
{
	size_t known;
	double **sorted = chances_sort(p, count, &known), most = 0;

	for (size_t i = 0; sorted && i < known; i++) {
		most = fmax(most, fmin(1, *sorted[i] * (double)(known - i)));
		*sorted[i] = most;
	}
	free(sorted);
	return sorted != NULL;
}

bool chances_correct_hochberg(double *p, size_t count)
{
	size_t known;
	double **sorted = chances_sort(p, count, &known), least = 1;

	for (size_t i = sorted ? known : 0; i-- > 0;) {
		least = fmin(least, *sorted[i] * (double)known / (double)(i + 1));
		*sorted[i] = least;
	}
	free(sorted);
	return sorted != NULL;
}
