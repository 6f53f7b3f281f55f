/* One function of a list, and its fields, for the writers of lists (instrument_report.h).  The
 * caller's memory.  One thread.  Context: init. */
#ifndef KYMO_INSTRUMENT_ITEM_H
#define KYMO_INSTRUMENT_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/textbuf.h"
#include "cli/instrument/instrument_report.h"

enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_ADDRESS, FIELD_BOOL };

struct instrument_field {
	const char *key;     /* in JSON and XML */
	const char *heading; /* in text; NULL = not there */
	enum field_kind kind;
	int width; /* of its column */
	const char *text;
	uint64_t number;
};
#define FIELDS_MAX 20

struct instrument_item { /* a function, while it is written; initialised to zeros except report */
	const struct instrument_report *report;
	const struct function_choice *choice;
	size_t index;
	char buffer[FUNCTION_NAME_SIZE];
	struct textbuf short_name, signature, linkage_name, module;
	struct instrument_field fields[FIELDS_MAX];
	size_t field_count;
};

/* Fill the fields from choice and index; their texts are valid until the next call. */
void instrument_item_describe(struct instrument_item *item);
void instrument_item_release(struct instrument_item *item);

bool instrument_list_has(enum instrument_list list, const struct function_choice *choice,
			 size_t index);
/* "solve" of "solve(int)": where the parameters begin. */
size_t instrument_bare_length(const char *name);

#endif
