/* The tables of a recording, read into arrays when it is opened.
 * What a table holds of nonsense is left out and said once per kind of nonsense. */
#ifndef KYMO_RECORDING_TABLES_H
#define KYMO_RECORDING_TABLES_H

#include "model/recording/recording.h"

/* Fill regions, threads, notes, series and modules.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status recording_load_tables(struct recording *recording);
void recording_release_tables(struct recording *recording);

/* For tables in files of their own. */

/* The number of records of a table whose ids begin at each chunk's base. */
uint32_t recording_table_length(struct recording *recording, enum kymo_chunk_type type);
/* Calls load() for the records below length; *bad counts references to no string. */
typedef void (*table_load_fn)(struct recording *recording, uint32_t id, const void *record,
			      unsigned *bad);
void recording_table_load(struct recording *recording, enum kymo_chunk_type type, uint32_t length,
			  table_load_fn load);
/* Text of the string record at reference; NULL for 0 and, counted in *bad, for what is no
 * string. */
const char *recording_text(const struct recording *recording, uint64_t reference, unsigned *bad);

enum kymo_status recording_load_parts(struct recording *recording);

#endif
