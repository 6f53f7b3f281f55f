/* Student's t distribution and the tests based on it: whether two sets of repeated measurements
 * differ.  Pure arithmetic; any thread. */
#ifndef KYMO_TTEST_H
#define KYMO_TTEST_H

#include <stdbool.h>
#include <stddef.h>

/* The regularised incomplete beta function I_x(a, b) for a, b > 0 and x from 0 to 1. */
double beta_regularised(double a, double b, double x);

/* The probability that |t| is at least that large; degrees > 0 need not be whole. */
double student_two_sided(double t, double degrees);
/* The t that is exceeded with a probability of 1 - p, 0 < p < 1. */
double student_quantile(double p, double degrees);
/* The probability that a standard normal variable is at least that far from 0. */
double normal_two_sided(double z);

struct moments { /* of the values added so far; all zero = none */
	size_t count;
	double mean;
	double squares; /* sum of squared distances from the mean */
};
void moments_add(struct moments *moments, double value);
/* The standard deviation of the values; 0 of fewer than two. */
double moments_deviation(const struct moments *moments);

struct welch {	       /* two sets of values, compared */
	bool is_known; /* false: neither side has two values */
	double t, degrees;
	double p; /* that the means are equal and differ like this by chance */
};
/* Welch's test.  If one side is a single value: whether it comes from the distribution of the
 * other, whose deviation is used for both. */
struct welch welch_test(const struct moments *before, const struct moments *after);

/* Correct the p-values of several tests made at once, in place; NAN = no test, not counted.  Holm
 * bounds the probability of a single false finding (family-wise error rate), Benjamini and Hochberg
 * the false discovery rate.  Return false when out of memory, with p unchanged. */
bool chances_correct_holm(double *p, size_t count);
bool chances_correct_hochberg(double *p, size_t count);

#endif
