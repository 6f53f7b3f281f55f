/* Parses conditions.  A name may contain operators ("<module>"), so the text is parsed from its
 * end: the last operator followed by a value counts. */
#include "model/compare/diff_condition.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/suggest.h"
#include "format/metric.h"
#include "text/quantity.h"

enum unit_kind { UNIT_NONE, UNIT_PERCENT, UNIT_RATIO, UNIT_TIME, UNIT_BYTES };

static const struct unit {
	const char *text;
	enum unit_kind kind;
	double scale; /* to nanoseconds, bytes */
} units[] = {
	{"", UNIT_NONE, 1},	 {"%", UNIT_PERCENT, 1},  {"x", UNIT_RATIO, 1},
	{"s", UNIT_TIME, 1e9},	 {"ms", UNIT_TIME, 1e6},  {"us", UNIT_TIME, 1e3},
	{"ns", UNIT_TIME, 1},	 {"kB", UNIT_BYTES, 1e3}, {"MB", UNIT_BYTES, 1e6},
	{"GB", UNIT_BYTES, 1e9},
};

static const struct measure_name {
	const char *name;
	enum diff_measure measure;
} measure_names[] = {
	{"total", DIFF_TOTAL}, {"self", DIFF_SELF},	   {"calls", DIFF_COUNT},
	{"mean", DIFF_MEAN},   {"wall_clock", DIFF_TOTAL}, {"trip_count", DIFF_COUNT},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static enum kymo_status condition_refuse(const char *text, struct problem *problem)
{
	return problem_set(problem, KYMO_USAGE,
			   "cannot read the condition '%s': write METRIC:REGION>VALUE, such as "
			   "'total:run>5%%' or 'self:parse>10ms'",
			   text);
}

/* The text after an operator, if it is a number with a unit to the very end. */
static bool parse_value(const char *text, double *value, const struct unit **unit)
{
	char *end;

	*value = strtod(text, &end);
	/* Decimal digits only: neither "inf" nor "0x5". */
	if (end == text || !isfinite(*value) ||
	    (size_t)(end - text) > strspn(text, "+-.0123456789eE"))
		return false;
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (strcmp(end, units[i].text) == 0) {
			*unit = &units[i];
			return true;
		}
	}
	return false;
}

bool diff_amount_parse(const char *text, double *value_out, bool *is_percent_out)
{
	const struct unit *unit;
	double value;

	if (!parse_value(text, &value, &unit) || value < 0 ||
	    (unit->kind != UNIT_PERCENT && unit->kind != UNIT_TIME))
		return false;
	*value_out = value * unit->scale;
	*is_percent_out = unit->kind == UNIT_PERCENT;
	return true;
}

/* The operator, NULL = none. */
static const char *find_operator(const char *text, double *value, const struct unit **unit)
{
	for (const char *at = text + strlen(text); at-- > text;) {
		if (*at != '<' && *at != '>')
			continue;
		if (parse_value(at + 1 + (at[1] == '='), value, unit))
			return at;
	}
	return NULL;
}

static enum kymo_status unknown_metric(const char *name, struct problem *problem)
{
	struct suggestion search;

	suggest_begin(&search, name);
	for (size_t i = 0; i < COUNT_OF(measure_names); i++)
		suggest_offer(&search, measure_names[i].name);
	for (uint32_t i = 0; i < KYMO_METRIC_NAMED + metric_named_count(); i++) {
		const struct metric_info *info = metric_info((enum kymo_metric)i);

		if (info)
			suggest_offer(&search, info->name);
	}
	if (search.best)
		return problem_set(problem, KYMO_USAGE,
				   "unknown metric '%s' in a condition; did you mean '%s'?", name,
				   search.best);
	return problem_set(problem, KYMO_USAGE,
			   "unknown metric '%s' in a condition: total, self, calls, mean or a "
			   "recorded metric ('kymo avail --components')",
			   name);
}

static enum kymo_status parse_metric(const char *text, size_t length, struct diff_condition *out,
				     struct problem *problem)
{
	const struct metric_info *info;
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)length, text);
	for (size_t i = 0; i < COUNT_OF(measure_names); i++) {
		if (strcmp(name, measure_names[i].name) != 0)
			continue;
		out->has_measure = true;
		out->measure = measure_names[i].measure;
		return KYMO_OK;
	}
	info = metric_find(name);
	if (!info)
		return unknown_metric(name, problem);
	out->metric = info->metric;
	return KYMO_OK;
}

static bool is_metric_of(const struct diff_condition *condition, const char *unit)
{
	const struct metric_info *info;

	if (condition->has_measure)
		return strcmp(unit, "ns") == 0 && condition->measure != DIFF_COUNT;
	info = metric_info((enum kymo_metric)condition->metric);
	return info && strcmp(info->unit, unit) == 0;
}

/* Differences have to be in a unit of the metric's kind. */
static enum kymo_status take_unit(const struct unit *unit, struct diff_condition *out,
				  struct problem *problem)
{
	bool is_time = is_metric_of(out, "ns"), is_bytes = is_metric_of(out, "bytes");

	out->quantity = unit->kind == UNIT_PERCENT ? QUANTITY_PERCENT
			: unit->kind == UNIT_RATIO ? QUANTITY_RATIO
						   : QUANTITY_DIFFERENCE;
	if (out->quantity != QUANTITY_DIFFERENCE)
		return KYMO_OK;
	out->value *= unit->scale;
	if (is_time    ? unit->kind == UNIT_TIME
	    : is_bytes ? unit->kind == UNIT_BYTES || unit->kind == UNIT_NONE
		       : unit->kind == UNIT_NONE)
		return KYMO_OK;
	return problem_set(problem, KYMO_USAGE,
			   "the value of the condition '%s' needs another unit: %s", out->text,
			   is_time    ? "%, x, s, ms, us or ns"
			   : is_bytes ? "%, x, kB, MB or GB"
				      : "%, x or none");
}

enum kymo_status diff_condition_parse(const char *text, struct diff_condition *out,
				      struct problem *problem)
{
	struct diff_condition condition = {.text = text};
	const struct unit *unit = NULL;
	const char *colon = strchr(text, ':');
	const char *operator= find_operator(text, &condition.value, &unit);
	enum kymo_status status;

	if (!colon || !operator|| colon == text || operator<= colon + 1)
		return condition_refuse(text, problem);
	condition.region = colon + 1;
	condition.region_length = (size_t)(operator- condition.region);
	condition.is_above = *operator== '>';
	condition.is_or_equal = operator[1] == '=';
	status = parse_metric(text, (size_t)(colon - text), &condition, problem);
	if (status == KYMO_OK)
		status = take_unit(unit, &condition, problem);
	if (status == KYMO_OK)
		*out = condition;
	return status;
}

const char *diff_condition_value(const struct diff_condition *condition, double value, char *text,
				 size_t size)
{
	char buffer[QUANTITY_MAX];

	if (is_metric_of(condition, "ns"))
		snprintf(text, size, "%s", quantity_duration(value * 1e-9, buffer));
	else if (is_metric_of(condition, "bytes"))
		snprintf(text, size, "%s", quantity_bytes(value, buffer));
	else
		snprintf(text, size, "%.6g", value);
	return text;
}
