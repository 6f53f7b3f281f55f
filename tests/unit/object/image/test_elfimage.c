/* ELF files of other processes: what is found in a good one, and that a damaged one does no
 * harm. */
#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "object/image/elfimage.h"
#include "platform/files/filehole.h"

int elfimage_test_symbol(int value);
__attribute__((noinline)) int elfimage_test_symbol(int value)
{
	return value + 1;
}

static unsigned char *bytes; /* of this program's file */
static size_t size;

static int read_self(void **state)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat status;

	(void)state;
	if (file < 0 || fstat(file, &status) < 0)
		return -1;
	size = (size_t)status.st_size;
	bytes = malloc(size);
	if (read(file, bytes, size) != (ssize_t)size)
		return -1;
	close(file);
	return 0;
}

static unsigned char *copy_of(size_t length)
{
	unsigned char *copy = malloc(length ? length : 1);

	memcpy(copy, bytes, length);
	return copy;
}

static void look_at_all(const struct elfimage *image)
{
	struct elfimage_name names[] = {{.name = "elfimage_test_symbol"}, {.name = "no such one"}};
	struct elfimage_section header, frames, text;
	uint64_t low, high;

	elfimage_symbols(image, names, 2);
	elfimage_section(image, ".text", &text);
	elfimage_unwind(image, &header, &frames);
	elfimage_span(image, &low, &high);
}

static void test_own_file(void **state)
{
	struct elfimage_name names[] = {{.name = "elfimage_test_symbol"}, {.name = "no such one"}};
	struct elfimage_section header, frames, text;
	struct elfimage *image = elfimage_from_bytes(copy_of(size), size);
	uint64_t low, high;

	(void)state;
	assert_non_null(image);
	elfimage_symbols(image, names, 2);
	assert_true(names[0].value != 0 && names[0].size != 0);
	assert_int_equal(names[1].value, 0);
	assert_true(elfimage_section(image, ".text", &text));
	assert_true(names[0].value >= text.address && names[0].value < text.address + text.size);
	assert_false(elfimage_section(image, ".no.such", &text));
	assert_true(elfimage_span(image, &low, &high) && low < names[0].value &&
		    names[0].value < high);
	assert_true(elfimage_unwind(image, &header, &frames) && frames.bytes && frames.size > 0);
	elfimage_free(image);
}

/* Cut off anywhere, it is refused or looked at without reading behind its end. */
static void test_cut(void **state)
{
	(void)state;
	for (size_t length = 0; length < size; length += length < 5000 ? 13 : size / 97) {
		struct elfimage *image = elfimage_from_bytes(copy_of(length), length);

		if (image)
			look_at_all(image);
		elfimage_free(image);
	}
}

/* Numbers in the headers that point anywhere. */
static void test_damaged(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < 400; round++) {
		unsigned char *copy = copy_of(size);
		const Elf64_Ehdr *header = (const Elf64_Ehdr *)copy;
		struct elfimage *image;

		for (int i = 0; i < 8; i++) {
			uint64_t where[] = {16 + random % 48, header->e_phoff + random % 512,
					    header->e_shoff + random % 2048};

			random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
			if (where[i % 3] < size)
				copy[where[i % 3]] = (unsigned char)(random >> 56);
		}
		image = elfimage_from_bytes(copy, size);
		if (image)
			look_at_all(image);
		elfimage_free(image);
	}
}

/* The program whose file it is makes it shorter, and longer again with nothing in it. */
static void test_cut_meanwhile(void **state)
{
	filehole_guard();
	for (size_t left = 0; left < size; left += size / 7 + 1) {
		char path[] = "/tmp/kymo-elfimage-XXXXXX";
		int file = mkstemp(path);
		struct elfimage *image;

		unlink(path);
		assert_true(write(file, bytes, size) == (ssize_t)size);
		image = elfimage_open(file);
		assert_non_null(image);
		assert_int_equal(ftruncate(file, (off_t)left), 0);
		look_at_all(image);
		assert_int_equal(ftruncate(file, (off_t)size), 0);
		look_at_all(image);
		elfimage_free(image);
		close(file);
	}
	filehole_restore();
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_file),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_cut_meanwhile),
	};

	return cmocka_run_group_tests(tests, read_self, NULL);
}
