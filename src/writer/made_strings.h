/* The strings of a recording that is made, each written once.
 * Not by content alone: they may be any bytes.  Failures are the file's. */
#ifndef KYMO_MADE_STRINGS_H
#define KYMO_MADE_STRINGS_H

#include <stdbool.h>

#include "base/hashset.h"
#include "writer/made_file.h"

struct made_strings {
	struct made_section section;
	struct hashset by_content;
	char *texts; /* of those that can be found again, with their references */
	size_t size, capacity;
	bool is_bounded; /* forgets what it has when that is much: some are written again */
};

void made_strings_init(struct made_strings *strings);
/* Reference of the string; 0 for NULL, and when that failed. */
uint64_t made_strings_add(struct made_file *file, struct made_strings *strings, const char *text);
void made_strings_finish(struct made_file *file, struct made_strings *strings);

#endif
