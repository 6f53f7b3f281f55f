/* The modules of another process, by its list of mappings. */
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/target/targetmaps.h"

#define PAGE 4096u

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* An ELF file of one page whose one segment takes so many. */
static int make_elf(const char *name, unsigned pages)
{
	const struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
	} elf = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
			   .e_machine = MACHINE,
			   .e_phoff = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 1},
		.segment = {.p_type = PT_LOAD, .p_memsz = pages * PAGE},
	};
	int file = memfd_create(name, MFD_CLOEXEC);

	assert_int_equal(ftruncate(file, PAGE), 0);
	assert_int_equal(pwrite(file, &elf, sizeof(elf), 0), (ssize_t)sizeof(elf));
	return file;
}

static void test_file_that_is_read_ends_at_the_next(void **state)
{
	int data = make_elf("data", 8), module = make_elf("module", 1);
	char *room = mmap(NULL, 8 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct targetmodule *found;
	struct targetmaps maps;
	struct remote remote;

	(void)state;
	mmap(room, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, data, 0);
	mmap(room + 4 * PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, module, 0);
	remote_init(&remote, getpid());
	assert_int_equal(targetmaps_read(&maps, &remote), 0);
	found = targetmaps_module(&maps, (uintptr_t)room + 4 * PAGE);
	assert_non_null(found);
	assert_string_equal(found->path, "/memfd:module");
	targetmaps_release(&maps);
	remote_release(&remote);
	munmap(room, 8 * PAGE);
	close(data);
	close(module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_that_is_read_ends_at_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
