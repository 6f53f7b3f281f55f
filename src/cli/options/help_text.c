/* The look of help on a terminal. */
#include "cli/options/help_text.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 24
#define HELP_WIDTH  80

void help_wrapped(const char *text, int column)
{
	int at = column;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (at > column && at + 1 + length > HELP_WIDTH) {
			printf("\n%*s", column, "");
			at = column;
		} else if (at > column) {
			at += printf(" ");
		}
		at += printf("%.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void help_row(const char *letters, const char *name, const char *argument, const char *text)
{
	char left[128], shown[8] = "   ";
	int length;

	if (letters[0])
		snprintf(shown, sizeof(shown), "-%.2s,", letters);
	length = snprintf(left, sizeof(left), "  %s --%s%s%s", shown, name,
			  *argument && !strchr("=[ ", *argument) ? " " : "", argument);
	printf("%-*s", HELP_COLUMN, left);
	if (length >= HELP_COLUMN)
		printf("\n%*s", HELP_COLUMN, "");
	help_wrapped(text, HELP_COLUMN);
}

void help_option(char letter, const char *name, const char *argument, const char *text)
{
	const char letters[] = {letter, '\0'};

	help_row(letters, name, argument, text);
}

void help_option_letters(const char *letters, const char *name, const char *argument,
			 const char *text)
{
	help_row(letters, name, argument, text);
}

void help_more(const char *text)
{
	printf("%*s", HELP_COLUMN, "");
	help_wrapped(text, HELP_COLUMN);
}
