/* Lines on stderr by write(2): the program's stdio is not ours to touch.
 * A pipe that nobody reads any more raises SIGPIPE, which must not end the program. */
#include "runtime/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/heldsignal.h"
#include "platform/plainfile.h"

#define LINE_BYTES 1024

static struct stat stderr_status; /* written once, by say_init() */

void say_init(void)
{
	if (fstat(STDERR_FILENO, &stderr_status) < 0)
		stderr_status.st_ino = 0;
}

static int is_same_stderr(void)
{
	struct stat now;

	return fstat(STDERR_FILENO, &now) == 0 && now.st_ino == stderr_status.st_ino &&
	       now.st_dev == stderr_status.st_dev;
}

static void write_line(const char *line, size_t length)
{
	struct held_signal broken;

	signal_hold(&broken, SIGPIPE);
	signal_release(&broken, plain_write(STDERR_FILENO, line, length) < 0 && errno == EPIPE);
}

void say(const char *format, ...)
{
	char line[LINE_BYTES];
	int saved = errno, length = snprintf(line, sizeof(line), "kymo: ");
	va_list arguments;

	va_start(arguments, format);
	length += vsnprintf(line + length, sizeof(line) - (size_t)length - 1, format, arguments);
	va_end(arguments);
	if (length > (int)sizeof(line) - 2)
		length = (int)sizeof(line) - 2;
	line[length++] = '\n';
	if (is_same_stderr())
		write_line(line, (size_t)length);
	errno = saved;
}
