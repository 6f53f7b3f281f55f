/* The tracks of a Chrome trace: the file's events, in any order, become nested events in the order
 * of time.  Complete events ("X") nest by their times alone; begins and ends ("B", "E") by their
 * order; asynchronous ones ("b", "e") may overlap and are placed on as many tracks as necessary. */
#ifndef KYMO_CHROME_TRACKS_H
#define KYMO_CHROME_TRACKS_H

#include "import/imported.h"

struct chrome_slice {
	int64_t begin_ns, end_ns; /* end: of complete events */
	uint32_t region;
	char phase; /* X, B, E, i */
};

struct chrome_track { /* of one thread; index = imported thread */
	struct chrome_slice *slices;
	size_t count, capacity;
	bool has_complete, has_begins;
};

struct chrome_operation { /* an event of an asynchronous operation */
	int64_t ns;
	uint64_t key; /* the same for events of one operation */
	uint32_t process, region;
	uint32_t sequence;
	bool is_begin;
};

struct chrome_tracks {
	struct imported *imported;
	struct chrome_track *tracks;
	size_t track_capacity, track_count;
	struct chrome_operation *operations;
	size_t operation_count, operation_capacity;
};

/* Both drop the event and record the failure in imported when out of memory. */
void chrome_tracks_add(struct chrome_tracks *tracks, uint32_t thread,
		       const struct chrome_slice *slice);
void chrome_tracks_operate(struct chrome_tracks *tracks, const struct chrome_operation *operation);

/* Add all of them to imported. */
void chrome_tracks_finish(struct chrome_tracks *tracks);
void chrome_tracks_release(struct chrome_tracks *tracks);

#endif
