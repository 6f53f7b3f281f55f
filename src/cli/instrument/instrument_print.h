/* Lists of functions on standard output, a line each, and the line of a summary. */
#ifndef KYMO_INSTRUMENT_PRINT_H
#define KYMO_INSTRUMENT_PRINT_H

#include <stddef.h>

#include "cli/instrument/instrument_report.h"

struct function_choice;

/* One line a function or file on standard output; word: one of INSTRUMENT_WORDS. */
void instrument_report_print(const struct instrument_report *report, enum instrument_list list,
			     const char *word);

/* "app: 1700 of 1732 functions instrumented, 1520 with all exits"; the latter not for counts. */
void instrument_report_summary(const struct function_choice *choice, char *line, size_t size);

#endif
