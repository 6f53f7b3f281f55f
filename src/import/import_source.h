/* A file to import, as bytes in memory: mapped, or if it is compressed by gzip, decompressed into
 * an unlinked temporary file, which is mapped, so that the data need not fit into memory. The same
 * is done for pipes, and for "-", which is standard input. */
#ifndef KYMO_IMPORT_SOURCE_H
#define KYMO_IMPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define IMPORT_TITLE_SIZE 200

struct import_source {
	const char *data;
	size_t size;
	char title[IMPORT_TITLE_SIZE]; /* the path, for error messages; long ones are cut at the
					  start */
	uint64_t modified_ns;	       /* CLOCK_REALTIME; 0 = unknown */
	bool is_mapped;
	bool was_compressed;
};

/* A small gzip file may decompress to any size: decompression stops at this many times the
 * compressed size, or at the minimum, whichever is more, unless the user gives a limit. */
#define IMPORT_UNPACK_RATIO 100
#define IMPORT_UNPACK_LEAST (UINT64_C(256) << 20)
#define IMPORT_UNPACK_OWN   UINT64_MAX /* as limit: the one above */

/* limit: maximum size after decompression.  On failure source is untouched. */
enum kymo_status import_source_open(struct import_source *source, const char *path, uint64_t limit,
				    struct problem *problem);
void import_source_close(struct import_source *source);
/* From bytes that the caller keeps alive (tests, fuzzing). */
struct import_source import_source_bytes(const char *title, const void *data, size_t size);

/* "'x.prof' is no <noun> that can be read: <why>".  Returns KYMO_FORMAT. */
enum kymo_status source_fail(const struct import_source *source, const char *noun,
			     struct problem *problem, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
