/* The lines that Kymo says from inside of a program. */
#include "runtime/log.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/time.h>

#include "runtime/standarderror.h"
#include "runtime_fixture.h"

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}

static int begin_with_pipe(void)
{
	int pipes[2];

	CHECK(pipe(pipes) == 0);
	CHECK(dup2(pipes[1], STDERR_FILENO) == STDERR_FILENO);
	close(pipes[1]);
	fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	return pipes[0];
}

static bool has_said(int fd, const char *expected)
{
	char text[4096];
	ssize_t length = read(fd, text, sizeof(text));

	return length == (ssize_t)strlen(expected) && memcmp(text, expected, (size_t)length) == 0;
}

static void one_line(void)
{
	int fd = begin_with_pipe();

	standarderror_init();
	errno = ENOSPC;
	kymo_log(KYMO_LOG_ERROR, "cannot open '%s'", "x");
	CHECK(errno == ENOSPC);
	CHECK(has_said(fd, "kymo: cannot open 'x'\n"));
}
CASE(one_line)

/* A collector that looks at the program before the runtime does. */
static void it_is_said_before_the_runtime_is_open(void)
{
	int fd = begin_with_pipe();

	kymo_log(KYMO_LOG_ERROR, "too early");
	CHECK(has_said(fd, "kymo: too early\n"));
}
CASE(it_is_said_before_the_runtime_is_open)

static void long_lines_are_cut(void)
{
	static char long_text[5000];
	char text[4096];
	int fd = begin_with_pipe();
	ssize_t length;

	memset(long_text, 'x', sizeof(long_text) - 1);
	kymo_log(KYMO_LOG_NOTE, "%s", long_text);
	length = read(fd, text, sizeof(text));
	CHECK(length == 1024 && text[length - 1] == '\n' && text[length - 2] == 'x');
}
CASE(long_lines_are_cut)

static void what_is_less_urgent_is_left_out(void)
{
	int fd = begin_with_pipe();

	log_choose(KYMO_LOG_WARNING);
	kymo_log(KYMO_LOG_NOTE, "note");
	CHECK(!has_said(fd, "") && errno == EAGAIN);
	kymo_log(KYMO_LOG_WARNING, "warning");
	CHECK(has_said(fd, "kymo: warning\n"));
	log_choose(KYMO_LOG_ERROR);
	kymo_log(KYMO_LOG_WARNING, "warning");
	kymo_log(KYMO_LOG_ERROR, "error");
	CHECK(has_said(fd, "kymo: error\n"));
}
CASE(what_is_less_urgent_is_left_out)

static void say_in_handler(int number)
{
	kymo_log(KYMO_LOG_ERROR, "signal %d of %s", number, "a timer");
}

/* Wherever a handler comes in between, lines are whole. */
static void handlers_may_say_it(void)
{
	const char inner[] = "kymo: signal 14 of a timer\n", outer[] = "kymo: 1234567 of nobody\n";
	const struct itimerval often = {{0, 200}, {0, 200}};
	static char text[1 << 17]; /* more than a pipe holds */
	int fd = begin_with_pipe(), inner_count = 0;
	ssize_t length;

	standarderror_init();
	signal(SIGALRM, say_in_handler);
	setitimer(ITIMER_REAL, &often, NULL);
	while (inner_count < 20) {
		kymo_log(KYMO_LOG_NOTE, "%lu of %s", 1234567ul, "nobody");
		length = read(fd, text, sizeof(text));
		for (ssize_t at = 0; at < length;) {
			bool is_inner = text[at + 6] == 's';
			const char *line = is_inner ? inner : outer;

			CHECK(memcmp(text + at, line, strlen(line)) == 0);
			at += (ssize_t)strlen(line);
			inner_count += is_inner;
		}
	}
}
CASE(handlers_may_say_it)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_line),
		cmocka_unit_test(test_it_is_said_before_the_runtime_is_open),
		cmocka_unit_test(test_long_lines_are_cut),
		cmocka_unit_test(test_what_is_less_urgent_is_left_out),
		cmocka_unit_test(test_handlers_may_say_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
