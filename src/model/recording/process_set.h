/* Recorded processes by their identity, and where each was found: a process in a recording of its
 * own and in a merged one is the same.
 *
 * The caller owns the set, which begins as {0}, and the paths, which must outlive it.  One thread
 * at a time. */
#ifndef KYMO_PROCESS_SET_H
#define KYMO_PROCESS_SET_H

#include "base/hashset.h"
#include "model/recording/recording.h"

struct process_id {
	uint8_t run_id[16];
	uint64_t start_realtime_ns;
	uint32_t pid;
};

struct process_set {
	struct process_set_entry *entries;
	size_t count, capacity;
	struct hashset by_id;
};

struct process_id process_id_of_part(const struct recording_part *part);

/* A run without an id is identified by the content of the recording. */
bool process_run_is_named(const uint8_t run_id[16]);
void process_name_run(uint8_t run_id[16], const void *content, size_t size);

/* Whether the part is the first one of its process. */
bool recording_part_is_new_process(const struct recording *recording, uint32_t part);

/* The path that it was added with; NULL = it is not in the set. */
const char *process_set_find(const struct process_set *set, const struct process_id *id);

/* Both: false = out of memory.  Of a recording: all of its processes that are not in the set
 * yet. */
bool process_set_add(struct process_set *set, const struct process_id *id, const char *path);
bool process_set_add_all(struct process_set *set, const struct recording *recording,
			 const char *path);

/* How many processes of a recording are in the set, and the path of one of them, which is set only
 * if there are any; *total_out, which may be NULL: how many the recording has. */
size_t process_set_count(const struct process_set *set, const struct recording *recording,
			 const char **path_out, size_t *total_out);

void process_set_release(struct process_set *set);

#endif
