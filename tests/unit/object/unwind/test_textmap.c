/* Modules of uncommon shape, and stacks that lead into them. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "object/unwind/textmap.h"
#include "object/unwind/unwind.h"

#define PAGE 4096u

#define CODE(address)                                                                              \
	{                                                                                          \
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = (address), .p_memsz = PAGE   \
	}

/* Two pages of code, with so much between them that nothing is mapped there. */
static char *map_module_with_a_gap(void)
{
	const struct {
		ElfW(Ehdr) header;
		ElfW(Phdr) segments[2];
	} elf = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
			   .e_phoff = sizeof(ElfW(Ehdr)),
			   .e_phentsize = sizeof(ElfW(Phdr)),
			   .e_phnum = 2},
		.segments = {CODE(0), CODE(3 * PAGE)},
	};
	int file = memfd_create("gap", MFD_CLOEXEC);
	char *room = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_int_equal(ftruncate(file, PAGE), 0);
	assert_int_equal(pwrite(file, &elf, sizeof(elf), 0), (ssize_t)sizeof(elf));
	mmap(room, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0);
	mmap(room + 3 * PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0);
	close(file);
	return room;
}

static void test_gap_between_texts(void **state)
{
	const struct unwind_stack unknown = {0, 0};
	uint64_t stack[64] = {0};
	char *room = map_module_with_a_gap();
	struct unwind_registers registers = {.sp = (uintptr_t)stack};
	struct unwind_frame frames[4];
	enum unwind_end end;

	(void)state;
	unwind_learn();
	assert_true(textmap_is_code((uintptr_t)room + 8));
	for (unsigned page = 0; page < 4; page++) {
		registers.pc = (uintptr_t)room + page * PAGE + 2048;
		registers.fp = (uintptr_t)stack; /* that ends at once */
		assert_int_equal(unwind_self(&registers, &unknown, frames, 4, &end), 1);
		assert_int_equal(end, UNWIND_COMPLETE);
	}
	munmap(room, 4 * PAGE);
}

/* Between being loaded and being read, which may take its time: the loader tells of it. */
static void test_told(void **state)
{
	const struct textmap_module *read;
	struct textmap_module told;
	uint64_t address;
	void *library;

	(void)state;
	if (!dlsym(RTLD_DEFAULT, "_dl_find_object"))
		skip(); /* before glibc 2.35 the loader does not say */
	textmap_learn();
	library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	address = (uintptr_t)dlsym(library, "ns_datetosecs");
	assert_null(textmap_find(address));
	assert_true(textmap_from_loader(address, &told));
	textmap_learn();
	read = textmap_find(address);
	assert_non_null(read);
	assert_int_equal(told.section.header_address, read->section.header_address);
	assert_int_equal(told.section.frames_address, read->section.frames_address);
	assert_int_equal(told.section.frames_size, read->section.frames_size);
	assert_int_equal(told.text_start, read->text_start);
	assert_int_equal(told.text_end, read->text_end);
	assert_false(textmap_from_loader((uintptr_t)&told, &told)); /* no module's */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gap_between_texts),
		cmocka_unit_test(test_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
