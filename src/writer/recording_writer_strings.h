/* The strings of a recording being made, each written once. Not NUL-terminated only: they may be
 * any bytes.  Failures are the file's. */
#ifndef KYMO_RECORDING_WRITER_STRINGS_H
#define KYMO_RECORDING_WRITER_STRINGS_H

#include <stdbool.h>

#include "base/hashset.h"
#include "writer/recording_writer_file.h"

struct recording_writer_strings {
	struct recording_writer_section section;
	struct hashset by_content;
	char *texts; /* indexed strings, with their references */
	size_t size, capacity;
	bool is_bounded; /* drops its index when it is large: some are written again */
};

void recording_writer_strings_init(struct recording_writer_strings *strings);
/* Reference of the string; 0 for NULL, and on failure. */
uint64_t recording_writer_strings_add(struct recording_writer_file *file,
				      struct recording_writer_strings *strings, const char *text);
void recording_writer_strings_finish(struct recording_writer_file *file,
				     struct recording_writer_strings *strings);

#endif
