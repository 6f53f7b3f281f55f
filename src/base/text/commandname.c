/* The rules are those of CPython's own command line. */
#include "base/text/commandname.h"

#include <stdbool.h>
#include <string.h>

#include "base/basename.h"

static bool is_python(const char *name)
{
	return strncmp(name, "python", 6) == 0 || strncmp(name, "pypy", 4) == 0;
}

/* Options of the interpreter that take the next argument. */
static bool takes_next(const char *option)
{
	return strcmp(option, "-W") == 0 || strcmp(option, "-X") == 0 ||
	       strcmp(option, "--check-hash-based-pycs") == 0;
}

/* "-m" and "-c" end the interpreter's options, also combined with other letters: "-um". */
static char last_letter(const char *option)
{
	return option[0] == '-' && option[1] != '-' ? option[strlen(option) - 1] : '\0';
}

const char *command_name(const char *const *arguments, size_t count)
{
	const char *program = count ? path_base_name(arguments[0]) : NULL;

	if (!program || !is_python(program))
		return program;
	for (size_t i = 1; i < count; i++) {
		const char *at = arguments[i];

		if (last_letter(at) == 'c' || !*at)
			return program;
		if (last_letter(at) == 'm' && i + 1 < count)
			return path_base_name(arguments[i + 1]);
		if (takes_next(at) && i + 1 < count)
			i++;
		else if (at[0] != '-')
			return path_base_name(at);
	}
	return program;
}
