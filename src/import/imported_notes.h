/* Notes of an import about itself: what was skipped, what was changed. */
#ifndef KYMO_IMPORTED_NOTES_H
#define KYMO_IMPORTED_NOTES_H

#include "import/imported.h"
#include "writer/recording_writer.h"

/* A sentence for each count that is not 0. */
void imported_put_counts(const struct imported *imported, struct recording_writer *maker);

/* Note the recorded command line, without its secrets. */
void imported_note_command(struct imported *imported, struct span line);

/* Note that weights are not times, but counts of unit. */
void imported_note_unit(struct imported *imported, const char *unit);

#endif
