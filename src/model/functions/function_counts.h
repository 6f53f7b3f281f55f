/* Counted functions of a recording, by thread.  Everything is checked; the reader itself counts
 * what it left out.  Uses malloc. */
#ifndef KYMO_FUNCTION_COUNTS_H
#define KYMO_FUNCTION_COUNTS_H

#include "model/functions/counted_calls.h"
#include "model/recording/recording.h"

/* The functions of a thread that were called, by id, and their callers; not estimated yet.  Must be
 * released.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status function_counts_read(const struct recording *recording, uint32_t thread,
				      struct counted_calls *out, uint64_t *dropped);
void function_counts_release(struct counted_calls *calls);

#endif
