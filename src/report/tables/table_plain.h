/* Tables for people: plain columns on a terminal, and markdown for pages. */
#ifndef KYMO_TABLE_PLAIN_H
#define KYMO_TABLE_PLAIN_H

#include <stdbool.h>
#include <stdio.h>

struct table;

/* For people: columns without frames.  Texts are cut so that lines are at most width
 * columns wide, 0 = no limit, and paths at their start; headings are dim when has_colour. */
void table_write_plain(const struct table *table, unsigned int width, bool has_colour, FILE *out);

/* As in the plain form, for pages. */
void table_write_markdown(const struct table *table, FILE *out);

#endif
