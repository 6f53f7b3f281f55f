/* Differences in words: changes, names of regions, and which changes are good or bad. */
#ifndef KYMO_REPORT_DIFF_TEXT_H
#define KYMO_REPORT_DIFF_TEXT_H

#include "report/diff/report_diff_types.h"

/* Escape sequences; write them with diff_colour(), which is "" without colours. */
#define DIFF_BOLD   "\033[1m"
#define DIFF_YELLOW "\033[33m"
#define DIFF_GREEN  "\033[32m"
#define DIFF_RED    "\033[31m"
#define DIFF_NORMAL "\033[0m"
const char *diff_colour(const struct diff_report *report, const char *sequence);

/* The measure of a table's values. */
enum diff_measure diff_order_measure(enum diff_order order);
double diff_value_of(const struct diff_value *value, enum diff_measure measure);
/* Whether the change is shown: not zero, and at least the selected limit. */
bool diff_is_shown(const struct diff_report *report, double before, double after);
/* "+45.1 %", "~+2.3 %" if it may be chance, "new", "gone"; right-aligned. */
#define DIFF_CHANGE_MAX 32
void diff_change_text(const struct diff_value value[DIFF_SIDES], enum diff_measure measure,
		      enum diff_verdict verdict, char text[DIFF_CHANGE_MAX]);
/* "f  x.py:3 (was 10)", cut to size. */
void diff_region_text(const struct diff_region *region, char *text, size_t size);
enum table_tone diff_tone(enum diff_verdict verdict, double before, double after);

#endif
