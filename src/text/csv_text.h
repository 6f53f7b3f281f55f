/* A text as a cell of comma-separated values, for programs and for spreadsheets.
 *
 * Controls are written out as for people (base/text/plaintext.h).  A spreadsheet takes what begins
 * with one of = + - @ for a formula, which may start programs: such a cell gets a ' in front, which
 * spreadsheets do not show.  What is a number as a whole stays one. */
#ifndef KYMO_CSV_TEXT_H
#define KYMO_CSV_TEXT_H

#include <stdio.h>

/* separator: what stands between cells. */
void csv_write_text(const char *text, const char *separator, FILE *out);

#endif
