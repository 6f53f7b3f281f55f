/* Reads one table of a recording whose records have ids: common code of all tables. */
#ifndef KYMO_RECORDING_TABLE_H
#define KYMO_RECORDING_TABLE_H

#include "model/recording/recording.h"

/* The number of records of a table whose ids begin at each chunk's base. */
uint32_t recording_table_length(struct recording *recording, enum kymo_chunk_type type);
/* Calls load() for the records below length; *bad counts invalid references to strings. */
typedef void (*table_load_fn)(struct recording *recording, uint32_t id, const void *record,
			      unsigned *bad);
void recording_table_load(struct recording *recording, enum kymo_chunk_type type, uint32_t length,
			  table_load_fn load);
/* Text of the string record at reference; NULL for 0 and, counted in *bad, for an invalid
 * reference. */
const char *recording_text(const struct recording *recording, uint64_t reference, unsigned *bad);

#endif
