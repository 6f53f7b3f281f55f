/* Executable files as the kernel and the loader see them. */
#include "platform/files/exec_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/test-exec-check-XXXXXX";

static int enter_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int remove_directory(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void write_file(const char *path, const void *bytes, size_t size, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void write_script(const char *path, const char *text)
{
	write_file(path, text, strlen(text), 0755);
}

static enum exec_obstacle inspect(const char *path, struct exec_facts *facts)
{
	errno = 77;
	exec_inspect(path, facts);
	assert_int_equal(errno, 77);
	return facts->obstacle;
}

static enum exec_obstacle obstacle_of(const char *path)
{
	struct exec_facts facts;

	return inspect(path, &facts);
}

/* A program of this machine, with the loader named, or static where that is NULL. */
static void write_program(const char *path, const char *loader, uint16_t machine, int bits)
{
	struct {
		Elf64_Ehdr elf;
		Elf64_Phdr segments[2];
		char loader[64];
	} program;
	Elf64_Ehdr own;
	int fd = open("/proc/self/exe", O_RDONLY);

	assert_int_equal(read(fd, &own, sizeof(own)), sizeof(own));
	close(fd);
	memset(&program, 0, sizeof(program));
	program.elf = own;
	program.elf.e_phoff = offsetof(__typeof__(program), segments);
	program.elf.e_phnum = loader ? 2 : 1;
	program.segments[0].p_type = PT_LOAD;
	if (machine)
		program.elf.e_machine = machine;
	program.elf.e_ident[EI_CLASS] = bits == 32 ? ELFCLASS32 : own.e_ident[EI_CLASS];
	if (loader) {
		program.segments[1].p_type = PT_INTERP;
		program.segments[1].p_offset = offsetof(__typeof__(program), loader);
		program.segments[1].p_filesz = strlen(loader) + 1;
		snprintf(program.loader, sizeof(program.loader), "%s", loader);
	}
	write_file(path, &program, sizeof(program), 0755);
}

static void test_programs(void **state)
{
	struct exec_facts facts;

	(void)state;
	assert_int_equal(obstacle_of("/proc/self/exe"), EXEC_NONE);
	write_program("dynamic", "/lib64/ld-linux-x86-64.so.2", 0, 64);
	assert_int_equal(inspect("dynamic", &facts), EXEC_NONE);
	assert_string_equal(facts.name, "/lib64/ld-linux-x86-64.so.2");
	write_program("static", NULL, 0, 64);
	assert_int_equal(obstacle_of("static"), EXEC_STATIC);
	write_program("musl", "/lib/ld-musl-x86_64.so.1", 0, 64);
	assert_int_equal(inspect("musl", &facts), EXEC_OTHER_LIBC);
	assert_true(facts.is_musl);
	write_program("foreign", "/lib/ld-linux.so.3", EM_ARM, 64);
	assert_int_equal(inspect("foreign", &facts), EXEC_FOREIGN);
	assert_int_equal(facts.machine, EM_ARM);
	write_program("small", "/lib/ld-linux.so.2", EM_386, 32);
	assert_int_equal(obstacle_of("small"), EXEC_OTHER_BITS);
	write_program("x32", "/libx32/ld-linux-x32.so.2", 0, 32);
	assert_int_equal(obstacle_of("x32"), EXEC_OTHER_BITS);
}

static void test_privileged(void **state)
{
	(void)state;
	if (getuid() != 0)
		skip();
	write_program("own", "/lib64/ld-linux-x86-64.so.2", 0, 64);
	assert_int_equal(chmod("own", 04755), 0);
	assert_int_equal(obstacle_of("own"), EXEC_NONE);
	assert_int_equal(chown("own", 12345, (gid_t)-1), 0);
	assert_int_equal(chmod("own", 04755), 0);
	assert_int_equal(obstacle_of("own"), EXEC_PRIVILEGED);
}

static void test_scripts(void **state)
{
	struct exec_facts facts;

	(void)state;
	write_program("interpreter", "/lib64/ld-linux-x86-64.so.2", 0, 64);
	write_program("fixed", NULL, 0, 64);
	write_script("plain", "#!./interpreter\n");
	assert_int_equal(inspect("plain", &facts), EXEC_NONE);
	assert_int_equal(facts.script_depth, 1);
	write_script("argument", "#! \t./fixed -x y\n");
	assert_int_equal(obstacle_of("argument"), EXEC_STATIC);
	write_script("nested", "#!./plain\n");
	assert_int_equal(inspect("nested", &facts), EXEC_NONE);
	assert_int_equal(facts.script_depth, 2);
	write_script("endless", "#!./endless\n");
	assert_int_equal(obstacle_of("endless"), EXEC_NO_FORMAT);
	write_script("orphan", "#!/no/such/interpreter -x\n");
	assert_int_equal(inspect("orphan", &facts), EXEC_NO_INTERPRETER);
	assert_string_equal(facts.name, "/no/such/interpreter");
	write_script("empty_line", "#!\n");
	assert_int_equal(obstacle_of("empty_line"), EXEC_NO_INTERPRETER);
	write_script("no_line", "echo hello\n");
	assert_int_equal(obstacle_of("no_line"), EXEC_NO_FORMAT);
	write_script("nothing", "");
	assert_int_equal(obstacle_of("nothing"), EXEC_NO_FORMAT);
}

static void test_not_programs(void **state)
{
	struct exec_facts facts;

	(void)state;
	assert_int_equal(inspect("/no/such/file", &facts), EXEC_MISSING);
	assert_int_equal(facts.error, ENOENT);
	assert_int_equal(obstacle_of("/"), EXEC_NOT_EXECUTABLE);
	write_file("plain_file", "\177ELF", 4, 0644);
	assert_int_equal(obstacle_of("plain_file"), EXEC_NOT_EXECUTABLE);
	write_file("cut_off", "\177ELF\2\1\1", 7, 0755);
	assert_int_not_equal(obstacle_of("cut_off"), EXEC_NONE);
	assert_int_equal(mkfifo("pipe", 0755), 0);
	assert_int_equal(obstacle_of("pipe"), EXEC_NOT_EXECUTABLE);
}

static void test_descriptor(void **state)
{
	struct exec_facts facts;
	int fd;

	(void)state;
	write_program("by_number", NULL, 0, 64);
	fd = open("by_number", O_RDONLY);
	exec_inspect_descriptor(fd, &facts);
	assert_int_equal(facts.obstacle, EXEC_STATIC);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
	exec_inspect_descriptor(fd, &facts);
	assert_int_equal(facts.obstacle, EXEC_NOT_EXECUTABLE);
}

static void test_search(void **state)
{
	char found[64], small[4];

	(void)state;
	assert_int_equal(mkdir("first", 0700) | mkdir("second", 0700), 0);
	write_script("second/tool", "#!/bin/sh\n");
	write_file("first/data", "", 0, 0644);
	write_script("here", "#!/bin/sh\n");
	assert_int_equal(exec_search("tool", "first:second", found, sizeof(found)), 0);
	assert_string_equal(found, "second/tool");
	assert_int_equal(exec_search("here", "first::second", found, sizeof(found)), 0);
	assert_string_equal(found, "here");
	assert_int_equal(exec_search("data", "first:second", found, sizeof(found)), EACCES);
	assert_int_equal(exec_search("none", "first:second:", found, sizeof(found)), ENOENT);
	assert_int_equal(exec_search("", "first", found, sizeof(found)), ENOENT);
	assert_int_equal(exec_search("./none", "first", found, sizeof(found)), 0);
	assert_string_equal(found, "./none");
	assert_int_equal(exec_search("./none", "first", small, sizeof(small)), ENAMETOOLONG);
	assert_int_equal(exec_search("sh", NULL, found, sizeof(found)), 0);
	assert_string_equal(found, "/bin/sh");
}

static void test_words(void **state)
{
	(void)state;
	for (int i = EXEC_NONE; i <= EXEC_PRIVILEGED; i++)
		assert_true(strlen(exec_obstacle_text((enum exec_obstacle)i)) > 0);
	assert_true(exec_rejects_preload(EXEC_OTHER_LIBC));
	assert_false(exec_rejects_preload(EXEC_STATIC));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),   cmocka_unit_test(test_privileged),
		cmocka_unit_test(test_scripts),	   cmocka_unit_test(test_not_programs),
		cmocka_unit_test(test_descriptor), cmocka_unit_test(test_search),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
