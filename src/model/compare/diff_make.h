/* Two sides of runs side by side; and which of their differences are more than chance. */
#ifndef KYMO_DIFF_MAKE_H
#define KYMO_DIFF_MAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/compare/diff.h"
#include "model/compare/diff_region.h"

struct loaded_run;

/* Runs of both sides, one at least of each; they must outlive the diff. */
enum kymo_status diff_new(const struct loaded_run *const *before, size_t before_count,
			  const struct loaded_run *const *after, size_t after_count,
			  struct diff **out, struct problem *problem);
void diff_free(struct diff *diff);
const char *diff_verdict_text(enum diff_verdict verdict);

struct diff_judgement {
	enum diff_verdict verdict;
	double p; /* the chance of such a difference between equal programs; NAN = no test */
};

/* The chance of such a difference between equal programs, from repeats or from samples; NAN =
 * there are none, or they tell nothing of that measure. */
double diff_chance(const struct diff *diff, const struct diff_region *region,
		   enum diff_measure measure);

/* What a difference may be, with a chance of 95 %, where a side's times are estimates; else both
 * ends are the difference. */
struct diff_interval {
	double low, high;
};
struct diff_interval diff_interval_of(const struct diff_region *region, enum diff_measure measure);
/* Zero is in it: it is not known whether there is a difference. */
bool diff_may_be_none(const struct diff_region *region, enum diff_measure measure);

/* Whether the measure is the same whenever the same is run: calls that were recorded. */
bool diff_is_exact(const struct diff *diff, enum diff_measure measure);

/* Of these regions (NULL = of all): tested where there are repeats or samples, and then corrected
 * for how many they are (Benjamini and Hochberg).  Where there are no repeats, differences that
 * samples cannot be wrong about are undecided, and so are all times that were measured.  So is,
 * with repeats, too, what the estimates of counted functions may be off by.  False when out of
 * memory. */
bool diff_judge(const struct diff *diff, enum diff_measure measure, const uint32_t *regions,
		size_t count, struct diff_judgement *out);

/* Percent of before; infinite for what was added. */
double diff_percent(double before, double after);
/* "identity", "line moved", "file moved", "other object", "none". */
const char *diff_match_text(enum diff_match match);

#endif
