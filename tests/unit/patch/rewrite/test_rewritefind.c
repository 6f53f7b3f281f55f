/* What a rewritten file says of itself, and files that are none or damaged. */
#include "patch/rewrite/rewritefind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "patch/rewrite/rewritehead.h"

static struct file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[2];
	struct rewrite_head head;
	char environment[8];
} file;

static int set_up(void **state)
{
	(void)state;
	memset(&file, 0, sizeof(file));
	memcpy(file.ehdr.e_ident, ELFMAG, SELFMAG);
	file.ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	file.ehdr.e_phoff = offsetof(struct file, phdrs);
	file.ehdr.e_phentsize = sizeof(Elf64_Phdr);
	file.ehdr.e_phnum = 2;
	file.phdrs[0] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_offset = offsetof(struct file, head),
		.p_filesz = sizeof(file) - offsetof(struct file, head),
	};
	memcpy(file.head.magic, REWRITE_MAGIC, sizeof(file.head.magic));
	file.head.version = REWRITE_VERSION;
	file.head.size = file.phdrs[0].p_filesz;
	file.head.cost = 2;
	file.head.taken = 17;
	file.head.variant = PLAN_VARIANT_SERIALIZED;
	file.head.environment_offset =
		offsetof(struct file, environment) - offsetof(struct file, head);
	file.head.environment_size = 4;
	memcpy(file.environment, "A=1", 4);
	return 0;
}

static bool find(size_t size, struct rewrite_found *found)
{
	char path[] = "/tmp/kymo-test-find-XXXXXX";
	int fd = mkstemp(path);
	bool is_found;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, &file, size), (ssize_t)size);
	close(fd);
	is_found = rewrite_find(path, found);
	unlink(path);
	return is_found;
}

static void test_found(void **state)
{
	struct rewrite_found found;

	(void)state;
	assert_true(find(sizeof(file), NULL));
	assert_true(find(sizeof(file), &found));
	assert_int_equal(found.cost, 2);
	assert_int_equal(found.taken, 17);
	assert_true(found.is_serialized);
	assert_int_equal(found.environment_size, 4);
	assert_memory_equal(found.environment, "A=1\0\0", 5);
	rewrite_found_release(&found);
	assert_null(found.environment);
}

/* The last segment that is loaded counts. */
static void test_others(void **state)
{
	(void)state;
	file.phdrs[1] = (Elf64_Phdr){.p_type = PT_NOTE};
	assert_true(find(sizeof(file), NULL));
	file.phdrs[1] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = sizeof(file)};
	assert_false(find(sizeof(file), NULL));
	set_up(state);
	file.head.version++;
	assert_false(find(sizeof(file), NULL));
	set_up(state);
	file.ehdr.e_ident[EI_CLASS] = ELFCLASS32;
	assert_false(find(sizeof(file), NULL));
	assert_false(rewrite_find("/nowhere/x", NULL));
}

static void test_damaged(void **state)
{
	struct rewrite_found found = {.taken = 99};

	(void)state;
	for (size_t size = 0; size < offsetof(struct file, environment); size += 8)
		assert_false(find(size, &found));
	file.head.size++;
	assert_false(find(sizeof(file), &found));
	set_up(state);
	file.head.environment_size = 1000;
	assert_false(find(sizeof(file), &found));
	set_up(state);
	file.head.environment_offset = (__typeof__(file.head.environment_offset))-1;
	assert_false(find(sizeof(file), &found));
	set_up(state);
	file.ehdr.e_phnum = 0xffff;
	assert_false(find(sizeof(file), &found));
	assert_int_equal(found.taken, 99); /* left as it was */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_found, set_up),
		cmocka_unit_test_setup(test_others, set_up),
		cmocka_unit_test_setup(test_damaged, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
