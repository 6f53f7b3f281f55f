/* The tables of a recording, read into arrays when it is opened. Invalid records are left out and
 * reported once per kind of error. */
#ifndef KYMO_RECORDING_TABLES_H
#define KYMO_RECORDING_TABLES_H

#include "model/recording/recording.h"

/* Fill regions, threads, notes, series and modules.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status recording_load_tables(struct recording *recording);
void recording_release_tables(struct recording *recording);

#endif
