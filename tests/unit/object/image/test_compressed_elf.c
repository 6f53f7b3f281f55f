/* Compressed ELF files: what is none is refused, and what is plain is read. */
#include "object/image/compressed_elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As whoever begins with libelf does. */
static int begin_libelf(void **state)
{
	(void)state;
	return elf_version(EV_CURRENT) == EV_NONE ? -1 : 0;
}

/* A file that has these bytes; it has no name any more. */
static int file_of(const void *bytes, size_t size)
{
	char path[] = "/tmp/kymo-compressed-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void expect_none(const void *bytes, size_t size)
{
	int fd = file_of(bytes, size);
	Elf *elf = compressed_elf_begin(fd);

	assert_true(!elf || elf_kind(elf) != ELF_K_ELF);
	elf_end(elf);
	close(fd);
}

static void test_other_bytes_are_none(void **state)
{
	static const char text[] = "what is neither compressed nor a program's";

	(void)state;
	expect_none("", 0);
	expect_none("\x7f", 1);
	expect_none(text, sizeof(text));
}

/* What begins like each of the forms and is nothing of it. */
static void test_damaged_ones_are_none(void **state)
{
	static const char *const heads[] = {"\xfd"
					    "7zXZ",
					    "\x28\xb5\x2f\xfd", "\x1f\x8b\x08",
					    "\x7f"
					    "ELF"};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		char bytes[64];

		memset(bytes, 0x5a, sizeof(bytes));
		memcpy(bytes, heads[i], strlen(heads[i]));
		expect_none(bytes, i == 3 ? 4 : sizeof(bytes));
	}
}

static void test_closed_file_is_none(void **state)
{
	Elf *elf = compressed_elf_begin(-1);

	(void)state;
	assert_true(!elf || elf_kind(elf) != ELF_K_ELF);
	elf_end(elf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_bytes_are_none),
		cmocka_unit_test(test_damaged_ones_are_none),
		cmocka_unit_test(test_closed_file_is_none),
	};

	return cmocka_run_group_tests(tests, begin_libelf, NULL);
}
