/* Which modules there are, where the list is hard to come by or to read. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/modulescan.h"
#include "platform/readable.h"

#define PAGE 4096u

static void count_one(const struct modulescan_found *found, void *count)
{
	(void)found;
	++*(unsigned *)count;
}

static bool main_has_ended(void)
{
	char path[64], text[512], *end;
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	file = fopen(path, "re");
	size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	text[size] = '\0';
	if (file)
		fclose(file);
	end = strrchr(text, ')');
	return end && end[1] == ' ' && end[2] == 'Z';
}

static void *scan_alone(void *unused)
{
	uint64_t word = 5, copy = 0;
	unsigned count = 0;

	(void)unused;
	while (!main_has_ended())
		sched_yield();
	if (modulescan(count_one, &count) != 0 || count < 2)
		_exit(1);
	_exit(!readable_copy((uintptr_t)&word, &copy, sizeof(copy)) || copy != 5);
}

static void test_main_thread_has_ended(void **state)
{
	pid_t child = fork();
	pthread_t thread;
	int status;

	(void)state;
	if (child == 0) {
		pthread_create(&thread, NULL, scan_alone, NULL);
		pthread_exit(NULL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* An ELF file of one page whose one segment takes so many. */
static int make_elf(const char *name, unsigned pages)
{
	const struct {
		ElfW(Ehdr) header;
		ElfW(Phdr) segment;
	} elf = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
			   .e_phoff = sizeof(ElfW(Ehdr)),
			   .e_phentsize = sizeof(ElfW(Phdr)),
			   .e_phnum = 1},
		.segment = {.p_type = PT_LOAD, .p_memsz = pages * PAGE},
	};
	int file = memfd_create(name, MFD_CLOEXEC);

	assert_int_equal(ftruncate(file, PAGE), 0);
	assert_int_equal(pwrite(file, &elf, sizeof(elf), 0), (ssize_t)sizeof(elf));
	return file;
}

struct wanted {
	uint64_t start, end;
	unsigned count;
};

static void look_for(const struct modulescan_found *found, void *context)
{
	struct wanted *wanted = context;

	if (found->end > wanted->start && found->start < wanted->end) {
		wanted->count++;
		assert_int_equal(found->start, wanted->start);
		assert_string_equal(found->path, "/memfd:module");
	}
}

static void test_file_that_is_read_ends_at_the_next(void **state)
{
	int data = make_elf("data", 8), module = make_elf("module", 1);
	char *room = mmap(NULL, 8 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct wanted wanted = {.start = (uintptr_t)room + 4 * PAGE};

	(void)state;
	wanted.end = wanted.start + PAGE;
	mmap(room, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, data, 0);
	mmap(room + 4 * PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, module, 0);
	assert_int_equal(modulescan(look_for, &wanted), 0);
	assert_int_equal(wanted.count, 1);
	munmap(room, 8 * PAGE);
	close(data);
	close(module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_main_thread_has_ended),
		cmocka_unit_test(test_file_that_is_read_ends_at_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
