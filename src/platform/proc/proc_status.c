/* Reads up to the key, then from column to column: nothing more is parsed. */
#include "platform/proc/proc_status.h"

#include <stdbool.h>

#include "platform/proc/proc_file.h"

static int status_digit(char c, unsigned base)
{
	unsigned value = 99;

	if (c >= '0' && c <= '9')
		value = (unsigned)(c - '0');
	else if (c >= 'a' && c <= 'f')
		value = (unsigned)(c - 'a') + 10;
	return value < base ? (int)value : -1;
}

/* What follows "KEY:" if the line begins so; else NULL. */
static const char *behind_key(const char *line, const char *key)
{
	while (*key)
		if (*line++ != *key++)
			return NULL;
	return *line == ':' ? line + 1 : NULL;
}

/* After the key of its line; NULL: there is none. */
static const char *status_find(const char *text, const char *key)
{
	const char *behind;

	while (!(behind = behind_key(text, key))) {
		while (*text && *text != '\n')
			text++;
		if (!*text++)
			return NULL;
	}
	return behind;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

int64_t proc_status_column(const char *text, const char *key, uint32_t column, unsigned base)
{
	const char *at = status_find(text, key);
	int64_t number = -1;

	for (uint32_t i = 0; at && (i <= column || column == PROC_STATUS_LAST); i++) {
		while (is_blank(*at))
			at++;
		if (status_digit(*at, base) < 0)
			return column == PROC_STATUS_LAST ? number : -1;
		number = 0;
		for (; status_digit(*at, base) >= 0; at++)
			number = (int64_t)((uint64_t)number * base +
					   (uint64_t)status_digit(*at, base));
	}
	return number;
}

int64_t proc_status_number(const char *text, const char *key, unsigned base)
{
	return proc_status_column(text, key, 0, base);
}

int64_t proc_status_of(int32_t process, int32_t thread, const char *key, unsigned base)
{
	char text[PROC_STATUS_BYTES];

	return proc_read(process, thread, "status", text, sizeof(text)) > 0
		       ? proc_status_number(text, key, base)
		       : -1;
}
