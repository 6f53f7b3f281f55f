/* Parsing time windows.  Ambiguous input is refused. */
#include "config/periods.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text/listitem.h"
#include "config/settings.h"

#define FIELDS_MAX  4
#define NANOSECONDS 1000000000u
#define SECONDS_MAX 1000000000u /* 31 years: sums of two fit 64 bits of nanoseconds */
#define REPEAT_MAX  UINT32_MAX
#define SHOWN_MAX   100

static const struct {
	const char *name;
	clockid_t clock;
} clocks[] = {
	{"realtime", CLOCK_REALTIME},
	{"monotonic", CLOCK_MONOTONIC},
	{"cputime", CLOCK_PROCESS_CPUTIME_ID},
	{"process_cputime_id", CLOCK_PROCESS_CPUTIME_ID},
	{"monotonic_raw", CLOCK_MONOTONIC_RAW},
	{"realtime_coarse", CLOCK_REALTIME_COARSE},
	{"monotonic_coarse", CLOCK_MONOTONIC_COARSE},
	{"boottime", CLOCK_BOOTTIME},
};

struct field {
	const char *text;
	size_t length;
};

static bool is_clock_number(struct field field, clockid_t clock)
{
	return field.length == 1 && field.text[0] == (char)('0' + clock);
}

enum kymo_status period_clock(const char *text, size_t length, clockid_t *clock_out)
{
	static const char prefix[] = "CLOCK_";
	struct field field = {text, length};

	if (length > strlen(prefix) && strncasecmp(text, prefix, strlen(prefix)) == 0) {
		field.text += strlen(prefix);
		field.length -= strlen(prefix);
	}
	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		const char *name = clocks[i].name;

		if ((strlen(name) == field.length &&
		     strncasecmp(name, field.text, field.length) == 0) ||
		    is_clock_number((struct field){text, length}, clocks[i].clock)) {
			*clock_out = clocks[i].clock;
			return KYMO_OK;
		}
	}
	return KYMO_USAGE;
}

static bool periods_is_digit(char character)
{
	return character >= '0' && character <= '9';
}

/* Digits; false when there are none, or more than max. */
static bool parse_whole(struct field *field, uint64_t max, uint64_t *out)
{
	uint64_t value = 0;
	bool is_number = false;

	for (; field->length > 0 && periods_is_digit(*field->text);
	     field->text++, field->length--) {
		value = value * 10 + (uint64_t)(*field->text - '0');
		if (value > max)
			return false;
		is_number = true;
	}
	*out = value;
	return is_number;
}

/* Seconds with a fraction of at most nine significant digits. */
static bool parse_seconds(struct field field, uint64_t *ns_out)
{
	uint64_t seconds = 0, fraction = 0, unit = NANOSECONDS;
	bool has_whole = field.length > 0 && *field.text != '.';

	if (has_whole && !parse_whole(&field, SECONDS_MAX, &seconds))
		return false;
	if (field.length > 0 && *field.text == '.') {
		field.text++, field.length--;
		if (!has_whole && field.length == 0)
			return false;
		for (; field.length > 0 && periods_is_digit(*field.text);
		     field.text++, field.length--) {
			unit /= 10;
			fraction += unit * (uint64_t)(*field.text - '0');
		}
	}
	*ns_out = seconds * NANOSECONDS + fraction;
	return field.length == 0 && (has_whole || unit < NANOSECONDS);
}

/* Split an item at its colons; 0 when there are too many. */
static size_t periods_split(const char *item, size_t length, struct field *fields)
{
	const char *end = item + length;

	for (size_t count = 0; count < FIELDS_MAX; count++) {
		const char *colon = memchr(item, ':', (size_t)(end - item));

		fields[count] = (struct field){item, (size_t)((colon ? colon : end) - item)};
		if (!colon)
			return count + 1;
		item = colon + 1;
	}
	return 0;
}

/* NULL, or what is wrong. */
static const char *parse_item(const struct field *fields, size_t count, struct period *out)
{
	struct field repeat = count > 2 ? fields[2] : (struct field){"1", 1};

	if (count < 2)
		return "give DELAY:DURATION[:REPEAT[:CLOCK]]";
	if (!parse_seconds(fields[0], &out->delay_ns))
		return "its delay is not a number of seconds";
	if (!parse_seconds(fields[1], &out->duration_ns))
		return "its duration is not a number of seconds";
	if (!parse_whole(&repeat, REPEAT_MAX, &out->repeat) || repeat.length > 0)
		return "its number of repeats is not a whole number";
	if (count > 3 && period_clock(fields[3].text, fields[3].length, &out->clock) != KYMO_OK)
		return "its clock is not one of realtime, monotonic, cputime, monotonic_raw, "
		       "realtime_coarse, monotonic_coarse, boottime";
	if (out->duration_ns == 0 && out->repeat != 1)
		return "a duration of 0 lasts to the end and cannot be repeated";
	return NULL;
}

static bool is_endless(const struct period *period)
{
	return period->duration_ns == 0 || period->repeat == 0;
}

/* The number of characters that fit into one line. */
static int shown_length(const char *item, size_t length)
{
	size_t shown = 0;

	while (shown < length && shown < SHOWN_MAX && (unsigned char)item[shown] >= ' ')
		shown++;
	return (int)shown;
}

static enum kymo_status add_item(const char *item, size_t length, clockid_t default_clock,
				 struct periods *out, struct problem *problem)
{
	struct period *period = &out->items[out->count];
	struct field fields[FIELDS_MAX];
	const char *fault;

	if (out->count == PERIODS_MAX)
		return problem_set(problem, KYMO_USAGE, "more than %d periods are given",
				   PERIODS_MAX);
	*period = (struct period){.clock = default_clock};
	fault = parse_item(fields, periods_split(item, length, fields), period);
	if (!fault && out->count > 0 && is_endless(&out->items[out->count - 1]))
		fault = "the one before it has no end";
	if (fault)
		return problem_set(problem, KYMO_USAGE, "the period '%.*s' is not possible: %s",
				   shown_length(item, length), item, fault);
	out->count++;
	return KYMO_OK;
}

enum kymo_status periods_parse(const char *text, clockid_t default_clock, struct periods *out,
			       struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	const char *item;
	size_t length;

	out->count = 0;
	while (status == KYMO_OK && listitem_next(&text, &item, &length))
		status = add_item(item, length, default_clock, out, problem);
	return status;
}

static uint64_t periods_seconds_of(const struct settings *settings, enum setting_id id)
{
	return (uint64_t)(settings_number(settings, id) * NANOSECONDS + 0.5);
}

enum kymo_status periods_from_settings(const struct settings *settings, struct periods *out,
				       struct problem *problem)
{
	const char *clock_text = settings_text(settings, SET_TRACE_PERIOD_CLOCK_ID);
	struct period window = {.delay_ns = periods_seconds_of(settings, SET_TRACE_DELAY),
				.duration_ns = periods_seconds_of(settings, SET_TRACE_DURATION),
				.repeat = 1};
	enum kymo_status status;

	if (clock_text[0] && period_clock(clock_text, strlen(clock_text), &window.clock) < 0)
		return problem_set(problem, KYMO_USAGE,
				   "unknown clock '%s' in "
				   "KYMO_TRACE_PERIOD_CLOCK_ID",
				   clock_text);
	status = periods_parse(settings_text(settings, SET_TRACE_PERIODS), window.clock, out,
			       problem);
	if (status != KYMO_OK || (window.delay_ns == 0 && window.duration_ns == 0))
		return status;
	if (out->count > 0)
		return problem_set(problem, KYMO_USAGE,
				   "KYMO_TRACE_PERIODS and KYMO_TRACE_DELAY or "
				   "KYMO_TRACE_DURATION exclude each other: give one of them");
	out->items[out->count++] = window;
	return KYMO_OK;
}
