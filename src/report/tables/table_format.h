/* One cell as text: the exact form of the boxed tables, and the plain form for people. */
#ifndef KYMO_TABLE_FORMAT_H
#define KYMO_TABLE_FORMAT_H

#include <stdbool.h>

struct table_cell;
struct table_column;

/* No value, or not a number: "-", in CSV nothing, in JSON null. */
bool table_cell_is_empty(const struct table_column *column, const struct table_cell *cell);

#define TABLE_CELL_MAX 64 /* maximum bytes of a number */

/* A cell that is no text as people read it: "1.234 s", "12,345".  Returns buffer. */
const char *table_format_plain(const struct table_column *column, const struct table_cell *cell,
			       char buffer[TABLE_CELL_MAX]);

/* As the column specifies: fixed decimals or scientific.  Texts are cleaned for people
 * (base/text/plaintext.h) and stay valid until the next call of either function. */
const char *table_format_exact(const struct table_column *column, const struct table_cell *cell,
			       char buffer[TABLE_CELL_MAX]);

#endif
