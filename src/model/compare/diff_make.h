/* Makes a diff of two sides of runs, and tests which of their differences are significant. */
#ifndef KYMO_DIFF_MAKE_H
#define KYMO_DIFF_MAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/compare/diff.h"
#include "model/compare/diff_region.h"

struct loaded_run;

/* Both sides need at least one run; the runs must outlive the diff. */
enum kymo_status diff_new(const struct loaded_run *const *before, size_t before_count,
			  const struct loaded_run *const *after, size_t after_count,
			  struct diff **out, struct problem *problem);
void diff_free(struct diff *diff);
const char *diff_verdict_text(enum diff_verdict verdict);

struct diff_judgement {
	enum diff_verdict verdict;
	double p; /* probability of such a difference between equal programs; NAN = no test */
};

/* The probability of such a difference between equal programs, from repeats or samples; NAN = there
 * are none, or they do not apply to that measure. */
double diff_chance(const struct diff *diff, const struct diff_region *region,
		   enum diff_measure measure);

/* The 95 % interval of a difference, where a side's times are estimates; else both ends are the
 * difference. */
struct diff_interval {
	double low, high;
};
struct diff_interval diff_interval_of(const struct diff_region *region, enum diff_measure measure);
/* The interval contains zero: it is not known whether there is a difference. */
bool diff_may_be_none(const struct diff_region *region, enum diff_measure measure);

/* Whether the measure is the same in every run: recorded calls. */
bool diff_is_exact(const struct diff *diff, enum diff_measure measure);

/* Test these regions (NULL = all) where there are repeats or samples, and correct for their number
 * (Benjamini and Hochberg).  Without repeats, differences to which samples do not apply are
 * undecided, and so are all measured times.  So is, with repeats too, what the errors of counted
 * functions' estimates may explain.  False when out of memory. */
bool diff_judge(const struct diff *diff, enum diff_measure measure, const uint32_t *regions,
		size_t count, struct diff_judgement *out);

/* Percent of before; infinite for what was added. */
double diff_percent(double before, double after);
/* "identity", "line moved", "file moved", "other object", "none". */
const char *diff_match_text(enum diff_match match);

#endif
