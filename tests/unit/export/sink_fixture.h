/* A sink whose bytes are looked at: what was written, from a temporary file.  Include cmocka.h
 * before. */
#ifndef KYMO_SINK_FIXTURE_H
#define KYMO_SINK_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "export/export_sink.h"

struct sunk {
	char path[64];
	struct export_sink *sink;
	unsigned char *data; /* NUL-terminated; NULL before sunk_end() */
	size_t size;
};

static inline struct export_sink *sunk_begin(struct sunk *sunk)
{
	int fd;

	*sunk = (struct sunk){.path = "/tmp/kymo-sink-XXXXXX"};
	fd = mkstemp(sunk->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sink_open(sunk->path, true, &sunk->sink, NULL), KYMO_OK);
	return sunk->sink;
}

/* The caller frees sunk->data. */
static inline void sunk_end(struct sunk *sunk)
{
	uint64_t bytes;
	FILE *file;

	assert_int_equal(sink_close(sunk->sink, &bytes, NULL), KYMO_OK);
	sunk->size = (size_t)bytes;
	sunk->data = calloc(1, sunk->size + 1);
	assert_non_null(sunk->data);
	file = fopen(sunk->path, "rb");
	assert_non_null(file);
	assert_int_equal(fread(sunk->data, 1, sunk->size, file), sunk->size);
	fclose(file);
	unlink(sunk->path);
}

#endif
