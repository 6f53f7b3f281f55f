/* The lists of functions that `kymo instrument` prints and writes: all, the instrumented ones, the
 * others with the reason, and overlapping ones (docs/instrument.md, "Reports").
 *
 * One thread.  Context: init. */
#ifndef KYMO_INSTRUMENT_REPORT_H
#define KYMO_INSTRUMENT_REPORT_H

#include <stddef.h>

#include "cli/instrument/function_choice.h"
#include "model/code/symbols.h"

enum instrument_list {
	LIST_AVAILABLE,
	LIST_INSTRUMENTED,
	LIST_EXCLUDED,
	LIST_OVERLAPPING,
	LIST_COUNT
};
const char *instrument_list_name(enum instrument_list list);

enum instrument_form { INSTRUMENT_TEXT, INSTRUMENT_JSON, INSTRUMENT_XML, INSTRUMENT_FORM_COUNT };
/* "txt", "json", "xml". */
const char *instrument_form_name(enum instrument_form form);

#define INSTRUMENT_WORDS "functions|functions+|modules|pair|pair+"

struct instrument_report {
	const struct function_choice *choices; /* one per file */
	size_t choice_count;
	struct symbols *symbols;
	enum patch_cost cost;
};

/* All lists as files in a folder, which is made. */
enum kymo_status instrument_report_write(const struct instrument_report *report, const char *folder,
					 enum instrument_form form, struct problem *problem);

#endif
