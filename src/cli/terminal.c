/* Width and colours of terminals. */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define WIDTH_LEAST 60

unsigned int terminal_width(FILE *out)
{
	struct winsize size;

	if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return TEXT_WIDTH;
	return size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
}

static bool terminal_is_file(FILE *out)
{
	struct stat info;

	return fstat(fileno(out), &info) == 0 && S_ISREG(info.st_mode);
}

void terminal_widths(FILE *out, uint64_t given, unsigned int *text_out, unsigned int *table_out)
{
	*text_out = terminal_width(out);
	*table_out = terminal_is_file(out) ? 0 : *text_out;
	if (given == WIDTH_NOT_GIVEN)
		return;
	*table_out = given < UINT32_MAX ? (unsigned int)given : 0;
	if (*table_out >= WIDTH_LEAST)
		*text_out = *table_out;
}

bool terminal_has_colour(FILE *out, const struct settings *settings)
{
	const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");

	if (!isatty(fileno(out)) || settings_bool(settings, SET_MONOCHROME))
		return false;
	return !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}
