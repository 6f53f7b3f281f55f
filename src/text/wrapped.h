/* Sentences on a terminal: words wrapped to a width, cleaned (base/text/plaintext.h). */
#ifndef KYMO_WRAPPED_H
#define KYMO_WRAPPED_H

#include <stdio.h>

/* Write text followed by a newline; lines end before width (0 = one line), and those after the
 * first begin in column, where the first one starts already. */
void wrapped_write(const char *text, size_t column, size_t width, FILE *out);

#endif
