/* Imported processes as a run: one recording each, in one directory. */
#ifndef KYMO_IMPORTED_WRITE_H
#define KYMO_IMPORTED_WRITE_H

#include "import/imported.h"

struct imported_target {
	const char *directory; /* is there */
	const char *program;   /* where a process has no name of its own */
	const char *source;    /* path of the file that was imported */
	uint64_t modified_ns;  /* its time, CLOCK_REALTIME; 0 = unknown */
	uint32_t first_number; /* of recordings that are in the directory already */
	uint8_t run_id[16];    /* the same for all of a run */
};

/* A new one. */
void imported_run_id(uint8_t run_id[16]);

/* Write all; paths of what was written, for who gives up later, in *paths_out (lines_free()).
 * On failure what was written is taken away again. */
enum kymo_status imported_write(struct imported *imported, const struct imported_target *target,
				char ***paths_out, size_t *path_count_out, struct problem *problem);

#endif
