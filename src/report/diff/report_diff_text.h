/* Differences in words: changes, names of regions, and what is good or bad of them. */
#ifndef KYMO_REPORT_DIFF_TEXT_H
#define KYMO_REPORT_DIFF_TEXT_H

#include "report/diff/report_diff_types.h"

/* Escape sequences; diff_colour() is the one to write, "" where no colours are. */
#define DIFF_BOLD   "\033[1m"
#define DIFF_YELLOW "\033[33m"
#define DIFF_GREEN  "\033[32m"
#define DIFF_RED    "\033[31m"
#define DIFF_NORMAL "\033[0m"
const char *diff_colour(const struct diff_report *report, const char *sequence);

/* What the values of a table are about. */
enum diff_measure diff_order_measure(enum diff_order order);
double diff_value_of(const struct diff_value *value, enum diff_measure measure);
/* Whether that much is to be shown: not nothing, and not less than asked for. */
bool diff_is_shown(const struct diff_report *report, double before, double after);
/* "+45.1 %", "~+2.3 %" where it may be chance, "new", "gone"; to the right of its column. */
#define DIFF_CHANGE_MAX 32
void diff_change_text(const struct diff_value value[DIFF_SIDES], enum diff_measure measure,
		      enum diff_verdict verdict, char text[DIFF_CHANGE_MAX]);
/* "f  x.py:3 (was 10)", cut to size. */
void diff_region_text(const struct diff_region *region, char *text, size_t size);
enum table_tone diff_tone(enum diff_verdict verdict, double before, double after);

#endif
