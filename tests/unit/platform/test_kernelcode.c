/* Names in objects that the loader may not know. */
#include "platform/kernelcode.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include <cmocka.h>

#if defined(__x86_64__)
#define CLOCK_NAME "__vdso_clock_gettime"
#else
#define CLOCK_NAME "__kernel_clock_gettime"
#endif

static void test_the_kernels_clock(void **state)
{
	const void *base = (const void *)getauxval(AT_SYSINFO_EHDR);
	int (*clock)(clockid_t, struct timespec *);
	struct timespec before, now, after;
	void *found;

	(void)state;
	if (!base)
		skip();
	found = kernelcode_find(base, CLOCK_NAME);
	assert_non_null(found);
	memcpy(&clock, &found, sizeof(clock));
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(clock(CLOCK_MONOTONIC, &now), 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(now.tv_sec > before.tv_sec ||
		    (now.tv_sec == before.tv_sec && now.tv_nsec >= before.tv_nsec));
	assert_true(after.tv_sec > now.tv_sec ||
		    (after.tv_sec == now.tv_sec && after.tv_nsec >= now.tv_nsec));
}

static void test_whole_names_only(void **state)
{
	const void *base = (const void *)getauxval(AT_SYSINFO_EHDR);

	(void)state;
	assert_null(kernelcode_find(base, "clock_gettim"));
	assert_null(kernelcode_find(base, CLOCK_NAME "s"));
	assert_null(kernelcode_find(base, "no_such_name"));
	assert_null(kernelcode_find(NULL, CLOCK_NAME));
}

/* A file in memory with three symbols and the newer hash table alone, as some kernels have it. */
struct image {
	ElfW(Ehdr) header;
	ElfW(Phdr) parts[2];
	ElfW(Dyn) dynamic[4];
	ElfW(Sym) symbols[4];
	struct {
		uint32_t buckets, first, words, shift;
		ElfW(Addr) filter;
		uint32_t bucket[1], chain[3];
	} hash;
	char names[32];
};

static struct image make_image(void)
{
	struct image image = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3},
			   .e_phoff = offsetof(struct image, parts),
			   .e_phnum = 2},
		.parts = {{.p_type = PT_LOAD, .p_vaddr = 0x1000},
			  {.p_type = PT_DYNAMIC, .p_offset = offsetof(struct image, dynamic)}},
		.dynamic = {{DT_SYMTAB, {.d_ptr = 0x1000 + offsetof(struct image, symbols)}},
			    {DT_STRTAB, {.d_ptr = 0x1000 + offsetof(struct image, names)}},
			    {DT_GNU_HASH, {.d_ptr = 0x1000 + offsetof(struct image, hash)}}},
		.symbols = {{0},
			    {.st_name = 1, .st_shndx = SHN_UNDEF, .st_value = 0x1010},
			    {.st_name = 7, .st_shndx = 1, .st_value = 0x1020},
			    {.st_name = 14, .st_shndx = 1, .st_value = 0x1030}},
		.hash = {1, 1, 1, 0, 0, {1}, {2, 4, 1}},
		.names = "\0first\0second\0third",
	};

	return image;
}

static void test_the_newer_hash_table(void **state)
{
	struct image image = make_image();
	char *base = (char *)&image;

	(void)state;
	assert_null(kernelcode_find(base, "first")); /* is not there, only needed */
	assert_ptr_equal(kernelcode_find(base, "second"), base + 0x20);
	assert_ptr_equal(kernelcode_find(base, "third"), base + 0x30);
	image.hash.bucket[0] = 0; /* no name has a hash */
	assert_null(kernelcode_find(base, "third"));
}

static void test_no_object(void **state)
{
	struct image image = make_image();

	(void)state;
	image.dynamic[0].d_tag = DT_NULL;
	assert_null(kernelcode_find(&image, "second"));
	image = make_image();
	image.header.e_phnum = 1;
	assert_null(kernelcode_find(&image, "second"));
	image.header.e_ident[0] = 'M';
	assert_null(kernelcode_find(&image, "second"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_kernels_clock),
		cmocka_unit_test(test_whole_names_only),
		cmocka_unit_test(test_the_newer_hash_table),
		cmocka_unit_test(test_no_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
