/* Formatted here, because the C library's functions are not async-signal-safe, and other
 * preloaded libraries may replace them. */
#include "runtime/log.h"

#include <stdarg.h>

#include "base/keeperrno.h"
#include "base/text/lineformat.h"
#include "runtime/standarderror.h"

#define LINE_BYTES 1024u
#define PREFIX	   "kymo: "

static enum kymo_log_level log_least =
	KYMO_LOG_NOTE; /* written while the process is single-threaded */

void log_choose(enum kymo_log_level least)
{
	log_least = least;
}

void kymo_log(enum kymo_log_level level, const char *format, ...)
{
	char line[LINE_BYTES] = PREFIX;
	size_t length = sizeof(PREFIX) - 1;
	KEEP_ERRNO();
	va_list arguments;

	if (level > log_least)
		return;
	va_start(arguments, format);
	length += lineformat(line + length, sizeof(line) - length, format, arguments);
	va_end(arguments);
	line[length++] = '\n'; /* where the NUL was */
	standarderror_write(line, length);
}
