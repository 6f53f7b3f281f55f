/* Imported processes as a run: one recording each, in one directory. */
#ifndef KYMO_IMPORTED_WRITE_H
#define KYMO_IMPORTED_WRITE_H

#include "import/imported.h"

struct imported_target {
	const char *directory; /* must exist */
	const char *program;   /* for processes without a name */
	const char *source;    /* path of the imported file */
	uint64_t modified_ns;  /* its modification time, CLOCK_REALTIME; 0 = unknown */
	uint32_t first_number; /* number of recordings already in the directory */
	uint8_t run_id[16];    /* the same for all of a run */
};

/* Generate a new one. */
void imported_run_id(uint8_t run_id[16]);

/* Write all; *paths_out gets the paths of the files, for a caller that fails later (lines_free()).
 * On failure the files are removed. */
enum kymo_status imported_write(struct imported *imported, const struct imported_target *target,
				char ***paths_out, size_t *path_count_out, struct problem *problem);

#endif
