/* Conditions under which a comparison fails: "total:run>5%", "calls:/^parse/>1000".
 *
 *	METRIC:REGION OP VALUE[UNIT]
 *
 * METRIC is total, self, calls, mean or a recorded metric.  REGION is a name, /an extended regular
 * expression/, or run: the whole run.  OP is >, >=, < or <=.  VALUE is compared with the change in
 * percent (%), the ratio of after to before (x), or the difference in s, ms, us, ns, or for other
 * metrics than times in kB, MB, GB or no unit.  Texts are the caller's. */
#ifndef KYMO_DIFF_CONDITION_H
#define KYMO_DIFF_CONDITION_H

#include "model/compare/diff.h"

enum diff_quantity { QUANTITY_PERCENT, QUANTITY_RATIO, QUANTITY_DIFFERENCE };

struct diff_condition {
	const char *text;
	const char *region; /* length bytes of text */
	size_t region_length;
	uint32_t metric; /* enum kymo_metric if measure is not used */
	bool has_measure;
	enum diff_measure measure;
	enum diff_quantity quantity;
	bool is_above, is_or_equal; /* >, >=; else <, <= */
	double value;		    /* differences: in the metric's stored unit, ns or bytes */
};

/* KYMO_USAGE if the text is no condition: the line says what is wrong and what is valid. */
enum kymo_status diff_condition_parse(const char *text, struct diff_condition *out,
				      struct problem *problem);

/* "5%" or "2ms": percent, or nanoseconds; false = neither. */
bool diff_amount_parse(const char *text, double *value_out, bool *is_percent_out);

struct diff_finding { /* a condition on one region, or on the run */
	const struct diff_condition *condition;
	const struct diff_region *region; /* NULL = the run */
	double before, after;
	double p;	    /* probability under equal programs, uncorrected; NAN = no test */
	double p_corrected; /* corrected for all findings (Holm): this one decides */
	bool is_exact;	    /* the value is the same in every run */
	bool may_be_none;   /* the estimation error may explain the difference */
	bool holds;	    /* the condition is true */
	bool is_failure;    /* and it is significant */
	bool is_undecided;  /* and it is not known whether it is chance */
};

struct diff_findings {
	struct diff_finding
		*findings; /* by condition; of each, the furthest beyond its value first */
	size_t count;
	bool has_failed;
};

/* A value of the condition's metric, "1.234 s"; size as of a quantity. */
const char *diff_condition_value(const struct diff_condition *condition, double value, char *text,
				 size_t size);

#endif
