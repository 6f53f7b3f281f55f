/* The modules of another process, by its list of mappings. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/target/targetmaps.h"
#include "object/image/elfimage.h"

#define PAGE 4096u

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

int targetmaps_test_symbol(int value);
__attribute__((noinline)) int targetmaps_test_symbol(int value)
{
	return value + 1;
}

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

/* This program's own mappings, by what is known of them otherwise. */
static void test_own_modules(void **state)
{
	const uint64_t code = (uintptr_t)make_elf;
	const struct targetmap *first;
	struct targetmodule *found;
	struct targetmaps maps;
	struct remote remote;
	Dl_info information;

	(void)state;
	assert_int_not_equal(dladdr((void *)(uintptr_t)make_elf, &information), 0);
	remote_init(&remote, getpid());
	assert_int_equal(targetmaps_read(&maps, &remote), 0);
	found = targetmaps_module(&maps, code);
	assert_non_null(found);
	assert_int_equal(found->start, (uintptr_t)information.dli_fbase);
	assert_true(code >= found->start && code < found->end);
	assert_ptr_equal(targetmaps_module(&maps, found->start), found);
	assert_ptr_not_equal(targetmaps_module(&maps, found->end), found);
	assert_null(targetmaps_module(&maps, 8));
	first = &maps.maps[found->first];
	assert_int_equal(first->start, found->start);
	assert_int_equal(first->offset, 0);
	assert_true(first->is_readable && !first->is_writable && !first->is_deleted);
	for (size_t i = 1; i < maps.module_count; i++)
		assert_true(maps.modules[i].start >= maps.modules[i - 1].end);
	assert_non_null(targetmaps_image(&maps, found, &remote));
	assert_ptr_equal(targetmaps_image(&maps, found, &remote), found->image);
	targetmaps_release(&maps);
	remote_release(&remote);
}

/* Addresses in memory are those of the module's file and its bias. */
static void test_symbols_of_an_own_module(void **state)
{
	struct elfimage_name name = {.name = "targetmaps_test_symbol"};
	const uint64_t address = (uintptr_t)targetmaps_test_symbol;
	struct targetmodule *module;
	struct targetmaps maps;
	struct remote remote;

	(void)state;
	remote_init(&remote, getpid());
	assert_int_equal(targetmaps_read(&maps, &remote), 0);
	module = targetmaps_module(&maps, address);
	assert_non_null(module);
	assert_non_null(targetmaps_image(&maps, module, &remote));
	elfimage_symbols(module->image, &name, 1);
	assert_int_equal(name.value + module->bias, address);
	targetmaps_release(&maps);
	remote_release(&remote);
}

/* The file has no name: it is read by the mapping, or from memory. */
static void test_file_without_a_name(void **state)
{
	int file = make_elf("gone", 1);
	char *room = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	struct targetmodule *found;
	struct targetmaps maps;
	struct remote remote;

	(void)state;
	close(file);
	remote_init(&remote, getpid());
	assert_int_equal(targetmaps_read(&maps, &remote), 0);
	found = targetmaps_module(&maps, (uintptr_t)room);
	assert_non_null(found);
	assert_true(maps.maps[found->first].is_deleted);
	assert_string_equal(found->path, "/memfd:gone");
	assert_non_null(targetmaps_image(&maps, found, &remote));
	targetmaps_release(&maps);
	remote_release(&remote);
	munmap(room, PAGE);
}

static void test_process_that_is_gone(void **state)
{
	struct targetmaps maps;
	struct remote remote;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	remote_init(&remote, child);
	assert_int_equal(targetmaps_read(&maps, &remote), ENOENT);
	assert_null(maps.text);
	assert_int_equal(maps.module_count, 0);
	remote_release(&remote);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_that_is_read_ends_at_the_next),
		cmocka_unit_test(test_own_modules),
		cmocka_unit_test(test_symbols_of_an_own_module),
		cmocka_unit_test(test_file_without_a_name),
		cmocka_unit_test(test_process_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
