/* Compressed bytes come back as they were written, and the same every time. */
#include "export/gzip_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "import/import_source.h"

#define PATH_TEMPLATE "/tmp/kymo-gzip-XXXXXX"

struct packed {
	char path[64];
	struct export_sink *sink;
	struct gzip_writer writer;
};

static void begin(struct packed *packed)
{
	int fd;

	*packed = (struct packed){.path = PATH_TEMPLATE};
	fd = mkstemp(packed->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(sink_open(packed->path, true, &packed->sink, NULL), KYMO_OK);
	assert_int_equal(gzip_begin(&packed->writer, packed->sink), KYMO_OK);
}

static uint64_t end(struct packed *packed)
{
	uint64_t bytes;

	gzip_end(&packed->writer);
	assert_int_equal(sink_close(packed->sink, &bytes, NULL), KYMO_OK);
	return bytes;
}

static void test_pieces_of_any_size_come_back(void **state)
{
	static const size_t sizes[] = {0, 1, 100, SINK_RESERVE_MAX, 3 * SINK_RESERVE_MAX + 7, 5};
	enum { MOST = 5 * SINK_RESERVE_MAX };
	unsigned char *data = malloc(MOST);
	struct import_source source;
	struct packed packed;
	uint64_t seed = 1;
	size_t used = 0;

	(void)state;
	assert_non_null(data);
	for (size_t i = 0; i < MOST; i++) { /* half of it does not compress */
		seed = seed * UINT64_C(6364136223846793005) + 1;
		data[i] = i % 2 ? 'a' : (unsigned char)(seed >> 40);
	}
	begin(&packed);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		gzip_write(&packed.writer, data + used, sizes[i]);
		used += sizes[i];
	}
	assert_true(end(&packed) < used);
	assert_int_equal(import_source_open(&source, packed.path, IMPORT_UNPACK_OWN, NULL),
			 KYMO_OK);
	assert_true(source.was_compressed);
	assert_int_equal(source.size, used);
	assert_memory_equal(source.data, data, used);
	import_source_close(&source);
	unlink(packed.path);
	free(data);
}

/* No time and no name in its header. */
static void test_the_same_bytes_every_time(void **state)
{
	char header[10];
	struct packed packed;
	FILE *file;

	(void)state;
	begin(&packed);
	gzip_write(&packed.writer, "x", 1);
	end(&packed);
	file = fopen(packed.path, "rb");
	assert_non_null(file);
	assert_int_equal(fread(header, 1, sizeof(header), file), sizeof(header));
	fclose(file);
	assert_memory_equal(header, "\x1f\x8b\x08\0\0\0\0\0\0", 9);
	unlink(packed.path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_of_any_size_come_back),
		cmocka_unit_test(test_the_same_bytes_every_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
