/* Shared by the files of the maker of recordings. */
#ifndef KYMO_RECORDING_WRITER_PRIVATE_H
#define KYMO_RECORDING_WRITER_PRIVATE_H

#include "writer/recording_writer_file.h"
#include "writer/recording_writer_strings.h"
#include "writer/recording_writer.h"

/* Ticks are nanoseconds; not 0 at the start, since 0 means "not". */
#define RECORDING_WRITER_START_TICKS UINT64_C(1)

struct maker_thread {
	struct kymo_thread_record record;
	uint64_t root_at; /* offset of its root node */
	bool has_root;	  /* with times of its own */
	struct recording_writer_section events;
	uint64_t time_base; /* ticks that the next event counts from */
	uint64_t last_ticks;
	uint32_t *open; /* regions, innermost last */
	size_t depth, capacity;
};

struct maker_shares {
	struct recording_writer_section section;
	uint32_t part, region; /* of the previous share */
};

struct recording_writer {
	struct recording_writer_file file;
	struct kymo_header header;
	struct recording_writer_strings strings;
	struct recording_writer_section regions, threads_table, nodes, series, points, notes, parts,
		totals, estimates;
	struct maker_shares shares, work;
	struct maker_thread *threads;
	uint32_t thread_count;
	size_t thread_capacity;
	uint32_t node_size;
	uint64_t latest; /* ticks */
	/* Regions that have an id, to find them again. */
	struct kymo_region *known;
	size_t known_count, known_capacity;
	struct hashset known_by_content;
};

/* Maximum size of a thread's chunk of events, by how many threads there are. */
uint32_t maker_event_limit(const struct recording_writer *maker);
static inline uint64_t maker_ticks(const struct recording_writer *maker, uint64_t ns)
{
	(void)maker;
	return ns + RECORDING_WRITER_START_TICKS;
}
static inline void maker_saw(struct recording_writer *maker, uint64_t ticks)
{
	if (ticks > maker->latest)
		maker->latest = ticks;
}
/* Reference of a thread's root, made now if necessary; 0 = failed. */
uint32_t maker_root(struct recording_writer *maker, uint32_t thread);
/* Patch or make the roots, write the threads' records and their open regions. */
void maker_finish_threads(struct recording_writer *maker);

#endif
