/* Width and colours of terminals. */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_LEAST 60

unsigned int terminal_width(FILE *out)
{
	struct winsize size;

	if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return TEXT_WIDTH;
	return size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
}

bool terminal_has_colour(FILE *out, const struct settings *settings)
{
	const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");

	if (!isatty(fileno(out)) || settings_bool(settings, SET_MONOCHROME))
		return false;
	return !(none && *none) && terminal && strcmp(terminal, "dumb") != 0;
}
