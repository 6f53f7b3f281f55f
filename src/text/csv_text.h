/* A text as a cell of comma-separated values, for programs and for spreadsheets.
 *
 * Controls are escaped as for people (base/text/plaintext.h).  Spreadsheets interpret cells that
 * begin with one of = + - @ as formulas, which may start programs: such a cell gets a ' prefix,
 * which spreadsheets do not show.  Numbers are unchanged. */
#ifndef KYMO_CSV_TEXT_H
#define KYMO_CSV_TEXT_H

#include <stdio.h>

/* separator: written between cells. */
void csv_write_text(const char *text, const char *separator, FILE *out);

#endif
