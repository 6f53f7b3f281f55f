/* Converts values to the type of an option's target: a number, a choice, one more text. */
#include "cli/options/option_target.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum kymo_status refuse_value(const struct option_row *row, const char *value,
				     const char *wanted, struct problem *problem)
{
	return problem_set(problem, KYMO_USAGE, "--%s takes %s, not '%s'", row->name, wanted,
			   value);
}

static enum kymo_status set_count(const struct option_row *row, const char *value,
				  struct problem *problem)
{
	uint64_t *target = row->target;
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno)
		return refuse_value(row, value, "a whole number", problem);
	*target = number;
	return KYMO_OK;
}

static enum kymo_status set_choice(const struct option_row *row, const char *value,
				   struct problem *problem)
{
	unsigned int *target = row->target;
	size_t length = strlen(value);
	unsigned int index = 0;
	char wanted[256];

	for (const char *choice = row->argument; choice; index++) {
		const char *comma = strchr(choice, ',');
		size_t size = comma ? (size_t)(comma - choice) : strlen(choice);

		if (size == length && strncmp(choice, value, size) == 0) {
			*target = index;
			return KYMO_OK;
		}
		choice = comma ? comma + 1 : NULL;
	}
	snprintf(wanted, sizeof(wanted), "one of %s", row->argument);
	return refuse_value(row, value, wanted, problem);
}

static enum kymo_status add_word(const struct option_row *row, const char *value,
				 struct problem *problem)
{
	struct option_words *words = row->target;

	if (words->count == OPTION_WORDS_MAX)
		return problem_set(problem, KYMO_USAGE, "--%s takes at most %d values", row->name,
				   OPTION_WORDS_MAX);
	words->items[words->count++] = value;
	return KYMO_OK;
}

enum kymo_status option_target_set(const struct option_row *row, const char *value,
				   struct problem *problem)
{
	switch (row->kind) {
	case OPTION_FLAG:
		*(bool *)row->target = true;
		break;
	case OPTION_TEXT:
		*(const char **)row->target = value;
		break;
	case OPTION_COUNT:
		return set_count(row, value, problem);
	case OPTION_CHOICE:
		return set_choice(row, value, problem);
	case OPTION_TEXTS:
	case OPTION_WORDS:
		return add_word(row, value, problem);
	default: /* those without a target */
		break;
	}
	return KYMO_OK;
}
