/* What is packed is gzip's, comes back as it was, and is the same every time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command/xalloc.h"
#include "import/gzip_reader.h"
#include "view/page_pack.h"

enum { SIZE = 300000 };

struct unpacked {
	const unsigned char *expected;
	size_t at;
};

static bool compare(void *context, const void *data, size_t size)
{
	struct unpacked *unpacked = context;

	assert_true(size <= SIZE - unpacked->at);
	assert_memory_equal(data, unpacked->expected + unpacked->at, size);
	unpacked->at += size;
	return true;
}

/* False: there is no zlib. */
static bool packs(const unsigned char *data, size_t size, unsigned char **packed,
		  size_t *packed_size)
{
	struct unpacked unpacked = {data, 0};
	struct problem problem;

	if (!page_pack(data, size, packed, packed_size))
		return false;
	assert_true(gzip_is_packed(*packed, *packed_size));
	assert_int_equal(gzip_unpack(*packed, *packed_size, "x", compare, &unpacked, &problem),
			 KYMO_OK);
	assert_int_equal(unpacked.at, size);
	return true;
}

static unsigned char *random_bytes(void)
{
	unsigned char *data = malloc(SIZE);
	uint64_t seed = 1;

	assert_non_null(data);
	for (size_t i = 0; i < SIZE; i++) {
		seed = seed * UINT64_C(6364136223846793005) + 1;
		data[i] = (unsigned char)(seed >> 40);
	}
	return data;
}

static void test_all_sizes_come_back(void **state)
{
	static const size_t sizes[] = {0, 1, 4096, SIZE};
	unsigned char *data = random_bytes(), *packed;
	size_t size;

	(void)state;
	/* Such bytes grow by a little. */
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (packs(data, sizes[i], &packed, &size))
			xfree(packed);
	free(data);
}

static void test_what_repeats_becomes_small(void **state)
{
	unsigned char *data = calloc(1, SIZE), *packed;
	size_t size;

	(void)state;
	assert_non_null(data);
	if (packs(data, SIZE, &packed, &size)) {
		assert_true(size < SIZE / 100);
		xfree(packed);
	}
	free(data);
}

static void test_same_bytes_are_packed_the_same(void **state)
{
	unsigned char *data = random_bytes(), *packed[2];
	size_t sizes[2];

	(void)state;
	if (packs(data, SIZE, &packed[0], &sizes[0])) {
		assert_true(packs(data, SIZE, &packed[1], &sizes[1]));
		assert_int_equal(sizes[0], sizes[1]);
		assert_memory_equal(packed[0], packed[1], sizes[0]);
		xfree(packed[0]);
		xfree(packed[1]);
	}
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_sizes_come_back),
		cmocka_unit_test(test_what_repeats_becomes_small),
		cmocka_unit_test(test_same_bytes_are_packed_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
