/* The layout of help on a terminal. */
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

static void help_table_row(const struct option_row *row)
{
	char choices[256];
	const char *argument = row->kind == OPTION_FLAG	    ? ""
			       : row->kind == OPTION_CHOICE ? "WORD"
							    : row->argument;

	help_option(row->letter, row->name, argument, row->help);
	if (row->kind != OPTION_CHOICE)
		return;
	snprintf(choices, sizeof(choices), "(%s)", row->argument);
	help_more(choices);
}

void help_table(const struct option_table *table)
{
	static const struct option_row help = {'h',  "help", OPTION_FLAG,
					       NULL, NULL,   "Show this help"};

	printf("usage: %s %s\n\n", table->command, table->usage);
	help_wrapped(table->description, 0);
	printf("\noptions:\n");
	for (size_t i = 0; i < table->row_count; i++)
		help_table_row(&table->rows[i]);
	help_table_row(&help);
}
