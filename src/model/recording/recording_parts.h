/* The threads that were merged into a recording, and their shares of each region. */
#ifndef KYMO_RECORDING_PARTS_H
#define KYMO_RECORDING_PARTS_H

#include "model/recording/recording.h"

/* Fill recording->parts, with its tables: recording_tables.h.  KYMO_OK or KYMO_MEMORY. */
enum kymo_status recording_load_parts(struct recording *recording);

struct share_stream { /* a position in the records of a type of chunks */
	size_t chunk;
	uint64_t offset; /* in the chunk */
	uint32_t part, region;
};
/* The shares of all parts in file order; false at the end.  position begins as zeros. */
struct share_position {
	struct share_stream shares, work;
	struct recording_share next_work; /* whose self and total are work */
	bool has_work;			  /* next_work is a record */
	bool is_begun;
};
bool recording_share(const struct recording *recording, struct share_position *position,
		     struct recording_share *out);

#endif
