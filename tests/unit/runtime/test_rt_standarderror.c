/* Standard error, where a program has done something to it. */
#include "runtime/standarderror.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "runtime_fixture.h"

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}

#define SAID "said\n"

/* stderr is the reading end's other one from here on. */
static int begin_with_pipe(void)
{
	int pipes[2];

	CHECK(pipe(pipes) == 0);
	CHECK(dup2(pipes[1], STDERR_FILENO) == STDERR_FILENO);
	close(pipes[1]);
	standarderror_init();
	return pipes[0];
}

static ssize_t said(int fd, char *text, size_t size)
{
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return read(fd, text, size);
}

/* The program has put something of its own there: it is not written into. */
static void what_is_the_programs_is_left_alone(void)
{
	char text[64];
	int fd = begin_with_pipe(), other[2];

	CHECK(pipe(other) == 0);
	dup2(other[1], STDERR_FILENO);
	standarderror_write(SAID, sizeof(SAID) - 1);
	CHECK(said(other[0], text, sizeof(text)) < 0 && errno == EAGAIN);
	close(STDERR_FILENO);
	standarderror_write(SAID, sizeof(SAID) - 1);
	CHECK(said(fd, text, sizeof(text)) <= 0);
}
CASE(what_is_the_programs_is_left_alone)

/* ... and is what it was again at the end. */
static void it_comes_back(void)
{
	char text[64];
	int fd = begin_with_pipe();

	standarderror_keep();
	close(STDERR_FILENO);
	standarderror_restore();
	standarderror_write(SAID, sizeof(SAID) - 1);
	CHECK(said(fd, text, sizeof(text)) == 5 && memcmp(text, SAID, 5) == 0);
}
CASE(it_comes_back)

/* Of a file that is appended to, as of a terminal, the name is enough. */
static void closed_it_is_opened_again(void)
{
	char path[sizeof(fixture_directory) + 16], text[64];
	int file;

	snprintf(path, sizeof(path), "%s/stderr", fixture_directory);
	file = open(path, O_CREAT | O_RDWR | O_APPEND, 0600);
	CHECK(dup2(file, STDERR_FILENO) == STDERR_FILENO);
	standarderror_init();
	close(STDERR_FILENO);
	standarderror_restore();
	standarderror_write(SAID, sizeof(SAID) - 1);
	CHECK(pread(file, text, sizeof(text), 0) == 5 && memcmp(text, SAID, 5) == 0);
}
CASE(closed_it_is_opened_again)

static void lost_for_good_it_is_nowhere(void)
{
	int fd = begin_with_pipe();
	char text[64];

	close(STDERR_FILENO);
	standarderror_restore();
	CHECK(fcntl(STDERR_FILENO, F_GETFD) >= 0); /* no other file gets its number */
	CHECK(write(STDERR_FILENO, "x", 1) == 1);
	CHECK(said(fd, text, sizeof(text)) <= 0);
}
CASE(lost_for_good_it_is_nowhere)

/* A pipe without a reader, a file that may not grow: no signal reaches the program. */
static void broken_pipes_end_nobody(void)
{
	int fd = begin_with_pipe();

	close(fd);
	signal(SIGPIPE, SIG_DFL);
	standarderror_write(SAID, sizeof(SAID) - 1);
}
CASE(broken_pipes_end_nobody)

static void full_files_end_nobody(void)
{
	const struct rlimit none = {0, RLIM_INFINITY};
	int file = memfd_create("stderr", 0);

	dup2(file, STDERR_FILENO);
	standarderror_init();
	setrlimit(RLIMIT_FSIZE, &none);
	signal(SIGXFSZ, SIG_DFL);
	standarderror_write(SAID, sizeof(SAID) - 1);
}
CASE(full_files_end_nobody)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_the_programs_is_left_alone),
		cmocka_unit_test(test_it_comes_back),
		cmocka_unit_test(test_closed_it_is_opened_again),
		cmocka_unit_test(test_lost_for_good_it_is_nowhere),
		cmocka_unit_test(test_broken_pipes_end_nobody),
		cmocka_unit_test(test_full_files_end_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
