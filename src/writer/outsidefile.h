/* The file of a recording about another process.
 *
 * Like the runtime's own: chunks are mapped and published when they are complete, so that Kymo,
 * too, may be killed at any time.  One writer, one thread; uses malloc. */
#ifndef KYMO_OUTSIDEFILE_H
#define KYMO_OUTSIDEFILE_H

#include <limits.h>
#include <sys/types.h>

#include "base/hashset.h"
#include "base/status.h"
#include "format/format.h"
#include "platform/files/mapfile.h"

struct outsidefile {
	struct mapfile file;
	char path[PATH_MAX];
	struct kymo_header *header;
	uint64_t limit_bytes; /* 0 = none */
	uint64_t sequence;
	struct kymo_chunk *streams[KYMO_CHUNK_TYPES]; /* the current chunk of each table */
	uint32_t payloads[KYMO_CHUNK_TYPES];
	struct hashset strings;
	bool is_full;
};

/* Create directory/program-pid.kymo with a complete header; the caller writes the rest. */
enum kymo_status outsidefile_create(struct outsidefile *file, const char *directory,
				    const char *program, pid_t pid, struct problem *problem);
/* A new chunk; NULL: no space, which is counted in the header. */
struct kymo_chunk *outsidefile_chunk(struct outsidefile *file, enum kymo_chunk_type type,
				     uint64_t payload, uint32_t thread, uint32_t record_size,
				     uint64_t base);
/* Reserve a record of a table, whose next id is first_id; then publish it. */
void *outsidefile_append(struct outsidefile *file, enum kymo_chunk_type type, uint64_t size,
			 uint32_t record_size, uint64_t first_id);
void outsidefile_publish(struct outsidefile *file, enum kymo_chunk_type type, uint64_t size);
/* References of strings; 0 for NULL, and when there is no space.  bytes: duplicates are not
 * searched. */
uint64_t outsidefile_string(struct outsidefile *file, const char *text);
uint64_t outsidefile_bytes(struct outsidefile *file, const void *bytes, size_t size);
void outsidefile_note(struct outsidefile *file, enum kymo_note_kind kind, const char *key,
		      const char *value);
/* Read the clocks again when due. */
void outsidefile_calibrate(struct outsidefile *file, bool is_forced);
/* state: how the process ended, as far as known. */
void outsidefile_close(struct outsidefile *file, enum kymo_state state);

#endif
